#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_CUT_RELAXATION_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_CUT_RELAXATION_IPP

#include <repebble/planner/detail/bounds/one_cut/cut_relaxation.hpp>

#include <algorithm>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE cut_relaxation::cut_relaxation(first_run_cut const& cut, bytes budget, bytes unit, std::vector<cut_decision> const& decisions) : cut_(cut),
      m_(cut.model()),
      unit_(unit),
      capacity_(cut.capacity(budget)),
      decided_(m_.value_count(), decision::none) {
    bytes left = capacity_;
    if (left >= 0) capacity_ /= unit;
    for (auto const& d : decisions) {
        decided_[d.value] = d.kept ? decision::kept : decision::excluded;
        some_excluded_ = some_excluded_ || !d.kept;
        if (!d.kept) continue;
        left -= m_.sizes[d.value];
        capacity_ -= size(d.value);
    }
    if (left < 0) capacity_ = -1;
    if (capacity_ < 0) return;
    choose_scale();
    network_ = closure_network(cut, [&](value_index x) {
        return (size(x) > 0 && decided_[x] != decision::kept) || decided_[x] == decision::excluded;
    });
}

REPEBBLE_INLINE auto cut_relaxation::solve(std::int64_t cutoff, std::int64_t least_useful, stop_test stop)
    -> result {
    if (capacity_ < 0 || least_kept() > capacity_) return {.feasible = false};
    result out;
    auto low = solve_at(0);                        // keeps too much
    for (bool const keeps_less : {true, false}) {  // two optima: the largest source side keeps fewest bytes
        out.beyond = chosen(low.flow, keeps_less);
        if (size(*out.beyond) > capacity_) continue;
        out.bound = out.beyond->time;
        std::swap(out.fits, out.beyond);
        return out;
    }
    std::int64_t high = highest_;  // keeps little enough
    for (std::size_t round = 0; round < m_.effort.multiplier_rounds && high - low.multiplier > 1 && out.bound < cutoff;
         ++round) {
        if (stop() || most(out) <= static_cast<double>(least_useful)) break;
        auto next = low;
        raise(next, multiplier_between(low.multiplier, high, out));
        out.bound = std::max(out.bound, bound(next));
        auto c = chosen(next.flow, true);
        if (size(c) <= capacity_) {
            bool const known = out.fits && *out.fits == c;
            high = next.multiplier;
            out.fits = std::move(c);
            if (known || size(chosen(next.flow, false)) >= capacity_)
                break;  // the subgradient is zero: the best multiplier
        } else {
            bool const known = *out.beyond == c;
            out.beyond = std::move(c);
            low = std::move(next);
            if (known && out.fits) break;
        }
    }
    return out;
}

REPEBBLE_INLINE auto cut_relaxation::size(checkpoint_choice const& c) const -> bytes {
    bytes all = 0;
    for (auto const& [arc, x] : arcs_)
        if (c.kept[x] != 0) all += size(x);
    return all;
}

REPEBBLE_INLINE void cut_relaxation::choose_scale() {
    double all = 1;
    for (value_index x = 0; x < m_.value_count(); ++x) all += static_cast<double>(size(x));
    double const time = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
    double const capacity = static_cast<double>(std::max<bytes>(1, capacity_));
    scale_ = static_cast<std::int64_t>(std::clamp(0x1p58 / (time * std::max(1.0, all / capacity)), 1.0, 0x1p40));
    // At a higher multiplier, keeping nothing is better than any choice that fills the capacity.
    highest_ =
        static_cast<std::int64_t>(std::min(0x1p59 / all, 2 * static_cast<double>(scale_) * time / capacity + 2));
}

REPEBBLE_INLINE auto cut_relaxation::multiplier_between(std::int64_t low, std::int64_t high, result const& known) const
    -> std::int64_t {
    auto const middle = low + (high - low) / 2;
    auto const first = high / m_.effort.first_multiplier_part;
    if (!known.fits) return low < first ? first : middle;
    double const saved = static_cast<double>(size(*known.beyond) - size(*known.fits));
    double const time_lost = static_cast<double>(known.fits->time - known.beyond->time);
    return std::clamp(static_cast<std::int64_t>(static_cast<double>(scale_) * time_lost / saved), low + 1,
                      high - 1);
}

REPEBBLE_INLINE auto cut_relaxation::most(result const& known) const -> double {
    if (!known.fits) return std::numeric_limits<double>::infinity();
    double const slope = static_cast<double>(known.fits->time - known.beyond->time) /
                         static_cast<double>(size(*known.beyond) - size(*known.fits));
    return static_cast<double>(known.fits->time) - slope * static_cast<double>(capacity_ - size(*known.fits));
}

REPEBBLE_INLINE auto cut_relaxation::least_kept() -> bytes {
    if (!some_excluded_ && std::ranges::all_of(m_.operations, &planning_model::operation::recomputable)) return 0;
    auto flow = make(0);
    for (auto const& [arc, x] : arcs_) flow.grow(arc, size(x));
    return flow.maximise();
}

REPEBBLE_INLINE auto cut_relaxation::make(std::int64_t scale) -> maximum_flow {
    auto const never = [&](value_index x) { return decided_[x] == decision::excluded; };
    auto flow = network_.flow(scale, [&](value_index x) { return never(x) ? maximum_flow::unlimited : 0; });
    arcs_.clear();
    for (auto const& r : network_.required())
        if (r.is_choice && !never(r.value)) arcs_.emplace_back(r.arc, r.value);
    return flow;
}

REPEBBLE_INLINE auto cut_relaxation::chosen(maximum_flow const& flow, bool keeps_less) const -> checkpoint_choice {
    auto const side = keeps_less ? flow.largest_source_side() : flow.source_side();
    return choice_of(cut_, [&](operation_index p) {
        return network_.runs(p, side) && (m_.operations[p].recomputable || !cut_.is_before(p));
    });
}

}  // namespace repebble::inline v0::detail

#endif
