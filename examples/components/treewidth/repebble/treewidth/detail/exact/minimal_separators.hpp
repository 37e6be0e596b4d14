#ifndef REPEBBLE_TREEWIDTH_DETAIL_EXACT_MINIMAL_SEPARATORS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_EXACT_MINIMAL_SEPARATORS_HPP

// Minimal separators of a minimal triangulation by MCS-M (Berry, Blair, Heggernes, Peyton 2004), extended to generators
// as in Berry, Pogorelcnik, Simonet, "An introduction to clique minimal separator decomposition" (2010). All clique
// minimal separators are among them. `split_safely` uses it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// The generators of a minimal triangulation and their separators. One vertex can be left out.  O(n m).
class minimal_separators {
  public:
    using vertex = undirected_graph::vertex;
    static constexpr auto no_vertex = std::numeric_limits<vertex>::max();

    explicit minimal_separators(undirected_graph const& g, vertex absent = no_vertex)
        : graph_(g), later_(g.vertex_count()), label_(g.vertex_count(), 0), state_(g.vertex_count(), unnumbered) {
        if (absent != no_vertex) state_[absent] = numbered;
        number_all(g.vertex_count() - (absent == no_vertex ? 0 : 1));
    }
    /// The generators in elimination order; each has a minimal separator `of` it, its neighbours that are numbered
    /// later.
    [[nodiscard]] auto generators() const noexcept -> std::vector<vertex> const& { return generators_; }
    [[nodiscard]] auto of(vertex v) const noexcept -> std::span<vertex const> { return later_[v]; }

    [[nodiscard]] auto is_clique(std::span<vertex const> set) const -> bool {
        for (auto const a : set)
            if (graph_.degree(a) + 1 < set.size()) return false;
        for (std::size_t k = 0; k < set.size(); ++k)
            for (auto const b : set.first(k))
                if (!std::ranges::binary_search(graph_.neighbors(set[k]), b)) return false;
        return true;
    }

  private:
    enum : std::uint8_t { unnumbered, reached, numbered };

    void number_all(std::size_t count) {
        auto const n = graph_.vertex_count();
        by_label_.resize(n + 1);
        std::vector<std::vector<vertex>> buckets(1);  // by label; entries of lower labels are stale
        for (vertex v = 0; v < n; ++v)
            if (state_[v] == unnumbered) buckets[0].push_back(v);
        auto before = -std::int64_t{1};  // label of the previous vertex; none yet
        for (std::size_t highest = 0; count > 0;) {
            if (buckets[highest].empty()) {
                --highest;
                continue;
            }
            auto const v = buckets[highest].back();
            buckets[highest].pop_back();
            if (state_[v] != unnumbered || label_[v] != highest) continue;
            if (label_[v] <= before) generators_.push_back(v);
            before = label_[v];
            state_[v] = numbered;
            --count;
            for (auto const w : reach_from(v)) {
                later_[w].push_back(v);
                auto const label = ++label_[w];
                if (buckets.size() <= label) buckets.resize(label + std::size_t{1});
                buckets[label].push_back(w);
                highest = std::max<std::size_t>(highest, label);
            }
        }
        std::ranges::reverse(generators_);
    }
    /// The vertices that have an edge to v, or a path over vertices of lower labels.
    [[nodiscard]] auto reach_from(vertex v) -> std::vector<vertex> const& {
        reachable_.clear();
        visited_.clear();
        std::size_t top = 0;
        auto const visit = [&](vertex w, std::size_t label) {
            state_[w] = reached;
            visited_.push_back(w);
            by_label_[label].push_back(w);
            top = std::max(top, label);
        };
        for (auto const w : graph_.neighbors(v))
            if (state_[w] == unnumbered) {
                reachable_.push_back(w);
                visit(w, label_[w]);
            }
        for (std::size_t label = 0; label <= top; ++label)
            while (!by_label_[label].empty()) {
                auto const w = by_label_[label].back();
                by_label_[label].pop_back();
                for (auto const x : graph_.neighbors(w)) {
                    if (state_[x] != unnumbered) continue;
                    if (label_[x] > label) reachable_.push_back(x);
                    visit(x, std::max<std::size_t>(label, label_[x]));
                }
            }
        for (auto const w : visited_) state_[w] = unnumbered;
        return reachable_;
    }

    undirected_graph const& graph_;
    std::vector<std::vector<vertex>> later_;
    std::vector<std::uint32_t> label_;
    std::vector<std::uint8_t> state_;
    std::vector<std::vector<vertex>> by_label_;
    std::vector<vertex> generators_, reachable_, visited_;
};

}  // namespace repebble::inline v0::detail

#endif
