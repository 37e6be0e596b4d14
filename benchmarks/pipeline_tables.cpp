// How near to the bound are plans of pipelines, and what do they gain over rules by hand? p ranks, m microbatches, at
// all, a half and a third of the memory of 1F1B: 1F1B, zero bubble, V-shaped and searched orders, with what each stage
// keeps of each microbatch, beside one choice for all. Markdown; the page is pipeline_tables.md.
//   benchmark_pipeline_tables [--cheap]
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>
#include <repebble/pipelines/stage_curve.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "measure/cheap.hpp"

namespace {

using namespace repebble;

/// What the passes of a rank take, and whether what is computed again counts until its gradients of weights.
struct setting {
    char const* name;
    double input_gradient, weight_gradient;  // in forward passes
    bool whole_backward;
};

constexpr std::int64_t forward_time = 600;
constexpr bytes rank_bytes = 1200;  // of a microbatch on a rank, everything kept
/// Kept, and computed again, as shares: everything, about √n, the inputs of the stage alone.
constexpr std::array<std::pair<double, double>, 3> levels{{{1, 0}, {0.5, 0.4}, {0.06, 1}}};

/// Each rank's share in so many stages, which go there and back.
auto make_pipeline(std::size_t ranks, std::size_t microbatches, std::size_t chunks, setting const& what) -> pipeline {
    pipeline p{.ranks = ranks, .microbatches = microbatches};
    auto const share = [&](double of, double part) {
        return static_cast<std::int64_t>(of * part / static_cast<double>(chunks) + 0.5);
    };
    auto const time = static_cast<double>(forward_time), held = static_cast<double>(rank_bytes);
    for (std::size_t s = 0; s < ranks * chunks; ++s) {
        pipeline_stage stage{.rank = rank_in_v(s, ranks),
                             .forward = share(time, 1),
                             .input_gradient = share(time, what.input_gradient),
                             .weight_gradient = share(time, what.weight_gradient),
                             .choices = {}};
        for (auto const& [kept, again] : levels) {
            auto const later = what.whole_backward ? share(held, 1) : share(held, kept);
            stage.choices.push_back({.recomputation = share(time, again),
                                     .kept = share(held, kept),
                                     .in_backward = later,
                                     .for_weights = later});
        }
        p.stages.push_back(std::move(stage));
    }
    return p;
}

/// The same with one choice for all stages and microbatches.
auto with_choice(pipeline p, std::size_t choice) -> pipeline {
    for (auto& stage : p.stages) stage.choices = {stage.choices[choice]};
    return p;
}

struct totals {
    double half = 0, third = 0, seconds = 0;  // greatest of a setting
};

auto cell(pipeline_plan const& plan, double base) -> std::string {
    if (!plan.schedule) return " - |";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), " %.1f |", 100 * static_cast<double>(plan.cost.makespan) / base);
    return text.data();
}

void print_row(pipeline const& straight, pipeline const& v, double base, bytes memory, char const* share, totals& all,
               bool is_search_asked) {
    std::vector<bytes> const budgets(straight.ranks, memory);
    std::string row =
        "| " + std::to_string(straight.ranks) + " | " + std::to_string(straight.microbatches) + " | " + share + " |";
    for (std::size_t k = 0; k < levels.size(); ++k)  // as 1F1B is, without a search
        row +=
            cell(plan_pipeline(with_choice(straight, k), budgets, {.order = pipeline_order::one_forward_one_backward}),
                 base);
    row += cell(plan_pipeline(straight, budgets, {.order = pipeline_order::one_forward_one_backward}), base);
    row += cell(plan_pipeline(straight, budgets, {.order = pipeline_order::zero_bubble}), base);
    row += cell(plan_pipeline(with_choice(v, 0), budgets, {.order = pipeline_order::v_shaped}), base);
    if (!is_search_asked) return static_cast<void>(std::printf("%s … | … | … | … | … |\n", row.c_str()));
    auto const start = std::clock();
    auto const best = plan_pipeline(v, budgets);
    auto const seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    row += cell(best, base);
    std::printf("%s %.1f | %.1f | %.1f | %.1f |\n", row.c_str(), 100 * static_cast<double>(best.order_bound) / base,
                100 * static_cast<double>(best.lower_bound) / base, 100 * best.gap(), seconds);
    auto const time = static_cast<double>(best.cost.makespan) / base;
    if (memory * 2 == rank_bytes * static_cast<bytes>(v.ranks)) all.half = std::max(all.half, time);
    if (memory * 3 == rank_bytes * static_cast<bytes>(v.ranks)) all.third = std::max(all.third, time);
    all.seconds = std::max(all.seconds, seconds);
}

void print_setting(setting const& what, bool is_cheap) {
    std::printf(
        "\n## %s\n\n| p | m | memory | 1F1B, all kept | all half kept | all made again | 1F1B planned | zero bubble "
        "planned | V, all kept | V planned | its order's bound | bound of any | gap %% | CPU s |\n"
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        what.name);
    totals all;
    for (std::size_t const p : {std::size_t{4}, std::size_t{8}})
        for (std::size_t const m : {std::size_t{16}, std::size_t{32}}) {
            if (is_cheap && (p > 4 || m > 16)) continue;
            auto const straight = make_pipeline(p, m, 1, what), v = make_pipeline(p, m, 2, what);
            auto const memory = rank_bytes * static_cast<bytes>(p);
            auto const base = static_cast<double>(plan_pipeline(with_choice(straight, 0), std::vector<bytes>(p, memory),
                                                                {.order = pipeline_order::one_forward_one_backward})
                                                      .cost.makespan);
            print_row(straight, v, base, memory, "1", all, !is_cheap);
            print_row(straight, v, base, memory / 2, "1/2", all, !is_cheap || !what.whole_backward);
            print_row(straight, v, base, memory / 3, "1/3", all, !is_cheap);
        }
    if (is_cheap) return;
    std::printf("\nAt most %.1f %% at half, %.1f %% at a third, %.1f CPU s.\n", 100 * all.half, 100 * all.third,
                all.seconds);
}

/// Blocks of a transformer, forward: norm, three projections as one, attention, projection, addition, norm, two layers
/// with an activation between them, addition. Times and bytes in shares of what a block has.
auto blocks(std::size_t count) -> training_graph {
    constexpr std::array<int, 10> times{1, 30, 20, 10, 1, 1, 40, 2, 40, 1};
    constexpr std::array<int, 10> sizes{2, 6, 2, 2, 2, 2, 8, 8, 2, 2};
    std::vector<std::vector<int>> readers(10 * count + 1);
    for (std::size_t b = 0; b < count; ++b) {
        auto const at = static_cast<int>(10 * b);  // vertex 0 is the input; block b has at + 1 … at + 10
        auto const edge = [&](int from, int to) { readers[static_cast<std::size_t>(at + from)].push_back(at + to); };
        for (int k = 0; k < 10; ++k) edge(k, k + 1);
        edge(0, 5);
        edge(5, 10);
    }
    weights const w{[times](int v) { return v == 0 ? 0 : times[static_cast<std::size_t>((v - 1) % 10)]; },
                    [sizes](int v) { return v == 0 ? 2 : sizes[static_cast<std::size_t>((v - 1) % 10)]; }};
    return make_training_graph(readers, w, needs_inputs_only);
}

/// Stages from graphs: the planner's curve beside √n segments and everything kept, one choice for all.
void print_graphs() {
    std::printf(
        "\n## Stages of four transformer blocks from graphs, half of the backward pass gradients of weights\n\n"
        "| p | m | memory | 1F1B, all kept | √n segments | 1F1B planned | zero bubble planned | V planned | bound "
        "of any | gap %% |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    stage_curve_options const options{.planner = {.limits = {.work = 50'000}}};
    std::vector<training_graph> const graphs{blocks(4), blocks(2)};
    auto const stages = make_pipeline_stages(graphs, options);
    auto const root = find_stage_choice(graphs[0], sqrt_segments(graphs[0]).schedule);
    for (std::size_t const p : {std::size_t{4}, std::size_t{8}})
        for (std::size_t const m : {std::size_t{16}, std::size_t{32}}) {
            pipeline straight{.ranks = p, .microbatches = m}, v = straight;
            for (std::size_t s = 0; s < 2 * p; ++s) {
                if (s < p) straight.stages.push_back(stages[0]);
                v.stages.push_back(stages[1]);
                if (s < p) straight.stages.back().rank = s;
                v.stages.back().rank = rank_in_v(s, p);
            }
            auto const all_kept = with_choice(straight, 0);
            auto rule = all_kept;
            if (root)
                for (auto& stage : rule.stages) stage.choices = {*root};
            pipeline_options const by_rule{.order = pipeline_order::one_forward_one_backward};
            std::vector<bytes> const no_limit(p, bytes{1} << 40);
            auto const first = plan_pipeline(all_kept, no_limit, by_rule);
            auto const base = static_cast<double>(first.cost.makespan);
            for (auto const& [share, part] : {std::pair{"1", 1}, {"1/2", 2}, {"1/3", 3}}) {
                std::vector<bytes> const budgets(p, first.cost.peaks[0] / part);
                auto const best = plan_pipeline(v, budgets);
                std::printf(
                    "| %zu | %zu | %s |%s%s%s%s%s %.1f | %.1f |\n", p, m, share,
                    cell(plan_pipeline(all_kept, budgets, by_rule), base).c_str(),
                    cell(plan_pipeline(rule, budgets, by_rule), base).c_str(),
                    cell(plan_pipeline(straight, budgets, by_rule), base).c_str(),
                    cell(plan_pipeline(straight, budgets, {.order = pipeline_order::zero_bubble}), base).c_str(),
                    cell(best, base).c_str(), 100 * static_cast<double>(best.lower_bound) / base, 100 * best.gap());
            }
        }
    std::printf("\n%zu choices of a stage of four blocks:", stages[0].choices.size());
    for (auto const& c : stages[0].choices)
        std::printf(" %lld bytes kept, %lld in the backward pass, %lld time units;", static_cast<long long>(c.kept),
                    static_cast<long long>(c.in_backward), static_cast<long long>(c.recomputation));
    std::printf(" a forward pass takes %lld.\n", static_cast<long long>(stages[0].forward));
}

}  // namespace

int main(int argc, char** argv) {
    bool const is_cheap = measure::take_cheap(argc, argv);
    auto const start = std::clock();
    for (auto const& what : {setting{"F = B = W", 1, 1, false}, setting{"B = 1.3 F, W = 0.7 F", 1.3, 0.7, false},
                             setting{"F = B = W, values made again are there until W", 1, 1, true},
                             setting{"B = 1.3 F, W = 0.7 F, values made again are there until W", 1.3, 0.7, true}})
        print_setting(what, is_cheap);
    if (is_cheap) return 0;
    print_graphs();
    std::printf("\n%.1f s of CPU time\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
