// Covers planner/detail/sequences/crossover.hpp, planner/detail/model/planning_model.hpp,
// planner/detail/model/sequence_loads.hpp, planner/detail/annealing/neighbourhood.hpp,
// planner/detail/annealing/population.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/planner/detail/annealing/neighbourhood.hpp>
#include <repebble/planner/detail/annealing/population.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/sequences/crossover.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;
using sequence = std::vector<operation_index>;

namespace {

/// A chain of operations; the last one reads all outputs.
auto chain_and_sum(std::size_t length) -> dataflow {
    dataflow_builder builder;
    std::vector<value_index> values;
    for (std::size_t k = 0; k < length; ++k) {
        auto const v = builder.add_operation(1);
        if (k > 0) builder.add_read(v, values.back());
        values.push_back(builder.add_value(v, 1));
    }
    auto const sum = builder.add_operation(1);
    for (auto const x : values) builder.add_read(sum, x);
    return std::move(builder).build();
}

/// Whether every step comes after producers of its inputs, all operations of the other sequence run, and those that may
/// run once do.
auto is_complete(detail::planning_model const& m, sequence const& computations) -> bool {
    std::vector<bool> made(m.value_count(), false);
    std::vector<int> runs(m.operation_count(), 0);
    for (auto const v : computations) {
        for (auto const x : m.reads[v])
            if (!made[x]) return false;
        for (auto const x : m.writes[v]) made[x] = true;
        if (++runs[v] > 1 && !m.operations[v].recomputable) return false;
    }
    for (operation_index v = 0; v < m.operation_count(); ++v)
        if (m.required[v] && runs[v] == 0) return false;
    return true;
}

/// A random dataflow of twelve operations, some with alternative producers, some that may run once.
auto varied_model(std::uint64_t seed) -> detail::planning_model {
    support::split_mix random(seed);
    return detail::make_planning_model(support::random_dataflow(
        random, {.operations = 12, .view_percent = 0, .alternative_percent = 20, .run_once_percent = 20}));
}

/// The model's order after random moves: some operations are recomputed, at various places.
auto moved(detail::planning_model const& m, std::uint64_t seed) -> sequence {
    detail::neighbourhood moves(m, m.order, 1'000'000, seed);
    for (int k = 0; k < 200; ++k) moves.make(k % 2 == 0, 1e18);
    return moves.now().operations();
}

}  // namespace

TEST_CASE("crossover: takes the recomputations of one parent on one part, of the other on the rest") {
    auto const m = detail::make_planning_model(chain_and_sum(4));
    sequence const one{0, 1, 2, 0, 3, 4}, other{0, 1, 2, 3, 1, 2, 4};
    auto const crossed = [&](auto const& from_other) { return detail::crossover(m, one, other, from_other); };
    CHECK(crossed([](auto) { return false; }) == one);
    CHECK(crossed([](auto) { return true; }) == other);
    CHECK(crossed([](auto v) { return v > 0; }) == sequence{0, 1, 2, 0, 3, 1, 2, 4});
    CHECK(crossed([](auto v) { return v == 2; }) == sequence{0, 1, 2, 0, 3, 2, 4});
    CHECK(crossed([](auto v) { return v == 0; }) == sequence{0, 1, 2, 3, 4});
}

TEST_CASE("crossover: recomputations of both parents before one first run are merged in the model's order") {
    auto const m = detail::make_planning_model(chain_and_sum(4));
    sequence const one{0, 1, 2, 3, 0, 2, 0, 4}, other{0, 1, 2, 3, 1, 4};
    CHECK(detail::crossover(m, one, other, [](auto v) { return v == 1; }) == sequence{0, 1, 2, 3, 0, 1, 2, 4});
}

TEST_CASE("crossover: children of any two sequences are legal and complete") {
    std::set<std::size_t> lengths;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        auto const m = varied_model(seed);
        auto const one = moved(m, 2 * seed), other = moved(m, 2 * seed + 1);
        REQUIRE(is_complete(m, one));
        for (unsigned cut = 0; cut < 12; ++cut) {
            auto const child = detail::crossover(m, one, other, [&](auto v) { return v < cut; });
            CHECK(is_complete(m, child));
            lengths.insert(child.size());
        }
    }
    CHECK(lengths.size() > 4);
}

TEST_CASE("population: a child replaces its parent if it is faster and no member takes the same time") {
    auto const m = detail::make_planning_model(chain_and_sum(4));
    detail::split_mix random(1);
    detail::population population(m);
    population.add({0, 1, 2, 3, 0, 4}, 6);
    population.add({0, 1, 2, 3, 1, 4}, 6);  // the time of a member
    CHECK(population.size() == 1);
    auto const copy = population.make_child(random);
    CHECK(copy.sequence == sequence{0, 1, 2, 3, 0, 4});
    population.add({0, 1, 2, 3, 1, 2, 4}, 7);
    CHECK(population.size() == 2);
    CHECK_FALSE(population.replace(1, {0, 1, 2, 3, 0, 4}, 6));
    CHECK_FALSE(population.replace(0, {0, 1, 2, 3, 1, 2, 4}, 8));
    CHECK(population.replace(1, m.order, 5));
    population.keep_best();
    CHECK(population.size() == 1);
    CHECK(population.make_child(random).sequence == m.order);
}

TEST_CASE("population: children combine recomputations of both parents") {
    auto const m = detail::make_planning_model(chain_and_sum(12));
    detail::split_mix random(1);
    detail::population population(m);
    auto one = m.order, other = m.order;
    one.insert(one.end() - 1, {0, 1, 2, 3, 4, 5});
    other.insert(other.end() - 1, {6, 7, 8, 9, 10, 11});
    population.add(one, 19);
    population.add(other, 20);  // another time
    std::set<sequence> children;
    for (int k = 0; k < 50; ++k) children.insert(population.make_child(random).sequence);
    CHECK(children.size() > 20);
    CHECK(std::ranges::all_of(children, [&](auto const& c) { return is_complete(m, c); }));
    CHECK(std::ranges::any_of(children, [&](auto const& c) { return c.size() == m.order.size() + 12; }));
    CHECK(std::ranges::any_of(children, [&](auto const& c) { return c.size() < m.order.size() + 6; }));
}

TEST_CASE("population: a perturbed child lacks one recomputation, mostly one that takes long") {
    dataflow_builder builder;
    std::vector<value_index> values;
    for (std::int64_t const time : {1, 8, 0}) {
        auto const v = builder.add_operation(time);
        values.push_back(builder.add_value(v, 1));
    }
    auto const sum = builder.add_operation(1);
    for (auto const x : values) builder.add_read(sum, x);
    auto const m = detail::make_planning_model(std::move(builder).build());
    detail::split_mix random(1);
    detail::population population(m);
    population.add({0, 1, 2, 0, 1, 2, 1, 3}, 27);
    std::size_t costly = 0;
    std::set<sequence> children;
    for (int k = 0; k < 200; ++k) {
        auto const child = population.make_perturbed_child(random);
        REQUIRE(child.tabu);
        CHECK(child.parent == 0);
        CHECK(*child.tabu != 2);  // an operation without time
        children.insert(child.sequence);
        costly += *child.tabu == 1 ? 1 : 0;
    }
    CHECK(children == std::set<sequence>{{0, 1, 2, 1, 2, 1, 3}, {0, 1, 2, 0, 2, 1, 3}, {0, 1, 2, 0, 1, 2, 3}});
    CHECK(costly > 170);
    CHECK(costly < 200);
}

TEST_CASE("population: recomputations without time are never removed by perturbation") {
    dataflow_builder builder;
    auto const v = builder.add_operation(0), w = builder.add_operation(1);
    builder.add_read(w, builder.add_value(v, 1));
    auto const m = detail::make_planning_model(std::move(builder).build());
    detail::split_mix random(1);
    detail::population population(m);
    population.add({0, 0, 1}, 1);
    auto const child = population.make_perturbed_child(random);
    CHECK(child.sequence == sequence{0, 0, 1});
    CHECK_FALSE(child.tabu);
}

TEST_CASE("population: perturbed children are complete, and copies where no recomputation takes time") {
    std::set<std::size_t> parents;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        INFO("seed " << seed);
        auto const m = varied_model(seed);
        detail::population population(m);
        std::vector<sequence> const all{moved(m, 2 * seed), moved(m, 2 * seed + 1)};
        population.add(all[0], 1);
        population.add(all[1], 2);
        detail::split_mix draws(seed);
        for (int k = 0; k < 20; ++k) {
            auto const child = population.make_perturbed_child(draws);
            auto const& parent = all[child.parent];
            CHECK(is_complete(m, child.sequence));
            CHECK(child.sequence.size() + (child.tabu ? 1 : 0) == parent.size());
            if (child.tabu) {
                CHECK(std::ranges::count(child.sequence, *child.tabu) + 1 == std::ranges::count(parent, *child.tabu));
            }
            parents.insert(child.parent);
        }
        detail::population once(m);
        once.add(m.order, 1);
        auto const copy = once.make_perturbed_child(draws);
        CHECK(copy.sequence == m.order);
        CHECK_FALSE(copy.tabu);
    }
    CHECK(parents.size() == 2);
}
