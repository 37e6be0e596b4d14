#ifndef REPEBBLE_TREEWIDTH_TREEWIDTH_HPP
#define REPEBBLE_TREEWIDTH_TREEWIDTH_HPP

// The treewidth solver as its callers see it: `impl/treewidth/treewidth.ipp` is how it works.

#include <cstddef>
#include <cstdint>
#include <string>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/limits.hpp>

namespace repebble::inline v0 {

/// Limits and seeds of the solver.
struct treewidth_options {
    static constexpr std::size_t default_work = 500'000;  ///< of the limits, where they name none

    /// The bounds so far are returned where they end the search; a first order by minimum fill may take a second more.
    /// Work: states of each exact search, of up to 600 bytes each.
    repebble::limits limits{};
    std::uint64_t seed = 1;             ///< of ties and separators
    std::size_t threads = 1;            ///< including the caller's
};

/// Proven bounds on a treewidth, and an order of the upper width.
struct treewidth_bounds {
    std::size_t lower = 0;      ///< no width is less
    std::size_t upper = 0;      ///< some order has that width
    elimination_order order{};  ///< of width `upper`
    std::string heuristic{};    ///< that found the order; of several parts, that of the widest

    /// Whether the bounds meet.
    [[nodiscard]] auto is_exact() const noexcept -> bool { return lower == upper; }
    friend auto operator==(treewidth_bounds const&, treewidth_bounds const&) -> bool = default;
};

/// Bounds on the treewidth of a graph, and an elimination order of the upper width; exact if the limits allow.
///
/// `make_tree_decomposition(g, order)` makes the tree decomposition. Takes an undirected graph, or any graph that has
/// an undirected view. Throws bad_option if there is no thread, or seconds are negative or not a number.
[[nodiscard]] auto find_treewidth(undirected_graph const& g, treewidth_options const& options = {}) -> treewidth_bounds;
/// The same.
template <has_undirected_view Graph>
[[nodiscard]] auto find_treewidth(Graph const& g, treewidth_options const& options = {}) -> treewidth_bounds {
    return find_treewidth(undirected_graph::of(g), options);
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/treewidth.ipp>
#endif

#endif
