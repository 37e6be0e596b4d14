#ifndef REPEBBLE_PLANNER_AUTOMATIC_PLAN_HPP
#define REPEBBLE_PLANNER_AUTOMATIC_PLAN_HPP

// The result of the automatic planner: a plan, a certified lower bound, and the memory floor.

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// A lower bound on the peak of every schedule: the bytes of one operation with its inputs, outputs and workspace, less
/// what it may write in place, or of all results together.
template <class Vertex = operation_index>
struct memory_floor {
    bytes size = 0;
    Vertex vertex{};  ///< the operation that needs so much, or the producer of the largest result

    friend auto operator==(memory_floor const&, memory_floor const&) -> bool = default;
};

/// The answer of the automatic planner for one budget. Its claims hold for all schedules that run operations any number
/// of times, write in place only where the graph allows it, over storages of the output's size, keep the policies, and
/// copy nothing to the host pool, or with a link may.
template <class Vertex = operation_index>
struct automatic_plan {
    /// Nothing where no schedule is within the budget (`proven`), or none was found.
    std::optional<recompute_plan<Vertex>> plan{};
    std::int64_t lower_bound{};  ///< no schedule within the budget has less overhead
    /// With a link: no schedule within the budget whose first runs are in the graph's order has less overhead.
    std::int64_t base_order_bound{};
    bool proven = false;           ///< the time is least or, where there is no plan, none exists
    memory_floor<Vertex> floor{};  ///< no schedule needs less
    std::string strategy{};        ///< name of the technique that found the plan
    time_unit unit{};              ///< the caller's time units in one of these times

    /// The claims, each by its word in rows, JSON and Python: no schedule within the budget takes less time.
    [[nodiscard]] auto time_least() const noexcept -> bool { return plan && proven; }
    /// No schedule has a lower peak.
    [[nodiscard]] auto peak_least() const noexcept -> bool { return plan && plan->cost.peak <= floor.size; }
    /// No schedule is within the budget.
    [[nodiscard]] auto none_exists() const noexcept -> bool { return !plan && proven; }
    /// By how much the time of the plan may exceed the least time, as a share of that: infinite where that may be 0.
    /// Requires: there is a plan.
    [[nodiscard]] auto gap() const -> double {
        REPEBBLE_ASSERT(plan.has_value());
        auto const above = static_cast<double>(plan->cost.overhead) - static_cast<double>(lower_bound);
        auto const least = static_cast<double>(plan->cost.time) - above;
        if (proven || above <= 0) return 0;
        return least > 0 ? above / least : std::numeric_limits<double>::infinity();
    }
    friend auto operator==(automatic_plan const&, automatic_plan const&) -> bool = default;
};

namespace detail {

/// The floor in terms of the names of a problem.
template <class Vertex>
[[nodiscard]] auto in_names(memory_floor<> const& floor, named_problem<Vertex> const& names) -> memory_floor<Vertex> {
    memory_floor<Vertex> named{.size = floor.size};
    if (floor.size > 0) named.vertex = names(floor.vertex);
    return named;
}
/// The plan in terms of the names of a problem.
template <class Vertex>
[[nodiscard]] auto in_names(automatic_plan<> found, named_problem<Vertex> const& names) -> automatic_plan<Vertex> {
    automatic_plan<Vertex> named{.lower_bound = found.lower_bound,
                                 .base_order_bound = found.base_order_bound,
                                 .proven = found.proven,
                                 .floor = in_names(found.floor, names),
                                 .strategy = std::move(found.strategy),
                                 .unit = found.unit};
    if (found.plan) named.plan = map_vertices(*found.plan, names);
    return named;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
