// Covers graph/adapt/nested_range.hpp, graph/dataflow/make_dataflow.hpp, graph/verify_graph.hpp.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/verify_graph.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using kind = graph_problem_kind;
using support::adjacency;
using support::throws;

namespace {

constexpr auto greatest = std::numeric_limits<std::int64_t>::max();

/// Kind and vertex of every problem, and whether its message has the word.
struct expected {
    kind what;
    std::size_t vertex;
    std::string word;
};
auto finds(std::vector<graph_problem> const& problems, std::vector<expected> const& all) -> bool {
    return std::ranges::equal(problems, all, [](graph_problem const& p, expected const& e) {
        INFO(p.message);
        CHECK(p.kind == e.what);
        CHECK(p.vertex == e.vertex);
        return p.kind == e.what && p.vertex == e.vertex && p.message.find(e.word) != std::string::npos;
    });
}

/// Vertices are whatever indices they claim to have.
struct claimed_indices {
    std::vector<int> indices;
};

constexpr auto valid_at_compile_time() -> bool {
    std::vector<std::vector<int>> g(3);
    g[0].push_back(1);
    g[0].push_back(2);
    detail::require_valid(g, weights{});
    return verify_graph(g) && verify_graph(g, weights{});
}
static_assert(valid_at_compile_time());

}  // namespace

template <>
struct repebble::graph_traits<claimed_indices> {
    static auto vertices(claimed_indices const& g) { return g.indices; }
    static auto successors(claimed_indices const&, int) { return std::vector<int>{}; }
    static auto vertex_index(claimed_indices const&, int v) { return v; }
};

TEST_CASE("every kind of problem with edges, all at once", "[verify_graph]") {
    adjacency const g{{1, 1, 2, 1, 7}, {2, 1}, {3}, {1}, {-1, 0}};
    CHECK(finds(verify_graph(g).problems, {
                                              {kind::index_out_of_range, 0, "0 -> 7"},
                                              {kind::self_loop, 1, "vertex 1 reads itself"},
                                              {kind::index_out_of_range, 4, "4 -> -1"},
                                              {kind::cycle, 1, "1 -> 2 -> 3 -> 1"},
                                          }));
}

TEST_CASE("indices that are not dense", "[verify_graph]") {
    CHECK(verify_graph(claimed_indices{{2, 0, 1}}));
    CHECK(finds(verify_graph(claimed_indices{{0, 3, 0}}).problems,
                {{kind::index_out_of_range, 3, "vertex 3"}, {kind::duplicate_index, 0, "vertex 0 occurs twice"}}));
    CHECK(finds(verify_graph(claimed_indices{{-1}}, weights{}).problems,
                {{kind::index_out_of_range, ~std::size_t{0}, "out of range"}}));
}

TEST_CASE("every kind of problem with weights, all at once", "[verify_graph]") {
    auto const g = support::chain(4);
    auto const time = [](int v) { return v == 0 ? -1.5 : v == 2 ? std::numeric_limits<double>::quiet_NaN() : 1.0; };
    auto const memory = [](int v) { return v == 1 ? greatest : v == 3 ? -7 : 1; };
    auto const workspace = [](int v) { return v == 0 ? 0.5 : 0.0; };
    CHECK(finds(verify_graph(g, weights{time, memory, workspace}).problems,
                {
                    {kind::bad_weight, 0, "time of vertex 0"},
                    {kind::bad_weight, 0, "workspace of vertex 0"},
                    {kind::overflow, 1, "bytes"},
                    {kind::bad_weight, 2, "time of vertex 2"},
                    {kind::bad_weight, 3, "memory of vertex 3"},
                }));
    CHECK(finds(verify_graph(g, weights{[](int v) { return v > 1 ? greatest : 0; }}).problems,
                {{kind::overflow, 3, "vertex 3: sum of times of all operations"}}));
}

TEST_CASE("outputs that do not exist", "[verify_graph]") {
    support::rich_graph const g{{{.readers = {{1, {0, 2}}}, .outputs = {{1}, {1, 1, 4}}},
                                 {.outputs = {{1, 8, 0}}},
                                 {.outputs = {{greatest}}, .view = true},
                                 {.outputs = {{greatest, 0, 0}}},
                                 {.outputs = {{1}, {1}}}}};
    std::vector<expected> const missing{{kind::missing_output, 0, "vertex 0 has no output 2"},
                                        {kind::missing_output, 0, "output 1 is said to be output 4 of vertex 1"},
                                        {kind::missing_output, 1, "vertex 8"}};
    CHECK(finds(verify_graph(g, weights{unit_weight{}, g.memory()}).problems, missing));
    auto with_memory_per_vertex = missing;
    with_memory_per_vertex.insert(with_memory_per_vertex.begin() + 1, {kind::missing_output, 0, "(v, output)"});
    with_memory_per_vertex.push_back({kind::missing_output, 4, "(v, output)"});
    CHECK(finds(verify_graph(g, weights{unit_weight{}, [](int) { return 1; }}).problems, with_memory_per_vertex));
}

TEST_CASE("the first problem is thrown as an exception of its kind", "[verify_graph]") {
    auto const required = [](auto const& g, auto const&... w) {
        return [&] {
            detail::require_valid(g, w...);
            return 0;
        };
    };
    adjacency const cyclic{{1}, {0}};
    adjacency const loop{{0}};
    auto const pair = support::chain(2);
    weights const negative{[](int) { return -1; }};
    weights const large{[](int) { return greatest; }};
    CHECK(throws<not_a_dag>(required(cyclic), {"0 -> 1 -> 0"}));
    CHECK(throws<not_a_dag>(required(loop), {"vertex 0 reads itself"}));
    CHECK(throws<bad_graph>(required(adjacency{{7}}), {"0 -> 7"}));
    CHECK(throws<bad_weight>(required(pair, negative), {"time of vertex 0"}));
    CHECK(throws<bad_weight>(required(pair, large), {"vertex 1", "times"}));
    CHECK_NOTHROW(detail::require_valid(pair, weights{}));
    CHECK_NOTHROW(detail::require_valid(adjacency{{1, 1}, {}}));  // reads twice
}

TEST_CASE("a graph is valid exactly where a dataflow can be made of it", "[verify_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto g = support::any_dag(random, 8);
        if (!g.empty() && support::chance(random, 60))
            g[support::below(random, g.size())].push_back(static_cast<int>(support::below(random, g.size() + 1)));
        auto const problems = verify_graph(g).problems;
        RC_ASSERT(verify_graph(support::least_graph(g)).problems == problems);
        bool made = true;
        try {
            static_cast<void>(make_dataflow(g));
        } catch (error const&) {
            made = false;
        }
        RC_ASSERT(problems.empty() == made);
    }));
}
