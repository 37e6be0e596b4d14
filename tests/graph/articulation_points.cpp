// Covers graph/adapt/nested_range.hpp, graph/articulation_points.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/find_cycle.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/training/make_problem.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace of_a_user {

/// A graph beside functions that are called as the library's own are.
struct path_of_three : support::adjacency {
    path_of_three() : support::adjacency{{1}, {2}, {}} {}
};
[[maybe_unused]] auto as_csr_graph(path_of_three const&) -> int;
[[maybe_unused]] auto vertices_by_index(path_of_three const&) -> int;
template <class F>
void for_each_edge(path_of_three const&, F&&) = delete;

}  // namespace of_a_user

namespace {

/// Number of connected components without one vertex (n: with all), edges taken as undirected.
auto components_without(support::adjacency const& g, std::size_t gone) -> std::size_t {
    std::vector<std::size_t> label(g.size());
    std::size_t count = 0;
    for (std::size_t v = 0; v < g.size(); ++v) {
        label[v] = v;
        count += v == gone ? 0U : 1U;
    }
    for (std::size_t v = 0; v < g.size(); ++v)
        for (auto const next : g[v]) {
            auto const w = static_cast<std::size_t>(next);
            if (v == gone || w == gone || label[v] == label[w]) continue;
            --count;
            auto const old = label[w], now = label[v];
            for (auto& l : label)
                if (l == old) l = now;
        }
    return count;
}

}  // namespace

TEST_CASE("articulation points of two cycles that share a vertex, by hand", "[articulation_points]") {
    support::adjacency const g{{1, 2}, {3}, {3}, {4, 5}, {6}, {6}, {}};  // 0 1 2 3, and 3 4 5 6
    CHECK(articulation_points(g) == std::vector<int>{3});
}

TEST_CASE("removing an articulation point, and no other vertex, disconnects the graph",
          "[articulation_points][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const g = support::random_dag(random, 1 + support::below(random, 9), 10 + support::below(random, 30));
            std::vector<int> expected;
            for (std::size_t v = 0; v < g.size(); ++v)
                if (components_without(g, v) > components_without(g, g.size())) expected.push_back(static_cast<int>(v));
            RC_ASSERT(articulation_points(g) == expected);
        }
    }));
}

TEST_CASE("functions of the caller's namespace do not take the place of the library's", "[articulation_points]") {
    of_a_user::path_of_three const g;
    CHECK(articulation_points(g) == std::vector{1});
    CHECK(topological_order(g) == std::vector{0, 1, 2});
    CHECK(find_cycle(g).empty());
    CHECK(make_dataflow(g).operation_count() == 3);
    CHECK(make_training_problem(g).flow().operation_count() == 6);
}
