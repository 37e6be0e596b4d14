#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP

// The Lagrangian relaxation of the knapsack at one cut (Lagrangian bound): the capacity constraint gets one multiplier;
// for a multiplier the best choice is a minimum cut in a closure network, and the best multiplier is found by bisection
// and line intersection with warm-started maximum flows. Multipliers are integers over a scale, so the bound is exact.
// `cut_search` branches on it; the rounding of byte units is that of Gomory and Chvátal.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/closure_network.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// A branching decision: the value is kept at the cut, or is excluded.
struct cut_decision {
    value_index value = 0;
    bool kept = true;
};

/// The relaxation at one cut under decisions. Bytes may be counted in units, rounded down: that relaxes sizes and
/// capacity alike, and makes the bound stronger where most sizes are multiples of the unit.
class cut_relaxation {
  public:
    struct result {
        std::int64_t bound = 0;                     ///< lower bound on the time of recomputations
        bool feasible = true;                       ///< false: no choice fits the capacity
        std::optional<checkpoint_choice> fits{};    ///< the best choice within the capacity, in units, that was met
        std::optional<checkpoint_choice> beyond{};  ///< its neighbour beyond the capacity
    };

    cut_relaxation(first_run_cut const& cut, bytes budget, bytes unit, std::vector<cut_decision> const& decisions)
        : cut_(cut),
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

    /// Maximizes the bound over the multiplier. Ends where the bound reaches `cutoff`, where it cannot exceed
    /// `least_useful`, or where `stop()` returns true.  O(a few maximum flows).
    [[nodiscard]] auto solve(std::int64_t cutoff, std::int64_t least_useful = -1, stop_test stop = never_stop{})
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
        for (int round = 0; round < most_rounds && high - low.multiplier > 1 && out.bound < cutoff; ++round) {
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

    /// Units that the choice keeps, without values that are kept by decision.
    [[nodiscard]] auto size(checkpoint_choice const& c) const -> bytes {
        bytes all = 0;
        for (auto const& [arc, x] : arcs_)
            if (c.kept[x] != 0) all += size(x);
        return all;
    }

  private:
    static constexpr int most_rounds = 64;
    enum class decision : std::uint8_t { none, kept, excluded };
    struct parametric_flow {
        maximum_flow flow;
        std::int64_t multiplier = 0, value = 0;
    };

    /// Chooses the scale so that scale · time + multiplier · bytes of everything stays below 2⁶⁰.
    void choose_scale() {
        double all = 1;
        for (value_index x = 0; x < m_.value_count(); ++x) all += static_cast<double>(size(x));
        double const time = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
        double const capacity = static_cast<double>(std::max<bytes>(1, capacity_));
        scale_ = static_cast<std::int64_t>(std::clamp(0x1p58 / (time * std::max(1.0, all / capacity)), 1.0, 0x1p40));
        // At a higher multiplier, keeping nothing is better than any choice that fills the capacity.
        highest_ =
            static_cast<std::int64_t>(std::min(0x1p59 / all, 2 * static_cast<double>(scale_) * time / capacity + 2));
    }
    [[nodiscard]] auto multiplier_between(std::int64_t low, std::int64_t high, result const& known) const
        -> std::int64_t {
        auto const middle = low + (high - low) / 2;
        if (!known.fits) return low < high / 64 ? high / 64 : middle;
        double const saved = static_cast<double>(size(*known.beyond) - size(*known.fits));
        double const time_lost = static_cast<double>(known.fits->time - known.beyond->time);
        return std::clamp(static_cast<std::int64_t>(static_cast<double>(scale_) * time_lost / saved), low + 1,
                          high - 1);
    }

    /// Largest bound that any multiplier can give: on the line between both neighbours of the capacity.
    [[nodiscard]] auto most(result const& known) const -> double {
        if (!known.fits) return std::numeric_limits<double>::infinity();
        double const slope = static_cast<double>(known.fits->time - known.beyond->time) /
                             static_cast<double>(size(*known.beyond) - size(*known.fits));
        return static_cast<double>(known.fits->time) - slope * static_cast<double>(capacity_ - size(*known.fits));
    }

    [[nodiscard]] auto least_kept() -> bytes {
        if (!some_excluded_ && std::ranges::all_of(m_.operations, &planning_model::operation::recomputable)) return 0;
        auto flow = make(0);
        for (auto const& [arc, x] : arcs_) flow.grow(arc, size(x));
        return flow.maximise();
    }
    [[nodiscard]] auto solve_at(std::int64_t multiplier) -> parametric_flow {
        parametric_flow f{make(scale_), 0, 0};
        raise(f, multiplier);
        return f;
    }
    void raise(parametric_flow& f, std::int64_t multiplier) const {
        for (auto const& [arc, x] : arcs_) f.flow.grow(arc, (multiplier - f.multiplier) * size(x));
        f.multiplier = multiplier;
        f.value = f.flow.maximise();
    }
    /// Returns (value - multiplier · capacity) / scale, rounded up.
    [[nodiscard]] auto bound(parametric_flow const& f) const -> std::int64_t {
        auto const above = f.value - f.multiplier * capacity_;
        return above <= 0 ? 0 : (above + scale_ - 1) / scale_;
    }

    /// Arcs to the sink have capacity `scale` for a unit of time; arcs of values have none yet.
    [[nodiscard]] auto make(std::int64_t scale) -> maximum_flow {
        auto const never = [&](value_index x) { return decided_[x] == decision::excluded; };
        auto flow = network_.flow(scale, [&](value_index x) { return never(x) ? maximum_flow::unlimited : 0; });
        arcs_.clear();
        for (auto const& r : network_.required())
            if (r.is_choice && !never(r.value)) arcs_.emplace_back(r.arc, r.value);
        return flow;
    }
    [[nodiscard]] auto chosen(maximum_flow const& flow, bool keeps_less) const -> checkpoint_choice {
        auto const side = keeps_less ? flow.largest_source_side() : flow.source_side();
        return choice_of(cut_, [&](operation_index p) {
            return network_.runs(p, side) && (m_.operations[p].recomputable || !cut_.is_before(p));
        });
    }

    [[nodiscard]] auto size(value_index x) const -> bytes { return m_.sizes[x] / unit_; }

    first_run_cut const& cut_;
    planning_model const& m_;
    bytes unit_, capacity_;  // the latter in units
    std::vector<decision> decided_;
    bool some_excluded_ = false;
    std::int64_t scale_ = 1, highest_ = 1;
    closure_network network_;
    std::vector<std::pair<maximum_flow::arc, value_index>> arcs_;
};

}  // namespace repebble::inline v0::detail

#endif
