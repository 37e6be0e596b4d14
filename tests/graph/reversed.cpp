// Covers graph/adapt/nested_range.hpp, graph/adapt/reversed.hpp, graph/bidirectional.hpp, graph/csr_graph.hpp,
// graph/dataflow/make_dataflow.hpp, graph/reachability.hpp, graph/topological_order.hpp.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/adapt/reversed.hpp>
#include <repebble/graph/bidirectional.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/reachability.hpp>
#include <repebble/graph/topological_order.hpp>

#include "support/annotated_graph.hpp"
#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;
using support::adjacency;

static_assert(bidirectional_graph<reversed_graph<csr_graph>>);
static_assert(bidirectional_graph<reversed_graph<reversed_graph<support::rich_graph>>>);
static_assert(!std::invocable<decltype(reversed), csr_graph>);  // a temporary
static_assert(std::invocable<decltype(reversed), csr_graph const&>);
static_assert(!std::invocable<decltype(reversed), adjacency const&>);  // it has no predecessors

TEST_CASE("predecessors become successors", "[reversed][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 30);
        auto const both = bidirectional(g);
        auto const turned = reversed(both);
        RC_ASSERT(ancestors(turned) == descendants(g));
        RC_ASSERT(descendants(turned) == ancestors(g));
        RC_ASSERT(csr_graph::copy_of(reversed(turned)) == csr_graph::copy_of(g));
        RC_ASSERT(vertex_count(turned) == g.size());
        auto const order = topological_order(turned);
        std::vector<std::size_t> position(g.size());
        for (std::size_t i = 0; i < order.size(); ++i) position[static_cast<std::size_t>(order[i])] = i;
        for (std::size_t u = 0; u < g.size(); ++u)
            for (int const w : g[u]) RC_ASSERT(position[u] > position[static_cast<std::size_t>(w)]);
    }));
}

TEST_CASE("vertices stay the same, and so do weights", "[reversed]") {
    support::least_graph const g({{1, 2}, {2}, {}});
    auto const both = bidirectional(g);
    auto const turned = reversed(both);
    CHECK(&turned.base() == &both);
    std::vector<int> found;
    for (auto&& w : successors(turned, support::label(102))) found.push_back(w.id());
    CHECK(found == std::vector{100, 101});
    auto const flow = make_dataflow(turned, [](support::label v) { return v.id(); });
    CHECK(flow.time(2) == 102);
    CHECK(flow.reads(0).size() == 2);
}

TEST_CASE("turned round, every vertex has one output of its own", "[reversed]") {
    using support::output;
    support::rich_graph const g{
        {{.readers = {{1, {1}}}, .outputs = {{4}, {5}}}, {.outputs = {{}}, .view = true}, {.outputs = {{6, 0, 0}}}}};
    auto const flow = make_dataflow(reversed(g));
    CHECK(flow.value_count() == 3);
    for (std::size_t x = 0; x < 3; ++x) {
        CHECK(!flow.is_view(x));
        CHECK(flow.producers(x).size() == 1);
    }
    CHECK(flow.reads(0).size() == 1);
}

TEST_CASE("turned round, a graph says nothing of its values", "[reversed][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        support::annotated_graph const g{support::random_full_dataflow(random, {.alternative_percent = 0})};
        auto const both = bidirectional(g);
        auto const flow = make_dataflow(reversed(both));
        RC_ASSERT(flow.value_count() == flow.operation_count());
        RC_ASSERT(flow.results().empty());
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            RC_ASSERT(!flow.is_input(v));
            RC_ASSERT(flow.mutations(v).empty());
            RC_ASSERT(flow.control_predecessors(v).empty());
            RC_ASSERT(flow.reads(v).size() == g.flow.graph().successors(v).size());
        }
    }));
}
