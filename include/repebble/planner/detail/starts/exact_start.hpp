#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_EXACT_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_EXACT_START_HPP

// Small dataflows are solved by `optimal_pebbling` (best-first search), as far as a share of the work allows: an
// optimum, a proof that none fits, or a lower bound.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The operations that a schedule computes, in its order.
[[nodiscard]] inline auto computations_of(schedule<> const& made) -> std::vector<operation_index> {
    std::vector<operation_index> all;
    for (auto const& s : made.steps)
        if (s.what == action::compute) all.push_back(s.vertex);
    return all;
}

class exact_start {
  public:
    struct answer {
        bool infeasible = false;       ///< no schedule is within the budget
        std::int64_t lower_bound = 0;  ///< above everything once
        std::optional<candidate> found{};
    };

    /// `flow`: with views contracted, of which `m` is the model. Refers to both.
    exact_start(dataflow<> const& flow, planning_model const& m) : flow_(flow), m_(m) {
        is_small_ = m.operation_count() <= largest && m.value_count() <= largest;
        for (std::size_t x = 0; x < flow.value_count() && is_small_; ++x) is_small_ = !flow.is_view(x);
    }

    /// Searches for a schedule that takes less time than `known`, or for any, with a share of the work, which a time
    /// limit in seconds bounds.  O(states · operations).
    [[nodiscard]] auto search(bytes budget, std::optional<std::int64_t> known, std::optional<double> time_limit,
                              double share) const -> answer {
        constexpr double most_states = 200'000, states_per_second = 40'000;  // they leave some of the time to others
        answer out;
        if (!is_small_) return out;
        auto const states = share * std::min(time_limit.value_or(1e9) * states_per_second, most_states);
        auto const optimum = optimal_pebbling(flow_, budget, {.state_limit = static_cast<std::size_t>(states)}, known);
        out.infeasible = optimum.proven && !optimum.schedule && !known;
        // A plan that runs views with their owners, as all here do, may not be the best where views take time.
        if (!views_take_time()) out.lower_bound = optimum.lower_bound - m_.time_once;
        if (optimum.schedule) out.found = {"optimal_pebbling", computations_of(*optimum.schedule)};
        return out;
    }

  private:
    [[nodiscard]] auto views_take_time() const -> bool {
        return std::ranges::any_of(m_.operations, [](auto const& o) { return o.again < o.time; });
    }

    static constexpr std::size_t largest = 64;

    dataflow<> const& flow_;
    planning_model const& m_;
    bool is_small_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
