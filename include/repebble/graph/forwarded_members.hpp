#ifndef REPEBBLE_GRAPH_FORWARDED_MEMBERS_HPP
#define REPEBBLE_GRAPH_FORWARDED_MEMBERS_HPP

// Optional members of graph_traits that an adaptor passes on from the graph that it adapts, each as a base class of the
// adaptor's traits. The adaptors of this room and of adapt/ use them. Invariant: traits have a member where those of
// the graph have it, and no other.

#include <cstdint>

#include <repebble/graph/graph_traits.hpp>

namespace repebble::inline v0 {

/// Passes on the member `output_count`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_output_count {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::output_count(g, v); }
struct forwards_output_count<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) output_count(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::output_count(g.base(), v);
    }
};

/// Passes on the member `outputs_read`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_outputs_read {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::outputs_read(g, v, v); }
struct forwards_outputs_read<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) outputs_read(Adaptor const& g, vertex_t<Graph> const& u, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::outputs_read(g.base(), u, v);
    }
};

/// Passes on the member `operands`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_operands {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::operands(g, v); }
struct forwards_operands<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) operands(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::operands(g.base(), v);
    }
};

/// Passes on the member `is_view`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_is_view {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::is_view(g, v); }
struct forwards_is_view<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) is_view(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::is_view(g.base(), v);
    }
};

/// Passes on the member `views`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_views {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::views(g, v, j);
    }
struct forwards_views<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) views(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::views(g.base(), v, j);
    }
};

/// Passes on the member `value_of`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_value_of {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::value_of(g, v, j);
    }
struct forwards_value_of<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) value_of(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::value_of(g.base(), v, j);
    }
};

/// Passes on the member `is_result`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_is_result {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::is_result(g, v, j);
    }
struct forwards_is_result<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) is_result(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::is_result(g.base(), v, j);
    }
};

/// Passes on the member `is_input`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_is_input {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::is_input(g, v); }
struct forwards_is_input<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) is_input(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::is_input(g.base(), v);
    }
};

/// Passes on the member `is_donated`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_is_donated {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::is_donated(g, v); }
struct forwards_is_donated<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) is_donated(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::is_donated(g.base(), v);
    }
};

/// Passes on the member `mutates`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_mutates {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::mutates(g, v, j);
    }
struct forwards_mutates<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) mutates(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::mutates(g.base(), v, j);
    }
};

/// Passes on the member `may_overwrite`, where the traits of `Graph` have it; else empty.
template <class Adaptor, class Graph>
struct forwards_may_overwrite {};
/// Where they have it.
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j, output_ref<vertex_t<Graph>> const& r) {
        graph_traits<Graph>::may_overwrite(g, v, j, r);
    }
struct forwards_may_overwrite<Adaptor, Graph> {
    /// As the graph's.
    static constexpr decltype(auto) may_overwrite(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j,
                                                  output_ref<vertex_t<Graph>> const& r) {
        return graph_traits<Graph>::may_overwrite(g.base(), v, j, r);
    }
};

/// All optional members but predecessors and vertex_count, for the traits of an adaptor of one's own:
///
///     struct graph_traits<my_adaptor> : forwarded_members<my_adaptor, my_graph> { … };
///
/// Requires: the adaptor has `base()`, the graph, with the same vertices and edges.
template <class Adaptor, class Graph>
struct forwarded_members : forwards_output_count<Adaptor, Graph>,
                           forwards_outputs_read<Adaptor, Graph>,
                           forwards_operands<Adaptor, Graph>,
                           forwards_is_view<Adaptor, Graph>,
                           forwards_views<Adaptor, Graph>,
                           forwards_value_of<Adaptor, Graph>,
                           forwards_is_result<Adaptor, Graph>,
                           forwards_is_input<Adaptor, Graph>,
                           forwards_is_donated<Adaptor, Graph>,
                           forwards_mutates<Adaptor, Graph>,
                           forwards_may_overwrite<Adaptor, Graph> {};

}  // namespace repebble::inline v0

#endif
