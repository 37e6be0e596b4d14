// Covers graph/adapt/nested_range.hpp, graph/training/make_training_graph.hpp, graph/training/trained_parameter.hpp,
// graph/training/training_graph.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>

#include "recompute/random_training.hpp"
#include "support/archetypes.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::split_mix;
using support::throws;

namespace {

/// Three products in a row that share a weight of 7 bytes; their values take 10, 20 and 30.
auto shared_weight(convention how) -> training_graph {
    support::weighted_dag const chain{{{1}, {2}, {}}, {1, 2, 3}, {10, 20, 30}, {0, 0, 0}};
    return make_training_graph(chain.graph, chain.weights(), gradient_dependencies{always{}, never{}}, how,
                               {{.size = 7, .users = {1, 0, 2}}});
}
auto operations_read(training_graph const& t, std::size_t v) -> std::vector<std::size_t> {
    auto const row = t.flow.graph().predecessors(v);
    return {row.begin(), row.end()};
}
auto passes(training_graph const& t) -> std::string {
    std::string all;
    for (auto const& o : t.origin) all += to_string(o.pass)[0] + std::to_string(o.vertex) + " ";
    return all;
}

}  // namespace

TEST_CASE("the gradient of a weight with three users is added up right after the users' gradients",
          "[parameter_gradients]") {
    for (auto const how : support::built_conventions) {
        auto const t = shared_weight(how);
        INFO(to_string(how));
        CHECK(passes(t) == "f0 f1 f2 b2 p2 b1 p1 b0 p0 ");
        CHECK(t.flow.time_once() == 18);
        for (operation_index const v : {4U, 6U, 8U}) {
            REQUIRE(t.flow.writes(v).size() == 1);
            CHECK(t.flow.size(t.flow.writes(v).front()) == 7);
            CHECK(t.flow.time(v) == 0);
            CHECK(t.gradient_of[t.flow.writes(v).front()] == no_value);
            CHECK(t.find({t.origin[v].vertex, pass::parameter, 0}) == v);
        }
        CHECK(t.flow.readers(t.flow.writes(8).front()).empty());
    }
}

TEST_CASE("the reads of a weight's gradient, by convention", "[parameter_gradients]") {
    using list = std::vector<std::size_t>;
    auto const all = [](convention how) {
        auto const t = shared_weight(how);
        return std::vector<list>{operations_read(t, 4), operations_read(t, 6), operations_read(t, 8)};
    };
    // The gradient of the user, its input, the sum so far.
    CHECK(all(convention::value_grad) == std::vector<list>{{1, 3}, {0, 4, 5}, {6, 7}});
    // What the backward operation of the user reads, and the sum so far.
    CHECK(all(convention::op_backward) == std::vector<list>{{1}, {0, 3, 4}, {5, 6}});
    CHECK(all(convention::executable) == std::vector<list>{{1}, {0, 3, 4}, {5, 6}});
}

TEST_CASE("the gradient of a weight reads sums of the gradients that arrive", "[parameter_gradients]") {
    std::vector<std::vector<int>> const two_readers{{1, 2}, {}, {}};
    auto const t = make_training_graph(two_readers, weights{unit_weight{}}, gradient_dependencies{},
                                       convention::executable, {{.size = 1, .users = {0}}});
    CHECK(passes(t) == "f0 f1 f2 b2 b1 a0 b0 p0 ");
    CHECK(operations_read(t, 7) == std::vector<std::size_t>{0, 5});
}

TEST_CASE("a weight of an operation and its view has one gradient there, one without users none",
          "[parameter_gradients]") {
    support::rich_graph const g{{{.readers = {{1, {0}}}, .outputs = {{4}}}, {.readers = {{2, {0}}}, .view = true}, {}}};
    for (auto const how : support::built_conventions) {
        auto const t =
            make_training_graph(g, weights{unit_weight{}, g.memory()}, {}, how,
                                {{.size = 1, .users = {0, 1, 0}}, {.size = 2}, {.size = 3, .users = {2, 0}}});
        CHECK(t.flow.operation_count() == 5 + 3);
        CHECK((t.find({0, pass::parameter, 0}) && t.find({0, pass::parameter, 2}) && t.find({2, pass::parameter, 2})));
        CHECK(!t.find({1, pass::parameter, 0}));
    }
}

TEST_CASE("a weight of a vertex that does not exist, or of negative bytes, is refused", "[parameter_gradients]") {
    auto const chain = support::chain(3);
    auto const with = [&](trained_parameter const& p) {
        return make_training_graph(chain, weights{unit_weight{}}, {}, convention::value_grad, {{.size = 1}, p});
    };
    CHECK(throws<bad_graph>([&] { return with({1, {0, 3}}); }, {"parameter 1", "user 3", "there are 3"}));
    CHECK(throws<bad_weight>([&] { return with({-1, {0}}); }, {"size"}));
}

TEST_CASE("gradients of parameters leave the rest of the graph as it is", "[parameter_gradients][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        auto const forward = support::random_forward(random, 8);
        auto const needs = support::random_needs(random, forward);
        auto const parameters = support::random_parameters(random, forward);
        auto const how = support::built_conventions[support::below(random, 3)];
        auto const without = make_training_graph(forward, needs, how);
        auto const with = make_training_graph(forward, needs, how, {}, parameters);
        std::vector<operation_index> rest;
        std::vector<value_index> last(parameters.size(), no_value);
        for (operation_index v = 0; v < with.origin.size(); ++v) {
            auto const [vertex, which, p] = with.origin[v];
            if (which != pass::parameter) {
                rest.push_back(v);
                continue;
            }
            bool before = false;
            for (auto const x : with.flow.reads(v)) before = before || x == last[p];
            RC_ASSERT(before == (last[p] != no_value));
            last[p] = with.flow.writes(v).front();
            RC_ASSERT(with.flow.size(last[p]) == parameters[p].size);
            RC_ASSERT(with.find({vertex, pass::backward, 0}) < v);
        }
        RC_ASSERT(rest.size() == without.origin.size());
        for (std::size_t i = 0; i < rest.size(); ++i) {
            RC_ASSERT(with.origin[rest[i]] == without.origin[i]);
            RC_ASSERT(with.flow.time(rest[i]) == without.flow.time(i));
            RC_ASSERT(with.flow.reads(rest[i]).size() == without.flow.reads(i).size());
            RC_ASSERT(with.flow.writes(rest[i]).size() == without.flow.writes(i).size());
        }
        for (std::size_t p = 0; p < parameters.size(); ++p)
            RC_ASSERT((last[p] == no_value) == parameters[p].users.empty());
    }));
}
