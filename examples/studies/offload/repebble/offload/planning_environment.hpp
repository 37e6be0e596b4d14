#ifndef REPEBBLE_OFFLOAD_PLANNING_ENVIRONMENT_HPP
#define REPEBBLE_OFFLOAD_PLANNING_ENVIRONMENT_HPP

// The interface between the simulator of a trace and whoever learns to plan with it: nodes with six features, actions,
// rewards (Chen, "GPU memory management for neural networks using deep Q-network", sections 4.2 to 4.8). Any type that
// has these members can be planned by fitted_q_iteration, for instance a game of four nodes in a test.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>

namespace repebble::inline v0 {

/// The six features x_v of a node (section 4.4.1), in the paper's order.
struct node_feature {
    /// Their positions in `features(node)`.
    enum position : std::size_t {
        size,          ///< of the variable, in bytes
        copy_time,     ///< of the variable between device and host
        compute_time,  ///< of computing the variable again; 0 where it cannot be
        revisited_in,  ///< time to the variable's next row, or the length of the iteration
        action,        ///< 0 none or "do nothing", 1 offload, 2 remove
        valid,         ///< 1 where the action may be taken in the current state, else 0
        count          ///< how many there are
    };
};

/// The numbers of a node: sizes in bytes and times in one unit, not scaled; q_graph scales them.
using node_features = std::array<double, node_feature::count>;

/// An environment of planning: a game of one player over the rows of a trace, which begins at `reset()`.
///   node_count()     the rows; node 0 means "do nothing"
///   features(v)      all but `valid` are the same in every state
///   variable(v)      the number of the row's variable; rows of one variable are neighbours, as successive rows are
///   begin(v)         when the row begins, ascending; edges weigh differences
///   time_once()      length of the iteration without a plan, the unit of rewards; positive
///   current()        the node under execution
///   valid_actions()  a range of nodes, those with features(v)[valid] = 1, each once; 0 is among them where doing
///   nothing
///                    is possible
///   act(v)           takes a valid action; returns -(overhead after - overhead before), or a penalty at a dead end
///   terminal()       no action is left, or none is needed
///   feasible()       asked of terminal states: all fits, so that the actions are a plan whose overhead is the negative
///                    sum of the rewards
///   reset()          back to the beginning
template <class E>
concept planning_environment = requires(E& env, E const& seen, std::size_t v) {
    { seen.node_count() } -> std::convertible_to<std::size_t>;
    { seen.features(v) } -> std::convertible_to<node_features>;
    { seen.variable(v) } -> std::convertible_to<std::size_t>;
    { seen.begin(v) } -> std::convertible_to<double>;
    { seen.time_once() } -> std::convertible_to<std::int64_t>;
    { seen.current() } -> std::convertible_to<std::size_t>;
    { seen.valid_actions() } -> std::ranges::input_range;
    requires std::convertible_to<std::ranges::range_value_t<decltype(seen.valid_actions())>, std::size_t>;
    { env.act(v) } -> std::convertible_to<std::int64_t>;
    { seen.terminal() } -> std::convertible_to<bool>;
    { seen.feasible() } -> std::convertible_to<bool>;
    env.reset();
};

}  // namespace repebble::inline v0

#endif
