#ifndef REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_MINIMAL_TRIANGULATION_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_MINIMAL_TRIANGULATION_HPP

// Minimal triangulation from a given elimination order: bags with a removable fill edge, one that lies in this bag
// only, are split by minimum fill until none is left (criterion of Rose, Tarjan, Lueker 1976). The engine of
// `make_minimal`.
// Invariant: the bags form a tree decomposition of the graph, none within another, and each edge of the graph is stored
// at one bag that contains it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// A tree of bags that are split until every pair in a bag is an edge of the graph or lies in an adjacent bag too. A
/// part that lies within an adjacent bag is absorbed by it, and that bag is examined again.
class minimal_triangulation {
  public:
    using vertex = undirected_graph::vertex;

    minimal_triangulation(undirected_graph const& g, std::span<vertex const> order) : number_(g.vertex_count()) {
        auto const place = places_of(g, order);
        elimination_bags all(g, order);
        std::vector<std::uint32_t> home(g.vertex_count());
        for (vertex v = 0; v < home.size(); ++v) home[v] = all.home(v);
        auto made = std::move(all).take();
        nodes_.resize(made.bags.size());
        for (std::size_t b = 0; b < nodes_.size(); ++b) nodes_[b].bag = std::move(made.bags[b]);
        for (vertex u = 0; u < g.vertex_count(); ++u)
            for (auto const v : g.neighbors(u))
                if (place[u] < place[v]) nodes_[home[u]].edges.emplace_back(u, v);
        for (auto const& [a, b] : made.edges) connect(a, b);
    }
    [[nodiscard]] auto run() && -> tree_decomposition {
        for (std::uint32_t b = 0; b < nodes_.size(); ++b) enqueue(b);
        while (!queue_.empty()) {
            auto const b = queue_.back();  // last in, first out
            queue_.pop_back();
            nodes_[b].queued = false;
            if (!nodes_[b].removed && !is_complete(b)) split(b);
        }
        return compacted();
    }

  private:
    struct node {
        std::vector<vertex> bag{};
        std::vector<undirected_graph::edge> edges{};  // edges of the graph stored at this bag
        std::vector<std::uint32_t> links{};           // includes removed links
        bool queued = false, removed = false;
    };
    struct link {
        std::array<std::uint32_t, 2> ends{};
        std::vector<vertex> shared{};
        bool removed = false;
    };
    static constexpr std::size_t bits = 64;
    static constexpr auto none = std::numeric_limits<vertex>::max();

    void enqueue(std::uint32_t b) {
        if (!std::exchange(nodes_[b].queued, true)) queue_.push_back(b);
    }
    void connect(std::uint32_t a, std::uint32_t b) {
        auto const at = static_cast<std::uint32_t>(links_.size());
        links_.push_back({.ends = {a, b}});
        std::ranges::set_intersection(nodes_[a].bag, nodes_[b].bag, std::back_inserter(links_.back().shared));
        nodes_[a].links.push_back(at);
        nodes_[b].links.push_back(at);
    }
    /// Computes the bit rows of a bag, with its edges and the pairs it shares with adjacent bags, and the vertices
    /// whose rows are incomplete. True if there is none.
    [[nodiscard]] auto is_complete(std::uint32_t b) -> bool {
        auto& [bag, edges, links, queued, removed] = nodes_[b];
        std::erase_if(links, [&](auto at) { return links_[at].removed; });
        auto const words = (bag.size() + bits - 1) / bits;
        rows_.assign(bag.size() * words, 0);
        shared_.resize(words);
        for (vertex i = 0; i < bag.size(); ++i) {
            number_[bag[i]] = i;
            set(i, i);
        }
        for (auto const& [u, v] : edges) {
            set(number_[u], number_[v]);
            set(number_[v], number_[u]);
        }
        for (auto const at : links) {
            std::ranges::fill(shared_, 0);
            for (auto const v : links_[at].shared) shared_[number_[v] / bits] |= std::uint64_t{1} << number_[v] % bits;
            for (auto const v : links_[at].shared)
                for (std::size_t k = 0; k < words; ++k) rows_[number_[v] * words + k] |= shared_[k];
        }
        for (std::size_t k = 0; k < words; ++k)
            shared_[k] = ~std::uint64_t{0} >> (bits - std::min(bits, bag.size() - k * bits));
        incomplete_.clear();
        for (vertex i = 0; i < bag.size(); ++i)
            if (!std::equal(shared_.begin(), shared_.end(), rows_.data() + i * words)) incomplete_.push_back(i);
        return incomplete_.empty();
    }
    void set(vertex i, vertex j) { rows_[i * shared_.size() + j / bits] |= std::uint64_t{1} << j % bits; }
    [[nodiscard]] auto has(vertex i, vertex j) const -> bool {
        return (rows_[i * shared_.size() + j / bits] >> j % bits & 1U) != 0;
    }

    /// Splits a bag by an elimination order of its incomplete vertices; all others go into every part.
    void split(std::uint32_t b) {
        auto const bag = std::exchange(nodes_[b].bag, {});
        auto const edges = std::exchange(nodes_[b].edges, {});
        auto const links = std::exchange(nodes_[b].links, {});
        std::vector<undirected_graph::edge> pairs;
        std::vector<vertex> everywhere;
        for (auto const v : bag) number_[v] = none;
        for (vertex i = 0; i < incomplete_.size(); ++i) {
            number_[bag[incomplete_[i]]] = i;
            for (vertex j = 0; j < i; ++j)
                if (has(incomplete_[i], incomplete_[j])) pairs.emplace_back(i, j);
        }
        std::ranges::copy_if(bag, std::back_inserter(everywhere), [&](auto v) { return number_[v] == none; });
        undirected_graph const rows(incomplete_.size(), pairs);
        auto const order = find_elimination_order(rows).order;
        auto const place = places_of(rows, order);
        elimination_bags all(rows, order);
        auto const old = static_cast<std::uint32_t>(nodes_.size());
        auto const id = [&](std::uint32_t part) { return part == 0 ? b : old + part - 1; };
        // The part that contains a set of pairwise adjacent vertices.
        auto const home = [&](auto const& vertices) {
            auto first = order.back();
            for (auto const v : vertices)
                if (number_[v] != none && place[number_[v]] < place[first]) first = number_[v];
            return id(all.home(first));
        };
        std::vector<std::pair<std::uint32_t, std::uint32_t>> moved_links, moved_edges;
        for (auto const at : links) moved_links.emplace_back(at, home(links_[at].shared));
        for (std::uint32_t k = 0; k < edges.size(); ++k)
            moved_edges.emplace_back(k, home(std::array{edges[k].first, edges[k].second}));
        auto made = std::move(all).take();
        nodes_.resize(old + made.bags.size() - 1);
        for (std::uint32_t part = 0; part < made.bags.size(); ++part) {
            for (auto& v : made.bags[part]) v = bag[incomplete_[v]];
            nodes_[id(part)].bag.reserve(made.bags[part].size() + everywhere.size());
            std::ranges::merge(made.bags[part], everywhere, std::back_inserter(nodes_[id(part)].bag));
        }
        for (auto const& [k, to] : moved_edges) nodes_[to].edges.push_back(edges[k]);
        for (auto const& [from, to] : made.edges) connect(id(from), id(to));
        for (auto const& [at, to] : moved_links) {
            std::ranges::replace(links_[at].ends, b, to);
            nodes_[to].links.push_back(at);
        }
        for (std::uint32_t part = 0; part < made.bags.size(); ++part)
            if (!absorb(id(part))) enqueue(id(part));
    }
    /// Merges a bag into an adjacent one that contains it, if any; returns whether it did.
    [[nodiscard]] auto absorb(std::uint32_t b) -> bool {
        auto const by = std::ranges::find_if(nodes_[b].links, [&](auto at) {
            return !links_[at].removed && links_[at].shared.size() == nodes_[b].bag.size();
        });
        if (by == nodes_[b].links.end()) return false;
        auto const [one, other] = links_[*by].ends;
        auto const to = one == b ? other : one;
        links_[*by].removed = true;
        for (auto const at : nodes_[b].links) {
            if (links_[at].removed) continue;
            std::ranges::replace(links_[at].ends, b, to);
            nodes_[to].links.push_back(at);
        }
        nodes_[to].edges.insert(nodes_[to].edges.end(), nodes_[b].edges.begin(), nodes_[b].edges.end());
        nodes_[b] = {.removed = true};
        enqueue(to);
        return true;
    }
    [[nodiscard]] auto compacted() -> tree_decomposition {
        tree_decomposition made;
        std::vector<std::uint32_t> number(nodes_.size());
        for (std::size_t b = 0; b < nodes_.size(); ++b) {
            if (nodes_[b].removed) continue;
            number[b] = static_cast<std::uint32_t>(made.bags.size());
            made.bags.push_back(std::move(nodes_[b].bag));
        }
        for (auto const& [ends, shared, removed] : links_)
            if (!removed) {
                auto const [a, b] = std::minmax(number[ends[0]], number[ends[1]]);
                made.edges.emplace_back(a, b);
            }
        std::ranges::sort(made.edges);
        return made;
    }

    std::vector<node> nodes_;
    std::vector<link> links_;
    std::vector<std::uint32_t> queue_;
    std::vector<std::uint64_t> rows_, shared_;  // bit rows of the bag examined last
    std::vector<vertex> number_, incomplete_;   // positions in it; its incomplete vertices
};

}  // namespace repebble::inline v0::detail

#endif
