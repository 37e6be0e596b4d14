#ifndef REPEBBLE_GRAPH_ADAPT_INDUCED_HPP
#define REPEBBLE_GRAPH_ADAPT_INDUCED_HPP

// The subgraph that a set of vertices induces, as a view of the graph. For planning a part of a network.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/forwarded_members.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

/// The subgraph induced by a set of vertices, which are numbered densely in the order of their old indices. Refers to
/// the graph, which must outlive it. Invariant: every view in it reads its owners in it.
template <computation_graph Graph>
class induced_graph {
  public:
    /// As of the whole graph.
    using vertex = vertex_t<Graph>;

    /// O(n + m).  Throws bad_graph where indices are not dense, where a successor is not a vertex of the graph, or
    /// where what a member views or overwrites is a value of a vertex outside.
    constexpr induced_graph(Graph const& g, vertex_set const& members) : graph_(&g) {
        auto const by_index = detail::vertices_by_index(g);
        REPEBBLE_ASSERT(members.universe() == by_index.size());
        rank_.assign(by_index.size(), absent);
        for (std::size_t i = 0; i < by_index.size(); ++i)
            if (members.contains(i)) {
                rank_[i] = static_cast<std::uint32_t>(members_.size());
                members_.push_back(by_index[i]);
            }
        for (std::size_t i = 0; i < by_index.size(); ++i) check_readers(by_index[i], i);
        for (auto const& v : members_) {
            adopt_outputs(v);
            check_storages(v);
        }
        std::ranges::sort(adopted_);
    }

    /// The whole graph.
    [[nodiscard]] constexpr auto base() const noexcept -> Graph const& { return *graph_; }
    /// Its vertices, in the order of their new numbers.
    [[nodiscard]] constexpr auto members() const noexcept -> std::span<vertex const> { return members_; }
    /// Whether the vertex is a member.
    [[nodiscard]] constexpr auto contains(vertex const& v) const -> bool {
        return rank_[repebble::vertex_index(*graph_, v)] != absent;
    }
    /// The new number of a member.
    [[nodiscard]] constexpr auto index(vertex const& v) const -> std::size_t {
        return rank_[repebble::vertex_index(*graph_, v)];
    }
    /// The value of output j of v. Where the graph names an equal output of a vertex outside, the first member that
    /// computes the value takes its place.
    [[nodiscard]] constexpr auto value_of(vertex const& v, std::uint32_t j) const -> output_ref<vertex> {
        auto const same = repebble::detail::value_of(*graph_, v, j);
        auto const at = repebble::vertex_index(*graph_, same.vertex);
        if (at >= rank_.size() || rank_[at] != absent) return same;
        auto const found = std::ranges::lower_bound(adopted_, name{at, same.output}, {}, &adoption::lost);
        return {members_[found->by], found->output};
    }
    /// Whether output j of v is a result, under its own name or that of an equal output of a vertex outside.
    [[nodiscard]] constexpr auto is_result(vertex const& v, std::uint32_t j) const -> bool {
        if (repebble::detail::is_result(*graph_, v, j)) return true;
        auto const same = repebble::detail::value_of(*graph_, v, j);
        auto const at = repebble::vertex_index(*graph_, same.vertex);
        return at < rank_.size() && rank_[at] == absent &&
               repebble::detail::is_result(*graph_, same.vertex, same.output);
    }

  private:
    static constexpr auto absent = static_cast<std::uint32_t>(-1);
    struct name {
        std::size_t vertex = 0;
        std::uint32_t output = 0;
        friend constexpr auto operator<=>(name const&, name const&) = default;
    };
    /// An output of a vertex outside, and the member's output that takes its place.
    struct adoption {
        name lost;
        std::uint32_t by = 0;
        std::uint32_t output = 0;
        friend constexpr auto operator<=>(adoption const&, adoption const&) = default;
    };

    /// Checks that all readers of u are vertices of the graph and, where u is not a member, that no member is a view of
    /// an output of u.
    constexpr void check_readers(vertex const& u, std::size_t i) const {
        for (auto&& reader : repebble::successors(*graph_, u)) {
            vertex const v = reader;
            auto const k = repebble::vertex_index(*graph_, v);
            if (k >= rank_.size())
                detail::raise(bad_graph("vertex " + std::to_string(i) + " has a successor out of range: index " +
                                        std::to_string(k) + " of " + std::to_string(rank_.size())));
            if constexpr (!detail::has_operands<Graph> && !detail::has_views<Graph>) {
                if (rank_[i] != absent || rank_[k] == absent || !detail::is_view(*graph_, v)) continue;
                for ([[maybe_unused]] auto&& j : detail::outputs_read(*graph_, u, v))
                    require_member(k, u, " is a view of ");
            }
        }
    }
    /// Checks that a member's views and mutations are of values of members.
    constexpr void check_storages(vertex const& v) const {
        using traits = detail::traits_of<Graph>;
        auto const k = repebble::vertex_index(*graph_, v);
        if constexpr (detail::has_operands<Graph> && !detail::has_views<Graph>)
            if (detail::is_view(*graph_, v))
                for (auto&& of : detail::operands(*graph_, v)) require_member(k, of.vertex, " is a view of ");
        for (std::uint32_t j = 0; j < detail::output_count(*graph_, v); ++j) {
            if constexpr (detail::has_views<Graph>)
                for (auto&& of : traits::views(*graph_, v, j)) require_member(k, of.vertex, " is a view of ");
            if constexpr (detail::has_mutates<Graph>)
                for (auto&& of : traits::mutates(*graph_, v, j)) require_member(k, of.vertex, " overwrites ");
        }
    }
    constexpr void require_member(std::size_t k, vertex const& u, char const* verb) const {
        auto const i = repebble::vertex_index(*graph_, u);
        if (i < rank_.size() && rank_[i] == absent)
            detail::raise(bad_graph("vertex " + std::to_string(k) + verb + "a value of vertex " + std::to_string(i) +
                                    ", which is not among the vertices of the induced graph"));
    }

    constexpr void adopt_outputs(vertex const& v) {
        auto const by = static_cast<std::uint32_t>(index(v));
        for (std::uint32_t j = 0; j < detail::output_count(*graph_, v); ++j) {
            auto const same = repebble::detail::value_of(*graph_, v, j);
            auto const at = repebble::vertex_index(*graph_, same.vertex);
            if (at < rank_.size() && rank_[at] == absent) adopted_.push_back({{at, same.output}, by, j});
        }
    }

    Graph const* graph_;
    std::vector<vertex> members_;
    std::vector<std::uint32_t> rank_;  // by index in the graph
    std::vector<adoption> adopted_;    // ascending: of several for one output the first counts
};

namespace detail {

/// The member operands of traits, where those of the graph have it: without operands of vertices outside.
template <class Graph>
struct induced_operands {};
template <class Graph>
    requires has_operands<Graph>
struct induced_operands<Graph> {
    static constexpr auto operands(induced_graph<Graph> const& g, vertex_t<Graph> const& v) {
        std::vector<output_ref<vertex_t<Graph>>> inside;
        for (auto&& of : repebble::detail::operands(g.base(), v))
            if (g.contains(of.vertex)) inside.push_back(of);
        return inside;
    }
};

}  // namespace detail

template <class Graph>
struct graph_traits<induced_graph<Graph>> : detail::induced_operands<Graph>,
                                            forwards_output_count<induced_graph<Graph>, Graph>,
                                            forwards_outputs_read<induced_graph<Graph>, Graph>,
                                            forwards_is_view<induced_graph<Graph>, Graph>,
                                            forwards_views<induced_graph<Graph>, Graph>,
                                            forwards_is_input<induced_graph<Graph>, Graph>,
                                            forwards_is_donated<induced_graph<Graph>, Graph>,
                                            forwards_mutates<induced_graph<Graph>, Graph>,
                                            forwards_may_overwrite<induced_graph<Graph>, Graph> {
    using graph = induced_graph<Graph>;
    using vertex = vertex_t<Graph>;

    static constexpr auto vertices(graph const& g) { return g.members(); }
    static constexpr auto successors(graph const& g, vertex const& v) {
        return repebble::successors(g.base(), v) | std::views::filter(is_member(g));
    }
    static constexpr auto predecessors(graph const& g, vertex const& v)
        requires bidirectional_graph<Graph>
    {
        return repebble::predecessors(g.base(), v) | std::views::filter(is_member(g));
    }
    static constexpr auto vertex_index(graph const& g, vertex const& v) { return g.index(v); }
    static constexpr auto vertex_count(graph const& g) { return g.members().size(); }
    static constexpr auto value_of(graph const& g, vertex const& v, std::uint32_t j) { return g.value_of(v, j); }
    static constexpr auto is_result(graph const& g, vertex const& v, std::uint32_t j) { return g.is_result(v, j); }

  private:
    static constexpr auto is_member(graph const& g) {
        return [&g](vertex const& v) { return g.contains(v); };
    }
};

namespace detail {
struct induced_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_set const& members) const {
        return induced_graph<Graph>(g, members);
    }
    template <computation_graph Graph>
    void operator()(Graph const&&, vertex_set const&) const = delete;  // the graph must outlive the adaptor
};
}  // namespace detail

/// The subgraph induced by a set of vertex indices: these vertices and the edges among them. Vertices, and so weights,
/// stay the same; indices are dense, in the old order. Values that members read from outside count as present: they are
/// resident in every schedule, and their bytes are not counted. Outputs, partial reads, operands, views, alternative
/// producers, results, inputs, mutations, allowed overwrites and control edges among members are kept; where a vertex
/// outside is the first producer of a value, the first member that produces it takes its place. What only vertices
/// outside read is no result for that: mark it by `weights::result`. A control edge through a vertex outside is lost.
/// O(n + m).  Throws bad_graph, naming both vertices, where a member is a view of a value of a vertex outside, or
/// overwrites one.  Requires: the set's universe is the number of vertices.
inline constexpr detail::induced_fn induced{};

}  // namespace repebble::inline v0

#endif
