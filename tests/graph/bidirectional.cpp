// Covers graph/adapt/nested_range.hpp, graph/bidirectional.hpp, graph/dataflow/make_dataflow.hpp,
// graph/forwarded_members.hpp.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/bidirectional.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>

#include "support/annotated_graph.hpp"
#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;

static_assert(bidirectional_graph<bidirectional_adaptor<support::least_graph>>);
static_assert(std::invocable<decltype(bidirectional), support::adjacency const&>);
static_assert(!std::invocable<decltype(bidirectional), support::adjacency>);  // it would dangle

TEST_CASE("predecessors are derived in ascending order", "[bidirectional][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 15);
        auto const both = bidirectional(g);
        for (int v = 0; v < static_cast<int>(g.size()); ++v) {
            std::vector<int> expected;
            for (int u = 0; u < static_cast<int>(g.size()); ++u)
                if (std::ranges::count(successors(g, u), v) > 0) expected.push_back(u);
            std::vector<int> found;
            for (int const u : predecessors(both, v)) found.push_back(u);
            RC_ASSERT(found == expected);
        }
        RC_ASSERT(csr_graph::copy_of(both) == csr_graph::copy_of(g));
    }));
}

TEST_CASE("the adaptor gives back the vertices of the graph", "[bidirectional]") {
    support::least_graph const g({{1, 2}, {2}, {}});
    auto const both = bidirectional(g);
    std::vector<int> found;
    for (auto&& u : predecessors(both, support::label(102))) found.push_back(u.id());
    CHECK(found == std::vector{100, 101});
    CHECK(&both.base() == &g);
}

TEST_CASE("the adaptor passes on every optional trait", "[bidirectional]") {
    using support::output;
    support::rich_graph const g{{{.readers = {{1, {1}}, {2, {0}}}, .outputs = {{4}, {5}}},
                                 {.outputs = {{}}, .view = true},
                                 {.outputs = {{6}}},
                                 {.outputs = {{6, 2, 0}}}}};
    auto const both = bidirectional(g);
    weights const w{unit_weight{}, g.memory()};
    CHECK(make_dataflow(both, w) == make_dataflow(g, w));
    CHECK(vertex_count(both) == 4);
}

TEST_CASE("the adaptor passes on operands, views, results, inputs and overwrites", "[bidirectional][property]") {
    std::size_t mutations = 0, overwrites = 0, results = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        support::annotated_graph const g{support::random_full_dataflow(random, {.alternative_percent = 0})};
        auto const both = bidirectional(g);
        weights const w{unit_weight{}, g.memory()};
        auto const flow = make_dataflow(both, w);
        RC_ASSERT(flow == make_dataflow(g, w));
        results += flow.results().size();
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            mutations += flow.mutations(v).size();
            overwrites += flow.allowed_overwrites(v).size();
        }
    }));
    CHECK((mutations > 5 && overwrites > 5 && results > 5));
}
