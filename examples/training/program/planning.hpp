#ifndef TRAIN_PLANNING_HPP
#define TRAIN_PLANNING_HPP

#include <optional>
#include <string>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/network.hpp>
#include <repebble/recompute/recompute_plan.hpp>

#include "arguments.hpp"
#include "plan/strategies.hpp"

namespace train {

/// A plan of a training graph with addresses for all that it holds.
struct placed_plan {
    std::string strategy;
    repebble::recompute_plan<> plan{};
    repebble::bound_schedule bound{};
    std::optional<plan::certificate> proof{};  ///< of the automatic planner, for the budget that was asked
};

/// Keeps everything; in place where the arguments say so. Blocks begin at multiples of `alignment` bytes, here and
/// below.
[[nodiscard]] auto keep_everything(arguments const& asked, repebble::io::network const& net,
                                   repebble::training_graph const& training, repebble::bytes alignment) -> placed_plan;

/// No plan fits the budget: the message says what the strategy needs.
struct no_plan_fits : repebble::error {
    using error::error;
};

/// The budget that the arguments ask for, which may be a share of `keep_all`; nothing where as little as can be is.
/// Throws repebble::error for a budget that is none.
[[nodiscard]] auto budget_as_asked(arguments const& asked, repebble::bytes keep_all) -> std::optional<repebble::bytes>;

/// The bytes of a budget for the arena, where `resident` bytes of tensors lie beside it and the program itself needs
/// some.  Throws no_plan_fits where they are more than the budget.
[[nodiscard]] auto budget_of_arena(std::optional<repebble::bytes> budget, repebble::bytes resident,
                                   repebble::bytes of_program) -> std::optional<repebble::bytes>;

/// The plan that the arguments ask for, with an arena within the budget.  Throws no_plan_fits.
[[nodiscard]] auto plan_as_asked(arguments const& asked, repebble::io::network const& net,
                                 repebble::training_graph const& training, repebble::bytes alignment,
                                 std::optional<repebble::bytes> budget) -> placed_plan;

/// The schedule of the file that the arguments name, which may leave out views.  Throws bad_file, naming the step,
/// where it is none of the training graph.
[[nodiscard]] auto given_plan(arguments const& asked, repebble::training_graph const& training,
                              repebble::bytes alignment) -> placed_plan;

/// Every forward operation once, of a graph that has no others: each value goes after its last use.
[[nodiscard]] auto inference_plan(repebble::training_graph const& forward, repebble::bytes alignment)
    -> repebble::bound_schedule;

}  // namespace train

#endif
