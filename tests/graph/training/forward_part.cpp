// Covers graph/adapt/nested_range.hpp, graph/training/forward_part.hpp.
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/weights.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

TEST_CASE("the forward part of a built training graph is the dataflow that it was built from",
          "[forward_part][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 10);
        auto const sizes = support::random_weights(random, g.size(), 0, 9);
        weights const w{unit_weight{}, [&](int v) { return sizes[static_cast<std::size_t>(v)]; }};
        for (auto const how : {convention::value_grad, convention::op_backward, convention::executable}) {
            auto const part = detail::forward_part(make_training_graph(g, w, gradient_dependencies<>{}, how));
            RC_ASSERT(part.flow == make_dataflow(g, w));
            for (operation_index v = 0; v < g.size(); ++v) RC_ASSERT(part.operations[v] == v);
        }
    }));
}

TEST_CASE("the forward part of a joint graph, wherever its operations and values stand", "[forward_part]") {
    dataflow_builder builder;
    for (std::int64_t v = 0; v < 4; ++v) builder.add_operation(v, 2 * v, v != 1);
    auto const gradient = builder.add_value(0, 7);
    std::vector<value_index> const value{builder.add_value(1, 3)};
    auto const view = builder.add_view(3, value);
    auto const result = builder.add_value(2, 5);
    builder.add_read(3, value.front());
    builder.add_read(2, view);
    builder.add_read(0, result);
    auto const part = detail::forward_part(
        make_training_graph(std::move(builder).build(), {pass::backward, pass::forward, pass::forward, pass::forward}));
    CHECK(part.operations == std::vector<operation_index>{1, 2, 3});
    CHECK(part.values == std::vector<value_index>{value.front(), view, result});
    CHECK(gradient == 0);
    auto const& flow = part.flow;
    CHECK((flow.operation_count() == 3 && flow.value_count() == 3));
    CHECK((flow.time(0) == 1 && flow.workspace(1) == 4 && !flow.recomputable(0) && flow.recomputable(1)));
    CHECK((flow.size(0) == 3 && flow.is_view(1) && flow.owners(1).front() == 0 && flow.size(2) == 5));
    CHECK((flow.reads(2).front() == 0 && flow.reads(1).front() == 1 && flow.is_sink(1)));
}
