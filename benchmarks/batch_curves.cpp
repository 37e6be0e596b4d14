// How long does a step take against the batch? Figure 3 of Kusumoto et al. 2019: vanilla, Chen's, the approximate and
// the exact dynamic programme, and the automatic planner, on their seven networks in the 11.4 GB of their card, by the
// roofline. Writes the page (batch_curves.md) to standard output, and its picture to the file that an argument names;
// of all networks, or of those that further arguments name.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "drawing/growth_picture.hpp"
#include "kusumoto/comparison.hpp"
#include "kusumoto/subjects.hpp"
#include "measure/cheap.hpp"

namespace {

using namespace repebble;
using networks::extent;

/// NVIDIA's Tesla K40c, at 80 % of its 4.29 TFLOP/s and 288 GB/s.
constexpr networks::roofline card{0.8 * 4.29e12, 0.8 * 288e9};
constexpr bytes memory = 11'400'000'000;

/// A network at a batch, and what the card has left for its values.
struct sized {
    training_graph training;
    training_graph by_paper;  ///< with the paper's times, which its formulas add
    bytes room;
};

auto at_batch(kusumoto::paper_row row, extent batch) -> sized {
    row.sizes.batch = batch;
    auto const built = kusumoto::built(row, card);
    return {io::make_training_graph(built.net), io::make_training_graph(kusumoto::built(row).net),
            memory - built.constant()};
}

// ---- the methods -------------------------------------------------------------------------------------------------

using cost_of_plan = std::optional<replay_result>;

auto within(bytes room, replay_result cost) -> cost_of_plan {
    return cost.peak <= room ? cost_of_plan(std::move(cost)) : std::nullopt;
}
/// Of a sequence of lower sets, with liveness.
auto cost_of(planning_graph const& graph, sized const& net, lower_set_sequence const& sequence) -> cost_of_plan {
    return within(net.room, replay(graph.flow(), canonical(graph, sequence)));
}
/// Algorithm 1 of Chen et al. 2016.
auto chens(sized const& net) -> cost_of_plan {
    planning_graph const graph(net.training);
    return cost_of(graph, net, detail::sqrt_sequence(graph.problem()));
}
/// Time-centric: of all budgets for the formulas the one whose schedule is fastest.
auto time_centric(sized const& net, bool exact) -> cost_of_plan {
    planning_graph const graph(net.training), by_paper(net.by_paper);
    auto const curve = solve_lower_sets(
        by_paper.problem(), {.choice = exact ? family_choice::all : family_choice::pruned, .goal = objective::time});
    cost_of_plan best;
    for (std::size_t k = 0; k < curve.breakpoints().size(); ++k)
        if (auto cost = cost_of(graph, net, curve.sequence(k)); cost && (!best || cost->time < best->time))
            best = std::move(cost);
    return best;
}
/// Memory-centric, at the least budget.
auto memory_centric(sized const& net) -> cost_of_plan {
    planning_graph const graph(net.training), by_paper(net.by_paper);
    return cost_of(graph, net, kusumoto::at_least_budget(lower_set_family::pruned(by_paper.problem())).front());
}
auto automatic(sized const& net, std::size_t moves) -> automatic_plan<> {
    return net.room < 0 ? automatic_plan<>{} : plan(net.training, net.room, {.limits = {.work = moves}});
}

struct method {
    char const* name;
    bool is_cheap;
    cost_of_plan (*plan)(sized const&);
};
constexpr std::array methods{
    method{"vanilla", true, [](sized const& n) { return within(n.room, keep_all(n.training).cost); }},
    method{"Chen's", true, chens},
    method{"ApproxDP + TC", true, [](sized const& n) { return time_centric(n, false); }},
    method{"ApproxDP + MC", true, memory_centric},
    method{"ExactDP + TC", false, [](sized const& n) { return time_centric(n, true); }},
    method{"automatic", false, [](sized const& n) {
               auto const found = automatic(n, 20'000).plan;
               return found ? cost_of_plan(found->cost) : std::nullopt;
           }}};

/// The largest batch from `known` on, which fits, by doubling and halving; 0 where that does not.
auto largest_batch(kusumoto::paper_row const& row, method const& m, extent known) -> extent {
    auto const fits = [&](extent batch) { return m.plan(at_batch(row, batch)).has_value(); };
    if (!fits(known)) return 0;
    auto beyond = 2 * known;
    for (; fits(beyond); beyond *= 2) known = beyond;
    while (beyond - known > 1) {
        auto const middle = std::midpoint(known, beyond);
        (fits(middle) ? known : beyond) = middle;
    }
    return known;
}

// ---- rows and pictures -------------------------------------------------------------------------------------------

auto milliseconds(std::int64_t nanoseconds) -> double { return static_cast<double>(nanoseconds) / 1e6; }

void print_head() {
    std::printf("| network | batch |");
    for (auto const& m : methods) std::printf(" %s |", m.name);
    std::printf(" at least | Chen's / ApproxDP + TC |\n|---|--:|");
    for (std::size_t k = 0; k < methods.size() + 2; ++k) std::printf("--:|");
    std::printf("\n");
}

/// A row of times at one batch, which join the lines.
void print_row(kusumoto::paper_row const& row, extent batch, bool cheap, std::vector<drawing::growth_line>& lines) {
    auto const net = at_batch(row, batch);
    std::printf("| %s | %lld |", row.title, static_cast<long long>(batch));
    std::array<double, methods.size()> taken{};
    std::int64_t bound = 0;
    for (std::size_t k = 0; k < methods.size(); ++k) {
        if (cheap && !methods[k].is_cheap) {
            std::printf(" %s |", measure::not_asked);
            continue;
        }
        cost_of_plan cost;
        if (k + 1 < methods.size()) {
            cost = methods[k].plan(net);
        } else {
            auto const found = automatic(net, 50'000);
            if (found.plan) cost = found.plan->cost;
            bound = found.lower_bound;
        }
        if (cost) {
            taken[k] = milliseconds(cost->time);
            lines[k].points.push_back({static_cast<double>(batch), taken[k] / 1000});
            std::printf(" %.0f |", taken[k]);
        } else if (k == 0) {
            std::printf(" (%.0f) |", milliseconds(net.training.flow.time_once()));
        } else {
            std::printf(" – |");
        }
    }
    if (cheap)
        std::printf(" %s |", measure::not_asked);
    else
        std::printf(" %.0f |", milliseconds(net.training.flow.time_once() + bound));
    taken[1] > 0 && taken[2] > 0 ? std::printf(" %.3f |\n", taken[1] / taken[2]) : std::printf(" – |\n");
    std::fflush(stdout);
}

/// The largest batches, by method: a row, and times at batches up to the largest of all.
auto print_network(kusumoto::paper_row const& row, bool cheap, std::string& largest_rows) -> std::string {
    std::array<extent, methods.size()> largest{};
    largest_rows += std::string("| ") + row.title + " |";
    for (std::size_t k = 0; k < methods.size(); ++k) {
        bool const asked = !cheap || methods[k].is_cheap;
        if (asked) largest[k] = largest_batch(row, methods[k], std::max<extent>(1, largest[0]));
        largest_rows += asked ? " " + std::to_string(largest[k]) + " |" : std::string(" ") + measure::not_asked + " |";
    }
    largest_rows += "\n";
    std::vector<drawing::growth_line> lines;
    for (auto const& m : methods) lines.push_back({m.name, {}});
    std::set<extent> batches;
    for (int const quarters : {4, 6, 8, 12, 16, 24, 32}) {
        auto const batch = largest[0] * quarters / 4;
        if (batch >= 1 && batch <= *std::ranges::max_element(largest)) batches.insert(batch);
    }
    for (auto const batch : batches) print_row(row, batch, cheap, lines);
    drawing::growth_line once{"everything once", {}};
    for (auto const batch : batches)
        once.points.push_back(
            {static_cast<double>(batch), milliseconds(at_batch(row, batch).training.flow.time_once()) / 1000});
    auto const least = once.points.front().value / 1.2;
    return drawing::growth_picture(std::string(row.title) + ": seconds of a step against batch", lines,
                                   {.least = least, .unit = "s", .few_decades = true}, once);
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    constexpr int width = 760, height = 390;
    std::vector<std::string> pictures;
    std::string largest_rows;
    std::printf("## Times of a step\n\n");
    print_head();
    for (auto const& row : kusumoto::paper) {
        if (cheap && argc < 3 && row.title != std::string("ResNet50")) continue;
        if (!measure::is_asked_for(row.title, {argv, static_cast<std::size_t>(argc)}, 2)) continue;
        pictures.push_back(print_network(row, cheap, largest_rows));
        std::fprintf(stderr, "%s\n", row.title);
    }
    std::printf("\n## Largest batches\n\n| network |");
    for (auto const& m : methods) std::printf(" %s |", m.name);
    std::printf("\n|---|--:|--:|--:|--:|--:|--:|\n%s", largest_rows.c_str());
    if (argc < 2) return 0;
    auto const rows = static_cast<int>(pictures.size() + 1) / 2;
    drawing::svg all(2 * width, height * rows);
    for (std::size_t k = 0; k < pictures.size(); ++k)
        all.inset(static_cast<double>(k % 2) * width, static_cast<double>(k / 2) * height, width, height, pictures[k]);
    io::write_file(argv[1], std::move(all).finish());
    return 0;
}
