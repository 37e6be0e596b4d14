#ifndef REPEBBLE_GRAPH_DETAIL_FORWARDED_MEMBERS_HPP
#define REPEBBLE_GRAPH_DETAIL_FORWARDED_MEMBERS_HPP

// Optional members of graph_traits that an adaptor passes on from the graph that it adapts, each as a base class of the
// adaptor's traits. Invariant: traits have a member where those of the graph have it, and no other.

#include <cstdint>

#include <repebble/graph/graph_traits.hpp>

namespace repebble::inline v0::detail {

template <class Adaptor, class Graph>
struct forwards_output_count {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::output_count(g, v); }
struct forwards_output_count<Adaptor, Graph> {
    static constexpr decltype(auto) output_count(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::output_count(g.base(), v);
    }
};

template <class Adaptor, class Graph>
struct forwards_outputs_read {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::outputs_read(g, v, v); }
struct forwards_outputs_read<Adaptor, Graph> {
    static constexpr decltype(auto) outputs_read(Adaptor const& g, vertex_t<Graph> const& u, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::outputs_read(g.base(), u, v);
    }
};

template <class Adaptor, class Graph>
struct forwards_operands {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::operands(g, v); }
struct forwards_operands<Adaptor, Graph> {
    static constexpr decltype(auto) operands(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::operands(g.base(), v);
    }
};

template <class Adaptor, class Graph>
struct forwards_is_view {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::is_view(g, v); }
struct forwards_is_view<Adaptor, Graph> {
    static constexpr decltype(auto) is_view(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::is_view(g.base(), v);
    }
};

template <class Adaptor, class Graph>
struct forwards_views {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::views(g, v, j);
    }
struct forwards_views<Adaptor, Graph> {
    static constexpr decltype(auto) views(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::views(g.base(), v, j);
    }
};

template <class Adaptor, class Graph>
struct forwards_value_of {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::value_of(g, v, j);
    }
struct forwards_value_of<Adaptor, Graph> {
    static constexpr decltype(auto) value_of(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::value_of(g.base(), v, j);
    }
};

template <class Adaptor, class Graph>
struct forwards_is_result {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::is_result(g, v, j);
    }
struct forwards_is_result<Adaptor, Graph> {
    static constexpr decltype(auto) is_result(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::is_result(g.base(), v, j);
    }
};

template <class Adaptor, class Graph>
struct forwards_is_input {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::is_input(g, v); }
struct forwards_is_input<Adaptor, Graph> {
    static constexpr decltype(auto) is_input(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::is_input(g.base(), v);
    }
};

template <class Adaptor, class Graph>
struct forwards_is_donated {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v) { graph_traits<Graph>::is_donated(g, v); }
struct forwards_is_donated<Adaptor, Graph> {
    static constexpr decltype(auto) is_donated(Adaptor const& g, vertex_t<Graph> const& v) {
        return graph_traits<Graph>::is_donated(g.base(), v);
    }
};

template <class Adaptor, class Graph>
struct forwards_mutates {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        graph_traits<Graph>::mutates(g, v, j);
    }
struct forwards_mutates<Adaptor, Graph> {
    static constexpr decltype(auto) mutates(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j) {
        return graph_traits<Graph>::mutates(g.base(), v, j);
    }
};

template <class Adaptor, class Graph>
struct forwards_may_overwrite {};
template <class Adaptor, class Graph>
    requires requires(Graph const& g, vertex_t<Graph> const& v, std::uint32_t j, output_ref<vertex_t<Graph>> const& r) {
        graph_traits<Graph>::may_overwrite(g, v, j, r);
    }
struct forwards_may_overwrite<Adaptor, Graph> {
    static constexpr decltype(auto) may_overwrite(Adaptor const& g, vertex_t<Graph> const& v, std::uint32_t j,
                                                  output_ref<vertex_t<Graph>> const& r) {
        return graph_traits<Graph>::may_overwrite(g.base(), v, j, r);
    }
};

/// All of them. The adaptor has `base()`.
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

}  // namespace repebble::inline v0::detail

#endif
