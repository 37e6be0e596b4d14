#include "network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/training/problem.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pipelines/cut_network.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>
#include <repebble/pipelines/stage_curve.hpp>
#include <repebble/planner/find_memory_floor.hpp>

#include "plan/beside.hpp"
#include "plan/graph_source.hpp"

namespace pipeline_program {

using namespace repebble;

namespace {

/// Of the planner, for each of the budgets of a part: with these a part of ten layers takes a second or two.
constexpr std::size_t work_of_part = 1000, budgets_of_part = 4;

/// A network, where it can be cut, and what lies beside its values.
struct cut_graph {
    io::network net;
    std::vector<std::uint32_t> cuts;  ///< and the number of nodes behind them
    plan::included beside;

    explicit cut_graph(plan::arguments const& asked)
        : net(plan::graph_of(asked, plan::time_limit({}))), cuts(io::find_cuts(net)), beside(asked.beside) {
        cuts.push_back(static_cast<std::uint32_t>(net.nodes().size()));
    }
    [[nodiscard]] auto part(std::size_t from, std::size_t to) const -> io::network {
        return io::part_of(net, cuts[from], cuts[to]);
    }
};

/// The training graph of a smallest part as it needs least in a larger one: there what it reads first may be computed
/// again, and the operation that reads its results may need none of them for its gradient.
auto least_of_part(cut_graph const& of, std::size_t k) -> training_graph {
    auto const part = of.part(k, k + 1);
    std::vector nodes(part.nodes().begin(), part.nodes().end());
    if (k > 0) nodes.front().recomputable = true;
    if (k + 2 < of.cuts.size()) {
        io::network_node next{.name = "next", .bwd_needs_inputs = false, .bwd_needs_output = false};
        next.reads.emplace();
        for (std::uint32_t v = 0; v < nodes.size(); ++v)
            for (std::uint32_t j = 0; part.graph().successors(v).empty() && j < nodes[v].output_count(); ++j)
                next.reads->push_back({.of = {v, j}});
        nodes.push_back(std::move(next));
    }
    return io::make_training_graph(io::network(std::move(nodes)));
}

/// Of each of the smallest parts what no plan of it does without: the floor, and parameters that no part before has.
auto row_of_parts(cut_graph const& of) -> std::vector<pipeline_stage> {
    std::vector<pipeline_stage> row;
    bytes before = 0;
    for (std::size_t k = 0; k + 1 < of.cuts.size(); ++k) {
        auto const graph = least_of_part(of, k);
        auto const all = plan::bytes_beside(of.part(0, k + 1), of.beside);
        auto const floor = find_memory_floor(problem(graph)).size;
        row.push_back({.forward = graph.flow.time_once(),
                       .constant = all - std::exchange(before, all),
                       .choices = {{.in_forward = floor, .in_backward = floor}}});
    }
    return row;
}

/// A stage for each part between the cuts that are named: its choices are plans.
auto stages_of(cut_graph const& of, std::vector<std::size_t> ends, stage_curve_options const& options)
    -> std::vector<pipeline_stage> {
    ends.push_back(of.cuts.size() - 1);
    std::vector<training_graph> graphs;
    std::vector<bytes> beside;
    for (std::size_t r = 0; r + 1 < ends.size(); ++r) {
        auto const part = of.part(ends[r], ends[r + 1]);
        graphs.push_back(io::make_training_graph(part));
        beside.push_back(plan::bytes_beside(part, of.beside));
    }
    auto stages = make_pipeline_stages(graphs, options);
    for (std::size_t r = 0; r < stages.size(); ++r) stages[r].rank = r, stages[r].constant = beside[r];
    return stages;
}

}  // namespace

auto place_network(arguments const& asked, pipeline_options const& options) -> answer {
    auto const budget = io::parse_bytes(asked.budgets.front());
    cut_graph const of(asked.network);
    auto const row = row_of_parts(of);
    plan::time_limit const limit(options.limits.seconds);
    answer a{.name = of.net.name(), .by_plans = true};
    auto& least = a.least.emplace();
    a.read.pipeline = {.ranks = 1, .microbatches = asked.microbatches, .stages = row};
    a.read.time_unit = of.net.time_unit();
    for (std::size_t k = 0; k < row.size() && !least.too_large; ++k)
        if (!cut_row({&row[k], 1}, budget)) least.too_large = k;
    a.none_exists = least.too_large.has_value();
    if (a.none_exists) return a;
    least.lower_bound = cut_row(row, budget).value().size();
    stage_curve_options curve{.budgets = budgets_of_part,
                              .planner = {.limits = {.work = work_of_part, .stop = options.limits.stop}}};
    for (auto ranks = least.lower_bound; ranks <= row.size() && !a.plan.schedule; ++ranks) {
        auto const begins = cut_row(row, budget, ranks).value();
        if (ranks > least.lower_bound && begins.size() < ranks) continue;  // as before
        a.read.pipeline = {.ranks = begins.size(), .microbatches = asked.microbatches};
        // Half of what is left is for all parts.
        if (auto const left = limit.left())
            curve.planner.limits.seconds = *left / 2 / static_cast<double>(begins.size());
        a.read.pipeline.stages = stages_of(of, begins, curve);
        a.budgets.assign(begins.size(), budget);
        a.plan = {.least = find_least_bytes(a.read.pipeline)};
        if (std::ranges::max(a.plan.least) > budget) continue;
        auto rest = options;
        rest.limits.seconds = limit.left();
        a.plan = plan_pipeline(a.read.pipeline, a.budgets, rest);
        if (a.plan.schedule) least.ranks = begins.size();
    }
    return a;
}

}  // namespace pipeline_program
