// Covers decomposition/elimination.hpp, decomposition/elimination_rule.hpp, decomposition/find_elimination_order.hpp,
// decomposition/undirected_graph.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/error.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;
using support::eliminated_step_by_step;
using support::grid;
using support::random_undirected;
using support::split_mix;

TEST_CASE("width and fill of an order are those of eliminating step by step", "[elimination][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const g = random_undirected(random, 24, support::below(random, 60));
        auto const order = support::random_elimination(random, g.vertex_count());
        eliminated_step_by_step slow(g);
        for (auto const v : order) slow.eliminate(v);
        RC_ASSERT(elimination::of(g, order) == slow.made);
    }));
}

TEST_CASE("an order that does not name every vertex once is refused", "[elimination]") {
    undirected_graph const g(3, {{0, 1}});
    CHECK_THROWS_WITH(elimination::of(g, elimination_order{0, 1}), Catch::Contains("lacks vertex 2"));
    CHECK_THROWS_WITH(elimination::of(g, elimination_order{0, 1, 1}), Catch::Contains("vertex 1 twice"));
    CHECK_THROWS_WITH(elimination::of(g, elimination_order{0, 1, 7}), Catch::Contains("vertex 7 of 3"));
    CHECK(elimination::of(undirected_graph(), elimination_order{}) == elimination{});
}

auto random_rule(split_mix& random) -> elimination_rule {
    return {
        .fill = static_cast<std::uint32_t>(support::below(random, 3)),
        .degree = static_cast<std::uint32_t>(support::below(random, 4)),
        .per_neighbor = support::chance(random, 40),
        .ties = std::array{tie_breaking::newest, tie_breaking::oldest, tie_breaking::random}[support::below(random, 3)],
        .seed = random()};
}

TEST_CASE("earlier stages are eliminated first, whoever the neighbours are", "[elimination_order][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const g = random_undirected(random, 24, support::below(random, 101));
        std::vector<std::uint32_t> stages;
        for (std::size_t v = 0; v < g.vertex_count(); ++v)
            stages.push_back(static_cast<std::uint32_t>(support::below(random, 3)));
        auto const made = find_elimination_order(g, {.rule = random_rule(random), .stages = stages});
        RC_ASSERT(std::ranges::is_sorted(made.order, {}, [&](auto v) { return stages[v]; }));
        RC_ASSERT(elimination::of(g, made.order).width == made.width);
    }));
}

TEST_CASE("greedy elimination always takes a vertex of least score, and returns the width",
          "[elimination_order][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const g = random_undirected(random, support::chance(random, 20) ? 90 : 30, 1 + support::below(random, 50));
        auto const rule = support::chance(random, 50) ? least_fill : random_rule(random);
        auto const made = find_elimination_order(g, {.rule = rule});
        RC_ASSERT(made == find_elimination_order(g, {.rule = rule}));
        RC_ASSERT(made.width == elimination::of(g, made.order).width);
        eliminated_step_by_step slow(g);
        auto const score = [&](std::uint32_t v) {
            return rule.score(static_cast<std::int64_t>(slow.missing(v).size()),
                              static_cast<std::int64_t>(slow.neighbors[v].size()));
        };
        std::vector<bool> eliminated(g.vertex_count(), false);
        for (auto const x : made.order) {
            auto const least = score(x);
            auto const follows = slow.missing(x).empty();  // as a twin of a best vertex
            for (std::uint32_t v = 0; v < g.vertex_count(); ++v)
                if (!eliminated[v]) RC_ASSERT(follows || least <= score(v));
            slow.eliminate(x);
            eliminated[x] = true;
        }
    }));
}

TEST_CASE("minimum fill finds the treewidth of chordal graphs and of small grids", "[elimination_order]") {
    CHECK(find_elimination_order(undirected_graph()).order.empty());
    CHECK(find_elimination_order(undirected_graph(3, {})).width == 0);
    CHECK(find_elimination_order(grid(1, 50)).width == 1);
    CHECK(find_elimination_order(grid(2, 50)).width == 2);
    CHECK(find_elimination_order(grid(3, 50)).width == 3);
    CHECK(find_elimination_order(std::vector<std::vector<int>>{{1, 2, 3}, {2, 3}, {3}, {}}).width == 3);
}

TEST_CASE("a large grid is eliminated first on lists, then on a matrix, in one order", "[elimination_order]") {
    auto const g = grid(40, 40);
    auto const made = find_elimination_order(g);
    CHECK(made.width == elimination::of(g, made.order).width);
    CHECK(made.width >= 40);
    CHECK(made == find_elimination_order(g));
}

TEST_CASE("random ties differ by seed and are reproducible", "[elimination_order]") {
    auto const g = grid(12, 12);
    auto const with_seed = [&](std::uint64_t seed) {
        return find_elimination_order(g, {.rule = {.ties = tie_breaking::random, .seed = seed}}).order;
    };
    CHECK(with_seed(1) == with_seed(1));
    CHECK(with_seed(1) != with_seed(2));
}

TEST_CASE("a score beyond 64 bits saturates", "[elimination_order]") {
    constexpr elimination_rule heavy{.fill = 4'000'000'000, .degree = 4'000'000'000, .per_neighbor = true};
    constexpr std::int64_t many = 20'000'000'000;  // edges missing between 200,000 neighbours
    CHECK(heavy.score(many, 200'000) == 64 * (4 * many + 800'000) / 200'000 * 1'000'000'000);
    CHECK(elimination_rule{.fill = 4'000'000'000}.score(many, 200'000) == std::numeric_limits<std::int64_t>::max());
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t leaf = 1; leaf < 1000; ++leaf) edges.emplace_back(0, leaf);
    CHECK(find_elimination_order(undirected_graph(1000, edges), {.rule = heavy}).width == 1);
}

TEST_CASE("a run that exceeds its width limit or its time returns nothing", "[elimination_order]") {
    auto const g = grid(30, 30);
    auto const width = find_elimination_order(g).width;
    CHECK(detail::greedy_elimination(g, least_fill, {}, width)->width == width);
    CHECK(!detail::greedy_elimination(g, least_fill, {}, width - 1));
    CHECK(!detail::greedy_elimination(grid(200, 200), least_fill, {}, 99, [] { return true; }));
}

TEST_CASE("a star of many leaves is eliminated from its leaves", "[elimination_order]") {
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t leaf = 1; leaf < 200'000; ++leaf) edges.emplace_back(0, leaf);
    CHECK(find_elimination_order(undirected_graph(200'000, edges)).width == 1);
}

}  // namespace
