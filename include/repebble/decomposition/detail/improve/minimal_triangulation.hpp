#ifndef REPEBBLE_DECOMPOSITION_DETAIL_IMPROVE_MINIMAL_TRIANGULATION_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_IMPROVE_MINIMAL_TRIANGULATION_HPP

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
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>

namespace repebble::inline v0::detail {

/// A tree of bags, none within another, that are split until each pair of vertices that share a bag is an edge of the
/// graph or lies in two bags. What is within another bag after a split becomes part of that bag, which is looked at
/// again: it has other bags beside it then.
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
        for (std::uint32_t b = 0; b < nodes_.size(); ++b) look_at(b);
        while (!waiting_.empty()) {
            auto const b = waiting_.back();  // the last bags first: what was split below them comes up to few
            waiting_.pop_back();
            nodes_[b].waits = false;
            if (!nodes_[b].gone && !is_complete(b)) split(b);
        }
        return without_gone();
    }

  private:
    struct node {
        std::vector<vertex> bag{};
        std::vector<undirected_graph::edge> edges{};  // each edge of the graph is in one bag that has both ends
        std::vector<std::uint32_t> links{};           // those that are gone, too
        bool waits = false, gone = false;
    };
    struct link {
        std::array<std::uint32_t, 2> ends{};
        std::vector<vertex> shared{};
        bool gone = false;
    };
    static constexpr std::size_t bits = 64;
    static constexpr auto none = std::numeric_limits<vertex>::max();

    void look_at(std::uint32_t b) {
        if (!std::exchange(nodes_[b].waits, true)) waiting_.push_back(b);
    }
    void connect(std::uint32_t a, std::uint32_t b) {
        auto const at = static_cast<std::uint32_t>(links_.size());
        links_.push_back({.ends = {a, b}});
        std::ranges::set_intersection(nodes_[a].bag, nodes_[b].bag, std::back_inserter(links_.back().shared));
        nodes_[a].links.push_back(at);
        nodes_[b].links.push_back(at);
    }
    /// Writes the rows of a bag, its edges and as edges all pairs that it shares with a bag beside it, and which rows
    /// are not full.
    [[nodiscard]] auto is_complete(std::uint32_t b) -> bool {
        auto& [bag, edges, links, waits, gone] = nodes_[b];
        std::erase_if(links, [&](auto at) { return links_[at].gone; });
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
        open_.clear();
        for (vertex i = 0; i < bag.size(); ++i)
            if (!std::equal(shared_.begin(), shared_.end(), rows_.data() + i * words)) open_.push_back(i);
        return open_.empty();
    }
    void set(vertex i, vertex j) { rows_[i * shared_.size() + j / bits] |= std::uint64_t{1} << j % bits; }
    [[nodiscard]] auto has(vertex i, vertex j) const -> bool {
        return (rows_[i * shared_.size() + j / bits] >> j % bits & 1U) != 0;
    }

    /// Into the bags of an elimination order of the rows that are not full; the other vertices are in each.
    void split(std::uint32_t b) {
        auto const bag = std::exchange(nodes_[b].bag, {});
        auto const edges = std::exchange(nodes_[b].edges, {});
        auto const links = std::exchange(nodes_[b].links, {});
        std::vector<undirected_graph::edge> pairs;
        std::vector<vertex> everywhere;
        for (auto const v : bag) number_[v] = none;
        for (vertex i = 0; i < open_.size(); ++i) {
            number_[bag[open_[i]]] = i;
            for (vertex j = 0; j < i; ++j)
                if (has(open_[i], open_[j])) pairs.emplace_back(i, j);
        }
        std::ranges::copy_if(bag, std::back_inserter(everywhere), [&](auto v) { return number_[v] == none; });
        undirected_graph const rows(open_.size(), pairs);
        auto const order = min_fill(rows).order;
        auto const place = places_of(rows, order);
        elimination_bags all(rows, order);
        auto const old = static_cast<std::uint32_t>(nodes_.size());
        auto const id = [&](std::uint32_t part) { return part == 0 ? b : old + part - 1; };
        // The bag that has all of some vertices that are neighbours of one another.
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
            for (auto& v : made.bags[part]) v = bag[open_[v]];
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
            if (!is_taken_in(id(part))) look_at(id(part));
    }
    /// Where all of a bag lies in one beside it.
    [[nodiscard]] auto is_taken_in(std::uint32_t b) -> bool {
        auto const by = std::ranges::find_if(nodes_[b].links, [&](auto at) {
            return !links_[at].gone && links_[at].shared.size() == nodes_[b].bag.size();
        });
        if (by == nodes_[b].links.end()) return false;
        auto const [one, other] = links_[*by].ends;
        auto const to = one == b ? other : one;
        links_[*by].gone = true;
        for (auto const at : nodes_[b].links) {
            if (links_[at].gone) continue;
            std::ranges::replace(links_[at].ends, b, to);
            nodes_[to].links.push_back(at);
        }
        nodes_[to].edges.insert(nodes_[to].edges.end(), nodes_[b].edges.begin(), nodes_[b].edges.end());
        nodes_[b] = {.gone = true};
        look_at(to);
        return true;
    }
    [[nodiscard]] auto without_gone() -> tree_decomposition {
        tree_decomposition made;
        std::vector<std::uint32_t> number(nodes_.size());
        for (std::size_t b = 0; b < nodes_.size(); ++b) {
            if (nodes_[b].gone) continue;
            number[b] = static_cast<std::uint32_t>(made.bags.size());
            made.bags.push_back(std::move(nodes_[b].bag));
        }
        for (auto const& [ends, shared, gone] : links_)
            if (!gone) {
                auto const [a, b] = std::minmax(number[ends[0]], number[ends[1]]);
                made.edges.emplace_back(a, b);
            }
        std::ranges::sort(made.edges);
        return made;
    }

    std::vector<node> nodes_;
    std::vector<link> links_;
    std::vector<std::uint32_t> waiting_;
    std::vector<std::uint64_t> rows_, shared_;  // bits of the bag that was looked at last
    std::vector<vertex> number_, open_;         // in it; and those whose rows are not full
};

}  // namespace repebble::inline v0::detail

#endif
