// Covers offload/planning_environment.hpp, offload/q_graph.hpp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <rapidcheck.h>

#include <repebble/offload/planning_environment.hpp>
#include <repebble/offload/q_graph.hpp>

#include "offload/knapsack_game.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Rows without actions, for graphs.
struct bare_rows {
    std::vector<std::size_t> variables;
    std::vector<double> begins;
    std::vector<node_features> rows;

    [[nodiscard]] auto node_count() const { return variables.size(); }
    [[nodiscard]] auto features(std::size_t v) const -> node_features {
        return rows.empty() ? node_features{} : rows[v];
    }
    [[nodiscard]] auto variable(std::size_t v) const { return variables[v]; }
    [[nodiscard]] auto begin(std::size_t v) const { return begins[v]; }
    [[nodiscard]] auto time_once() const { return std::int64_t{1}; }
    [[nodiscard]] auto current() const { return std::size_t{0}; }
    [[nodiscard]] auto valid_actions() const { return std::vector<std::size_t>{0}; }
    [[nodiscard]] auto act(std::size_t) { return std::int64_t{0}; }
    [[nodiscard]] auto terminal() const { return true; }
    [[nodiscard]] auto feasible() const { return true; }
    void reset() {}
};
static_assert(planning_environment<bare_rows>);
struct without_reset : bare_rows {
    void reset() = delete;
};
static_assert(!planning_environment<without_reset>);
static_assert(!planning_environment<int>);

}  // namespace

TEST_CASE("rows of one variable are a group, successive rows neighbours, and lags sum up", "[offload][q_graph]") {
    // Variables x y y x at 0, 1, 3, 6: x and x are 6 apart, y and y 2, successive rows 1 and 3 between variables.
    bare_rows const rows{{5, 2, 2, 5}, {0, 1, 3, 6}, {}};
    auto const g = make_q_graph(rows);
    CHECK(g.group == std::vector<std::uint32_t>{0, 1, 1, 0});
    CHECK(g.groups == std::vector<std::vector<std::uint32_t>>{{0, 3}, {1, 2}});
    CHECK_FALSE(g.joins(0));
    CHECK(g.joins(1));
    CHECK_FALSE(g.joins(2));  // neighbours once, though for two reasons
    CHECK(g.joins(3));
    CHECK_FALSE(g.joins(4));
    std::vector<double> const sums{7, 3, 5, 9};
    for (std::size_t v = 0; v < sums.size(); ++v) CHECK(std::abs(g.lag[v] - sums[v] / 9) < 1e-12);
}

TEST_CASE("features are scaled to [0, 1], copying and computing by one factor", "[offload][q_graph]") {
    bare_rows const rows{{0, 1}, {0, 1}, {{8, 2, 4, 100, 1, 1}, {2, 1, 0, 25, 2, 0}}};
    auto const g = make_q_graph(rows);
    CHECK(g.features[0] == std::array<double, 5>{1, 0.5, 1, 1, 0.5});
    CHECK(g.features[1] == std::array<double, 5>{0.25, 0.25, 0, 0.25, 1});
}

TEST_CASE("the sums of lags are those over all edges", "[offload][q_graph]") {
    CHECK(support::holds([] {
        bare_rows rows;
        auto const n = *rc::gen::inRange(1, 30);
        double now = 0;
        for (int v = 0; v < n; ++v) {
            rows.variables.push_back(*rc::gen::inRange<std::size_t>(0, 6));
            rows.begins.push_back(now += *rc::gen::inRange(0, 10));
        }
        auto const g = make_q_graph(rows);
        std::vector<double> sums(rows.variables.size());
        for (std::size_t u = 0; u < sums.size(); ++u)
            for (std::size_t v = 0; v < sums.size(); ++v)
                if (rows.variables[u] == rows.variables[v] || u + 1 == v || v + 1 == u)
                    sums[u] += std::abs(rows.begins[u] - rows.begins[v]);
        auto const most = *std::max_element(sums.begin(), sums.end());
        for (std::size_t v = 0; v < sums.size(); ++v)
            RC_ASSERT(std::abs(g.lag[v] - (most > 0 ? sums[v] / most : 0)) < 1e-9);
    }));
}

TEST_CASE("rows that descend and features that are no numbers are refused by their row", "[offload][q_graph]") {
    CHECK(support::throws<bad_graph>([] { return make_q_graph(bare_rows{}); }, {"no node"}));
    CHECK(support::throws<bad_weight>([] { return make_q_graph(bare_rows{{0, 0}, {2, 1}, {}}); }, {"row 1"}));
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(support::throws<bad_weight>(
        [&] {
            return make_q_graph(bare_rows{{0, 0}, {0, 0}, {{}, {0, 0, nan, 0, 0, 0}}});
        },
        {"feature 2", "row 1"}));
    CHECK(support::throws<bad_weight>(
        [&] {
            return make_q_graph(bare_rows{{0}, {0}, {{-1, 0, 0, 0, 0, 0}}});
        },
        {"feature 0", "row 0"}));
}

TEST_CASE("the state of an environment: its node and its valid actions, and the feature says the same",
          "[offload][q_graph]") {
    support::knapsack_game game(3, 1);
    CHECK(q_state_of(game) == q_state{0, {0}});
    game.act(0);
    game.act(0);
    auto const s = q_state_of(game);
    CHECK(s == q_state{2, {0, 1, 2}});
    for (std::size_t v = 0; v < game.node_count(); ++v)
        CHECK((game.features(v)[node_feature::valid] > 0) ==
              (std::set(s.actions.begin(), s.actions.end()).count(static_cast<std::uint32_t>(v)) > 0));
}
