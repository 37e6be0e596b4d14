// Covers offload/q_network.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/split_mix.hpp>
#include <repebble/offload/q_graph.hpp>
#include <repebble/offload/q_network.hpp>
#include <repebble/offload/q_weights.hpp>

#include "offload/knapsack_game.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using plain_vector = std::vector<double>;

/// Rows of random variables at random times, with random features. Lags are those that make_q_graph computes.
struct random_rows {
    q_graph graph;
    std::vector<double> begin;  ///< such that differences are weights in the scale of `graph.lag`
};
auto rows_of(std::size_t n, std::size_t variables, std::uint64_t seed) -> random_rows {
    detail::split_mix random(seed);
    random_rows made;
    made.graph.groups.resize(variables);
    double now = 0;
    for (std::uint32_t v = 0; v < n; ++v) {
        auto const x = static_cast<std::uint32_t>(random.below(variables));
        made.graph.group.push_back(x);
        made.graph.groups[x].push_back(v);
        made.begin.push_back(now += random.fraction() / static_cast<double>(n));
        auto& features = made.graph.features.emplace_back();
        for (auto& f : features) f = random.fraction();
    }
    made.graph.lag = detail::summed_lags(made.graph, made.begin);
    return made;
}
auto some_state(std::size_t n, detail::split_mix& random) -> q_state {
    q_state s{static_cast<std::uint32_t>(random.below(n)), {0}};
    for (std::uint32_t v = 1; v < n; ++v)
        if (random.chance(0.3)) s.actions.push_back(v);
    return s;
}

/// Equations (1) to (3) to the letter, edge by edge.
class letter {
  public:
    explicit letter(q_weights const& w) : w_(w), at_(q_matrices(w.shape)) {}

    [[nodiscard]] auto values(random_rows const& rows, q_state const& s) const -> plain_vector {
        auto const& g = rows.graph;
        auto const p = w_.shape.width, n = g.size();
        std::vector<plain_vector> states(n, plain_vector(p));
        for (std::size_t t = 0; t < w_.shape.rounds; ++t) {
            auto next = states;
            for (std::size_t v = 0; v < n; ++v) {
                plain_vector x(g.features[v].begin(), g.features[v].end()), sum(p), edges(p);
                x.push_back(std::ranges::count(s.actions, v) > 0 ? 1 : 0);
                for (std::size_t u = 0; u < n; ++u) {
                    if (u != v && u + 1 != v && v + 1 != u && g.group[u] != g.group[v]) continue;
                    sum = plus(sum, states[u]);
                    edges = plus(edges, rectified(times(3, {std::abs(rows.begin[u] - rows.begin[v])})));
                }
                next[v] = rectified(plus(plus(times(0, x), times(1, sum)), times(2, edges)));
            }
            states = next;
        }
        plain_vector mean(p);
        for (auto const& state : states) mean = plus(mean, state);
        for (auto& x : mean) x /= static_cast<double>(n);
        plain_vector found;
        for (auto const a : s.actions) {
            auto hidden = times(4, mean);
            for (auto const& part : {times(5, states[s.current]), times(7, states[a])})
                hidden.insert(hidden.end(), part.begin(), part.end());
            hidden = rectified(hidden);
            if (w_.shape.form == q_form::joint) hidden = rectified(times(8, hidden));
            found.push_back(times(6, hidden)[0]);
        }
        return found;
    }

  private:
    [[nodiscard]] auto times(std::size_t k, plain_vector const& x) const -> plain_vector {
        plain_vector y(at_[k].rows);
        for (std::size_t i = 0; i < at_[k].rows; ++i)
            for (std::size_t j = 0; j < at_[k].columns; ++j)
                y[i] += w_.values[at_[k].offset + j * at_[k].rows + i] * x[j];
        return y;
    }
    static auto plus(plain_vector x, plain_vector const& y) -> plain_vector {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
        return x;
    }
    static auto rectified(plain_vector x) -> plain_vector {
        for (auto& value : x) value = std::max(value, 0.0);
        return x;
    }

    q_weights const& w_;
    std::array<q_matrix, 9> at_;
};

auto near(double a, double b, double tolerance) -> bool {
    return std::abs(a - b) <= tolerance * (1 + std::max(std::abs(a), std::abs(b)));
}
auto any_shape() -> q_shape {
    return {.width = *rc::gen::inRange<std::size_t>(1, 6),
            .rounds = *rc::gen::inRange<std::size_t>(1, 6),
            .form = *rc::gen::element(q_form::separable, q_form::joint)};
}

}  // namespace

TEST_CASE("the network's values are those of equations (1) to (3) to the letter", "[offload][q_network]") {
    CHECK(support::holds([] {
        auto const seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
        auto const n = *rc::gen::inRange<std::size_t>(1, 25);
        auto const rows = rows_of(n, *rc::gen::inRange<std::size_t>(1, 9), seed);
        auto const weights = initial_q_weights(any_shape(), seed);
        q_network<double> network(rows.graph, weights);
        detail::split_mix random(seed);
        for (int k = 0; k < 3; ++k) {
            auto const s = some_state(n, random);
            auto const found = network.values(s), expected = letter(weights).values(rows, s);
            RC_ASSERT(found.size() == expected.size());
            for (std::size_t a = 0; a < found.size(); ++a) RC_ASSERT(near(found[a], expected[a], 1e-9));
        }
    }));
}

TEST_CASE("the gradient of the loss is that of finite differences", "[offload][q_network][long]") {
    CHECK(support::holds([] {
        auto const seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
        auto const n = *rc::gen::inRange<std::size_t>(2, 15);
        auto const rows = rows_of(n, *rc::gen::inRange<std::size_t>(1, 6), seed);
        auto weights = initial_q_weights(any_shape(), seed);
        q_network<double> network(rows.graph, weights);
        detail::split_mix random(seed);
        std::vector<q_state> states;
        for (int k = 0; k < 3; ++k) states.push_back(some_state(n, random));
        std::vector<q_sample> samples;
        for (auto const& s : states)
            samples.push_back({&s, s.actions[random.below(s.actions.size())], random.fraction()});
        samples.push_back({&states[0], 0, 0.5});

        network.loss(samples);
        plain_vector const gradient(network.gradient().begin(), network.gradient().end());
        constexpr double h = 1e-6;
        for (std::size_t k = 0; k < weights.values.size(); ++k) {
            auto const loss_at = [&](double w) {
                auto moved = weights;
                moved.values[k] = w;
                network.set(moved);
                return network.loss(samples);
            };
            auto const w = weights.values[k];
            auto const middle = loss_at(w), left = (middle - loss_at(w - h)) / h, right = (loss_at(w + h) - middle) / h;
            if (near(left, right, 1e-3))  // not at a bend of ReLU
                RC_ASSERT(near(gradient[k], (left + right) / 2, 1e-3));
        }
    }));
}

TEST_CASE("the loss is the mean of squared errors", "[offload][q_network]") {
    auto const rows = rows_of(12, 4, 7);
    q_network<double> network(rows.graph, initial_q_weights({.width = 3}, 7));
    q_state const s{2, {0, 5}}, other{3, {0, 5, 7}};
    auto const a = network.values(s)[1], b = network.values(other)[2];
    std::vector<q_sample> const samples{{&s, 5, 1.5}, {&other, 7, -1}};
    CHECK(near(network.loss(samples), ((a - 1.5) * (a - 1.5) + (b + 1) * (b + 1)) / 2, 1e-9));
    std::vector<double> change(q_weight_count({.width = 3}));
    std::ranges::transform(network.gradient(), change.begin(), [](double g) { return -1e-4 * g; });
    auto const before = network.loss(samples);
    network.add(change);
    CHECK(network.loss(samples) < before);
}

TEST_CASE("with T rounds a node sees T - 1 hops far", "[offload][q_network]") {
    // A path: each row has a variable of its own.
    random_rows path;
    for (std::uint32_t v = 0; v < 20; ++v) {
        path.graph.group.push_back(v);
        path.graph.groups.push_back({v});
        path.graph.features.push_back({1, 1, 1, 1, 0.5});
        path.begin.push_back(v);
    }
    path.graph.lag = detail::summed_lags(path.graph, path.begin);
    for (std::size_t const rounds : {1U, 2U, 4U}) {
        // Weights of one sign, so that no ReLU hides anything.
        auto weights = initial_q_weights({.width = 3, .rounds = rounds}, 1);
        for (auto& w : weights.values) w = std::abs(w);
        q_network<double> network(path.graph, weights);
        // How much better action 10 is than node 0 with another action valid `hops` away. Node 0 is too far away to
        // see.
        auto const lead = [&](std::uint32_t hops) {
            auto const v = network.values({0, {0, 10, 10 + hops}});
            return v[1] - v[0];
        };
        auto const reach = static_cast<std::uint32_t>(rounds - 1);
        if (reach > 0) CHECK(std::abs(lead(reach) - lead(9)) > 1e-9);
        CHECK(near(lead(reach + 1), lead(9), 1e-12));
    }
}

TEST_CASE("by equation (3) as printed the state of the graph cannot change which action is best",
          "[offload][q_network]") {
    for (auto const form : {q_form::separable, q_form::joint}) {
        auto const rows =
            rows_of(40, 40, 5);  // no variable has many rows, so 20 rows lie between the actions and the rest
        auto graph = rows.graph;
        for (std::uint32_t v = 0; v < 40; ++v) graph.group[v] = v, graph.groups[v] = {v};
        graph.lag.assign(40, 0.1);
        auto largest = 0.0;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            q_network<double> network(graph, initial_q_weights({.width = 8, .form = form}, seed));
            auto const here = network.values({5, {1, 3}}), there = network.values({35, {1, 3, 30, 31, 32, 33, 34}});
            largest = std::max(largest, std::abs((here[0] - here[1]) - (there[0] - there[1])));
        }
        CHECK((largest < 1e-12) == (form == q_form::separable));
    }
}

TEST_CASE("weights fit any number of nodes, and numbers of variables do not matter", "[offload][q_network]") {
    auto const weights = initial_q_weights({.width = 4}, 2);
    auto const small = rows_of(10, 4, 1), large = rows_of(300, 60, 1);
    q_network<float> network(small.graph, weights);
    CHECK(network.values({0, {0, 3}}).size() == 2);
    q_network<float> other(large.graph, network.weights());
    CHECK(other.weights() == network.weights());
    auto swapped = large.graph;
    std::swap(swapped.groups[0], swapped.groups[1]);
    for (auto& x : swapped.group) x = x == 0 ? 1U : x == 1 ? 0U : x;
    q_network<float> renumbered(swapped, weights);
    CHECK(renumbered.values({7, {0, 3, 200}}) == other.values({7, {0, 3, 200}}));
}

TEST_CASE("a network refuses weights that are none", "[offload][q_network]") {
    auto const rows = rows_of(5, 2, 1);
    auto weights = initial_q_weights({.width = 2}, 1);
    weights.values.pop_back();
    CHECK(support::throws<bad_weight>([&] { return q_network<double>(rows.graph, weights).shape(); }, {"weights"}));
}
