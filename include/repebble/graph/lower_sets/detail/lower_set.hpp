#ifndef REPEBBLE_GRAPH_LOWER_SETS_DETAIL_LOWER_SET_HPP
#define REPEBBLE_GRAPH_LOWER_SETS_DETAIL_LOWER_SET_HPP

// Lower sets of a graph, their boundaries and neighbourhoods, and the pruned family: the vocabulary of Kusumoto et al.
// 2019, section 2 and 4.3. Everything that plans by sequences of lower sets includes it.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/reachability.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

struct is_lower_set_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_set const& set) const -> bool {
        bool closed = true;
        detail::for_each_edge(g, [&](std::size_t u, std::size_t w) { closed &= set.contains(u) || !set.contains(w); });
        return closed;
    }
};

struct boundary_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_set const& lower) const -> vertex_set {
        vertex_set result(lower.universe());
        detail::for_each_edge(g, [&](std::size_t u, std::size_t w) {
            if (lower.contains(u) && !lower.contains(w)) result.insert(u);
        });
        return result;
    }
};

struct out_neighbours_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_set const& set) const -> vertex_set {
        vertex_set result(set.universe());
        detail::for_each_edge(g, [&](std::size_t u, std::size_t w) {
            if (set.contains(u)) result.insert(w);
        });
        return result;
    }
};

struct in_neighbours_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g, vertex_set const& set) const -> vertex_set {
        vertex_set result(set.universe());
        detail::for_each_edge(g, [&](std::size_t u, std::size_t w) {
            if (set.contains(w)) result.insert(u);
        });
        return result;
    }
};

struct pruned_lower_sets_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph, class Stop = never_stop>
    [[nodiscard]] constexpr auto operator()(Graph const& g, Stop&& stop = {}) const -> std::vector<vertex_set> {
        auto family = ancestors(g, stop);
        std::size_t const n = family.size();
        std::erase_if(family, [&](auto const& set) { return set.universe() != n; });
        family.push_back(vertex_set(n));
        family.push_back(vertex_set::full(n));
        std::vector<std::pair<std::uint32_t, std::uint32_t>> by_size;
        paced_stop over(stop);
        for (std::uint32_t i = 0; i < family.size(); ++i) {
            if (i + 2 < family.size() && over.after(vertex_set::words_for(n))) continue;
            by_size.emplace_back(static_cast<std::uint32_t>(family[i].size()), i);
        }
        sort_unique(by_size);
        std::vector<vertex_set> sorted;
        for (auto const& [size, i] : by_size)
            // L^v = L^w only for v = w, so that only ∅ and V can occur twice.
            if (sorted.empty() || size != n || sorted.back().size() != n) sorted.push_back(std::move(family[i]));
        if (n == 0) sorted.resize(1);
        return sorted;
    }
};

/// Whether no edge leads from outside the set into it: δ⁻(L) ⊆ L (Kusumoto et al. 2019, section 2).  O(n + m).
inline constexpr is_lower_set_fn is_lower_set{};

/// The boundary ∂(L) = δ⁻(V ∖ L) ∩ L: the members with a reader outside L (Kusumoto et al. 2019, section 2).  O(n + m).
inline constexpr boundary_fn boundary{};

/// δ⁺(S): the vertices that read a member of S.  O(n + m).
inline constexpr out_neighbours_fn out_neighbours{};

/// δ⁻(S): the vertices that a member of S reads.  O(n + m).
inline constexpr in_neighbours_fn in_neighbours{};

/// The pruned family {∅, L^v for every v, V} of Kusumoto et al. 2019, section 4.3 (with ∅ and V, which the paper leaves
/// out and its algorithm needs), each once, by size, then by v; from when stop() returns true on, no further L^v.
/// O(m n / 64) time, n² bits.  Throws not_a_dag.
inline constexpr pruned_lower_sets_fn pruned_lower_sets{};

}  // namespace repebble::inline v0::detail

#endif
