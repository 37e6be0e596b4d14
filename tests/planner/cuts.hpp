#ifndef REPEBBLE_TESTS_SUPPORT_CUTS_HPP
#define REPEBBLE_TESTS_SUPPORT_CUTS_HPP

// Chains of cuts and small dataflows for the tests of the planner's bounds, with proven optima to compare with.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/orders/find_optimal_pebbling.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

namespace support {

[[nodiscard]] inline auto chain_of(repebble::detail::planning_model const& m,
                                   std::vector<repebble::operation_index> const& at)
    -> std::vector<repebble::detail::first_run_cut> {
    std::vector<repebble::detail::first_run_cut> cuts;
    for (auto const v : at) cuts.emplace_back(m, v);
    return cuts;
}

/// Three values of 3 bytes are read after `wide`, beside which 5 bytes are left: one of them is kept, and two are
/// recomputed, in 6 each. The linear relaxation keeps 5/3 of them.
struct three_alike {
    repebble::operation_index wide;
    std::vector<repebble::value_index> values;
    repebble::dataflow flow;
};
[[nodiscard]] inline auto make_three_alike() -> three_alike {
    repebble::dataflow_builder builder;
    std::vector<repebble::operation_index> producers;
    std::vector<repebble::value_index> values;
    for (int k = 0; k < 3; ++k) producers.push_back(builder.add_operation(6));
    auto const wide = builder.add_operation(1, 4), last = builder.add_operation(1);
    for (auto const p : producers) values.push_back(builder.add_value(p, 3));
    auto const a = builder.add_value(wide, 1);
    for (auto const x : values) builder.add_read(last, x);
    builder.add_read(last, a);
    auto const first = builder.add_operation(0);
    for (auto const x : values) builder.add_read(first, x);
    builder.add_read(wide, builder.add_value(first, 0));
    return {wide, values, std::move(builder).build()};
}

/// A random chain of up to `most` cuts.
[[nodiscard]] inline auto random_chain(split_mix& random, repebble::detail::planning_model const& m, std::size_t most)
    -> std::vector<repebble::detail::first_run_cut> {
    std::vector<repebble::detail::first_run_cut> cuts;
    for (auto const k : random_permutation(random, m.operation_count())) {
        auto const v = static_cast<repebble::operation_index>(k);
        if (!m.required[v] || cuts.size() == most) continue;
        if (auto longer = repebble::detail::insert_cut(cuts, repebble::detail::first_run_cut(m, v)))
            cuts = std::move(*longer);
    }
    return cuts;
}

[[nodiscard]] inline auto random_without_views(split_mix& random, std::size_t operations,
                                               std::size_t alternative_percent = 12) -> repebble::dataflow {
    for (;;) {
        auto const flow = random_dataflow(random, {.operations = operations,
                                                   .view_percent = 0,
                                                   .alternative_percent = alternative_percent,
                                                   .run_once_percent = operations % 2 * 30});
        if (!has_views(flow)) return flow;
    }
}

/// A dataflow of up to 10 operations, whose subsets can be enumerated, where one makes each value: any such, or the
/// gradients of a short chain.
[[nodiscard]] inline auto random_small(split_mix& random) -> repebble::dataflow {
    if (chance(random, 30)) return random_without_views(random, 4 + below(random, 6), 0);
    auto const n = 3 + below(random, 2);
    auto const time = random_weights(random, n, 1, 9), memory = random_weights(random, n, 1, 4);
    return repebble::make_training_graph(chain(n),
                                         repebble::weights{[&](int v) { return time[static_cast<std::size_t>(v)]; },
                                                           [&](int v) { return memory[static_cast<std::size_t>(v)]; }})
        .flow;
}

/// The gradients of a chain with a few skips and a tight budget: many operations run more than twice.
[[nodiscard]] inline auto random_narrow_gradients(split_mix& random) -> repebble::dataflow {
    auto const n = 5 + below(random, 4);
    auto const time = random_weights(random, n, 1, 9), memory = random_weights(random, n, 1, 4);
    auto forward = chain(n);
    for (std::size_t v = 0; v + 3 < n; v += 1 + below(random, n))
        forward[v].push_back(static_cast<int>(v + 2 + below(random, n - v - 2)));
    return repebble::make_training_graph(forward,
                                         repebble::weights{[&](int v) { return time[static_cast<std::size_t>(v)]; },
                                                           [&](int v) { return memory[static_cast<std::size_t>(v)]; }})
        .flow;
}

/// Calls visit(random, m, budget, exact, cuts) for small dataflows, budgets near the memory floor, the proven optimum,
/// and a random chain of up to `most_cuts` cuts.
template <class Visit>
void for_each_optimum(std::uint64_t seeds, std::size_t most_cuts, Visit&& visit) {
    using namespace repebble;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        split_mix random(seed);
        auto const flow = seed % 3 == 0 ? random_without_views(random, 6 + seed % 4) : random_narrow_gradients(random);
        auto const m = repebble::detail::make_planning_model(flow);
        for (bytes const more : {0, 1, 2, 4}) {
            auto const budget = repebble::detail::floor_of(m).size + more;
            auto const exact = find_optimal_pebbling(flow, budget, optimal_options{.limits = {.work = 20'000}});
            if (!exact.proven) continue;
            auto const cuts = random_chain(random, m, 1 + seed % most_cuts);
            CAPTURE(seed, budget, cuts.size());
            if (!cuts.empty()) visit(random, m, budget, exact, cuts);
        }
    }
}

}  // namespace support

#endif
