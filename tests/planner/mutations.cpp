// Covers planner/detail/model/planning_model.hpp, planner/detail/model/sequence_loads.hpp,
// planner/detail/sequences/mutable_sequence.hpp, planner/detail/starts/eviction_start.hpp,
// planner/detail/swapping/swap_decoder.hpp: values that are overwritten.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/detail/annealing/neighbourhood.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/starts/eviction_start.hpp>

#include "support/catch.hpp"
#include "support/plan_promises.hpp"
#include "support/swap_cases.hpp"

using namespace repebble;

namespace {

constexpr std::size_t few_moves = 20'000;

/// A network of layers with gradients, whose parameters are overwritten by steps of an optimizer where there are states
/// for it: the parameter itself, and moments.  A layer takes 10 units, a step 1, a parameter 1 byte, all else 100.
auto training_step(int layers, int states, bool late) -> dataflow {
    dataflow_builder b;
    std::vector<std::vector<value_index>> parameters;
    for (int l = 0; l < layers; ++l) {
        parameters.emplace_back();
        for (int s = 0; s < std::max(1, states); ++s) parameters.back().push_back(b.add_value(b.add_input(), 1));
        if (states == 0) b.add_result(parameters.back().front());
    }
    auto const made = [&](std::int64_t time, bytes size, std::vector<value_index> const& read) {
        auto const v = b.add_operation(time);
        for (auto const x : read) b.add_read(v, x);
        return b.add_value(v, size);
    };
    std::vector<value_index> kept{made(1, 100, {})};
    for (int l = 0; l < layers; ++l) kept.push_back(made(10, 100, {kept.back(), parameters[std::size_t(l)][0]}));
    std::vector<value_index> gradients(std::size_t(layers), 0);
    auto const step = [&](std::size_t l) {
        if (states == 0) return b.add_result(gradients[l]);
        auto const v = b.add_operation(1);
        b.add_read(v, gradients[l]);
        for (std::uint32_t s = 0; s < parameters[l].size(); ++s) {
            b.add_read(v, parameters[l][s]);
            b.add_result(b.add_value(v, 1));
            b.add_mutation(v, s, parameters[l][s]);
        }
    };
    auto flowing = kept.back();
    for (auto l = std::size_t(layers); l-- > 0;) {
        gradients[l] = made(10, 1, {flowing, kept[l]});
        flowing = made(10, 100, {flowing, kept[l + 1], parameters[l][0]});
        if (!late) step(l);
    }
    for (auto l = std::size_t(layers); late && l-- > 0;) step(l);
    return std::move(b).build();
}

/// Mutations and steps in place, but neither views nor alternatives nor an order beside that of the data.
auto flow_with_mutations(support::split_mix& random) -> dataflow {
    return support::random_full_dataflow(random, {.operations = 3 + support::below(random, 9),
                                                  .input_percent = 0,
                                                  .view_percent = 0,
                                                  .alternative_percent = 0,
                                                  .mutation_percent = 60,
                                                  .control_percent = 0});
}

/// A random order, with some recomputations.
auto with_recomputations(support::split_mix& random, dataflow const& flow) -> std::vector<operation_index> {
    auto order = support::random_topological_order(random, flow);
    for (int k = 0; k < 4; ++k) {
        auto const at = support::below(random, order.size());
        auto const again = order[support::below(random, at + 1)];
        if (flow.recomputable(again)) order.insert(order.begin() + static_cast<std::ptrdiff_t>(at) + 1, again);
    }
    return order;
}

}  // namespace

TEST_CASE("plan: a layer runs again until a step of the optimizer overwrites its parameter") {
    plan_options const usual{.limits = {.work = 2000}};
    auto const peak = [](dataflow const& flow) { return replay(flow, make_schedule(flow)).peak; };
    for (bool const late : {false, true})
        for (auto const& [layers, most_states] : {std::pair{4, 3}, {9, 1}}) {
            auto const without = training_step(layers, 0, late);
            for (bytes const percent : {90, 70, 55}) {
                auto const budget = peak(without) * percent / 100;
                auto const expected = plan(without, budget, usual);
                REQUIRE(expected.plan);
                for (int states = 1; states <= most_states; ++states) {
                    INFO(layers << " layers, " << states << " states, " << late << ' ' << percent);
                    auto const with = training_step(layers, states, late);
                    auto const found = plan(with, budget + peak(with) - peak(without), usual);
                    REQUIRE(found.plan);
                    CHECK(found.plan->cost.overhead == expected.plan->cost.overhead);
                }
            }
        }
}

TEST_CASE("sequence_loads: those of the replay, and more than any budget where a value is read that was overwritten") {
    std::size_t legal = 0, illegal = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = flow_with_mutations(random);
        auto const m = detail::make_planning_model(flow);
        auto order = with_recomputations(random, flow);
        auto const verdict = verify_schedule(flow, make_schedule(flow, order), {.profile = true});
        if (m.end) order.push_back(*m.end);
        auto const loads = detail::sequence_loads(m, order);
        detail::mutable_sequence const s(m, order);
        CHECK(s.peak() == std::ranges::max(loads));
        if (verdict) {
            CHECK(std::ranges::max(loads) == verdict.result.peak);
            ++legal;
        } else if (verdict.broken->broken == rule::reads_resident) {
            CHECK(std::ranges::max(loads) > m.most_useful_budget());
            ++illegal;
        }
    }
    CHECK(legal > 100);
    CHECK(illegal > 10);
}

TEST_CASE("neighbourhood: keeps the loads of sequences that overwrite values") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = flow_with_mutations(random);
        auto const m = detail::make_planning_model(flow);
        auto const peak = std::ranges::max(detail::sequence_loads(m, m.order));
        detail::neighbourhood moves(m, m.order, peak / 2, seed);
        for (int k = 0; k < 200; ++k) {
            moves.make(k % 3 == 0, 1e9);
            auto const loads = detail::sequence_loads(m, moves.now().operations());
            CHECK(moves.now().peak() == std::ranges::max(loads));
            if (k % 2 == 0 || moves.now().size() > 60) moves.undo();
        }
    }
}

TEST_CASE("eviction_start: does not evict what only an overwritten value could compute again") {
    std::size_t found = 0;
    for (int const layers : {4, 12, 30})
        for (bool const late : {false, true})
            for (bytes const percent : {90, 70, 55}) {
                auto const flow = training_step(layers, 2, late);
                auto const m = detail::make_planning_model(flow);
                auto const budget = std::ranges::max(detail::sequence_loads(m, m.order)) * percent / 100;
                auto const sequence = detail::best_eviction_start(m, budget, 10'000, [](bool) { return false; });
                INFO(layers << ' ' << late << ' ' << percent);
                REQUIRE(sequence);
                CHECK(std::ranges::max(detail::sequence_loads(m, *sequence)) <= budget);
                ++found;
            }
    CHECK(found == 18);
}

TEST_CASE("plan over a link: what is overwritten is copied before, and read again after") {
    // Operation 1 overwrites a, which 3 and 4 read; f does not fit beside what 2 writes, and is computed again.
    dataflow_builder b;
    b.add_operation(2);
    b.add_operation(0, 20);
    b.add_operation(5);
    b.add_operation(3, 17);
    b.add_operation(5);
    b.add_operation(2, 4);
    b.add_operation(5);
    auto const a = b.add_value(0, 1), r = b.add_value(1, 1);
    b.add_value(2, 17);
    auto const d = b.add_value(2, 11);
    b.add_value(3, 4);
    auto const f = b.add_value(4, 4);
    b.add_value(5, 4);
    b.add_result(b.add_value(6, 20));
    for (operation_index const v : {1U, 3U, 4U}) b.add_read(v, a);
    b.add_read(2, r);
    for (auto const x : {d, f}) b.add_read(5, x);
    b.add_mutation(1, 0, a);
    b.add_mutation(5, 0, f);
    for (operation_index const u : {3U, 4U}) b.add_control_edge(u, 1);
    b.add_control_edge(3, 5);
    b.add_control_edge(1, 6);
    support::swap_case const c{.flow = std::move(b).build(),
                               .via = {.size = 4, .time = 6, .half_duplex = true},
                               .budget = 30,
                               .host_budget = 24};
    auto const found = plan(c.flow, c.budget, c.options(few_moves));
    REQUIRE(found.plan);
    CHECK((found.plan->cost.time == 27 && found.proven));
    CHECK(support::compared_with_all(c, found, 20'000).fault == "");
}

TEST_CASE("plan over a link: a counter that is overwritten changes nothing, and an overwritten value is copied, too") {
    host_link const link{.size = 100, .time = 5};
    auto const flow = training_step(6, 0, false), with = training_step(6, 2, false);
    auto const budget = replay(flow, make_schedule(flow)).peak * 6 / 10;
    plan_options const options{.limits = {.work = few_moves}, .link = link};
    auto const expected = plan(flow, budget, options);
    auto const found = plan(with, budget + 6, options);
    REQUIRE((expected.plan && found.plan));
    CHECK(found.plan->cost.bytes_out > 0);
    CHECK(found.plan->cost.overhead <= expected.plan->cost.overhead);

    // A large value waits on the host until it is overwritten.
    dataflow_builder b;
    auto const state = b.add_value(b.add_input(), 100);
    for (auto const time : {50, 50, 50, 1}) b.add_operation(time);
    auto const early = b.add_value(1, 10), large = b.add_value(2, 100), late = b.add_value(3, 10);
    b.add_read(2, early);
    b.add_read(3, large);
    for (auto const x : {state, late}) b.add_read(4, x);
    b.add_result(b.add_value(4, 100));
    b.add_mutation(4, 0, state);
    support::swap_case const waits{.flow = std::move(b).build(), .via = link, .budget = 130};
    auto const copied = plan(waits.flow, waits.budget, waits.options(few_moves));
    REQUIRE(copied.plan);
    CHECK(support::swap_fault(waits, copied) == "");
    CHECK(copied.plan->cost.bytes_out == 100);
}
