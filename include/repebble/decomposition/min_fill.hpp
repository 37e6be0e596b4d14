#ifndef REPEBBLE_DECOMPOSITION_MIN_FILL_HPP
#define REPEBBLE_DECOMPOSITION_MIN_FILL_HPP

#include <cstddef>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/sparse_fill.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/access.hpp>

namespace repebble {

/// An elimination order and its width.
struct ordered_elimination {
    elimination_order order{};
    std::size_t width = 0;

    friend auto operator==(ordered_elimination const&, ordered_elimination const&) -> bool = default;
};

namespace detail {

struct min_fill_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g) const -> ordered_elimination {
        ordered_elimination made;
        made.order.reserve(g.vertex_count());
        made.width = sparse_fill(g).run(made.order);
        return made;
    }
    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g) const -> ordered_elimination {
        return (*this)(undirected_graph::of(g));
    }
};

}  // namespace detail

/// An elimination order by minimum fill: always a vertex between whose neighbours fewest edges are missing. How many
/// are is known exactly at every step, by what each elimination changes (as in Ng & Peyton 2014). Bulatov 2018 finds
/// the separators of neural networks by it ("Support general graphs").
///
/// Takes an undirected graph, or any computation graph, whose edges then have no direction. Memory O(n + m + fill), or
/// less: what is dense at the end is a matrix of bits. Ties fall to the vertex whose count changed last.
inline constexpr detail::min_fill_fn min_fill{};

}  // namespace repebble

#endif
