#ifndef REPEBBLE_OFFLOAD_FITTED_Q_ITERATION_HPP
#define REPEBBLE_OFFLOAD_FITTED_Q_ITERATION_HPP

// Fitted Q-iteration with a deep Q-network (Chen, Algorithm 1, equations (4) and (5)): episodes with falling shares of
// random choice fill a replay memory, and each step fits the network to a batch of it. The best plan that was seen is
// the result; that of the last policy stands beside it. Equal inputs give equal results on one machine.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/offload/planning_environment.hpp>
#include <repebble/offload/play_episode.hpp>
#include <repebble/offload/q_graph.hpp>
#include <repebble/offload/q_network.hpp>
#include <repebble/offload/q_weights.hpp>

namespace repebble::inline v0 {

/// How a gradient changes the weights.
enum class descent : std::uint8_t {
    sgd,   ///< stochastic gradient descent, as in the paper
    adam,  ///< Kingma, Ba 2015, with β₁ = 0.9, β₂ = 0.999, ε = 1e-8
};

/// Options of fitted Q-iteration. The paper gives none of the numbers but T = 4.
struct q_iteration_options {
    q_shape shape{};                     ///< of a network that is begun anew
    std::optional<q_weights> start{};    ///< weights to go on from, for instance those of a smaller trace
    std::size_t episodes = 300;          ///< l of Algorithm 1
    std::size_t batch = 16;              ///< transitions of an update, drawn with repetition
    std::size_t memory = 10'000;         ///< transitions that are remembered, the latest
    std::size_t steps_per_update = 1;    ///< 1 as in line 14 of Algorithm 1
    double discount = 1;                 ///< γ
    double learning_rate = 1e-3;         ///< of either descent
    descent rule = descent::sgd;         ///< what a gradient does
    double largest_gradient = 10;        ///< a longer gradient is shortened to this length
    double reward_unit = 0.01;           ///< Q values are in this share of time_once
    double worst_reward = 0.2;           ///< as a share of time_once: what is learnt of dead ends and of worse rewards
    std::uint64_t seed = 1;              ///< of weights and choices
    std::optional<double> time_limit{};  ///< seconds
};

/// What fitted Q-iteration found.
struct q_iteration_result {
    std::optional<planned_actions> best{};  ///< the least overhead of all episodes; nothing where none was feasible
    std::optional<planned_actions> last{};  ///< of the final weights, without random choice; also where cut short
    q_weights weights{};                    ///< in the end
    std::size_t episodes = 0;               ///< that were played to their end
    std::size_t feasible = 0;               ///< of these
    std::size_t updates = 0;                ///< of the weights
    double loss = 0;                        ///< mean loss (4) of the last episode's updates, in squared reward units

    friend auto operator==(q_iteration_result const&, q_iteration_result const&) -> bool = default;
};

namespace detail {

/// Throws bad_option for options that mean nothing.
void check_options(q_iteration_options const& o);

/// Turns gradients into changes of weights.
class descent_rule {
  public:
    explicit descent_rule(q_iteration_options const& o) : o_(o) {}

    /// The change for a gradient, which is valid until the next call.
    [[nodiscard]] auto step(std::span<float const> gradient) -> std::span<float const>;

  private:
    q_iteration_options const& o_;
    std::vector<float> change_;
    std::vector<double> mean_, variance_;
    double power1_ = 1, power2_ = 1;
};

/// The position of the largest value, the first of equals.
[[nodiscard]] inline auto best_action(std::vector<float> const& values) -> std::size_t {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// The replay memory and the network that learns from it: lines 13 and 14 of Algorithm 1.
class q_learner {
  public:
    /// unit: the reward that counts as 1.
    q_learner(q_graph const& g, q_weights const& start, q_iteration_options const& o, double unit)
        : o_(o), unit_(unit), network_(g, start), rule_(o) {}

    [[nodiscard]] auto network() -> q_network<float>& { return network_; }
    [[nodiscard]] auto updates() const noexcept -> std::size_t { return updates_; }
    /// The mean loss of the updates since the last call, 0 without any.
    [[nodiscard]] auto take_loss() -> double;

    void remember(transition const& t, split_mix& random);

  private:
    void update(split_mix& random);

    q_iteration_options const& o_;
    double unit_;
    q_network<float> network_;
    descent_rule rule_;
    std::vector<transition> memory_;
    std::vector<q_sample> batch_;
    std::size_t seen_ = 0, updates_ = 0, since_ = 0;
    double loss_ = 0;
};

struct follow_q_network_fn {
    template <planning_environment Environment>
    [[nodiscard]] auto operator()(Environment& env, q_weights const& weights) const -> std::optional<planned_actions> {
        env.reset();
        auto const graph = make_q_graph(env);
        q_network<float> network(graph, weights);
        return play_episode(env, [&](q_state const& s) { return best_action(network.values(s)); });
    }
};

struct fitted_q_iteration_fn {
    template <planning_environment Environment, class Observer = no_progress>
    [[nodiscard]] auto operator()(Environment& env, q_iteration_options const& options = {},
                                  Observer&& observer = {}) const -> q_iteration_result {
        check_options(options);
        env.reset();
        auto const graph = make_q_graph(env);
        auto const once = static_cast<std::int64_t>(env.time_once());
        if (once <= 0) raise(bad_weight("time_once must be positive, but is " + std::to_string(once)));
        q_learner learner(graph, options.start ? *options.start : initial_q_weights(options.shape, options.seed),
                          options, options.reward_unit * static_cast<double>(once));
        deadline_observer limits(observer, options.time_limit);
        split_mix random(options.seed);
        q_iteration_result result;
        for (std::size_t episode = 1; episode <= options.episodes && !limits.is_over(); ++episode) {
            auto const share = static_cast<double>(episode) / static_cast<double>(options.episodes);
            auto found = play_episode(
                env,
                [&](q_state const& s) {
                    if (random.fraction() > share) return random.below(s.actions.size());
                    return best_action(learner.network().values(s));
                },
                [&](transition const& t) {
                    learner.remember(t, random);
                    return !limits.is_over();
                });
            if (limits.was_over()) break;
            ++result.episodes;
            result.loss = learner.take_loss();
            if constexpr (requires { observer.episode(episode, found); }) observer.episode(episode, found);
            if (found) {
                ++result.feasible;
                if (!result.best || found->overhead < result.best->overhead) result.best = std::move(found);
            }
            if constexpr (requires { observer.progress(share); }) observer.progress(share);
        }
        result.updates = learner.updates();
        result.weights = learner.network().weights();
        result.last = play_episode(env, [&](q_state const& s) { return best_action(learner.network().values(s)); });
        return result;
    }
};

}  // namespace detail

/// Algorithm 1 on an environment. In episode k of l a step is random where a number in [0, 1) exceeds k / l, so the
/// last episode is the policy's alone. Rows without choice are passed over, and their rewards count to the decision
/// before. An observer may have `progress(double)`, `cancelled()`, asked at every step, and `episode(number, found)`,
/// called after each episode with its `std::optional<planned_actions>`. O(updates · batch · nodes · p² · rounds), and
/// as many steps of the environment as there are updates. Throws bad_option for options out of range, and as
/// `make_q_graph`, `check_q_weights` and `play_episode` do.
inline constexpr detail::fitted_q_iteration_fn fitted_q_iteration{};

/// The plan of a network that has learnt, perhaps on another trace: the action of the largest value in every state.
/// Nothing where that does not end well.  O(steps · nodes · p² · rounds).  Throws as `fitted_q_iteration` does.
inline constexpr detail::follow_q_network_fn follow_q_network{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/offload/fitted_q_iteration.ipp>
#endif

#endif
