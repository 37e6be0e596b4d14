// Covers views/bags.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <rapidcheck.h>
#include <range/v3/algorithm/equal.hpp>
#include <range/v3/algorithm/max.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/views/bags.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

using bags_view = decltype(views::bags(std::declval<tree_decomposition const&>()));
static_assert(ranges::view_<bags_view> && ranges::random_access_range<bags_view>);
static_assert(!std::is_invocable_v<decltype(views::bags), tree_decomposition>);
static_assert(!std::is_invocable_v<decltype(views::separators), tree_decomposition>);

TEST_CASE("bags with a vertex, and separators between neighbours of the tree", "[views]") {
    tree_decomposition const path{.bags = {{0, 1, 2}, {1, 2, 3}, {3, 4}}, .edges = {{0, 1}, {1, 2}}};
    auto const sizes = ranges::views::transform([](auto const& bag) { return bag.size(); });
    CHECK(ranges::equal(views::bags(path), path.bags));
    CHECK((views::bags(path) | views::with_vertex(1) | sizes | ranges::to<std::vector>()) ==
          std::vector<std::size_t>{3, 3});
    CHECK((views::bags(path) | views::with_vertex(4) | sizes | ranges::to<std::vector>()) ==
          std::vector<std::size_t>{2});
    CHECK(ranges::empty(views::bags(path) | views::with_vertex(5)));
    std::vector<std::vector<undirected_graph::vertex>> shared;
    for (auto&& separator : views::separators(path)) shared.push_back(separator | ranges::to<std::vector>());
    CHECK(shared == std::vector<std::vector<undirected_graph::vertex>>{{1, 2}, {3}});
    tree_decomposition const none;
    CHECK(ranges::empty(views::separators(none)));
}

TEST_CASE("bags with a vertex are one more than the separators with it", "[views][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = undirected_graph::of(support::any_dag(random, 15));
        auto const d = make_tree_decomposition(g, find_elimination_order(g).order);
        for (undirected_graph::vertex v = 0; v < g.vertex_count(); ++v) {
            std::ptrdiff_t separators = 0;
            for (auto&& separator : views::separators(d))
                for (auto const u : separator) separators += u == v ? 1 : 0;
            RC_ASSERT(ranges::distance(views::bags(d) | views::with_vertex(v)) == separators + 1);
        }
    }));
}
