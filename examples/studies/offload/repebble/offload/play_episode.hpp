#ifndef REPEBBLE_OFFLOAD_PLAY_EPISODE_HPP
#define REPEBBLE_OFFLOAD_PLAY_EPISODE_HPP

// One episode of a planning environment, from its beginning to a terminal state, by a policy that is handed in; and the
// policy that learning is compared with, random choice. Rows where nothing but "do nothing" is valid are passed over:
// nothing is decided there.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/offload/planning_environment.hpp>
#include <repebble/offload/q_graph.hpp>

namespace repebble::inline v0 {

/// The actions of an episode that ended with all data in the memory.
struct planned_actions {
    std::vector<std::size_t> nodes{};  ///< in the order in which they were taken, without node 0
    std::int64_t overhead = 0;         ///< the negative sum of the rewards, in the environment's unit of time

    friend auto operator==(planned_actions const&, planned_actions const&) -> bool = default;
};

/// A decision and what came of it.
struct transition {
    q_state state{};           ///< in which the decision was taken
    std::uint32_t action = 0;  ///< a node, one of the state's actions
    std::int64_t reward = 0;   ///< of the action and of the rows without choice after it
    q_state next{};            ///< empty where terminal
    bool terminal = false;     ///< whether the episode ends here

    friend auto operator==(transition const&, transition const&) -> bool = default;
};

namespace detail {

/// Passes over rows where nothing can be done; the sum of their rewards.
template <planning_environment Environment>
auto skip_rows(Environment& env) -> std::int64_t {
    auto const alone = [&] {
        auto&& valid = env.valid_actions();
        auto const first = std::ranges::begin(valid);
        return first != std::ranges::end(valid) && *first == 0 && std::next(first) == std::ranges::end(valid);
    };
    std::int64_t sum = 0;
    while (!env.terminal() && alone()) sum = checked_add(sum, env.act(0), "rewards");
    return sum;
}

/// Goes on after every transition.
struct always_on {
    constexpr auto operator()(transition const&) const noexcept -> bool { return true; }
};

struct play_episode_fn {
    template <planning_environment Environment, std::invocable<q_state const&> Policy,
              std::invocable<transition const&> See = always_on>
    auto operator()(Environment& env, Policy policy, See see = {}) const -> std::optional<planned_actions> {
        planned_actions found;
        env.reset();
        auto const first = skip_rows(env);
        auto sum = first;
        transition t;
        if (!env.terminal()) t.state = q_state_of(env);
        while (!env.terminal()) {
            std::size_t const chosen = std::invoke(policy, std::as_const(t.state));
            REPEBBLE_ASSERT(chosen < t.state.actions.size());
            t.action = t.state.actions[chosen];
            t.reward = env.act(t.action);
            t.reward = checked_add(t.reward, skip_rows(env), "rewards");
            sum = checked_add(sum, t.reward, "rewards");
            if (t.action != 0) found.nodes.push_back(t.action);
            t.terminal = env.terminal();
            t.next = t.terminal ? q_state{} : q_state_of(env);
            if (!see(std::as_const(t))) return std::nullopt;
            t.state = std::move(t.next);
        }
        if (!env.feasible()) return std::nullopt;
        found.overhead = -sum;
        return found;
    }
};

struct best_random_actions_fn {
    template <planning_environment Environment>
    [[nodiscard]] auto operator()(Environment& env, std::size_t episodes, std::uint64_t seed = 1) const
        -> std::optional<planned_actions> {
        std::optional<planned_actions> best;
        split_mix random(seed);
        for (std::size_t k = 0; k < episodes; ++k) {
            auto found = play_episode_fn{}(env, [&](q_state const& s) { return random.below(s.actions.size()); });
            if (found && (!best || found->overhead < best->overhead)) best = std::move(found);
        }
        return best;
    }
};

}  // namespace detail

/// Plays an episode: `policy(state)` returns the position of an action in `state.actions`; `see(transition)`, if given,
/// hears of every decision, and ends the episode by returning false. The environment is reset at the beginning, and
/// left in its last state. Nothing where that is not feasible, or the episode was ended.  Requires: positions that
/// exist.  O(rows) calls of the environment. Throws bad_weight where the rewards do not fit in 64 bits.
inline constexpr detail::play_episode_fn play_episode{};

/// The best of so many episodes that choose uniformly among the valid actions, "do nothing" included; the first of
/// equals. Nothing where none is feasible. Deterministic for a seed.  O(episodes · rows) calls of the environment.
inline constexpr detail::best_random_actions_fn best_random_actions{};

}  // namespace repebble::inline v0

#endif
