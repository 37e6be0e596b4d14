// Covers pebbling/make_schedule.hpp, pebbling/replay.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

// Bulatov, "Fitting larger networks into memory" (2018). Its graphs are pictures; those below are the ones that its
// text describes and that give its numbers. Every value takes one unit.

using namespace repebble;

namespace {

auto played(support::adjacency const& g, std::vector<int> const& order) {
    auto const flow = make_dataflow(g);
    std::vector<operation_index> operations;
    for (int const v : order) operations.push_back(static_cast<operation_index>(v));
    return replay(flow, make_schedule(flow, operations));
}

/// Squares and circles: square i reads circle i and square i-1. Circle i is vertex 2i, square i vertex 2i + 1.
auto squares_and_circles(int n) -> support::adjacency {
    support::adjacency g(2 * static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        g[2 * static_cast<std::size_t>(i)].push_back(2 * i + 1);
        if (i + 1 < n) g[2 * static_cast<std::size_t>(i) + 1].push_back(2 * i + 3);
    }
    return g;
}

/// The gradient of a chain A_0 … A_n: B_i reads A_i and B_(i+1); the target is B_0. A_i is vertex i, B_i vertex n + 1 +
/// i.
auto gradient_of_chain(int n) -> support::adjacency {
    support::adjacency g(2 * static_cast<std::size_t>(n) + 2);
    for (int i = 0; i <= n; ++i) {
        if (i < n) g[static_cast<std::size_t>(i)].push_back(i + 1);
        g[static_cast<std::size_t>(i)].push_back(n + 1 + i);
        if (i > 0) g[static_cast<std::size_t>(n + 1 + i)].push_back(n + i);
    }
    return g;
}

/// Forgets each A_i, i > 0, as soon as it is used, and computes it anew from A_0 for B_i.
auto memory_poor(int n) {
    std::vector<int> order{0};
    for (int i = n; i >= 0; --i) {
        for (int k = 1; k <= i; ++k) order.push_back(k);
        order.push_back(n + 1 + i);
    }
    return played(gradient_of_chain(n), order);
}

}  // namespace

TEST_CASE("bulatov: as soon as possible takes memory in proportion to the length", "[paper]") {
    for (int const n : {2, 5, 20}) {
        auto const g = squares_and_circles(n);
        CHECK(played(g, topological_order(g, order_rule::soonest)).peak == n + 1);
    }
}

TEST_CASE("bulatov: as late as possible takes 3 units whatever the length", "[paper]") {
    for (int const n : {2, 5, 20}) {
        auto const g = squares_and_circles(n);
        CHECK(played(g, topological_order(g, order_rule::latest)).peak == 3);
        CHECK(played(g, topological_order(g, order_rule::depth_first)).peak == 3);
    }
}

TEST_CASE("bulatov: keeping everything takes 7 units, in the only order", "[paper]") {
    auto const g = gradient_of_chain(5);
    auto const order = topological_order(g, order_rule::depth_first);
    for (auto const& other :
         {topological_order(g), topological_order(g, order_rule::soonest), topological_order(g, order_rule::latest)})
        CHECK(other == order);
    auto const result = played(g, order);
    CHECK(result.peak == 7);
    CHECK(result.recomputations == 0);
}

TEST_CASE("bulatov: the memory-poor strategy takes 4 units and O(n²) steps", "[paper]") {
    CHECK(memory_poor(5).peak == 4);
    for (int const n : {2, 3, 10, 30}) {
        auto const result = memory_poor(n);
        CHECK(result.peak == 4);
        CHECK(result.recomputations == static_cast<std::size_t>(n * (n - 1) / 2));
    }
}

TEST_CASE("bulatov: one checkpoint takes 5 units, and nothing is computed more than twice", "[paper]") {
    // A_0 … A_5 are 0 … 5, B_0 … B_5 are 6 … 11; the checkpoint is A_3.
    auto const result = played(gradient_of_chain(5), {0, 1, 2, 3, 4, 5, 11, 10, 9, 1, 2, 8, 7, 6});
    CHECK(result.peak == 5);
    CHECK(result.recomputations == 2);
}
