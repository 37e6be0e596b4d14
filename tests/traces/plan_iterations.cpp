// Covers traces/plan_iterations.hpp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/traces/plan_iterations.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"
#include "traces/naive_lanes.hpp"
#include "traces/residual_network.hpp"

using namespace repebble;

namespace {

/// Of each subset of the blocks: the computations that it drops.
auto every_subset(support::residual_network const& net, std::uint32_t blocks) -> std::vector<std::vector<bool>> {
    std::vector<std::vector<bool>> all;
    for (std::uint32_t subset = 0; subset < 1U << blocks; ++subset) all.push_back(net.dropped(subset));
    return all;
}

/// Of each operation of the trace's dataflow: whether it is a computation that is dropped.
auto of_operations(traced_dataflow const& traced, std::vector<bool> const& is_dropped) -> std::vector<bool> {
    std::vector<bool> all(traced.flow.operation_count(), false);
    for (std::size_t c = 0; c < is_dropped.size(); ++c) all[traced.operations[c]] = is_dropped[c];
    return all;
}

}  // namespace

TEST_CASE("one plan is legal for each of 256 subsets of dropped blocks, and its mean overhead is theirs",
          "[plan_iterations][long]") {
    support::residual_network const net(8);
    auto const& p = *net.problem;
    auto const traced = make_traced_dataflow(p);
    auto const subsets = every_subset(net, 8);
    host_link const link{.size = 1, .time = 2};
    for (auto const percent : {45, 60}) {
        CAPTURE(percent);
        auto const limit = p.peak() * percent / 100;
        plan_options const options{.limits = {.work = 2'000}, .link = link};
        auto const found = plan_iterations(p, traced, subsets, limit, options);
        REQUIRE(found);
        CHECK(found->cost == replay(traced.flow, found->steps, {}, lanes_clock(link)));
        double sum = 0;
        for (auto const& dropped : subsets) {
            support::naive_lanes judge(traced.flow, link, {}, of_operations(traced, dropped));
            judge.play(found->steps);
            CHECK(judge.is_legal);
            CHECK(judge.peak <= limit);
            CHECK(judge.time() <= found->cost.time);
            sum += static_cast<double>(judge.time() - judge.once) / static_cast<double>(judge.once);
        }
        CHECK(std::abs(found->mean_overhead - sum / 256) < 1e-9);
        // No worse than the plan of the full network alone.
        auto const full = plan(traced.flow, limit, options);
        CHECK(found->mean_overhead <= mean_overhead(p, traced, full.plan->schedule, subsets, link));
    }
}

TEST_CASE("where a block is always dropped, the plan is that of the others", "[plan_iterations]") {
    support::residual_network const net(3);
    auto const& p = *net.problem;
    auto const traced = make_traced_dataflow(p);
    std::vector<std::vector<bool>> const iterations{net.dropped(7)};
    host_link const link{.size = 1, .time = 2};
    auto const found =
        plan_iterations(p, traced, iterations, p.peak() * 6 / 10, {.limits = {.work = 2'000}, .link = link});
    REQUIRE(found);
    CHECK(found->mean_overhead <
          static_cast<double>(found->cost.overhead) / static_cast<double>(net.training.flow.time_once()));
}

TEST_CASE("a plan for no iteration, or without a link, is refused", "[plan_iterations]") {
    support::residual_network const net(1);
    auto const traced = make_traced_dataflow(*net.problem);
    auto const refused = [&](std::vector<std::vector<bool>> const& iterations, plan_options const& options,
                             char const* what) {
        return support::throws<bad_option>(
            [&] { return plan_iterations(*net.problem, traced, iterations, net.problem->peak(), options); }, {what});
    };
    plan_options const with_link{.limits = {.work = 100}, .link = host_link{}};
    CHECK(refused({}, with_link, "no iteration"));
    CHECK(refused({{true}}, with_link, "1 answers"));
    CHECK(refused({net.dropped(0)}, {}, "link"));
}
