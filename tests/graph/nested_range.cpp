// Covers graph/adapt/nested_range.hpp, graph/topological_order.hpp, graph/verify_graph.hpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <list>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/verify_graph.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

static_assert(computation_graph<std::vector<std::vector<int>>>);
static_assert(computation_graph<std::vector<std::vector<std::uint16_t>>>);
static_assert(computation_graph<std::deque<std::set<std::size_t>>>);
static_assert(computation_graph<std::array<std::forward_list<long>, 3>>);
static_assert(computation_graph<std::span<std::span<int const> const>>);
static_assert(!bidirectional_graph<std::vector<std::vector<int>>>);

// Ranges of ranges that are no graphs.
static_assert(!computation_graph<std::vector<std::string>>);
static_assert(!computation_graph<std::vector<std::wstring>>);
static_assert(!computation_graph<std::vector<std::u16string>>);
static_assert(!computation_graph<std::vector<std::u32string>>);
static_assert(!computation_graph<std::vector<std::vector<bool>>>);
static_assert(!computation_graph<std::vector<std::vector<double>>>);
static_assert(!computation_graph<std::list<std::vector<int>>>);

TEST_CASE("a vector of vectors lists the successors of every vertex", "[nested_range]") {
    std::vector<std::vector<int>> const g{{1, 2}, {2}, {}};
    CHECK(vertex_count(g) == 3);
    CHECK(&successors(g, 0) == &g[0]);  // not copied
    CHECK(topological_order(g) == std::vector{0, 1, 2});
    CHECK(topological_order(std::vector<std::vector<int>>{}).empty());
}

TEST_CASE("rows may be made on the fly", "[nested_range]") {
    auto const path = std::views::iota(0, 5) |
                      std::views::transform([](int v) { return std::views::iota(v + 1, v < 4 ? v + 2 : v + 1); });
    static_assert(computation_graph<decltype(path)>);
    CHECK(topological_order(path) == std::vector{0, 1, 2, 3, 4});
    CHECK(topological_order(std::deque<std::set<std::size_t>>{{}, {0}}) == std::vector<std::size_t>{1, 0});
}

TEST_CASE("a negative vertex is named as it was given", "[nested_range]") {
    CHECK(support::throws<bad_graph>(
        [] {
            return csr_graph::copy_of(std::vector<std::vector<int>>{{1, -1}, {}});
        },
        {"vertex 0", "index -1 of 2"}));
}

TEST_CASE("more vertices than their type can number are refused", "[nested_range]") {
    std::vector<std::vector<std::uint16_t>> g(65535);
    CHECK(topological_order(g).size() == 65535);
    g.resize(65537);
    CHECK_THROWS_AS(topological_order(g), bad_graph);
    CHECK_THROWS_AS(topological_order(std::vector<std::vector<short>>(40000)), bad_graph);
}
