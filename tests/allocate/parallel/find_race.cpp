// Covers allocate/find_race.hpp, allocate/sharing_dependencies.hpp, allocate/verify_offsets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/find_race.hpp>
#include <repebble/allocate/sharing_dependencies.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/parallel_plans.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

struct touched_case {
    step_graph steps;
    std::vector<buffer> buffers;
};

/// Steps with random edges, and buffers that random steps touch: more general than schedules.
auto random_touched_case(support::split_mix& random, std::size_t n) -> touched_case {
    auto const g = support::random_dag(random, n, support::below(random, 101));
    touched_case made{{csr_graph::copy_of(g), {}}, {}};
    for (auto count = 1 + support::below(random, 6); count > 0; --count) {
        std::vector<step_index> touching;
        for (auto s = support::below(random, n); s < n; s += 1 + support::below(random, 4))
            if (touching.size() < 3) touching.push_back(static_cast<step_index>(s));
        auto const end = touching.back() + support::between(random, 1, n - touching.back() > 1 ? 2 : 1);
        made.buffers.push_back({.lifetime = {touching.front(), end}, .size = support::between(random, 0, 3)});
        made.steps.touches.push_back(touching);
    }
    return made;
}

}  // namespace

TEST_CASE("a race names two buffers and two steps", "[allocate]") {
    step_graph const steps{csr_graph(4, {{0, 1}, {0, 2}, {2, 3}}), {{0, 1}, {2, 3}, {3}}};
    std::vector<buffer> const buffers{
        {.lifetime = {0, 2}, .size = 4}, {.lifetime = {2, 4}, .size = 4}, {.lifetime = {3, 4}, .size = 4}};
    std::vector<bytes> const shared{0, 2, 8};
    CHECK(
        find_race(steps, buffers, shared) ==
        race{0, 1, 1, 2,
             "buffers 0 and 1 share bytes: step 1, which touches the first, need not end before step 2, which touches "
             "the second, starts"});
    CHECK_FALSE(find_race(steps, buffers, std::vector<bytes>{0, 4, 8}));
    CHECK_FALSE(find_race(steps, buffers, shared, support::step_edges{{1, 2}}));
    CHECK(find_race(steps, buffers, shared, support::step_edges{{1, 3}}));
    // An order against the schedule: a value that must stay to the end would be overwritten.
    step_graph const apart{csr_graph(4, {{0, 1}, {2, 3}}), {{0, 1}, {2, 3}, {3}}};
    CHECK(find_race(apart, buffers, shared, support::step_edges{{3, 0}}));
}

TEST_CASE("an overlap in the schedule itself is reported", "[allocate]") {
    step_graph const steps{csr_graph(2, {{0, 1}}), {{0}, {1}}};
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 4}, {.lifetime = {1, 2}, .size = 4}};
    auto const found = find_race(steps, buffers, std::vector<bytes>{0, 3});
    REQUIRE(found);
    CHECK(found->message == "buffers 0 and 1 share bytes: in the schedule itself, buffers 0 and 1 overlap at time 1");
    CHECK((found->first_step == 0 && found->second_step == 1));
    CHECK(support::throws<bad_buffer>([&] { return find_race(steps, buffers, std::vector<bytes>{0, -1}); }, {"-1"}));
    // A gap counts as live.
    auto gapped = buffers;
    gapped[0].gaps.push_back({{1, 2}, {}});
    CHECK(find_race(steps, gapped, std::vector<bytes>{0, 3}));
}

TEST_CASE("invalid edges are refused", "[allocate]") {
    step_graph const steps{csr_graph(2, {{0, 1}}), {{0}, {1}}};
    std::vector<buffer> const buffers{{.lifetime = {0, 1}, .size = 4}, {.lifetime = {1, 2}, .size = 4}};
    std::vector<bytes> const offsets{0, 0};
    auto const with = [&](support::step_edges edges) {
        return [=] { return find_race(steps, buffers, offsets, edges); };
    };
    CHECK_FALSE(with({})());
    CHECK_THROWS_AS(with({{1, 0}})(), not_a_dag);
    CHECK(support::throws<bad_graph>(with({{0, 2}}), {"2"}));
}

TEST_CASE("a race is found exactly if some allowed order has one", "[allocate][property]") {
    std::size_t racy = 0, safe = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const n = 1 + support::below(random, 7);
            auto const [steps, buffers] = random_touched_case(random, n);
            auto const offsets = support::first_fit(random, buffers);
            RC_ASSERT(!verify_offsets(buffers, offsets).fault);
            support::step_edges more;
            for (step_index s = 0; s < n; ++s)
                for (step_index t = s + 1; t < n; ++t)
                    if (support::chance(random, 15)) more.emplace_back(s, t);
            auto const found = find_race(steps, buffers, offsets, more);
            RC_ASSERT(found.has_value() == support::can_race(steps, buffers, offsets, more));
            (found ? racy : safe) += 1;
        }
    }));
    CHECK(racy > 20);
    CHECK(safe > 100);
}

TEST_CASE("races are found in plans of small schedules without any one of the dependencies", "[allocate][property]") {
    std::size_t cases = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const found = support::random_parallel_case(random, 5, 4);
        if (!found || found->plan.steps.size() > 8) return;
        ++cases;
        auto const& [flow, plan, steps, buffers] = *found;
        auto const offsets = support::first_fit(random, buffers);
        auto const edges = find_sharing_dependencies(steps, buffers, offsets);
        RC_ASSERT(!support::can_race(steps, buffers, offsets, edges));
        for (std::size_t e = 0; e < edges.size(); ++e) {
            auto less = edges;
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(e));
            RC_ASSERT(support::can_race(steps, buffers, offsets, less));
        }
    }));
    CHECK(cases > 7);
}
