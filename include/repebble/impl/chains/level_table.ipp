#ifndef REPEBBLE_IMPL_CHAINS_LEVEL_TABLE_IPP
#define REPEBBLE_IMPL_CHAINS_LEVEL_TABLE_IPP

#include <repebble/chains/level_table.hpp>

#include <span>
#include <string>

#include <repebble/chains/detail/split_row.hpp>
#include <repebble/chains/detail/table_size.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE level_table::level_table(std::uint64_t steps, std::vector<storage_level> levels, step_costs step) : steps_(steps), levels_(std::move(levels)), step_(step) {
    detail::check_levels(levels_, step_);
    check_sizes();
    std::size_t const size = steps + 1;
    std::vector<std::int64_t> lower(size, detail::no_reversal);
    if (size > 1) lower[1] = 0;
    for (auto const& of : levels_) {
        rows_.push_back({lower, {}});
        if (is_binomial(rows_.size() - 1))
            fill_binomial(lower, of.slots);
        else
            fill_level(lower, of);
    }
    least_ = std::move(lower);
}

REPEBBLE_INLINE auto level_table::least_cost(std::uint64_t steps) const -> std::int64_t {
    REPEBBLE_ASSERT(steps <= steps_);
    if (steps == 0) return 0;
    return least_[steps] + static_cast<std::int64_t>(steps) * step_.reverse;
}

REPEBBLE_INLINE auto level_table::best_place(place at, std::uint64_t steps) const -> place {
    std::size_t const n = steps;
    while (at.level > 0 &&
           (at.slots == 0 || rows_[at.level].lower[n] <= levels_[at.level].write + row_of(at).least[n])) {
        --at.level;
        at.slots = levels_[at.level].slots;
    }
    return at;
}

REPEBBLE_INLINE void level_table::check_sizes() const {
    __extension__ using wide = __int128;
    auto const of_steps = std::to_string(steps_) + " steps";
    if (steps_ >= std::uint64_t{1} << 32U)
        detail::raise(bad_weight("a table of " + of_steps + " is too large: 2^32 - 1 are allowed"));
    auto const advances = binomial_bounds::least_advances(steps_, is_binomial(0) ? levels_[0].slots : 1);
    wide all = 0;
    auto const add = [&](std::uint64_t times, std::int64_t cost, std::string const& what) {
        all += wide{times} * cost;
        if (all >= wide{1} << 60U)
            detail::raise(bad_weight("the costs of " + of_steps + ", up to those of " + what + ", each " +
                                     std::to_string(cost) + ", do not fit in 60 bits"));
    };
    add(advances, step_.advance, "advances");
    add(steps_, step_.reverse, "reversed steps");
    std::uint64_t slots = 0;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
        add(steps_, levels_[k].write, "snapshots into level " + std::to_string(k));
        add(steps_, levels_[k].read, "restores from level " + std::to_string(k));
        if (!is_binomial(k)) slots += rows_on(levels_[k]);
    }
    constexpr std::uint64_t of_row = sizeof(std::int64_t) + sizeof(std::uint32_t);
    detail::check_table_size(steps_ + 1, of_row * slots + sizeof(std::int64_t) * (levels_.size() + 1),
                             "a table of " + of_steps + " and " + std::to_string(slots) + " slots");
}

REPEBBLE_INLINE void level_table::fill_binomial(std::vector<std::int64_t>& least, std::uint32_t slots) const {
    std::uint64_t repetitions = 0, most = 1;
    for (std::size_t n = 2; n < least.size(); ++n) {
        while (most < n) most = binomial_bounds::most_steps(slots, ++repetitions);
        if (n == 2) least[1] = 0;
        least[n] = least[n - 1] + static_cast<std::int64_t>(repetitions) * step_.advance;
    }
}

REPEBBLE_INLINE void level_table::fill_one_slot(row& now, std::vector<std::int64_t>& kept, storage_level const& of) const {
    for (std::size_t n = 2; n < now.least.size(); ++n) {
        now.split[n] = static_cast<std::uint32_t>(n - 1);
        now.least[n] = now.least[n - 1] + static_cast<std::int64_t>(n - 1) * step_.advance + of.read;
        kept[n] = of.write + now.least[n];
    }
}

REPEBBLE_INLINE void level_table::fill_level(std::vector<std::int64_t>& lower, storage_level const& of) {
    auto& level = rows_.back();
    auto const size = lower.size();
    bool const unlimited = of.slots == storage_level::unlimited;
    auto later = lower;
    for (std::uint32_t s = 1; s <= of.slots; ++s) {
        row now{std::vector<std::int64_t>(size), std::vector<std::uint32_t>(size)};
        std::vector<std::int64_t> kept(unlimited ? 0 : size);
        if (rows_.size() == 1 && s == 1 && !unlimited)
            fill_one_slot(now, kept, of);
        else
            detail::fill({level.lower, later, step_.advance, of.read, of.write, now.least, now.split,
                          unlimited ? std::span(later) : std::span(kept)});
        if (!unlimited) later.swap(kept);
        bool const is_last = unlimited || (s > 1 && now.least == level.by_slots.back().least);
        level.by_slots.push_back(std::move(now));
        if (is_last) break;
    }
    lower = std::move(later);
}

REPEBBLE_INLINE level_schedule::level_schedule(level_table const& of) : of_(&of), end_(of.steps()) {
    if (end_ == 0)
        over_ = true;
    else
        begin_at(0, top_level());
}

REPEBBLE_INLINE void level_schedule::advance() {
    if (!below_.is_over()) {
        below_.advance();
        if (below_.is_over())
            restore_before(below_.first());
        else
            now_ = below_.current();
        return;
    }
    switch (now_.what) {
        case kind::reverse:
            restore_before(now_.begin);
            return;
        case kind::advance: {
            auto const below = stack_.back().at;
            begin_at(now_.end, {below.level, below.slots - 1});
            return;
        }
        case kind::snapshot:
        case kind::restore:
            break;
    }
    auto const [state, at] = stack_.back();
    auto const steps = end_ - state;
    if (steps == 1) {
        now_ = {{kind::reverse, 0, state, state}, 0};
    } else if (auto const split = of_->row_of(at).split[static_cast<std::size_t>(steps)]; split > 0) {
        now_ = {{kind::advance, 0, state, state + split}, 0};
    } else {  // the slot is of no more use
        stack_.pop_back();
        begin_at(state, {at.level - 1, of_->levels()[at.level - 1].slots});
    }
}

REPEBBLE_INLINE void level_schedule::begin_at(std::uint64_t state, place at) {
    auto const steps = end_ - state;
    if (steps == 1) {
        now_ = {{kind::reverse, 0, state, state}, 0};
        return;
    }
    at = of_->best_place(at, steps);
    if (of_->is_binomial(at.level)) {
        below_.begin(state, steps, at.slots);
        now_ = below_.current();
        return;
    }
    stack_.push_back({state, at});
    now_ = {{kind::snapshot, slot_of(at), state, state}, at.level};
}

REPEBBLE_INLINE void level_schedule::restore_before(std::uint64_t state) {
    end_ = state;
    if (!stack_.empty() && stack_.back().state == state) stack_.pop_back();
    over_ = stack_.empty();
    if (over_) return;
    auto const& top = stack_.back();
    now_ = {{kind::restore, slot_of(top.at), top.state, top.state}, top.at.level};
}

}  // namespace repebble::inline v0

#endif
