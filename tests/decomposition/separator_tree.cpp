// Covers decomposition/separator_tree.hpp.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/separator_tree.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

auto separators_of(undirected_graph const& g) -> separator_tree {
    return make_separator_tree(g, make_tree_decomposition(g, find_elimination_order(g).order));
}

TEST_CASE("a path is halved vertex by vertex", "[separator_tree]") {
    undirected_graph const path(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}});
    auto const tree = separators_of(path);
    CHECK(tree.levels() == 3);
    CHECK(tree.separators.front().vertices == std::vector<std::uint32_t>{3});
    CHECK(tree.separators.front().end == tree.separators.size());
    for (auto const& s : tree.separators) CHECK(s.vertices.size() == 1);
}

TEST_CASE("the empty graph has no separator, and one vertex is its own", "[separator_tree]") {
    CHECK(separators_of(undirected_graph(0, {})).separators.empty());
    auto const one = separators_of(undirected_graph(1, {}));
    CHECK(one.levels() == 1);
    CHECK(one.separators.front().vertices == std::vector<std::uint32_t>{0});
}

TEST_CASE("separators are in bags, part what they halve, and each vertex is in one", "[separator_tree][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 40, support::below(random, 30));
        auto const n = g.vertex_count();
        auto const bags = make_tree_decomposition(g, find_elimination_order(g).order);
        auto const tree = make_separator_tree(g, bags);
        RC_ASSERT(tree == make_separator_tree(g, bags));
        RC_ASSERT(tree.levels() <= std::bit_width(n));
        std::vector<std::size_t> times(n, 0);
        for (std::uint32_t k = 0; k < tree.separators.size(); ++k) {
            auto const& s = tree.separators[k];
            RC_ASSERT(s.vertices.size() <= bags.width() + 1);
            for (auto const v : s.vertices) {
                ++times[v];
                RC_ASSERT(tree.separator_of[v] == k);
            }
            std::size_t size = 0, above = 0;
            for (auto i = k; i < s.end; ++i) size += tree.separators[i].vertices.size();
            if (s.parent == nested_separator::none) continue;
            auto const& parent = tree.separators[s.parent];
            RC_ASSERT(s.parent < k);
            RC_ASSERT(s.end <= parent.end);
            RC_ASSERT(s.level == parent.level + 1);
            for (auto i = s.parent; i < parent.end; ++i) above += tree.separators[i].vertices.size();
            RC_ASSERT(2 * size <= above);
        }
        RC_ASSERT(std::ranges::all_of(times, [](auto t) { return t == 1; }));
        // Of two adjacent vertices the separator of one lies in the part of the other's.
        for (std::uint32_t v = 0; v < n; ++v)
            for (auto const w : g.neighbors(v)) {
                auto const [first, second] = std::minmax(tree.separator_of[v], tree.separator_of[w]);
                RC_ASSERT(second < tree.separators[first].end);
            }
    }));
}

TEST_CASE("separator_nesting: a tree is whole, or there is none where it was told to stop") {
    auto const g = undirected_graph::of(support::chain(100'000));
    auto const bags = make_tree_decomposition(g, find_elimination_order(g).order);
    std::size_t asked = 0;
    auto const stop = [&] { return ++asked > 3; };
    CHECK_FALSE(detail::separator_nesting(g, bags, stop).take());
    CHECK(asked == 4);
    CHECK(make_separator_tree(g, bags).separator_of.size() == 100'000);
}

}  // namespace
