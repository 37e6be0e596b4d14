#ifndef PLAN_STRATEGIES_HPP
#define PLAN_STRATEGIES_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/network.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/technique.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

#include "arguments.hpp"
#include "command_line/interruption.hpp"

namespace plan {

/// What the automatic planner proves beside its plan.
struct certificate {
    std::int64_t lower_bound = 0;       ///< no schedule within the budget has less overhead
    std::int64_t base_order_bound = 0;  ///< with a link: none whose first runs are in the graph's order
    double gap = 0;                     ///< the plan's time above the least there may be, as a share of that
    bool time_least = false;            ///< no schedule within the budget takes less time
    bool peak_least = false;            ///< none has a lower peak
    bool none_exists = false;           ///< none is within the budget
    repebble::bytes floor = 0;          ///< no schedule needs less
    repebble::bytes found = 0;          ///< where there is no plan: there is one within so much; 0 where none was found
    std::string floor_vertex{};         ///< the operation that needs it
    std::string found_by{};

    /// The claim about the plan's time.
    [[nodiscard]] auto time_claim() const -> std::string;
};

/// The seconds that all strategies have together, from the construction on. What takes long asks for what is left:
/// nothing once the user has interrupted it.
class time_limit {
  public:
    /// seconds: nothing for no limit.
    explicit time_limit(std::optional<double> seconds) : seconds_(seconds) {}

    /// Seconds that are left of a share of the limit; nothing where there is none.
    [[nodiscard]] auto left(double share = 1) const -> std::optional<double> {
        if (command_line::interrupted()) return 0.0;
        if (!seconds_) return std::nullopt;
        std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin_;
        return std::max(0.0, *seconds_ * share - spent.count());
    }
    /// True when that share of the limit is over.
    [[nodiscard]] auto is_over(double share = 1) const -> bool { return left(share) == 0.0; }

  private:
    std::optional<double> seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// What came out of one strategy: a row of the table.
struct outcome {
    std::string strategy;
    bool feasible = false;
    std::optional<repebble::recompute_plan<>> plan{};      ///< where it does not fit: the one that needs least
    double seconds = 0;                                    ///< CPU time of planning
    std::string note{};                                    ///< why there is no plan, or what is proven of it
    bool breaks_policy = false;                            ///< there was a plan, which does not keep the graph's
    std::optional<certificate> proof{};                    ///< of the automatic planner
    std::optional<repebble::arena> arena{};                ///< of the plan's schedule, where it is asked for
    std::vector<repebble::technique_report> techniques{};  ///< of the automatic planner
    std::optional<repebble::bytes> budget{};  ///< its own, on a curve; nothing where there is one plan only
    std::optional<repebble::bytes> peak_without_inputs{};  ///< of the plan, where the graph has inputs
};

/// What every schedule needs.
struct least_memory {
    repebble::bytes size = 0;
    std::string vertex{};  ///< the operation that needs it
};

/// Plans for many budgets: those of the automatic planner, in the order of the budgets, and those of the other
/// strategies that the arguments name.
struct curve {
    std::vector<outcome> automatic;
    std::vector<outcome> others;
    double seconds = 0;  ///< CPU time of the automatic planner
};

[[nodiscard]] auto strategy_names() -> std::string;
/// Strategies that do not run on training graphs where the command line names none.
[[nodiscard]] auto strategies_not_by_default() -> std::string;
[[nodiscard]] auto is_strategy(std::string const& name) -> bool;

/// The first of the graph's policies (`asked.automatic` has them) that a schedule breaks; empty where it keeps all.
[[nodiscard]] auto broken_policy(repebble::training_graph const& training, repebble::schedule<> const& of,
                                 arguments const& asked) -> std::string;

[[nodiscard]] auto floor_of(repebble::training_graph const& training) -> least_memory;
/// The same, with the number of the operation.
[[nodiscard]] auto memory_floor_of(repebble::training_graph const& training) -> repebble::memory_floor<>;

/// Adds to a row what follows from its plan: the peak without inputs, and the arena that the arguments ask for.
void complete(outcome& row, repebble::training_graph const& training, arguments const& asked, time_limit const& limit);

/// Runs the strategies that the arguments ask for, within a budget (nothing: each one's own least), on the training
/// graph of a network, or on its forward graph. With a rule they count on steps in place, and what more it allows is
/// written in place afterwards; then they are judged.
[[nodiscard]] auto run_strategies(repebble::io::network const& net, repebble::training_graph const& training,
                                  arguments const& asked, std::optional<repebble::bytes> budget,
                                  std::optional<repebble::overwrite_table> const& in_place, time_limit const& limit)
    -> std::vector<outcome>;

/// The automatic planner's rows: without copies, then over each of the links that the arguments name.
[[nodiscard]] auto run_links(repebble::io::network const& net, repebble::training_graph const& training,
                             arguments const& asked, std::optional<repebble::bytes> budget, time_limit const& limit)
    -> std::vector<outcome>;

/// Runs the automatic planner on all budgets at once, and the others that the arguments name on each.
[[nodiscard]] auto run_curve(repebble::io::network const& net, repebble::training_graph const& training,
                             arguments const& asked, std::span<repebble::bytes const> budgets, time_limit const& limit)
    -> curve;

/// Plans of the automatic planner for many budgets, with little work for each; none where no time is left. In place
/// where the rule allows it.
[[nodiscard]] auto sketch_curve(repebble::training_graph const& training, arguments const& asked,
                                std::span<repebble::bytes const> budgets,
                                std::optional<repebble::overwrite_table> const& in_place, time_limit const& limit)
    -> std::vector<repebble::automatic_plan<>>;

}  // namespace plan

#endif
