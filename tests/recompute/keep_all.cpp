// Covers recompute/keep_all.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <rapidcheck.h>

#include <repebble/recompute/keep_all.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

TEST_CASE("keep_all runs a chain forward and backward, with all values and a gradient at its peak", "[keep_all]") {
    auto const training = make_training_graph(support::chain(4), weights{unit_weight{}, unit_weight{}});
    auto const plan = keep_all(training);
    std::vector<operation_index> order;
    for (auto const& s : plan.schedule.steps)
        if (s.what == action::compute) order.push_back(s.vertex);
    CHECK(order == std::vector<operation_index>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(plan.cost.time == 12);
    CHECK(plan.cost.overhead == 0);
    CHECK(plan.cost.peak == 6);  // 4 values, the gradient of 3, and that of 2 which reads it and values 2, 3
    CHECK(keep_all(training.flow) == plan);
}

TEST_CASE("keep_all runs operations once, in index order where that is topological; without alternatives all of them",
          "[keep_all][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const training = support::random_training(random, 10);
            auto const plan = keep_all(training);
            std::vector<operation_index> order;
            for (auto const& s : plan.schedule.steps)
                if (s.what == action::compute) order.push_back(s.vertex);
            auto const all = training.flow.order();
            std::vector<operation_index> expected;
            std::ranges::copy_if(all, std::back_inserter(expected),
                                 [&](auto const v) { return std::ranges::find(order, v) != order.end(); });
            RC_ASSERT(order == expected);
            bool alternatives = false;
            for (value_index x = 0; x < training.flow.value_count(); ++x)
                alternatives = alternatives || training.flow.producers(x).size() > 1;
            RC_ASSERT(alternatives || order.size() == all.size());
            RC_ASSERT(plan.cost.recomputations == 0U);
            if (training.made_by != convention::joint) RC_ASSERT(plan.cost.overhead == 0);
        }
    }));
}

TEST_CASE("the plan of keep_all for the empty graph is empty", "[keep_all]") {
    auto const training = make_training_graph(support::adjacency{}, weights{unit_weight{}, unit_weight{}});
    CHECK(keep_all(training).schedule.steps.empty());
}
