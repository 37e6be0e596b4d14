// Covers views/steps.hpp.
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rapidcheck.h>
#include <range/v3/algorithm/count.hpp>
#include <range/v3/algorithm/equal.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/drop.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/views/steps.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

using steps_view = decltype(views::steps(std::declval<schedule<> const&>()));
static_assert(ranges::view_<steps_view> && ranges::random_access_range<steps_view>);
static_assert(!std::is_invocable_v<decltype(views::steps), schedule<>>);
static_assert(ranges::bidirectional_range<decltype(std::declval<steps_view>() | views::computes)>);

namespace {

schedule<> const every_action{{{.vertex = 0},
                               {.repetition = 0, .vertex = 1},
                               {.what = action::offload, .vertex = 0},
                               {.what = action::discard, .vertex = 0},
                               {.what = action::prefetch, .from = pool::host, .vertex = 0},
                               {.in_place = true, .repetition = 1, .vertex = 1, .over = 0}}};

template <class View>
auto vertices_of(View&& view) -> std::vector<operation_index> {
    return std::forward<View>(view) | views::vertices | ranges::to<std::vector>();
}

}  // namespace

TEST_CASE("steps of a schedule by their action", "[views]") {
    using list = std::vector<operation_index>;
    auto const steps = views::steps(every_action);
    CHECK(ranges::equal(steps, every_action.steps));
    CHECK(vertices_of(steps | views::computes) == list{0, 1, 1});
    CHECK(vertices_of(steps | views::recomputes) == list{1});
    CHECK(vertices_of(steps | views::discards) == list{0});
    CHECK(vertices_of(steps | views::offloads) == list{0});
    CHECK(vertices_of(steps | views::prefetches) == list{0});
    CHECK(vertices_of(steps | ranges::views::drop(1) | views::computes | ranges::views::reverse) == list{1, 1});
    CHECK(vertices_of(every_action.steps | views::computes) == list{0, 1, 1});
    // Closures compose before they meet a range.
    auto const names = views::recomputes | views::vertices | ranges::views::transform([](auto v) { return v + 5; });
    CHECK((steps | names | ranges::to<std::vector>()) == list{6});
}

TEST_CASE("steps in other vertices are those of the schedule in other vertices", "[views]") {
    auto const name = [](operation_index v) { return std::string(1, static_cast<char>('a' + v)); };
    auto const renamed = map_vertices(every_action, name);
    CHECK(ranges::equal(views::steps(every_action) | views::map_vertices(name), renamed.steps));
    CHECK((views::steps(every_action) | views::map_vertices(name) | views::discards | views::vertices |
           ranges::to<std::vector>()) == std::vector<std::string>{"a"});
}

TEST_CASE("a plan is read in the caller's vertices", "[views][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 7);
        auto const training = make_training_graph(g, weights{unit_weight{}});
        auto const plan = forget_all(training);
        auto const origin = [&](operation_index v) { return training.origin[v]; };
        auto const in_origins = views::steps(plan.schedule) | views::map_vertices(origin);
        RC_ASSERT(ranges::equal(in_origins, map_vertices(plan.schedule, origin).steps));
        RC_ASSERT(static_cast<std::uint64_t>(ranges::distance(in_origins | views::recomputes)) ==
                  plan.cost.recomputations);
        std::size_t by_action = 0;
        for (auto const& s : plan.schedule.steps) by_action += s.what == action::discard ? 1U : 0U;
        RC_ASSERT(static_cast<std::size_t>(ranges::distance(in_origins | views::discards)) == by_action);
    }));
}
