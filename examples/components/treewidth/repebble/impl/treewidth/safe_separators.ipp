#ifndef REPEBBLE_IMPL_TREEWIDTH_SAFE_SEPARATORS_IPP
#define REPEBBLE_IMPL_TREEWIDTH_SAFE_SEPARATORS_IPP

#include <repebble/treewidth/detail/exact/safe_separators.hpp>

#include <cstddef>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/treewidth/detail/exact/minimal_separators.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto safe_separation::run() -> std::vector<graph_atom> {
    while (!open_.empty()) {
        auto const part = std::move(open_.back());
        open_.pop_back();
        for (auto& atom : split_at_cliques(part))
            if (!split_at_almost_clique(atom)) atoms_.push_back(std::move(atom));
    }
    return std::move(atoms_);
}

REPEBBLE_INLINE auto safe_separation::split_at_cliques(graph_atom const& part) -> std::vector<graph_atom> {
    auto const& g = part.graph;
    minimal_separators const separators(g);
    std::vector<graph_atom> atoms;
    std::vector<std::uint8_t> state(g.vertex_count(), present);
    for (auto const v : separators.generators()) {
        auto const separator = separators.of(v);
        if (state[v] == absent || !separators.is_clique(separator)) continue;
        auto cut = component(g, state, separator, v);
        for (auto const w : cut) state[w] = absent;
        if (cut.size() + separator.size() == 0) continue;
        atoms.push_back(induced(part, cut, separator));
    }
    std::vector<vertex> rest;
    for (vertex v = 0; v < g.vertex_count(); ++v)
        if (state[v] == present) rest.push_back(v);
    if (!rest.empty()) atoms.push_back(induced(part, rest, {}));
    return atoms;
}

REPEBBLE_INLINE auto safe_separation::split_at_almost_clique(graph_atom const& part) -> bool {
    auto const& g = part.graph;
    auto const n = g.vertex_count();
    if (g.edge_count() == n * (n - 1) / 2) return false;
    if (std::uint64_t{n} * n > most_steps_ / (g.edge_count() + 1)) return false;
    for (vertex v = 0; v < n; ++v) {
        minimal_separators const separators(g, v);
        for (auto const w : separators.generators()) {
            auto const all = separators.of(w);
            if (!separators.is_clique(all)) continue;
            std::vector<vertex> separator(all.begin(), all.end());
            separator.push_back(v);
            std::vector<std::uint8_t> state(n, present);
            for (auto const s : separator) state[s] = absent;
            for (vertex u = 0; u < n; ++u) {
                if (state[u] == absent) continue;
                auto const cut = component(g, state, {}, u);
                for (auto const c : cut) state[c] = absent;
                open_.push_back(induced(part, cut, separator));
            }
            return true;
        }
    }
    return false;
}

REPEBBLE_INLINE auto safe_separation::component(undirected_graph const& g, std::vector<std::uint8_t>& state,
                                                std::span<vertex const> separator, vertex v) -> std::vector<vertex> {
    for (auto const s : separator) state[s] = absent;
    std::vector<vertex> found(1, v);
    state[v] = absent;
    for (std::size_t k = 0; k < found.size(); ++k)
        for (auto const w : g.neighbors(found[k]))
            if (state[w] == present) {
                state[w] = absent;
                found.push_back(w);
            }
    for (auto const s : separator) state[s] = present;
    for (auto const w : found) state[w] = present;
    return found;
}

REPEBBLE_INLINE auto safe_separation::induced(graph_atom const& part, std::span<vertex const> cut,
                                              std::span<vertex const> separator) -> graph_atom {
    auto const& g = part.graph;
    std::vector<std::uint8_t> taken(g.vertex_count(), 0);
    for (auto const& some : {cut, separator})
        for (auto const v : some) taken[v] = 1;
    std::vector<vertex> number(g.vertex_count());
    graph_atom atom;
    for (vertex v = 0; v < g.vertex_count(); ++v)
        if (taken[v] != 0) {
            number[v] = static_cast<vertex>(atom.names.size());
            atom.names.push_back(part.names[v]);
        }
    std::vector<undirected_graph::edge> edges;
    for (vertex v = 0; v < g.vertex_count(); ++v)
        for (auto const w : g.neighbors(v))
            if (v < w && taken[v] != 0 && taken[w] != 0) edges.emplace_back(number[v], number[w]);
    for (std::size_t k = 0; k < separator.size(); ++k)
        for (auto const b : separator.first(k)) edges.emplace_back(number[separator[k]], number[b]);
    atom.graph = {atom.names.size(), edges};
    return atom;
}

}  // namespace repebble::inline v0::detail

#endif
