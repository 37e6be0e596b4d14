// Stages as graphs: a network of eight equal blocks on four ranks, two stages each, there and back, at half of the
// memory that 1F1B takes. The planner makes each stage's choices once, then the order and what each stage keeps.
#include <cstddef>
#include <iostream>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>
#include <repebble/pipelines/stage_curve.hpp>

int main() {
    constexpr std::size_t ranks = 4, microbatches = 16;
    // A block: a product, cheap steps on large values, a product.
    std::vector<std::vector<int>> const block{{1}, {2}, {3}, {4}, {}};
    repebble::weights const costs{[](int v) { return v == 0 || v == 4 ? 20 : 2; },
                                  [](int v) { return v == 4 ? 2 : 8; }};
    std::vector<repebble::training_graph> const graphs(2 * ranks, repebble::make_training_graph(block, costs));

    repebble::pipeline p{.ranks = ranks, .microbatches = microbatches};
    p.stages = repebble::make_pipeline_stages(graphs);
    for (std::size_t s = 0; s < p.stages.size(); ++s) {
        p.stages[s].rank = repebble::rank_in_v(s, ranks);
        if (s % ranks != ranks - 1) p.stages[s].transfer = 1;  // to another rank
    }
    // In flight in 1F1B: a microbatch of two stages for each rank.
    auto const all = 2 * static_cast<repebble::bytes>(ranks) * p.stages[0].choices[0].kept;
    std::vector<repebble::bytes> const budgets(ranks, all / 2);

    auto const plan = repebble::plan_pipeline(p, budgets);
    if (!plan.schedule) return 1;
    std::cout << to_string(plan.made_by) << ": " << plan.cost.makespan << " time units, at most " << 100 * plan.gap()
              << " % above the least; bytes of each rank, of " << budgets[0] << ':';
    for (auto const peak : plan.cost.peaks) std::cout << ' ' << peak;
    std::cout << "\nchoices of stage 0, by microbatch:";
    for (std::size_t k = 0; k < microbatches; ++k) std::cout << ' ' << plan.schedule->choices[k];
    std::cout << '\n';
    auto const judged = repebble::verify_pipeline(p, *plan.schedule);
    return judged && judged.cost == plan.cost && plan.lower_bound <= plan.cost.makespan ? 0 : 1;
}
