// Covers decomposition/tree_decomposition.hpp, decomposition/undirected_graph.hpp, treewidth/nice_decomposition.hpp,
// treewidth/verify_decomposition.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/nice_decomposition.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

using nice_bag = std::vector<std::uint32_t>;

auto bags_of(nice_decomposition const& nice) -> std::vector<nice_bag> {
    std::vector<nice_bag> bags;
    nice.for_each_bag([&](std::size_t k, std::span<std::uint32_t const> bag) {
        CHECK(k == bags.size());
        bags.emplace_back(bag.begin(), bag.end());
    });
    return bags;
}

/// The children of each node: the last nodes without a parent yet.
auto children_of(nice_decomposition const& nice) -> std::vector<std::vector<std::size_t>> {
    std::vector<std::vector<std::size_t>> children;
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < nice.nodes.size(); ++k) {
        auto const kind = nice.nodes[k].kind;
        auto const count = kind == nice_kind::leaf ? 0 : kind == nice_kind::join ? 2 : 1;
        children.emplace_back(open.end() - count, open.end());
        open.resize(open.size() - static_cast<std::size_t>(count));
        open.push_back(k);
    }
    CHECK(open == std::vector<std::size_t>{nice.nodes.size() - 1});
    return children;
}

/// Whether each node's bag matches its kind and the bags of its children.
auto is_nice(nice_decomposition const& nice) -> bool {
    auto const bags = bags_of(nice);
    auto const children = children_of(nice);
    for (std::size_t k = 0; k < bags.size(); ++k) {
        auto const& [kind, v, left] = nice.nodes[k];
        auto expected = children[k].empty() ? nice_bag{} : bags[children[k].back()];
        auto const has = std::ranges::count(expected, v);
        if (kind == nice_kind::introduce && has == 0) expected.insert(std::ranges::lower_bound(expected, v), v);
        if (kind == nice_kind::forget && (has != 1 || std::erase(expected, v) != 1)) return false;
        if (kind == nice_kind::introduce && has != 0) return false;
        if (kind == nice_kind::join && (children[k] != std::vector{left, k - 1} || bags[left] != expected))
            return false;
        if (bags[k] != expected) return false;
    }
    return bags.back().empty();
}

auto as_tree(nice_decomposition const& nice) -> tree_decomposition {
    tree_decomposition made{bags_of(nice), {}};
    auto const children = children_of(nice);
    for (std::size_t k = 0; k < children.size(); ++k)
        for (auto const c : children[k])
            made.edges.emplace_back(static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(k));
    return made;
}

TEST_CASE("the nice form is a decomposition in single steps, of the same width", "[nice_decomposition][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 14, support::below(random, 50));
        auto const made = make_tree_decomposition(g, support::random_elimination(random, g.vertex_count()));
        auto const nice = make_nice_decomposition(made);
        RC_ASSERT(is_nice(nice));
        RC_ASSERT(verify_decomposition(g, as_tree(nice)).violation == std::nullopt);
        RC_ASSERT(nice.width() == made.width());
        RC_ASSERT(as_tree(nice).width() == made.width());
        RC_ASSERT(nice.nodes.size() <= (2 * made.width() + 4) * made.bags.size() + 1);
    }));
}

TEST_CASE("the nice form of two bags forgets one vertex before it introduces the next", "[nice_decomposition]") {
    using enum nice_kind;
    CHECK(make_nice_decomposition({{{0, 1}, {1, 2}}, {{0, 1}}}).nodes ==
          std::vector<nice_node>{
              {leaf}, {introduce, 1}, {introduce, 2}, {forget, 2}, {introduce, 0}, {forget, 0}, {forget, 1}});
    CHECK(make_nice_decomposition({{{7}, {7}, {7}}, {{0, 1}, {0, 2}}}).nodes ==
          std::vector<nice_node>{{leaf}, {introduce, 7}, {leaf}, {introduce, 7}, {join, 0, 1}, {forget, 7}});
    CHECK(make_nice_decomposition({}).nodes == std::vector<nice_node>{{leaf}});
}

TEST_CASE("the nice form of a bag with many children keeps few bags open at a time", "[nice_decomposition]") {
    tree_decomposition made;
    for (std::uint32_t b = 0; b < 1000; ++b) {
        made.bags.push_back({b});
        if (b > 0) made.edges.emplace_back((b - 1) / 2, b);
    }
    std::size_t open = 0, most = 0;
    for (auto const& node : make_nice_decomposition(made).nodes) {
        if (node.kind == nice_kind::leaf) most = std::max(most, ++open);
        if (node.kind == nice_kind::join) --open;
    }
    CHECK(most <= 10);
    made.bags.assign(1000, {});
    for (std::uint32_t b = 1; b < 1000; ++b) made.edges[b - 1] = b % 2 == 0 ? std::pair{b - 2, b} : std::pair{b - 1, b};
    open = most = 0;
    for (auto const& node : make_nice_decomposition(made).nodes) {
        if (node.kind == nice_kind::leaf) most = std::max(most, ++open);
        if (node.kind == nice_kind::join) --open;
    }
    CHECK(most == 2);
}

TEST_CASE("an invalid decomposition has no nice form", "[nice_decomposition]") {
    CHECK_THROWS_AS(make_nice_decomposition({{{0}, {1}}, {}}), bad_decomposition);
    CHECK_THROWS_WITH(make_nice_decomposition({{{0}, {1}, {0}}, {{0, 1}, {1, 2}}}), Catch::Contains("vertex 0"));
}

}  // namespace
