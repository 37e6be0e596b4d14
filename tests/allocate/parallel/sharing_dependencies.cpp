// Covers allocate/find_race.hpp, allocate/share_blocks.hpp, allocate/sharing_dependencies.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/find_race.hpp>
#include <repebble/allocate/sharing_dependencies.hpp>
#include <repebble/allocate/share_blocks.hpp>

#include "support/catch.hpp"
#include "support/parallel_plans.hpp"
#include "support/property.hpp"
#include "support/step_program.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Two chains of two, one after the other in the schedule.
auto two_chains() -> std::pair<step_graph, std::vector<buffer>> {
    return {{csr_graph(4, {{0, 1}, {2, 3}}), {{0, 1}, {1}, {2, 3}, {3}}},
            {{.lifetime = {0, 2}, .size = 4},
             {.lifetime = {1, 2}, .size = 4},
             {.lifetime = {2, 4}, .size = 4},
             {.lifetime = {3, 4}, .size = 4}}};
}

}  // namespace

TEST_CASE("the first step on reused bytes waits for all steps that touched them before", "[allocate]") {
    auto const [steps, buffers] = two_chains();
    auto const edges = [&](std::vector<bytes> const& offsets) {
        return find_sharing_dependencies(steps, buffers, offsets);
    };
    CHECK(edges({0, 4, 8, 12}).empty());
    CHECK(edges({0, 4, 0, 8}) == support::step_edges{{1, 2}});
    CHECK(edges({0, 4, 8, 4}) == support::step_edges{{1, 3}});
    CHECK(edges({0, 4, 0, 4}) == support::step_edges{{1, 2}});  // successors of 2 wait as well
    CHECK(edges({0, 4, 2, 6}) == support::step_edges{{1, 2}});  // some of the bytes
}

TEST_CASE("all readers on several branches are waited for, without redundant edges", "[allocate]") {
    // 0 is read by 1 and 2; 3 reads 1. Step 4 reuses the memory of the first buffer.
    step_graph const steps{csr_graph(5, {{0, 1}, {0, 2}, {1, 3}}), {{0, 1, 2}, {1, 3}, {2}, {3}, {4}}};
    std::vector<buffer> const buffers{{.lifetime = {0, 3}, .size = 4},
                                      {.lifetime = {1, 4}, .size = 4},
                                      {.lifetime = {2, 5}, .size = 4},
                                      {.lifetime = {3, 5}, .size = 4},
                                      {.lifetime = {4, 5}, .size = 8}};
    CHECK(find_sharing_dependencies(steps, buffers, std::vector<bytes>{0, 8, 12, 16, 0}) ==
          support::step_edges{{1, 4}, {2, 4}});
    // With the second buffer's bytes too, step 3 is waited for, and 1 with it.
    CHECK(find_sharing_dependencies(steps, buffers, std::vector<bytes>{0, 4, 12, 16, 0}) ==
          support::step_edges{{2, 4}, {3, 4}});
}

TEST_CASE("invalid offsets are refused", "[allocate]") {
    auto const [steps, buffers] = two_chains();
    auto const with = [&](std::vector<bytes> offsets) {
        return [=, &steps = steps, &buffers = buffers] { return find_sharing_dependencies(steps, buffers, offsets); };
    };
    CHECK(support::throws<bad_buffer>(with({0, 0, 8, 12}), {"buffers 0 and 1 overlap"}));
    CHECK(support::throws<bad_buffer>(with({0, -4, 8, 12}), {"buffer 1", "-4"}));
    auto back = steps;
    back.dependencies = csr_graph(4, {{1, 0}});
    CHECK(support::throws<bad_graph>(
        [&] {
            return find_sharing_dependencies(back, buffers, std::vector<bytes>{0, 4, 8, 12});
        },
        {"1 -> 0"}));
}

TEST_CASE("with the dependencies every plan is safe, and without any one of them it is not", "[allocate][property]") {
    std::size_t legal = 0, dropped = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const found = support::random_parallel_case(random, 10, 50);
            if (!found) continue;
            ++legal;
            auto const& [flow, plan, steps, buffers] = *found;
            support::step_program const program(flow, plan);
            auto const reference = program.reference();
            for (auto const& offsets : {share_blocks(buffers).offsets(), support::first_fit(random, buffers)}) {
                auto const edges = find_sharing_dependencies(steps, buffers, offsets);
                RC_ASSERT(!find_race(steps, buffers, offsets, edges));
                RC_ASSERT(std::ranges::all_of(edges, [](auto const& e) { return e.first < e.second; }));
                for (int k = 0; k < 2; ++k)
                    RC_ASSERT(program.run(support::random_order(random, steps.dependencies, edges), offsets) ==
                              reference);
                for (std::size_t e = 0; e < edges.size(); ++e) {
                    auto less = edges;
                    less.erase(less.begin() + static_cast<std::ptrdiff_t>(e));
                    RC_ASSERT(find_race(steps, buffers, offsets, less).has_value());
                    ++dropped;
                }
            }
        }
    }));
    CHECK(legal > 100);
    CHECK(dropped > 250);
}

TEST_CASE("without the dependencies some order overwrites values that are still to be read", "[allocate][property]") {
    std::size_t racy = 0, seen = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const found = support::random_parallel_case(random, 10, 50);
        if (!found) return;
        auto const& [flow, plan, steps, buffers] = *found;
        auto const offsets = share_blocks(buffers).offsets();
        if (!find_race(steps, buffers, offsets)) return;
        ++racy;
        support::step_program const program(flow, plan);
        auto const reference = program.reference();
        bool wrong = false;
        for (int k = 0; k < 50 && !wrong; ++k)
            wrong = program.run(support::random_order(random, steps.dependencies, {}), offsets) != reference;
        seen += wrong ? 1U : 0U;
    }));
    CHECK(racy > 10);
    CHECK(seen > racy / 2);  // the others race only where two steps run at the same time
}
