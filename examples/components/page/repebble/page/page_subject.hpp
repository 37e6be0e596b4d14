#ifndef REPEBBLE_PAGE_PAGE_SUBJECT_HPP
#define REPEBBLE_PAGE_PAGE_SUBJECT_HPP

// What a page says of a plan beside the plan itself: names, unit, budget, offsets, the curve, other strategies' costs.
// `html_page.hpp` takes it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>

namespace repebble::inline v0::report {

/// Thrown where the parts of a page do not belong together. The message has both numbers.
struct page_mismatch : error {
    using error::error;
};

/// The cost of one strategy: a row of the page's table.
struct cost_row {
    std::string name{};           ///< of the strategy
    bool fits = false;            ///< whether its plan is within the budget
    std::optional<bytes> peak{};  ///< nothing where there is no plan
    double overhead = 0;          ///< time units above computing everything once
    double seconds = 0;           ///< CPU time of planning
    std::string remark{};         ///< a proof, or why there is no plan
};

/// One point of the curve: the best plan that is known within a budget, and the bound.
struct curve_row {
    bytes budget = 0;                ///< bytes
    std::optional<std::int64_t> overhead{};  ///< of the plan, in time units; nothing where there is none
    std::int64_t lower_bound{};              ///< no schedule within the budget has less overhead
    bool proven = false;             ///< nothing is better; where there is no plan, none exists
};

/// One of two schedules that a page shows side by side.
struct named_schedule {
    std::string name{};               ///< above its pictures
    repebble::schedule<> schedule{};  ///< is judged by replay
    std::optional<arena> offsets{};   ///< of it
};

/// What a page says beside its plan. All members may be left empty.
struct page_subject {
    std::string title{};                    ///< mostly the name of the network
    std::string time_unit{};                ///< s, ms, us or ns; else times have no unit
    std::optional<bytes> budget{};          ///< of the plan; its own peak where there is none
    std::vector<std::string> names{};       ///< of every operation
    std::vector<std::string> kinds{};       ///< of every operation: conv, relu, …
    std::vector<pass> passes{};             ///< of every operation: to which part of training it belongs
    std::optional<host_link> link{};        ///< over which the plan copies
    std::optional<arena> offsets{};         ///< of the plan's schedule; of two, each has its own
    std::vector<curve_row> curve{};         ///< from the least budget to the most
    std::vector<cost_row> rows{};           ///< the table of costs
};

}  // namespace repebble::inline v0::report

#endif
