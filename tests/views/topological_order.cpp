// Covers views/topological_order.hpp.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <rapidcheck.h>
#include <range/v3/algorithm/equal.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/views/topological_order.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

static_assert(ranges::view_<views::order_view<support::label>>);
static_assert(ranges::contiguous_range<views::order_view<int>> && ranges::sized_range<views::order_view<int>>);
static_assert(!std::is_invocable_v<decltype(views::topological_order), int>);

TEST_CASE("a topological order as a view is that of the graph room, by every rule", "[views][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 12);
        support::least_graph const least(g);
        RC_ASSERT(ranges::equal(views::topological_order(g), topological_order(g)));
        for (auto const rule :
             {order_rule::by_index, order_rule::soonest, order_rule::latest, order_rule::depth_first}) {
            RC_ASSERT(ranges::equal(views::topological_order(g, rule), topological_order(g, rule)));
            RC_ASSERT(ranges::equal(views::topological_order(least, rule), topological_order(least, rule), {},
                                    &support::label::id, &support::label::id));
        }
    }));
}

TEST_CASE("a pipeline owns the order, and reads it from both ends", "[views]") {
    auto backwards = views::topological_order(support::chain(4)) | ranges::views::reverse |
                     ranges::views::transform([](int v) { return 10 * v; });
    auto const copy = backwards;
    CHECK((copy | ranges::to<std::vector>()) == std::vector<int>{30, 20, 10, 0});
    CHECK(backwards.size() == 4);
    CHECK(backwards[1] == 20);
    CHECK(ranges::empty(views::topological_order(support::chain(0))));
    CHECK(views::order_view<int>().empty());
}

TEST_CASE("a graph with a cycle has no view of a topological order", "[views]") {
    CHECK_THROWS_AS(views::topological_order(support::adjacency{{1}, {0}}), not_a_dag);
}
