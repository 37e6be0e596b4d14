// Covers offload/q_weights.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include <repebble/graph/error.hpp>
#include <repebble/offload/q_weights.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("the matrices of the paper have its shapes", "[offload][q_weights]") {
    auto const all = q_matrices({.width = 4, .rounds = 4, .form = q_form::separable});
    CHECK(all[0] == q_matrix{"W1", 4, 6, 0});
    CHECK(all[1] == q_matrix{"W2", 4, 4, 24});
    CHECK(all[3] == q_matrix{"W4", 4, 1, 56});
    CHECK(all[6] == q_matrix{"W7", 1, 12, 92});
    CHECK(all[8].rows * all[8].columns == 0);
    CHECK(q_weight_count({.width = 4}) == 6 * 4 + 5 * 16 + 4 + 12);
    CHECK(q_weight_count({.width = 4, .form = q_form::joint}) == 120 + 144);
}

TEST_CASE("initial weights depend on the seed only, and are finite and small", "[offload][q_weights]") {
    auto const made = initial_q_weights({.width = 8}, 3);
    CHECK_NOTHROW(check_q_weights(made));
    CHECK(made == initial_q_weights({.width = 8}, 3));
    CHECK(made != initial_q_weights({.width = 8}, 4));
    CHECK(std::ranges::all_of(made.values, [](double w) { return std::abs(w) < std::sqrt(6.0); }));
}

TEST_CASE("shapes and weights that make no network are refused by the number", "[offload][q_weights]") {
    CHECK(support::throws<bad_option>([] { return q_weight_count({.width = 0}); }, {"width", "0"}));
    CHECK(support::throws<bad_option>([] { return q_weight_count({.width = 5000}); }, {"5000"}));
    CHECK(support::throws<bad_option>([] { return q_weight_count({.rounds = 0}); }, {"equation (1)"}));
    auto w = initial_q_weights({.width = 2}, 1);
    w.values[7] = std::numeric_limits<double>::infinity();
    CHECK(support::throws<bad_weight>(
        [&] {
            check_q_weights(w);
            return 0;
        },
        {"weight 7"}));
    w.values.pop_back();
    CHECK(support::throws<bad_weight>(
        [&] {
            check_q_weights(w);
            return 0;
        },
        {"width 2", "40", "39"}));
}
