// Covers decomposition/elimination.hpp, decomposition/tree_decomposition.hpp, decomposition/undirected_graph.hpp,
// treewidth/verify_decomposition.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;
using fault = decomposition_fault;

auto const three_bags = tree_decomposition{{{0, 1}, {1, 2}, {2, 3}}, {{0, 1}, {1, 2}}};
auto const path_of_four = undirected_graph(4, {{0, 1}, {1, 2}, {2, 3}});

auto finds_fault(tree_decomposition const& made, decomposition_violation const& expected) -> bool {
    auto const found = verify_decomposition(path_of_four, made).violation;
    INFO((found ? found->message : "nothing"));
    CHECK(found == expected);
    return found == expected;
}

auto contains(std::vector<std::uint32_t> const& bag, std::size_t v) -> bool {
    return std::ranges::binary_search(bag, static_cast<std::uint32_t>(v));
}

/// The faults by the definition, for ascending bags that name existing vertices and bags.
auto faults_by_definition(undirected_graph const& g, tree_decomposition const& made) -> std::vector<fault> {
    std::vector<fault> all;
    auto const pieces = [&](auto&& taken) {  // numbers of components and edges among them
        std::vector<std::size_t> piece(made.bags.size());
        std::size_t count = 0, edges = 0;
        for (std::size_t b = 0; b < piece.size(); ++b) {
            piece[b] = b;
            count += taken(b) ? 1U : 0U;
        }
        for (auto const& [a, b] : made.edges) {
            if (!taken(a) || !taken(b)) continue;
            ++edges;
            if (piece[a] == piece[b]) continue;
            --count;
            std::ranges::replace(piece, std::size_t{piece[a]}, std::size_t{piece[b]});
        }
        return std::pair(count, edges);
    };
    auto const [trees, edges] = pieces([](std::size_t) { return true; });
    if (trees > 1 || edges + 1 > std::max<std::size_t>(made.bags.size(), 1)) return {fault::not_a_tree};
    for (std::size_t v = 0; v < g.vertex_count(); ++v) {
        auto const parts = pieces([&](std::size_t b) { return contains(made.bags[b], v); }).first;
        if (parts == 0) all.push_back(fault::vertex_in_no_bag);
        if (parts > 1) all.push_back(fault::bags_not_connected);
        for (auto const w : g.neighbors(v))
            if (std::ranges::none_of(made.bags, [&](auto const& bag) { return contains(bag, v) && contains(bag, w); }))
                all.push_back(fault::edge_in_no_bag);
    }
    return all;
}

TEST_CASE("a decomposition of a path is in order", "[verify_decomposition]") {
    CHECK(verify_decomposition(path_of_four, three_bags).violation == std::nullopt);
    CHECK(verify_decomposition(path_of_four, {{{0, 1, 2, 3}}, {}}).violation == std::nullopt);
    CHECK(verify_decomposition(undirected_graph(), {}).violation == std::nullopt);
    CHECK(verify_decomposition(undirected_graph(), {{{}}, {}}).violation == std::nullopt);
}

TEST_CASE("each fault of a decomposition is named with its numbers", "[verify_decomposition]") {
    auto const& bags = three_bags.bags;
    CHECK(finds_fault({bags, {{0, 1}, {1, 3}}},
                      {fault::unknown_bag, {}, {3}, "edge 1 - 3 of the tree names bag 3 of 3"}));
    CHECK(finds_fault({bags, {{0, 1}}},
                      {fault::not_a_tree, {}, {0, 2}, "the bags are no tree: no path joins bags 0 and 2"}));
    CHECK(finds_fault({bags, {{0, 1}, {0, 1}}},
                      {fault::not_a_tree, {}, {0, 2}, "the bags are no tree: no path joins bags 0 and 2"}));
    CHECK(finds_fault({bags, {{0, 1}, {0, 2}, {1, 2}}},
                      {fault::not_a_tree, {}, {}, "the bags are no tree: 3 bags have 3 edges, which contain a cycle"}));
    CHECK(finds_fault({bags, {{0, 1}, {1, 2}, {2, 2}}},
                      {fault::not_a_tree, {}, {}, "the bags are no tree: 3 bags have 3 edges, which contain a cycle"}));
    CHECK(finds_fault({{{0, 1}, {1, 2}, {2, 4}}, three_bags.edges},
                      {fault::unknown_vertex, {4}, {2}, "bag 2 names vertex 4 of 4"}));
    CHECK(finds_fault({{{0, 1}, {2, 1}, {2, 3}}, three_bags.edges},
                      {fault::bag_not_ascending, {2, 1}, {1}, "bag 1 names vertex 1 after vertex 2"}));
    CHECK(finds_fault({{{0, 1}, {1, 2}, {2, 3, 3}}, three_bags.edges},
                      {fault::bag_not_ascending, {3, 3}, {2}, "bag 2 names vertex 3 after vertex 3"}));
    CHECK(finds_fault({{{0, 1}, {1, 2}, {2}}, three_bags.edges},
                      {fault::vertex_in_no_bag, {3}, {}, "vertex 3 lies in no bag"}));
    CHECK(finds_fault({{{0, 1}, {1, 2}, {3}}, three_bags.edges},
                      {fault::edge_in_no_bag, {2, 3}, {}, "edge 2 - 3 lies in no bag"}));
    CHECK(finds_fault(
        {{{0, 1, 2}, {1}, {2, 3}}, three_bags.edges},
        {fault::bags_not_connected, {2}, {0, 2}, "the bags with vertex 2 are not connected: bags 0 and 2"}));
    CHECK(finds_fault({}, {fault::vertex_in_no_bag, {0}, {}, "vertex 0 lies in no bag"}));
}

TEST_CASE("the violation found in a spoiled decomposition agrees with the definition",
          "[verify_decomposition][property]") {
    std::vector<std::size_t> seen(7, 0);
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 10, 10 + support::below(random, 50));
        auto made = make_tree_decomposition(g, support::random_elimination(random, g.vertex_count()));
        RC_ASSERT(faults_by_definition(g, made).empty());
        for (int k = 0; k < 8 && !made.bags.empty(); ++k) {
            auto spoiled = made;
            auto& bag = spoiled.bags[support::below(random, spoiled.bags.size())];
            auto const other = static_cast<std::uint32_t>(support::below(random, spoiled.bags.size()));
            auto const v = static_cast<std::uint32_t>(support::below(random, g.vertex_count()));
            switch (support::below(random, 4)) {
                case 0:
                    std::erase(bag, bag[support::below(random, bag.size())]);
                    break;
                case 1:
                    if (!contains(bag, v)) bag.insert(std::ranges::lower_bound(bag, v), v);
                    break;
                case 2:
                    if (!spoiled.edges.empty())
                        support::chance(random, 50) ? spoiled.edges.pop_back()
                                                    : void(spoiled.edges.back().second = other);
                    break;
                default:
                    spoiled.bags.push_back({v});
                    spoiled.edges.emplace_back(other, static_cast<std::uint32_t>(made.bags.size()));
            }
            auto const found = verify_decomposition(g, spoiled).violation;
            auto const expected = faults_by_definition(g, spoiled);
            RC_ASSERT(found.has_value() == !expected.empty());
            if (!found) continue;
            RC_ASSERT(std::ranges::count(expected, found->fault) > 0);
            RC_ASSERT(!found->message.empty());
            ++seen[static_cast<std::size_t>(found->fault)];
        }
    }));
    for (auto const kind :
         {fault::not_a_tree, fault::vertex_in_no_bag, fault::edge_in_no_bag, fault::bags_not_connected}) {
        INFO(to_string(kind));
        CHECK(seen[static_cast<std::size_t>(kind)] > 0);
    }
}

}  // namespace
