// Covers planner/detail/bounds/one_cut/best_cut_bound.hpp, planner/detail/bounds/several_cuts/multi_cut_bound.hpp,
// planner/detail/model/planning_model.hpp.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto never_stops = [] { return false; };

/// A trunk and two heads: their losses are added before either goes backward, and whichever goes first leaves no
/// capacity for the inputs of the other.
struct two_heads {
    operation_index trunk, a, b, loss, a_back, b_back;
    dataflow flow;
};
auto make_two_heads() -> two_heads {
    dataflow_builder builder;
    auto const trunk = builder.add_operation(1), a = builder.add_operation(3), b = builder.add_operation(3),
               loss = builder.add_operation(1), a_back = builder.add_operation(1, 5),
               b_back = builder.add_operation(1, 5);
    auto const x = builder.add_value(trunk, 2), y = builder.add_value(a, 4), z = builder.add_value(b, 4),
               e = builder.add_value(loss, 1);
    builder.add_read(a, x);
    builder.add_read(b, x);
    for (auto const v : {y, z}) builder.add_read(loss, v);
    for (auto const v : {y, e}) builder.add_read(a_back, v);
    for (auto const v : {z, e}) builder.add_read(b_back, v);
    return {trunk, a, b, loss, a_back, b_back, std::move(builder).build()};
}

/// The same with more heads of other sizes, some of which read outputs of others.
auto random_heads(support::split_mix& random) -> dataflow {
    dataflow_builder builder;
    auto const number = [&](std::size_t from, std::size_t to) {
        return static_cast<std::int64_t>(from + support::below(random, to - from + 1));
    };
    auto const heads = static_cast<std::size_t>(number(2, 3));
    auto const trunk = builder.add_operation(number(1, 3));
    std::vector<value_index> made{builder.add_value(trunk, number(1, 4))}, ends;
    for (std::size_t k = 0; k < heads; ++k) {
        auto const v = builder.add_operation(number(1, 6), number(0, 3));
        builder.add_read(v, made[support::below(random, made.size())]);
        for (std::size_t outputs = 1 + support::below(random, 2); outputs > 0; --outputs)
            ends.push_back(builder.add_value(v, number(1, 6)));
        made.push_back(ends.back());
    }
    auto const loss = builder.add_operation(1);
    for (auto const x : ends) builder.add_read(loss, x);
    auto const e = builder.add_value(loss, 1);
    for (auto const x : ends) {
        auto const back = builder.add_operation(1, number(0, 6));
        builder.add_read(back, x);
        builder.add_read(back, e);
        builder.add_value(back, number(0, 2));
    }
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("violated_cuts: first runs with more resident bytes than the budget, largest first") {
    auto const net = make_two_heads();
    auto const m = detail::make_planning_model(net.flow);
    // Both heads are resident when the first goes backward: 4 + 4 + 1 + 5 bytes; beside the second only its own.
    std::vector const once{net.trunk, net.a, net.b, net.loss, net.a_back, net.b_back};
    CHECK(detail::violated_cuts(m, once, 14).empty());
    CHECK(detail::violated_cuts(m, once, 13) == std::vector{net.a_back});
    CHECK(detail::violated_cuts(m, once, 9) == std::vector{net.a_back, net.b_back, net.b});
    std::vector const again{net.trunk, net.a, net.b, net.loss, net.a_back, net.trunk, net.b, net.b_back};
    CHECK(detail::violated_cuts(m, again, 9) == std::vector{net.b_back, net.a_back, net.b});
}

TEST_CASE("multi_cut_bound: never above the optimum, and infeasible only where nothing fits") {
    std::size_t optima = 0, above = 0, exactly = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = random_heads(random);
        auto const m = detail::make_planning_model(flow);
        auto const floor = detail::floor_of(m).size;
        for (bytes const budget : {floor, floor + 2, floor + 5}) {
            auto const exact = find_optimal_pebbling(flow, budget, {.limits = {.work = 5000}});
            if (!exact.proven) continue;
            ++optima;
            auto const least = exact.schedule ? exact.time - m.time_once : std::numeric_limits<std::int64_t>::max();
            auto const all = detail::tight_operations(m, m.operation_count());
            detail::best_cut_bound const alone(m, budget, all);
            if (alone.infeasible_at()) continue;
            detail::multi_cut_bound cases(m, budget, 1, alone.cuts(), alone.bound());
            for (int round = 0; round < 2; ++round) cases.improve(detail::most_time, 500, never_stops);
            CHECK((cases.infeasible() || cases.bound() <= least));
            CHECK(cases.bound() >= alone.bound());
            if (cases.infeasible()) CHECK_FALSE(exact.schedule);
            if (cases.bound() > alone.bound()) ++above;
            if (cases.bound() == least) ++exactly;
        }
    }
    UNSCOPED_INFO(optima << " optima, " << above << " above, " << exactly << " exactly");
    CHECK(optima > 60);
    CHECK(above > 0);
    CHECK(exactly > 20);
}
