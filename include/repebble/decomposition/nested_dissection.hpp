#ifndef REPEBBLE_DECOMPOSITION_NESTED_DISSECTION_HPP
#define REPEBBLE_DECOMPOSITION_NESTED_DISSECTION_HPP

// Nested dissection (George 1973): recursive bisection by small vertex separators, which are eliminated last.
// Separators come from the multilevel search of `detail/orders`; within a stage `greedy_elimination` decides. Starting
// orders and local improvement use it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/orders/multilevel_separator.hpp>
#include <repebble/decomposition/detail/orders/weighted_graph.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// Options of `dissect`, and the rule within each part.
struct dissection_options {
    double share = 0.55;                              ///< of a part's weight that no side exceeds, if possible
    std::size_t depth = 2;                            ///< recursion depth, at most: small widths want few cuts
    std::size_t least = 60;                           ///< parts with fewer vertices are not cut
    std::size_t tries = 3;                            ///< separators tried for each part; the smallest is taken
    std::uint64_t seed = 0;                           ///< of the search for separators
    elimination_rule rule = least_fill_per_neighbor;  ///< within parts, and within separators
};

namespace detail {

/// The recursion over parts.
class dissection {
  public:
    using vertex = undirected_graph::vertex;

    dissection(undirected_graph const& g, dissection_options const& options)
        : g_(g),
          options_(options),
          random_(options.seed),
          number_(g.vertex_count(), std::numeric_limits<vertex>::max()),
          stages_(g.vertex_count(), 0) {}

    [[nodiscard]] auto stages() && -> std::vector<std::uint32_t> {
        std::vector<part> open(1);
        open[0].vertices.resize(g_.vertex_count());
        std::iota(open[0].vertices.begin(), open[0].vertices.end(), vertex{0});
        while (!open.empty()) {
            auto const now = std::move(open.back());
            open.pop_back();
            if (now.depth < options_.depth && now.vertices.size() >= std::max<std::size_t>(2, options_.least))
                cut(now, open);
        }
        return std::move(stages_);
    }

  private:
    struct part {
        std::vector<vertex> vertices{};
        std::size_t depth = 0;
    };

    void cut(part const& now, std::vector<part>& open) {
        auto const graph = induced_part(g_, now.vertices, number_);
        auto best = multilevel_separator(graph, options_.share, random_);
        for (std::size_t k = 1; k < options_.tries; ++k)
            if (auto other = multilevel_separator(graph, options_.share, random_); other.cost() < best.cost())
                best = std::move(other);
        if (best.weight[0] == 0 || best.weight[1] == 0) return;
        std::array<part, 2> sides{part{.depth = now.depth + 1}, part{.depth = now.depth + 1}};
        for (std::size_t k = 0; k < now.vertices.size(); ++k) {
            auto const v = now.vertices[k];
            if (best.side[k] == separation::separator)
                stages_[v] = static_cast<std::uint32_t>(options_.depth - now.depth);
            else
                sides[best.side[k]].vertices.push_back(v);
        }
        for (auto& side : sides) open.push_back(std::move(side));
    }

    undirected_graph const& g_;
    dissection_options options_;
    split_mix random_;
    std::vector<vertex> number_;
    std::vector<std::uint32_t> stages_;
};

struct dissect_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, dissection_options const& options = {}) const
        -> std::vector<std::uint32_t> {
        if (!(options.share > 0 && options.share <= 1))
            detail::raise(bad_option("a share of " + std::to_string(options.share) + " is not in (0, 1]"));
        if (options.depth >= std::numeric_limits<std::uint32_t>::max())
            detail::raise(bad_option("a depth of " + std::to_string(options.depth) + " is too large"));
        return dissection(g, options).stages();
    }
    template <has_undirected_view Graph>
    [[nodiscard]] auto operator()(Graph const& g, dissection_options const& options = {}) const
        -> std::vector<std::uint32_t> {
        return (*this)(undirected_graph::of(g), options);
    }
};

struct nested_dissection_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, dissection_options const& options = {}) const
        -> ordered_elimination {
        return greedy_elimination_fn{}(g, options.rule, dissect_fn{}(g, options));
    }
    template <has_undirected_view Graph>
    [[nodiscard]] auto operator()(Graph const& g, dissection_options const& options = {}) const -> ordered_elimination {
        return (*this)(undirected_graph::of(g), options);
    }
};

}  // namespace detail

/// Dissects a graph by a small vertex separator, and each side again. Returns a stage for each vertex: 0 for vertices
/// in no separator, and later ones for separators, the first of all last. Vertices of one stage in different parts are
/// not adjacent.
///
/// About O(m log n · depth · tries); equal inputs give equal stages.  Throws bad_option if the share is not in (0, 1]
/// or the depth exceeds 32 bits.
inline constexpr detail::dissect_fn dissect{};

/// An elimination order by nested dissection: vertices in no separator first, the first separator last. Better than
/// rules alone on meshes, where few cuts are best for width. Same as `greedy_elimination` with the stages of `dissect`.
inline constexpr detail::nested_dissection_fn nested_dissection{};

}  // namespace repebble::inline v0

#endif
