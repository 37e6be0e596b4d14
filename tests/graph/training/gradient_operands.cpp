// Covers graph/training/make_training_graph.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>

#include "recompute/random_training.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

TEST_CASE("a gradient has what several consumers need once, where the first of them needs it", "[training_graph]") {
    // 2 and 3 read both 0 and 1; value v is that of vertex v.
    std::vector<std::vector<int>> const bipartite{{2, 3}, {2, 3}, {}, {}};
    auto const t = make_training_graph(bipartite, weights{});
    auto const gradient = [&](operation_index v) { return t.flow.writes(*t.find({v, pass::backward, 0})).front(); };
    for (operation_index const v : {0U, 1U}) {
        auto const named = t.flow.operands(*t.find({v, pass::backward, 0}));
        CHECK(std::vector(named.begin(), named.end()) ==
              std::vector<value_index>{gradient(2), 0, 1, 2, gradient(3), 3});
    }
}

TEST_CASE("no gradient has an operand twice", "[training_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const forward = support::random_forward(random, 12);
        auto const needs = support::random_needs(random, forward);
        auto const parameters = support::random_parameters(random, forward);
        for (auto const how : support::built_conventions) {
            auto const t = make_training_graph(forward, needs, how, {}, parameters);
            for (std::size_t v = forward.operation_count(); v < t.flow.operation_count(); ++v)
                RC_ASSERT(t.flow.operands(v).size() == t.flow.reads(v).size());
        }
    }));
}
