// Covers pipelines/pipeline.hpp, pipelines/pipeline_schedule.hpp, pipelines/verify_pipeline.hpp,
// pipelines/detail/flat_order.hpp, pipelines/detail/rank_memory.hpp.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <repebble/pipelines/verify_pipeline.hpp>

#include "support/cases.hpp"
#include "support/catch.hpp"
#include "support/pipeline_cases.hpp"
#include "support/throws.hpp"

namespace {

using namespace repebble;
using support::throws;

constexpr auto forward = pass_kind::forward;
constexpr auto inputs = pass_kind::input_gradient;
constexpr auto weights_of = pass_kind::weight_gradient;
constexpr auto both = pass_kind::backward;

/// Two ranks of a stage each: forward 2, gradients 3 and 1, transfer 1; 10 bytes kept, or 4 and 2 time units more.
auto two_ranks(std::size_t microbatches) -> pipeline {
    pipeline_stage const stage{.forward = 2,
                               .input_gradient = 3,
                               .weight_gradient = 1,
                               .transfer = 1,
                               .constant = 100,
                               .choices = {{.kept = 10, .in_forward = 12, .in_backward = 15, .for_weights = 7},
                                           {.recomputation = 2, .kept = 4, .in_backward = 14, .for_weights = 7}}};
    pipeline p{.ranks = 2, .microbatches = microbatches, .stages = {stage, stage}};
    p.stages[1].rank = 1;
    return p;
}

auto one_microbatch(std::vector<std::uint32_t> const& choices) -> pipeline_schedule {
    return {{{{forward, 0, 0}, {inputs, 0, 0}, {weights_of, 0, 0}}, {{forward, 1, 0}, {both, 1, 0}}}, choices};
}

auto broken(pipeline const& p, pipeline_schedule const& s) -> pipeline_violation {
    auto const found = verify_pipeline(p, s).broken;
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("A microbatch goes through two ranks and back: 2 + 1 + 2 + 4 + 1 + 4", "[pipelines]") {
    auto const cost = replay_pipeline(two_ranks(1), one_microbatch({0, 0}));
    CHECK(cost.makespan == 14);
    CHECK(cost.peaks == std::vector<bytes>{115, 115});
    CHECK(cost.spans == std::vector<std::vector<step_span>>{{{0, 2}, {10, 13}, {13, 14}}, {{3, 5}, {5, 9}}});
}

TEST_CASE("What is computed again waits for nothing but its rank", "[pipelines]") {
    auto const first = replay_pipeline(two_ranks(1), one_microbatch({1, 0}));  // hidden before time 10
    CHECK(first.makespan == 14);
    CHECK(first.peaks == std::vector<bytes>{114, 115});
    CHECK(first.spans[0][1] == step_span{8, 13});
    CHECK(replay_pipeline(two_ranks(1), one_microbatch({0, 1})).makespan == 16);
}

TEST_CASE("Gradients of weights that wait keep their bytes", "[pipelines]") {
    pipeline p = two_ranks(2);
    p.ranks = 1;
    p.stages.resize(1);
    pipeline_schedule const late{
        {{{forward, 0, 0}, {inputs, 0, 0}, {forward, 0, 1}, {inputs, 0, 1}, {weights_of, 0, 0}, {weights_of, 0, 1}}},
        {0, 0}};
    CHECK(replay_pipeline(p, late).peaks == std::vector<bytes>{100 + 7 + 15});
    CHECK(replay_pipeline(p, late).makespan == 12);
}

TEST_CASE("A judge of pipelines names the rank and the pass at fault", "[pipelines]") {
    auto const p = two_ranks(1);
    auto const good = one_microbatch({0, 0});
    auto s = good;
    std::swap(s.orders[0][0], s.orders[0][1]);
    CHECK(broken(p, s) == pipeline_violation{pipeline_rule::no_deadlock,
                                             0,
                                             {inputs, 0, 0},
                                             "deadlock: rank 0 waits with input gradient of stage 0, microbatch 0 for "
                                             "backward of stage 1, microbatch 0 of rank 1, which never runs"});
    s = good;
    s.orders[0].pop_back();
    CHECK(broken(p, s) ==
          pipeline_violation{
              pipeline_rule::complete, 0, {weights_of, 0, 0}, "rank 0 lacks weight gradient of stage 0, microbatch 0"});
    s = good;
    s.orders[1].push_back({weights_of, 1, 0});
    CHECK(broken(p, s) == pipeline_violation{pipeline_rule::runs_once,
                                             1,
                                             {weights_of, 1, 0},
                                             "rank 1 runs again: weight gradient of stage 1, microbatch 0"});
    s = good;
    s.orders[1].push_back({forward, 0, 0});
    CHECK(broken(p, s).message == "rank 1 has the pass forward of stage 0, microbatch 0, which is of rank 0");
    s = good;
    s.orders[1].push_back({forward, 1, 1});
    CHECK(broken(p, s).message == "rank 1 has the pass forward of stage 1, microbatch 1, which the pipeline has not");
    s = good;
    s.choices[1] = 2;
    CHECK(broken(p, s).message == "stage 1 has no choice 2, as of microbatch 0");
    s = good;
    s.choices.pop_back();
    CHECK(broken(p, s).broken == pipeline_rule::lists_fit);
    s = good;
    s.orders.pop_back();
    CHECK(broken(p, s).message == "1 lists of passes for 2 ranks");
    CHECK(throws<illegal_pipeline>([&] { return replay_pipeline(p, s); }, {"1 lists"}));
    CHECK(verify_pipeline(p, good).message().empty());
}

TEST_CASE("A pipeline that cannot be is refused, with the stage", "[pipelines]") {
    auto const good = two_ranks(1);
    auto const refuses = [](pipeline const& p, std::string_view what) {
        return throws<error>([&] { return (check_pipeline(p), 0); }, {what});
    };
    CHECK_FALSE(refuses(good, ""));
    CHECK(refuses({}, "at least one"));
    auto p = good;
    p.stages[1].rank = 2;
    CHECK(refuses(p, "stage 1 lies on rank 2 of 2"));
    p = good;
    p.stages[1].choices.clear();
    CHECK(refuses(p, "stage 1 has no choice"));
    p = good;
    p.stages[1].choices[1].in_backward = 16;
    CHECK(refuses(p, "choice 1 of stage 1 takes more bytes"));
    p = good;
    p.stages[0].choices[0].recomputation = 3;
    CHECK(refuses(p, "choice 1 of stage 0 takes less time"));
    p = good;
    p.stages[1].transfer = -1;
    CHECK(refuses(p, "stage 1, transfer time, is negative: -1"));
    p = good;
    p.stages[1].choices[1].kept = -5;
    CHECK(refuses(p, "choice 1 of stage 1 is negative: -5"));
    p = good;
    p.stages[1].forward = std::numeric_limits<std::int64_t>::max();
    CHECK(refuses(p, "overflows"));
}

TEST_CASE("A simulation from event to event finds what the judge finds", "[pipelines]") {
    for (std::uint64_t seed = 0; seed < support::cases(200); ++seed) {
        CAPTURE(seed);
        support::split_mix random(seed);
        auto const p = support::random_pipeline(random);
        auto s = support::random_schedule(random, p);
        if (support::chance(random, 30)) std::reverse(s.orders[0].begin(), s.orders[0].end());
        auto const verdict = verify_pipeline(p, s);
        support::pipeline_simulation const run(p, s);
        REQUIRE(run.ends == static_cast<bool>(verdict));
        if (!verdict) continue;
        CHECK(run.makespan == verdict.cost.makespan);
        for (std::size_t r = 0; r < p.ranks; ++r) CHECK(run.peak(r) == verdict.cost.peaks[r]);
    }
}
