#ifndef REPEBBLE_TESTS_RECOMPUTE_RANDOM_TRAINING_HPP
#define REPEBBLE_TESTS_RECOMPUTE_RANDOM_TRAINING_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

#include "support/brute_force.hpp"
#include "support/generators.hpp"

namespace support {

inline constexpr std::array built_conventions{repebble::convention::value_grad, repebble::convention::op_backward,
                                              repebble::convention::executable};

/// Random dependencies of gradients: some inputs and outputs of each operation.
[[nodiscard]] inline auto random_needs(split_mix& random, repebble::dataflow const& flow) -> repebble::gradient_needs {
    repebble::gradient_needs needs;
    auto const percent = below(random, 101);
    for (std::size_t v = 0; v < flow.operation_count(); ++v) {
        std::vector<repebble::value_index> row;
        for (auto const values : {flow.reads(v), flow.writes(v)})
            for (auto const x : values)
                if (chance(random, percent)) row.push_back(x);
        needs.append(row);
    }
    return needs;
}

/// A forward dataflow with views, several outputs, workspaces and operations that may run only once.
[[nodiscard]] inline auto random_forward(split_mix& random, std::size_t most) -> repebble::dataflow {
    return random_dataflow(random, {.operations = 1 + below(random, most),
                                    .names = chance(random, 50) ? numbering::shuffled : numbering::topological,
                                    .alternative_percent = 0,
                                    .run_once_percent = chance(random, 50) ? 0U : 15U});
}

/// The same training graph with views that take no time. Its plans cost what their schedules of the planning graph
/// cost: there views are made again with their owner, and plans are without those that nobody reads then.
[[nodiscard]] inline auto with_free_views(repebble::training_graph training) -> repebble::training_graph {
    training.flow = with_free_views(training.flow);
    return training;
}

/// Parameters with up to three users each, some without.
[[nodiscard]] inline auto random_parameters(split_mix& random, repebble::dataflow const& forward)
    -> std::vector<repebble::trained_parameter> {
    std::vector<repebble::trained_parameter> all(below(random, 4));
    for (auto& p : all) {
        p.size = between(random, 0, 100);
        for (auto users = below(random, 4); users > 0; --users)
            p.users.push_back(static_cast<repebble::operation_index>(below(random, forward.operation_count())));
    }
    return all;
}

/// A joint graph: a built one without its convention, or any dataflow, cut at a random place.
[[nodiscard]] inline auto random_joint(split_mix& random, std::size_t most) -> repebble::training_graph {
    using repebble::pass;
    if (chance(random, 50)) {
        auto const forward = random_forward(random, most);
        auto built =
            repebble::make_training_graph(forward, random_needs(random, forward), built_conventions[below(random, 3)]);
        std::vector<pass> passes;
        for (auto const& o : built.origin) passes.push_back(o.pass);
        return repebble::make_training_graph(std::move(built.flow), passes);
    }
    auto flow = random_dataflow(random, {.operations = 1 + below(random, 2 * most)});
    std::vector<pass> passes(flow.operation_count(), pass::backward);
    auto const percent = below(random, 101);
    std::size_t forward = 0;
    for (auto const v : flow.order()) {
        auto const is_forward = [&](auto u) { return passes[u] == pass::forward; };
        bool const may = forward < most && std::ranges::all_of(flow.graph().predecessors(v), is_forward);
        if (!may || (forward > 0 && !chance(random, percent))) continue;
        passes[v] = pass::forward;
        ++forward;
    }
    return repebble::make_training_graph(std::move(flow), passes);
}

/// A random training graph of any convention.
[[nodiscard]] inline auto random_training(split_mix& random, std::size_t most) -> repebble::training_graph {
    if (chance(random, 25)) return random_joint(random, most);
    auto const forward = random_forward(random, most);
    return repebble::make_training_graph(forward, random_needs(random, forward), built_conventions[below(random, 3)]);
}

/// A random sequence of lower sets of any problem: a random topological order, cut at random places.
[[nodiscard]] inline auto random_sequence(split_mix& random, repebble::lower_set_problem const& problem)
    -> repebble::lower_set_sequence {
    weighted_dag g;
    auto const n = problem.vertex_count();
    g.graph.resize(n);
    for (std::size_t u = 0; u < n; ++u)
        for (auto const w : problem.graph.successors(u)) g.graph[u].push_back(static_cast<int>(w));
    return sequence_from(random_sequence(random, g), n);
}

}  // namespace support

#endif
