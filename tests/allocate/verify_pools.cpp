// Covers allocate/verify_pools.hpp.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <repebble/allocate/verify_pools.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

/// The first buffer is used at 0 and 9 and leaves the first pool for the second one meanwhile.
struct parked {
    std::vector<buffer> buffers{{.lifetime = {0, 10}, .size = 4}, {.lifetime = {4, 6}, .size = 4, .alignment = 2}};
    std::vector<bytes> capacities{4, 8};
    std::vector<std::vector<pool_access>> accesses{{{0, 4}, {2, 4}, {9, 4}}, {{4, 5}}};
    std::vector<std::optional<std::size_t>> required{};
    pool_plan plan{.pool_of = {0, 0},
                   .offsets = {0, 0},
                   .heights = {4, 5},
                   .stays = {{{0, 0, {0, 3}}, {1, 1, {2, 10}}}, {{0, 0, {4, 6}}}},
                   .copies = {{2, 0, 0}}};

    [[nodiscard]] auto judged() const -> pool_verdict {
        return verify_pools(buffers, capacities, plan, {.required = required, .accesses = accesses});
    }
};

}  // namespace

TEST_CASE("verify_pools: the traffic of stays is that of their accesses and copies", "[allocate]") {
    parked const of;
    CHECK(of.judged() == pool_verdict{.traffic = 4 + 4});
    std::vector<std::int64_t> const costs{3, 5};
    CHECK(verify_pools(of.buffers, of.capacities, of.plan, {.costs = costs, .accesses = of.accesses}).traffic ==
          3 * (4 + 4 + 4 + 5) + 5 * (4 + 4));
    pool_plan const whole{.pool_of = {1, 1}, .offsets = {0, 4}, .heights = {0, 8}};
    std::vector<std::int64_t> const moved{7, 2};
    CHECK(verify_pools(of.buffers, of.capacities, whole, {.traffic = moved}) == pool_verdict{.traffic = 9});
}

TEST_CASE("verify_pools: each fault of a plan is named", "[allocate]") {
    struct wrong {
        std::function<void(parked&)> make;
        std::string says;
    };
    std::vector<wrong> const all{
        {[](parked& p) { p.plan.stays[0].clear(); }, "buffer 0: it lies nowhere"},
        {[](parked& p) { p.plan.stays[0][1].pool = 2; }, "buffer 0: it lies in pool 2, of which there is none"},
        {[](parked& p) { p.plan.offsets[0] = 1; }, "buffer 0: its first stay is not at its pool and offset"},
        {[](parked& p) { p.plan.stays[0][1].lifetime.upper = 9; },
         "buffer 0: its stays do not begin and end with its lifetime"},
        {[](parked& p) {
             p.required = {{}, 1};
         },
         "buffer 1: it lies in pool 0, and pool 1 is required"},
        {[](parked& p) {
             p.required = {0, {}};
         },
         "buffer 0: its copy at time 2 is none that it may have: it has a pin, a gap, an alias or a required pool"},
        {[](parked& p) { p.plan.stays[0][1].pool = 0; }, "buffer 0: its copy at time 2 is to the same pool"},
        {[](parked& p) { p.plan.stays[0][0].lifetime.upper = 2; },
         "buffer 0: its copy at time 2 is not the step that both stays share"},
        {[](parked& p) { p.accesses[0].erase(p.accesses[0].begin() + 1); },
         "buffer 0: its copy at time 2 is in a step that no access names"},
        {[](parked& p) {
             p.plan.stays[0] = {{0, 0, {0, 3}}, {1, 0, {2, 3}}, {0, 0, {2, 10}}};
         },
         "buffer 0: it is copied twice at time 2"},
        {[](parked& p) { p.plan.copies.clear(); }, "the copy of buffer 0 at time 2 is not that of its stays"},
        {[](parked& p) { p.plan.copies[0].time = 1; }, "the copy of buffer 0 at time 1 is not that of its stays"},
        {[](parked& p) {
             p.plan.stays[0] = {{0, 0, {0, 5}}, {1, 1, {4, 10}}}, p.plan.copies = {{4, 0, 0}};
         },
         "in pool 0: buffers 0 and 1 overlap at time 4"},
        {[](parked& p) { p.plan.offsets[1] = p.plan.stays[1][0].offset = 1; },
         "in pool 0: buffer 1: its offset 1 is no multiple of its alignment 2"},
        {[](parked& p) { p.plan.heights[1] = 4; },
         "in pool 1: its height is 5, of a capacity of 8, and the plan says 4"},
        {[](parked& p) { p.capacities[1] = 4; }, "in pool 1: its height is 5, of a capacity of 4, and the plan says 5"},
    };
    for (auto const& [make, says] : all) {
        parked p;
        make(p);
        CHECK(p.judged().message() == says);
        CHECK(!p.judged());
    }
}

TEST_CASE("verify_pools: an alias lies where its buffer does", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 4}, {.lifetime = {0, 4}, .size = 4, .alias_of = 0}};
    std::vector<bytes> const capacities{4, 4};
    CHECK(verify_pools(buffers, capacities, {.pool_of = {0, 0}, .offsets = {0, 0}, .heights = {4, 0}}));
    CHECK(verify_pools(buffers, capacities, {.pool_of = {0, 1}, .offsets = {0, 0}, .heights = {4, 4}}).message() ==
          "buffer 1: it is not in the pool of buffer 0, whose alias it is");
}
