// Covers recompute/planning_graph.hpp.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/recompute/planning_graph.hpp>

#include "recompute/random_training.hpp"
#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("views are contracted into their owners, and forward numbers skip them", "[planning_graph]") {
    support::rich_graph const g{{{.readers = {{1, {0}}, {3, {0}}}, .outputs = {{4}}},
                                 {.readers = {{2, {0}}}, .view = true},
                                 {.outputs = {{5}}},
                                 {.outputs = {{6}}}}};
    auto const training = make_training_graph(g, weights{unit_weight{}, g.memory()});
    planning_graph const graph(training);
    CHECK(graph.problem().vertex_count() == 3);
    CHECK(graph.problem().memory == std::vector<bytes>{4, 5, 6});
    CHECK(graph.problem().time == std::vector<std::int64_t>{2, 1, 1});  // with the view's time
    CHECK(graph.flow().operation_count() == 6);
    CHECK(graph.formulas_apply());
    std::vector<std::uint32_t> gradients;
    for (std::size_t v = 3; v < 6; ++v) gradients.push_back(graph.gradient_of(v));
    CHECK(gradients == std::vector<std::uint32_t>{2, 1, 0});
}

TEST_CASE("a forward operation that reads what only gradients write is refused by number", "[planning_graph]") {
    dataflow_builder b;
    auto const gradient = b.add_operation(1), reader = b.add_operation(1);
    b.add_read(reader, b.add_value(gradient, 1));
    training_graph const training{.flow = std::move(b).build(),
                                  .origin = {{.vertex = 0, .pass = pass::backward}, {.vertex = 0}}};
    CHECK(support::throws<bad_graph>([&] { return planning_graph(training).problem().vertex_count(); },
                                     {"operation 1", "value 0"}));
}

TEST_CASE("forward numbers and operations are inverse to each other", "[planning_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const training = support::random_training(random, 10);
            planning_graph const graph(training);
            auto const& problem = graph.problem();
            auto const& flow = graph.flow();
            std::size_t forward = 0;
            for (std::size_t v = 0; v < flow.operation_count(); ++v) {
                if (graph.number(v) == planning_graph::none) continue;
                ++forward;
                RC_ASSERT(graph.forward(graph.number(v)) == v);
                RC_ASSERT(graph.gradient_of(v) == planning_graph::none);
                RC_ASSERT(problem.time[graph.number(v)] == flow.time(v));
                RC_ASSERT(problem.pinned.contains(graph.number(v)) != flow.recomputable(v));
                for (auto const w : flow.graph().successors(v))
                    if (graph.number(w) != planning_graph::none) {
                        auto const row = problem.graph.successors(graph.number(v));
                        RC_ASSERT(std::ranges::find(row, graph.number(w)) != row.end());
                    }
            }
            RC_ASSERT(forward == problem.vertex_count());
            RC_ASSERT(graph.formulas_apply() == (training.made_by != convention::joint));
        }
    }));
}
