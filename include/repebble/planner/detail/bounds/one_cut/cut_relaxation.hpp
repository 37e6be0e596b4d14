#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP

// The Lagrangian relaxation of the knapsack at one cut (Lagrangian bound): the capacity constraint gets one multiplier;
// for a multiplier the best choice is a minimum cut in a closure network, and the best multiplier is found by bisection
// and line intersection with warm-started maximum flows. Multipliers are integers over a scale, so the bound is exact.
// `cut_search` branches on it; the rounding of byte units is that of Gomory and Chvátal.

#include <cstdint>
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

    cut_relaxation(first_run_cut const& cut, bytes budget, bytes unit, std::vector<cut_decision> const& decisions);

    /// Maximizes the bound over the multiplier. Ends where the bound reaches `cutoff`, where it cannot exceed
    /// `least_useful`, or where `stop()` returns true.  O(a few maximum flows).
    [[nodiscard]] auto solve(std::int64_t cutoff, std::int64_t least_useful = -1, stop_test stop = never_stop{})
        -> result;

    /// Units that the choice keeps, without values that are kept by decision.
    [[nodiscard]] auto size(checkpoint_choice const& c) const -> bytes;

  private:
    enum class decision : std::uint8_t { none, kept, excluded };
    struct parametric_flow {
        maximum_flow flow;
        std::int64_t multiplier = 0, value = 0;
    };

    /// Chooses the scale so that scale · time + multiplier · bytes of everything stays below 2⁶⁰.
    void choose_scale();
    [[nodiscard]] auto multiplier_between(std::int64_t low, std::int64_t high, result const& known) const
        -> std::int64_t;

    /// Largest bound that any multiplier can give: on the line between both neighbours of the capacity.
    [[nodiscard]] auto most(result const& known) const -> double;

    [[nodiscard]] auto least_kept() -> bytes;
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
    [[nodiscard]] auto make(std::int64_t scale) -> maximum_flow;
    [[nodiscard]] auto chosen(maximum_flow const& flow, bool keeps_less) const -> checkpoint_choice;

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

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/one_cut/cut_relaxation.ipp>
#endif

#endif
