// Covers allocate/detail/colour_buffers.hpp, allocate/find_race.hpp, allocate/live_bytes.hpp,
// allocate/detail/parallel/share_in_parallel.hpp, allocate/detail/parallel/share_on_paths.hpp,
// allocate/verify_offsets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/detail/parallel/share_on_paths.hpp>
#include <repebble/allocate/find_race.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/pebbling/make_schedule.hpp>

#include "support/catch.hpp"
#include "support/parallel_plans.hpp"
#include "support/property.hpp"
#include "support/step_program.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// The operations of a graph once each, in the order of their numbers, with the earliest discards.
auto case_of(std::vector<std::vector<int>> const& g) -> support::parallel_case {
    auto flow = make_dataflow(g, weights{unit_weight{}});
    auto plan = make_schedule(flow);
    return {std::move(flow), std::move(plan)};
}

/// The note's graph: two branches of three between A[1] and A[8].
auto two_branches() -> support::parallel_case { return case_of({{1, 4}, {2}, {3}, {7}, {5}, {6}, {7}, {}}); }

}  // namespace

TEST_CASE("serial sharing makes branches wait for each other, parallel sharing does not", "[allocate]") {
    auto const [flow, plan, steps, buffers] = two_branches();
    auto const free = share_blocks(buffers);
    CHECK(free.block_of == std::vector<std::size_t>{0, 1, 2, 1, 2, 0, 2, 0});
    auto const wrong = find_race(steps, buffers, free.offsets());
    REQUIRE(wrong);
    CHECK(wrong->message.starts_with("buffers "));

    auto const safe = share_blocks(buffers, {.steps = &steps});
    CHECK(safe.block_of == std::vector<std::size_t>{0, 1, 2, 1, 3, 4, 3, 0});
    CHECK(safe.total == 5);
    CHECK_FALSE(find_race(steps, buffers, safe.offsets()));
    auto const coloured = share_blocks(buffers, {.method = block_method::colour_by_begin, .steps = &steps});
    CHECK(coloured.total == 5);
    CHECK_FALSE(find_race(steps, buffers, coloured.offsets()));
    auto const by_paths = share_blocks(buffers, {.steps = &steps, .paths = 8});
    CHECK(by_paths.block_of == std::vector<std::size_t>{0, 1, 2, 1, 3, 4, 3, 2});
    CHECK_FALSE(find_race(steps, buffers, by_paths.offsets()));
}

TEST_CASE("the longest paths come first, and each vertex lies on one", "[allocate]") {
    csr_graph const branches(9, {{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 7}, {4, 5}, {5, 6}, {6, 7}});
    CHECK(detail::longest_paths(branches, 8) == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 0, 2});
    CHECK(detail::longest_paths(branches, 1)[4] == detail::no_path);
    CHECK(detail::longest_paths(branches, 0) == std::vector<std::uint32_t>(9, detail::no_path));
    CHECK(detail::longest_paths(csr_graph{}, 3).empty());
    CHECK_THROWS_AS(detail::longest_paths(csr_graph(2, {{0, 1}, {1, 0}}), 1), not_a_dag);
}

TEST_CASE("a path does not free memory that a reader on another path still needs", "[allocate]") {
    // 0, 1, 2, 4, 5, 6 is the longest path. 3 beside it reads the value of 1, and only 6 waits for 3.
    auto const [flow, plan, steps, buffers] = case_of({{1}, {2, 3}, {4}, {6}, {5}, {6}, {}});
    auto const path_of = detail::longest_paths(steps.dependencies, 1);
    auto const path_of_buffer = [&](std::size_t b) { return path_of[steps.touches[b].front()]; };
    REQUIRE((path_of_buffer(1) == 0 && path_of_buffer(3) == detail::no_path && path_of_buffer(4) == 0));
    // The note's rule, one colour for both, would let 4 reuse the memory of 1, which 3 may still be reading.
    auto const wrong = find_race(steps, buffers, std::vector<bytes>{0, 1, 2, 3, 1, 5, 6});
    REQUIRE(wrong);
    CHECK((wrong->first == 1 && wrong->second == 4));
    auto const shared = share_blocks(buffers, {.steps = &steps, .paths = 1});
    CHECK(shared.block_of == std::vector<std::size_t>{0, 1, 0, 2, 3, 0, 1});
    CHECK_FALSE(find_race(steps, buffers, shared.offsets()));
}

TEST_CASE("a buffer that no step touches, or one outside its lifetime, is refused", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 1}, .size = 1}, {.lifetime = {1, 2}, .size = 1}};
    csr_graph const dag(2, {{0, 1}});
    auto const share = [&](step_graph steps) { return [=] { return share_blocks(buffers, {.steps = &steps}); }; };
    CHECK(support::throws<bad_buffer>(share({dag, {{0}, {}}}), {"buffer 1", "no step"}));
    CHECK(support::throws<bad_buffer>(share({dag, {{0, 1}, {1}}}), {"buffer 0", "step 1"}));
    CHECK_THROWS_AS(share({dag, {{0}}})(), precondition_violated);
    CHECK(share({dag, {{0}, {1}}})().total == 1);
}

TEST_CASE("options of sharing that exclude each other are refused by name", "[allocate]") {
    auto const [flow, plan, steps, buffers] = two_branches();
    auto const refused = [&](sharing_options const& options, char const* one, char const* other) {
        return support::throws<bad_option>([&] { return share_blocks(buffers, options); }, {one, other});
    };
    CHECK(refused({.search = true, .method = block_method::colour_by_size}, "search", "method"));
    CHECK(refused({.method = block_method::colour_by_begin, .steps = &steps, .paths = 2}, "paths", "method"));
    CHECK(refused({.paths = 2}, "paths", "steps"));
}

TEST_CASE("parallel plans are safe in every order", "[allocate][property]") {
    std::size_t legal = 0, shares = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const found = support::random_parallel_case(random, 12, 60);
            if (!found) continue;
            ++legal;
            auto const& [flow, plan, steps, buffers] = *found;
            support::step_program const program(flow, plan);
            auto const reference = program.reference();
            sharing_options const options{.match_range = support::between(random, 1, 16), .steps = &steps};
            auto on_paths = options;
            on_paths.paths = support::below(random, 6);
            auto const order =
                support::chance(random, 50) ? block_method::colour_by_size : block_method::colour_by_begin;
            for (auto const& shared : {share_blocks(buffers, options), share_blocks(buffers, on_paths),
                                       share_blocks(buffers, {.method = order, .steps = &steps})}) {
                auto const offsets = shared.offsets();
                RC_ASSERT(!verify_offsets(buffers, offsets).fault);
                RC_ASSERT(!find_race(steps, buffers, offsets));
                RC_ASSERT(shared.total >= find_live_bytes(buffers).most);
                RC_ASSERT(program.run(support::random_order(random, steps.dependencies, {}), offsets) == reference);
                bytes all = 0;
                for (auto const& b : buffers) all += b.size;
                if (shared.total < all) ++shares;
            }
        }
    }));
    CHECK(legal > 100);
    CHECK(shares > 100);
}

TEST_CASE("with more precise order relations blocks of one size need less memory", "[allocate][property]") {
    std::size_t exact_more = 0, paths_more = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const found = support::random_parallel_case(random, 12, 60);
            if (!found) continue;
            auto buffers = found->buffers;
            for (auto& b : buffers) b.size = 1;
            auto const& steps = found->steps;
            auto const free = share_blocks(buffers).total;
            auto const exact = share_blocks(buffers, {.steps = &steps}).total;
            auto const by_paths = share_blocks(buffers, {.steps = &steps, .paths = 8}).total;
            RC_ASSERT(free == find_live_bytes(buffers).most);
            RC_ASSERT(free <= exact);
            RC_ASSERT(free <= by_paths);
            exact_more += free < exact ? 1U : 0U;
            paths_more += exact < by_paths ? 1U : 0U;
        }
    }));
    CHECK(exact_more > 0);
    CHECK(paths_more > 0);
}
