// Covers recompute/forward_only.hpp, recompute/keep_all.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/write_in_place.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/forward_only.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

TEST_CASE("inference on a chain of any length keeps two values resident, and one in place", "[forward_only]") {
    for (std::size_t const n : {2U, 5U, 50U}) {
        auto const training = make_training_graph(support::chain(n), weights{unit_weight{}, unit_weight{}});
        auto const forward = detail::forward_part(training);
        auto const plan = forward_only(forward.flow);
        CHECK(plan.cost.peak == 2);
        CHECK(plan.cost.time == static_cast<std::int64_t>(n));
        CHECK(replay(forward.flow, write_in_place(forward.flow, plan.schedule, always{})).peak == 1);
    }
}

TEST_CASE("outputs of sinks are kept to the end", "[forward_only]") {
    support::adjacency const g{{1, 2}, {}, {}};  // 0 is read by two sinks
    auto const flow = make_dataflow(g, weights{unit_weight{}});
    auto const plan = forward_only(flow);
    CHECK(replay(flow, plan.schedule, {.profile = true, .resident_at_end = {1, 2}}).profile ==
          std::vector<bytes>{1, 2, 3, 3});
    CHECK(forward_only(dataflow{}).schedule.steps.empty());
}

TEST_CASE("inference never takes more than training", "[forward_only][property]") {
    std::size_t compared = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const training = support::random_training(random, 10);
        auto const forward = detail::forward_part(training);
        auto const plan = forward_only(forward.flow);
        RC_ASSERT(plan.cost.recomputations == 0U);
        // Sinks are kept: that takes no more where a gradient reads each, and all gradients come after all of forward.
        if (training.made_by == convention::joint) return;
        auto const is_read = [&](auto x) { return !training.flow.readers(x).empty(); };
        for (operation_index v = 0; v < training.flow.operation_count(); ++v)
            if (training.origin[v].pass == pass::forward && !std::ranges::all_of(training.flow.writes(v), is_read))
                return;
        ++compared;
        RC_ASSERT(plan.cost.peak <= keep_all(training).cost.peak);
    }));
    CHECK(compared > 0);
}
