// Covers views/lifetimes.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <rapidcheck.h>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/map.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/views/lifetimes.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

using lifetimes_view = decltype(views::lifetimes(std::declval<schedule_lifetimes const&>()));
static_assert(ranges::view_<lifetimes_view> && ranges::random_access_range<lifetimes_view>);
static_assert(!std::is_invocable_v<decltype(views::lifetimes), schedule_lifetimes>);
static_assert(!std::is_invocable_v<decltype(views::overlapping), std::vector<buffer>>);
using overlapping_view = decltype(views::overlapping(std::declval<std::vector<buffer> const&>()));
static_assert(ranges::view_<overlapping_view> && ranges::input_range<overlapping_view>);

namespace {

using pairs = std::vector<std::pair<std::size_t, std::size_t>>;

}  // namespace

TEST_CASE("each buffer with its use", "[views]") {
    schedule_lifetimes const found{
        .buffers = {{.lifetime = {0, 4}, .size = 8}, {.lifetime = {1, 2}, .size = 5}, {.lifetime = {3, 5}, .size = 2}},
        .uses = {{.storage = {7, 0}}, {.what = buffer_use::kind::workspace, .operation = 3}, {.storage = {9, 1}}}};
    auto const all = views::lifetimes(found);
    CHECK(all.size() == 3);
    std::vector<bytes> workspaces;
    for (auto const& [b, use] : all)
        if (use.what == buffer_use::kind::workspace) workspaces.push_back(b.size);
    CHECK(workspaces == std::vector<bytes>{5});

    auto const values = [&](std::int64_t time) {
        return all | views::live_at(time) |
               ranges::views::filter([](auto const& e) { return e.second.what == buffer_use::kind::storage; }) |
               ranges::views::transform([](auto const& e) { return e.second.storage.value; }) |
               ranges::to<std::vector>();
    };
    using list = std::vector<value_index>;
    CHECK(values(0) == list{7});
    CHECK(values(1) == list{7});
    CHECK(values(3) == list{7, 9});
    CHECK(values(4) == list{9});  // half-open
    CHECK(values(5).empty());
    CHECK((found.buffers | views::live_at(1) | ranges::views::transform(&buffer::size) | ranges::to<std::vector>()) ==
          std::vector<bytes>{8, 5});
    CHECK((views::overlapping(found.buffers) | ranges::to<std::vector>()) == pairs{{0, 1}, {0, 2}});
}

TEST_CASE("buffers that never live overlap with none", "[views]") {
    std::vector<buffer> const buffers{
        {.lifetime = {0, 9}}, {.lifetime = {2, 2}}, {.lifetime = {2, 4}}, {.lifetime = {4, 5}}, {.lifetime = {9, 9}}};
    CHECK((views::overlapping(buffers) | ranges::to<std::vector>()) == pairs{{0, 2}, {0, 3}});
    std::vector<buffer> const none;
    CHECK(ranges::empty(views::overlapping(none) | ranges::to<std::vector>()));
}

TEST_CASE("pairs that overlap are asked of buffers in the order in which they begin", "[views]") {
    std::vector<buffer> const buffers{{.lifetime = {2, 3}}, {.lifetime = {0, 3}}};
    CHECK_THROWS_AS(views::overlapping(buffers), precondition_violated);
}

TEST_CASE("the greatest sum of live bytes is the peak, and pairs are all that overlap", "[views][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 7);
        auto const training = make_training_graph(g, weights{unit_weight{}, [](int v) { return 3 * v + 1; }});
        auto const plan = forget_all(training);
        auto const found = find_lifetimes(training.flow, plan.schedule);
        bytes peak = 0;
        for (std::size_t t = 0; t < plan.schedule.steps.size(); ++t) {
            auto live = views::lifetimes(found) | views::live_at(static_cast<std::int64_t>(t)) | ranges::views::keys |
                        ranges::views::transform(&buffer::size);
            peak = std::max(peak, ranges::accumulate(live, bytes{0}));
        }
        RC_ASSERT(peak == plan.cost.peak);
        pairs expected;
        for (std::size_t i = 0; i < found.buffers.size(); ++i)
            for (std::size_t j = i + 1; j < found.buffers.size(); ++j)
                if (found.buffers[i].lifetime.overlaps(found.buffers[j].lifetime)) expected.emplace_back(i, j);
        RC_ASSERT((views::overlapping(found.buffers) | ranges::to<std::vector>()) == expected);
    }));
}
