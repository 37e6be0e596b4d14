#ifndef REPEBBLE_GRAPH_ACCESS_HPP
#define REPEBBLE_GRAPH_ACCESS_HPP

// The functions by which every algorithm reads a graph: function objects over graph_traits with the defaults of
// optional members, as in "vertices(g)", and the two helpers that walk all edges or all vertices by index.

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

namespace detail {

template <class Graph>
using traits_of = graph_traits<std::remove_cvref_t<Graph>>;

struct vertices_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr decltype(auto) operator()(Graph const& g) const {
        return traits_of<Graph>::vertices(g);
    }
};

struct successors_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr decltype(auto) operator()(Graph const& g, vertex_t<Graph> const& v) const {
        return traits_of<Graph>::successors(g, v);
    }
};

struct predecessors_fn : takes_bidirectional_graph {
    using takes_bidirectional_graph::operator();
    template <bidirectional_graph Graph>
    [[nodiscard]] constexpr decltype(auto) operator()(Graph const& g, vertex_t<Graph> const& v) const {
        return traits_of<Graph>::predecessors(g, v);
    }
};

struct vertex_index_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_t<Graph> const& v) const -> std::size_t {
        return static_cast<std::size_t>(traits_of<Graph>::vertex_index(g, v));
    }
};

struct vertex_count_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const -> std::size_t {
        if constexpr (requires { traits_of<Graph>::vertex_count(g); }) {
            return static_cast<std::size_t>(traits_of<Graph>::vertex_count(g));
        } else {
            std::size_t count = 0;
            for ([[maybe_unused]] auto&& v : traits_of<Graph>::vertices(g)) ++count;
            return count;
        }
    }
};

struct output_count_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_t<Graph> const& v) const -> std::size_t {
        if constexpr (requires { traits_of<Graph>::output_count(g, v); }) {
            return static_cast<std::size_t>(traits_of<Graph>::output_count(g, v));
        } else {
            return 1;
        }
    }
};

struct is_view_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_t<Graph> const& v) const -> bool {
        if constexpr (requires { traits_of<Graph>::is_view(g, v); }) {
            return static_cast<bool>(traits_of<Graph>::is_view(g, v));
        } else {
            return false;
        }
    }
};

struct value_of_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_t<Graph> const& v, std::uint32_t output) const
        -> output_ref<vertex_t<Graph>> {
        if constexpr (requires { traits_of<Graph>::value_of(g, v, output); }) {
            return traits_of<Graph>::value_of(g, v, output);
        } else {
            return {v, output};
        }
    }
};

struct is_result_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_t<Graph> const& v, std::uint32_t output) const
        -> bool {
        if constexpr (requires { traits_of<Graph>::is_result(g, v, output); })
            return static_cast<bool>(traits_of<Graph>::is_result(g, v, output));
        else
            return false;
    }
};

struct is_input_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_t<Graph> const& v) const -> bool {
        if constexpr (requires { traits_of<Graph>::is_input(g, v); })
            return static_cast<bool>(traits_of<Graph>::is_input(g, v));
        else
            return false;
    }
};

struct is_donated_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_t<Graph> const& v) const -> bool {
        if constexpr (requires { traits_of<Graph>::is_donated(g, v); })
            return static_cast<bool>(traits_of<Graph>::is_donated(g, v));
        else
            return false;
    }
};

/// Whether the traits have the optional member of that name.
template <class Graph>
concept has_operands =
    requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) { traits_of<Graph>::operands(g, v); };
template <class Graph>
concept has_views =
    requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) { traits_of<Graph>::views(g, v, 0U); };
template <class Graph>
concept has_mutates =
    requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) { traits_of<Graph>::mutates(g, v, 0U); };
template <class Graph>
concept has_may_overwrite = requires(std::remove_cvref_t<Graph> const& g, vertex_t<Graph> const& v) {
    traits_of<Graph>::may_overwrite(g, v, 0U, output_ref<vertex_t<Graph>>{v, 0});
};

struct operands_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
        requires has_operands<Graph>
    [[nodiscard]] constexpr decltype(auto) operator()(Graph const& g, vertex_t<Graph> const& v) const {
        return traits_of<Graph>::operands(g, v);
    }
};

struct outputs_read_fn : takes_graph {
    using takes_graph::operator();
    template <computation_graph Graph>
    [[nodiscard]] constexpr decltype(auto) operator()(Graph const& g, vertex_t<Graph> const& u,
                                                      vertex_t<Graph> const& v) const {
        if constexpr (requires { traits_of<Graph>::outputs_read(g, u, v); }) {
            return traits_of<Graph>::outputs_read(g, u, v);
        } else {
            return std::views::iota(std::size_t{0}, output_count_fn{}(g, u));
        }
    }
};

}  // namespace detail

/// Range of all vertices.
inline constexpr detail::vertices_fn vertices{};
/// Range of the vertices that read v.
inline constexpr detail::successors_fn successors{};
/// Range of the vertices that v reads.
inline constexpr detail::predecessors_fn predecessors{};
/// Dense index of v, 0 … n-1.
inline constexpr detail::vertex_index_fn vertex_index{};
/// Number of vertices.
inline constexpr detail::vertex_count_fn vertex_count{};

namespace detail {

/// Number of output values of v (1 by default).
inline constexpr output_count_fn output_count{};
/// Range of the outputs of u that v reads along the edge u -> v (all by default).
inline constexpr outputs_read_fn outputs_read{};
/// What v reads, in the order of its arguments, for graphs that say it.
inline constexpr operands_fn operands{};
/// Whether output j of v stays resident to the end.
inline constexpr is_result_fn is_result{};
/// Whether the outputs of v are present before all else runs.
inline constexpr is_input_fn is_input{};
/// Whether the outputs of the input v are let go after their last use.
inline constexpr is_donated_fn is_donated{};
/// Whether the outputs of v are views of the values that v reads.
inline constexpr is_view_fn is_view{};
/// The value of output j of v: {v, j}, unless the graph says that another vertex computes the same value.
inline constexpr value_of_fn value_of{};

/// Calls f(index of u, index of w) for every edge u -> w.
template <computation_graph Graph, class F>
constexpr void for_each_edge(Graph const& g, F&& f) {
    for (auto&& u : vertices(g))
        for (auto&& w : successors(g, u)) f(vertex_index(g, u), vertex_index(g, w));
}

/// Returns the vertices of a graph by index.  O(n).
/// Throws bad_graph where indices are not dense (out of 0 … n-1, or repeated).
template <computation_graph Graph>
[[nodiscard]] constexpr auto vertices_by_index(Graph const& g) -> std::vector<vertex_t<Graph>> {
    std::vector<vertex_t<Graph>> in_order;
    for (auto&& v : vertices(g)) in_order.push_back(static_cast<vertex_t<Graph>>(v));
    std::size_t const n = in_order.size();
    std::vector<std::size_t> position(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        auto const index = vertex_index(g, in_order[i]);
        if (index >= n)
            detail::raise(bad_graph("vertex index " + std::to_string(index) + " is out of range: the graph has " +
                                    std::to_string(n) + " vertices"));
        if (position[index] != n) detail::raise(bad_graph("vertex index " + std::to_string(index) + " occurs twice"));
        position[index] = i;
    }
    std::vector<vertex_t<Graph>> by_index;
    by_index.reserve(n);
    for (std::size_t i = 0; i < n; ++i) by_index.push_back(in_order[position[i]]);
    return by_index;
}

}  // namespace detail

}  // namespace repebble::inline v0

#endif
