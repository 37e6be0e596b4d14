#ifndef REPEBBLE_OFFLOAD_Q_GRAPH_HPP
#define REPEBBLE_OFFLOAD_Q_GRAPH_HPP

// The graph of a trace's rows as the deep Q-network reads it (Chen, section 4.2): static features, neighbours and edge
// weights, all scaled to [0, 1], so that weights learnt on one trace mean the same on another. Rows of one variable are
// a clique: it is stored as a group, and sums over a clique are sums over its group. As weights are times and not
// negative, ReLU(W4 w) = w ReLU(W4): of its edges a node needs the sum of their weights only.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/offload/planning_environment.hpp>

namespace repebble::inline v0 {

/// Of a state of a planning environment all that changes: the node under execution and the valid actions, 0 among them.
struct q_state {
    std::uint32_t current = 0;             ///< the node under execution
    std::vector<std::uint32_t> actions{};  ///< in the environment's order

    friend auto operator==(q_state const&, q_state const&) -> bool = default;
};

/// The nodes of a trace, scaled. All vectors but `groups` have an entry for each node.
struct q_graph {
    /// `size`, `copy_time`, `compute_time`, `revisited_in` and `action`, each in [0, 1]: sizes and revisits divided by
    /// the largest, both times by the larger of their largest, so that they can be compared, the action by 2.
    std::vector<std::array<double, node_feature::valid>> features{};
    std::vector<double> lag{};                         ///< sum of the weights of the node's edges, over the largest
    std::vector<std::uint32_t> group{};                ///< the position of the node's variable in `groups`
    std::vector<std::vector<std::uint32_t>> groups{};  ///< the nodes of each variable, ascending

    /// Number of nodes.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return group.size(); }
    /// Whether nodes v - 1 and v are neighbours as successive rows only, and not as rows of one variable as well.
    [[nodiscard]] auto joins(std::size_t v) const -> bool { return v > 0 && v < size() && group[v - 1] != group[v]; }

    friend auto operator==(q_graph const&, q_graph const&) -> bool = default;
};

namespace detail {

struct q_state_of_fn {
    template <planning_environment Environment>
    [[nodiscard]] auto operator()(Environment const& env) const -> q_state {
        q_state s{.current = static_cast<std::uint32_t>(env.current())};
        for (auto const v : env.valid_actions()) s.actions.push_back(static_cast<std::uint32_t>(v));
        return s;
    }
};

/// For each node the sum of its edges' weights, the differences of begins. O(n).
auto summed_lags(q_graph const& g, std::vector<double> const& begin) -> std::vector<double>;

struct make_q_graph_fn {
    template <planning_environment Environment>
    [[nodiscard]] auto operator()(Environment const& env) const -> q_graph {
        q_graph g;
        std::size_t const n = env.node_count();
        if (n == 0) raise(bad_graph("a trace without rows has no node that means 'do nothing'"));
        std::vector<std::uint32_t> number;  // of each variable, in the order of their first rows
        std::vector<double> begin(n);
        std::array<double, node_feature::valid> largest{};
        for (std::size_t v = 0; v < n; ++v) {
            begin[v] = env.begin(v);
            if (v > 0 && !(begin[v] >= begin[v - 1]))
                raise(bad_weight("row " + std::to_string(v) + " begins before the row before it"));
            std::size_t const variable = env.variable(v);
            constexpr auto none = static_cast<std::uint32_t>(-1);
            if (variable >= number.size()) number.resize(variable + 1, none);
            if (number[variable] == none) {
                number[variable] = static_cast<std::uint32_t>(g.groups.size());
                g.groups.emplace_back();
            }
            g.group.push_back(number[variable]);
            g.groups[number[variable]].push_back(static_cast<std::uint32_t>(v));
            node_features const all = env.features(v);
            auto& kept = g.features.emplace_back();
            for (std::size_t k = 0; k < kept.size(); ++k) {
                if (!(all[k] >= 0) || !std::isfinite(all[k]))
                    raise(bad_weight("feature " + std::to_string(k) + " of row " + std::to_string(v) +
                                     " must be a number and not negative, but is " + std::to_string(all[k])));
                kept[k] = all[k];
                largest[k] = std::max(largest[k], all[k]);
            }
        }
        using enum node_feature::position;
        largest[copy_time] = largest[compute_time] = std::max(largest[copy_time], largest[compute_time]);
        largest[action] = 2;
        for (auto& x : g.features)
            for (std::size_t k = 0; k < x.size(); ++k)
                if (largest[k] > 0) x[k] /= largest[k];
        g.lag = summed_lags(g, begin);
        if (auto const most = *std::max_element(g.lag.begin(), g.lag.end()); most > 0)
            for (auto& sum : g.lag) sum /= most;
        return g;
    }
};

}  // namespace detail

/// The state that an environment is in.  O(valid actions).
inline constexpr detail::q_state_of_fn q_state_of{};

/// The graph of an environment's nodes, scaled.  O(nodes + largest number of a variable). Throws bad_graph where there
/// is no node, bad_weight where begins descend or a feature is negative or no number; the message names the row.
inline constexpr detail::make_q_graph_fn make_q_graph{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/offload/q_graph.ipp>
#endif

#endif
