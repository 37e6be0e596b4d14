#ifndef REPEBBLE_IMPL_CHAINS_PERIODIC_DISK_REVOLVE_IPP
#define REPEBBLE_IMPL_CHAINS_PERIODIC_DISK_REVOLVE_IPP

#include <repebble/chains/periodic_disk_revolve.hpp>

#include <initializer_list>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE periodic_disk_schedule::periodic_disk_schedule(std::uint64_t steps, std::uint32_t slots, storage_level const& disk, step_costs const& step) : steps_(steps), slots_(slots), disk_(disk), step_(step) {
    detail::check_levels(std::initializer_list<storage_level>{{slots}, disk}, step);
    if (steps == 0) return;
    if (steps > most_steps_allowed)
        detail::raise(bad_weight(std::to_string(steps) + " steps are too many: there may be 2^61 - 1"));
    auto const most =
        disk.slots == storage_level::unlimited ? steps - 1 : std::min<std::uint64_t>(steps - 1, disk.slots);
    std::uint64_t low = 0, high = most;  // the least t after which the cost does not fall
    while (low < high) {
        auto const middle = low + (high - low) / 2;
        auto const now = cost(middle);
        if (now >= too_much || cost(middle + 1) < now)
            low = middle + 1;
        else
            high = middle;
    }
    segments_ = low;
    if (segments_ > storage_level::unlimited)
        detail::raise(bad_weight(std::to_string(steps) + " steps would take " + std::to_string(segments_) +
                                 " snapshots on disk, and no more than 2^32 - 1 can be numbered"));
    auto const all = cost(low);
    if (all > wide{std::numeric_limits<std::int64_t>::max()}) raise_too_long();
    least_ = static_cast<std::int64_t>(all);
    place_segments();
    if (segments_ == 0)
        begin_memory(0, steps);
    else
        now_ = {{kind::snapshot, 0, 0, 0}, 1};
}

REPEBBLE_INLINE auto periodic_disk_schedule::most_advances(std::uint64_t t) const -> std::int64_t {
    std::int64_t low = 0, high = 1;
    while (capacity(t, high) < wide{steps_}) low = high, high *= 2;
    while (high - low > 1) {
        auto const middle = low + (high - low) / 2;
        (capacity(t, middle) < wide{steps_} ? low : high) = middle;
    }
    return high;
}

REPEBBLE_INLINE auto periodic_disk_schedule::cost(std::uint64_t t) const -> wide {
    auto const fixed = wide{t} * (wide{disk_.write} + disk_.read) + wide{steps_} * step_.reverse;
    if (step_.advance == 0) return fixed;  // however many advances there are
    auto const rho = most_advances(t);
    auto const in_last = most_steps(rho - 1), in_segment = most_steps(rho - 2);
    auto const of_last = binomial_bounds::least_advances(in_last, slots_);
    auto const of_segment = binomial_bounds::least_advances(in_segment, slots_);
    if (of_last == binomial_bounds::unlimited || of_segment == binomial_bounds::unlimited) return too_much;
    auto const advances = wide{of_last} + wide{t} * (wide{in_segment} + wide{of_segment}) +
                          wide{rho} * (wide{steps_} - capacity(t, rho - 1));
    if (advances > wide{std::numeric_limits<std::int64_t>::max()}) return too_much;
    return advances * step_.advance + fixed;
}

REPEBBLE_INLINE void periodic_disk_schedule::place_segments() {
    if (segments_ == 0) return;
    auto const rho = most_advances(segments_);
    auto const least = most_steps(rho - 2), most = most_steps(rho - 1);
    auto const more = std::min(wide{steps_} - capacity(segments_, rho - 1), wide{segments_} * wide{most - least});
    period_ = least + static_cast<std::uint64_t>(more / segments_);
    longer_ = static_cast<std::uint64_t>(more % segments_);
}

REPEBBLE_INLINE void periodic_disk_schedule::advance() {
    if (!in_memory_.is_over()) {
        in_memory_.advance();
        if (!in_memory_.is_over()) {
            now_ = in_memory_.current();
            return;
        }
        steps_ = in_memory_.first();
        if (steps_ == 0) return;
        auto const state = state_of(--at_);
        now_ = {{kind::restore, static_cast<std::uint32_t>(at_), state, state}, 1};
        return;
    }
    switch (now_.what) {
        case kind::restore:
            begin_memory(now_.begin, steps_);
            return;
        case kind::snapshot:
            now_ = {{kind::advance, 0, now_.begin, state_of(++at_)}, 0};
            return;
        case kind::advance:
        case kind::reverse:
            break;
    }
    if (at_ < segments_)
        now_ = {{kind::snapshot, static_cast<std::uint32_t>(at_), now_.end, now_.end}, 1};
    else
        begin_memory(now_.end, steps_);
}

}  // namespace repebble::inline v0

#endif
