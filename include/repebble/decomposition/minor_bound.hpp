#ifndef REPEBBLE_DECOMPOSITION_MINOR_BOUND_HPP
#define REPEBBLE_DECOMPOSITION_MINOR_BOUND_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/decomposition/safe_reductions.hpp>
#include <repebble/decomposition/treewidth_at_most.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_bounds.hpp>
#include <repebble/decomposition/width_decision.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble {

namespace detail {

struct minor_bound_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::size_t low, width_limits limits = {}) const
        -> std::size_t {
        static constexpr std::array<std::size_t, 6> sizes{400, 250, 150, 100, 60, 40};
        auto const begin = thread_clock::now();
        std::vector<undirected_graph> minors;
        contraction run(g, 0);
        for (auto const size : sizes)
            if (g.vertex_count() > size) minors.push_back(run.minor(size));
        while (!minors.empty()) {
            auto left = limits;
            if (left.seconds && (*left.seconds -= (thread_clock::now() - begin).count()) <= 0) return low;
            auto const reduced = reduce_safely(minors.back(), low);
            auto const decided = treewidth_at_most(reduced.kernel, low, left);
            if (reduced.low > low || decided.answer == std::optional(false))
                ++low;
            else
                minors.pop_back();
        }
        return low;
    }
};

}  // namespace detail

/// A lower bound on treewidth, from one that is known: no minor has a larger treewidth than its graph, and those that
/// the contractions of `contraction_bound` come by are soon small enough to decide exactly (`treewidth_at_most`)
/// whether they are wider than the bound so far. The limits are of each decision in turn, the seconds of all together.
inline constexpr detail::minor_bound_fn minor_bound{};

}  // namespace repebble

#endif
