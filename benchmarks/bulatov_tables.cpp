// Bulatov's article "Fitting larger networks into memory" as measurements: every strategy on each of its architectures:
// treewidth, memory and computations against the size; and its residual networks at its depths. Writes the page
// (bulatov_tables.md) to standard output, the growth of memory and computations (bulatov_tables.svg) to the first
// argument, and games of small networks as animations, with bytes against depth, to files named by the second:
// SECONDNAME.svg.
//   benchmark_bulatov_tables bulatov_tables.svg bulatov_
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/resnet.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>
#include <repebble/treewidth/treewidth.hpp>

#include "drawing/growth_picture.hpp"
#include "drawing/pebbles_picture.hpp"
#include "measure/cheap.hpp"

namespace {

using namespace repebble;
using plan_found = std::optional<recompute_plan<>>;

// ---- the architectures -------------------------------------------------------------------------------------------

/// Successors of each operation, and the row of a picture that it lies in.
struct architecture_graph {
    std::vector<std::vector<int>> successors{};
    std::vector<int> row{};

    auto add(std::vector<std::size_t> const& reads, int in_row = 0) -> std::size_t {
        auto const v = successors.size();
        successors.emplace_back();
        row.push_back(in_row);
        for (auto const u : reads) successors[u].push_back(static_cast<int>(v));
        return v;
    }
};

struct architecture {
    std::string name;
    std::string file;       // of the animation
    std::string treewidth;  // as the article has it
    std::function<architecture_graph(std::size_t)> make;
};

auto feed_forward(std::size_t n) -> architecture_graph {
    architecture_graph g;
    auto last = g.add({});
    for (std::size_t v = 1; v < n; ++v) last = g.add({last});
    return g;
}
/// Blocks of two layers and a sum with what they read.
auto residual(std::size_t n) -> architecture_graph {
    architecture_graph g;
    auto last = g.add({});
    while (g.row.size() + 3 <= n) {
        auto const inner = g.add({g.add({last}, 1)}, 1);
        last = g.add({last, inner});
    }
    return g;
}
/// Towers beside one another between an input and the layer that joins them, linked every so many layers, if ever.
auto towers(std::size_t n, std::size_t count, std::size_t linked_every = 0) -> architecture_graph {
    architecture_graph g;
    auto const input = g.add({}, static_cast<int>(count) / 2);
    std::vector<std::size_t> last(count, input);
    for (std::size_t layer = 1; layer <= n / count; ++layer) {
        auto const before = last;
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<std::size_t> reads{before[k]};
            if (linked_every != 0 && layer % linked_every == 0) reads.push_back(before[(k + 1) % count]);
            last[k] = g.add(reads, static_cast<int>(k));
        }
    }
    g.add(last, static_cast<int>(count) / 2);
    return g;
}
/// A chain whose layers all read `count` statistics of the input.
auto global_statistics(std::size_t n, std::size_t count) -> architecture_graph {
    architecture_graph g;
    auto last = g.add({}, 1);
    std::vector<std::size_t> statistics;
    for (std::size_t k = 0; k < count; ++k) statistics.push_back(g.add({last}, k % 2 == 0 ? 0 : 2));
    while (g.row.size() < n) {
        auto reads = statistics;
        reads.push_back(last);
        last = g.add(reads, 1);
    }
    return g;
}
/// A chain whose layers read the k layers before them.
auto skips(std::size_t n, std::size_t k) -> architecture_graph {
    architecture_graph g;
    for (std::size_t v = 0; v < n; ++v) {
        std::vector<std::size_t> reads;
        for (std::size_t u = v > k ? v - k : 0; u < v; ++u) reads.push_back(u);
        g.add(reads, static_cast<int>(v % 2));
    }
    return g;
}

auto const architectures = std::to_array<architecture>({
    {"feed-forward", "chain", "2", feed_forward},
    {"ResNet", "resnet", "3", residual},
    {"two towers", "towers", "2k = 4", [](std::size_t n) { return towers(n, 2); }},
    {"four towers", "four_towers", "2k = 8", [](std::size_t n) { return towers(n, 4); }},
    {"two global statistics", "statistics", "2 + k = 4", [](std::size_t n) { return global_statistics(n, 2); }},
    {"3-skip", "skips", "k = 3", [](std::size_t n) { return skips(n, 3); }},
    {"two towers, crossed every 5", "cross_towers", "", [](std::size_t n) { return towers(n, 2, 5); }},
});

auto training_of(architecture_graph const& g) -> training_graph {
    return make_training_graph(g.successors, weights{}, needs_inputs_only, convention::executable);
}

// ---- the strategies ----------------------------------------------------------------------------------------------

struct tried_strategy {
    std::string name;
    std::size_t most;  // operations of the network, beyond which it is left out
    std::function<plan_found(training_graph const&, bytes)> plan;
};

/// Without a budget: each takes what its rule says.
auto const by_rule = std::to_array<tried_strategy>({
    {"keep_all", 1 << 20, [](auto const& t, bytes) -> plan_found { return keep_all(t); }},
    {"sqrt_segments", 1 << 13, [](auto const& t, bytes) -> plan_found { return sqrt_segments(t); }},
    {"segment_plan", 1 << 13, [](auto const& t, bytes) -> plan_found { return segment_plan(t); }},
    {"segment_recursive", 1 << 20, [](auto const& t, bytes) -> plan_found { return segment_recursive(t); }},
    {"decomposition_plan", 1 << 13, [](auto const& t, bytes) -> plan_found { return decomposition_plan(t); }},
    {"forget_all", 1 << 10, [](auto const& t, bytes) -> plan_found { return forget_all(t); }},
});

/// Within a budget.
auto const by_budget = std::to_array<tried_strategy>({
    {"segment_plan", 1 << 13,
     [](auto const& t, bytes b) -> plan_found {
         return segment_plan(t, b, {.every_kind = true, .keep_expensive = true, .measure = memory_measure::peak});
     }},
    {"chain_plan", 1 << 13,
     [](auto const& t, bytes b) -> plan_found { return chain_plan(t, b, {.narrow_places = true}); }},
    {"save_set", 1 << 13, [](auto const& t, bytes b) -> plan_found { return save_set(t, b); }},
    {"greedy_eviction", 1 << 13, [](auto const& t, bytes b) -> plan_found { return greedy_eviction(t, b); }},
    {"lower_set_approximate", 600,
     [](auto const& t, bytes b) -> plan_found { return lower_set_plan(t, b, {.sets = lower_set_choice::pruned}); }},
    {"decomposition_plan", 1 << 13, [](auto const& t, bytes b) -> plan_found { return decomposition_plan(t, b); }},
});

auto computations_per_operation(training_graph const& training, replay_result const& cost) -> double {
    return static_cast<double>(cost.time) / static_cast<double>(training.flow.time_once());
}

/// The exponent of growth between the last two points: bytes ~ n^exponent.
auto exponent(std::vector<drawing::growth_point> const& points) -> double {
    if (points.size() < 2) return 0;
    auto const &a = points[points.size() - 2], &b = points.back();
    return std::log(b.value / a.value) / std::log(b.size / a.size);
}

// ---- pictures ----------------------------------------------------------------------------------------------------

/// The game of a plan: forward operations above, gradients below them.
auto game_of(architecture_graph const& g, training_graph const& training, recompute_plan<> const& plan,
             std::string const& title) -> std::string {
    auto const n = g.row.size();
    std::vector<double> column(n);
    for (std::size_t v = 0; v < n; ++v)
        for (auto const w : g.successors[v])
            column[static_cast<std::size_t>(w)] = std::max(column[static_cast<std::size_t>(w)], column[v] + 1);
    auto const rows = 1 + *std::ranges::max_element(g.row);
    std::vector<drawing::pebble_vertex> vertices;
    for (operation_index o = 0; o < training.flow.operation_count(); ++o) {
        auto const& [vertex, pass, part] = training.origin[o];
        bool const forward = pass == pass::forward;
        drawing::pebble_vertex at{column[vertex], static_cast<double>(g.row[vertex]),
                                  (forward ? "operation " : "gradient of ") + std::to_string(vertex)};
        if (!forward) at.row = 2 * rows - at.row;
        if (pass == pass::accumulate) at.column += 0.4, at.row += 0.3 * (1 + part);
        at.column += 0.25 * at.row;  // no edge passes through a vertex between
        for (auto const value : training.flow.reads(o)) at.reads.push_back(training.flow.producers(value).front());
        vertices.push_back(std::move(at));
    }
    std::vector<drawing::pebble_move> moves;
    for (auto const& s : plan.schedule.steps) {
        auto const results = training.flow.writes(s.vertex).size();
        if (s.what == action::compute && results == 0) continue;  // the gradient of an input
        moves.push_back({s.vertex, s.what == action::compute ? results : 0});
    }
    return drawing::pebbles_picture(title, vertices, moves);
}

// ---- tables ------------------------------------------------------------------------------------------------------

constexpr std::array<std::size_t, 7> sizes{64, 128, 256, 512, 1024, 2048, 4096};

struct growth {
    std::vector<drawing::growth_line> memory, computations;
};

void print_widths() {
    std::printf(
        "| architecture | article | network, n = 64 | training graph, n = 64 | n = 512 |\n|---|--:|--:|--:|--:|\n");
    auto const width = [](auto const& g) {
        auto const found = find_treewidth(undirected_graph::of(g), {.limits = {.seconds = 1}});
        return (found.lower < found.upper ? std::to_string(found.lower) + " to " : "") + std::to_string(found.upper);
    };
    for (auto const& a : architectures) {
        auto const small = a.make(64);
        std::printf("| %s | %s | %s | %s | %s |\n", a.name.c_str(), a.treewidth.c_str(),
                    width(small.successors).c_str(), width(training_of(small).flow).c_str(),
                    width(training_of(a.make(512)).flow).c_str());
    }
}

/// Rows of strategies, columns of sizes: bytes, and computations of each operation in the mean.
auto print_growth(architecture const& a, bool cheap) -> growth {
    growth lines;
    std::printf("\n### %s\n\n| strategy |", a.name.c_str());
    for (auto const n : sizes) std::printf(" %zu |", n);
    std::printf(" bytes grow as |\n|---|");
    for (std::size_t k = 0; k <= sizes.size(); ++k) std::printf("--:|");
    std::printf("\n");
    for (auto const& s : by_rule) {
        drawing::growth_line memory{s.name, {}}, computations{s.name, {}};
        std::printf("| %s |", s.name.c_str());
        for (auto const n : sizes) {
            if (n > s.most || (cheap && n > 128)) {
                std::printf(n > s.most ? " |" : " … |");
                continue;
            }
            auto const training = training_of(a.make(n));
            auto const plan = s.plan(training, 0);
            auto const again = computations_per_operation(training, plan->cost);
            std::printf(" %lld, %.2f |", static_cast<long long>(plan->cost.peak), again);
            memory.points.push_back({static_cast<double>(n), static_cast<double>(plan->cost.peak)});
            computations.points.push_back({static_cast<double>(n), again});
            std::fflush(stdout);
        }
        cheap ? std::printf(" … |\n") : std::printf(" n^%.2f |\n", exponent(memory.points));
        lines.memory.push_back(std::move(memory));
        lines.computations.push_back(std::move(computations));
    }
    return lines;
}

/// Computations of each operation in the mean, within shares of what keep_all needs.
void print_budgets(std::size_t n) {
    std::printf("| architecture | budget |");
    for (auto const& s : by_budget) std::printf(" %s |", s.name.c_str());
    std::printf(" automatic | at least |\n|---|--:|");
    for (std::size_t k = 0; k < by_budget.size() + 2; ++k) std::printf("--:|");
    std::printf("\n");
    for (auto const& a : architectures) {
        auto const training = training_of(a.make(n));
        auto const everything = keep_all(training).cost.peak;
        for (double const share : {0.5, 0.25, 0.12}) {
            auto const budget = static_cast<bytes>(share * static_cast<double>(everything));
            std::printf("| %s | %lld, %.0f %% |", a.name.c_str(), static_cast<long long>(budget), 100 * share);
            for (auto const& s : by_budget) {
                auto const plan = n <= s.most ? s.plan(training, budget) : std::nullopt;
                if (plan)
                    std::printf(" %.3f |", computations_per_operation(training, plan->cost));
                else
                    std::printf(" |");
            }
            auto const found = repebble::plan(training, budget, {.limits = {.work = 1'000'000}});
            auto const once = static_cast<double>(training.flow.time_once());
            if (found.plan)
                std::printf(" %.3f |", computations_per_operation(training, found.plan->cost));
            else
                std::printf(" |");
            std::printf(" %.3f |\n", 1 + static_cast<double>(found.lower_bound) / once);
            std::fflush(stdout);
        }
    }
}

// ---- the article's own networks ------------------------------------------------------------------------------------

/// What the article's figures show of so many blocks in each of three stages, in GB; 0: nothing.
struct depth_of_article {
    networks::extent blocks;
    double regular, saving;
};
constexpr auto depths = std::to_array<depth_of_article>(
    {{1, 0.74, 0.61}, {5, 1.8, 1.1}, {10, 3.3, 1.4}, {19, 5.9, 1.6}, {50, 0, 3.2}, {100, 0, 4.2}, {200, 0, 6.0}});

/// TensorFlow's residual network for CIFAR-10 with identity mappings and blocks of two convolutions, at batch 1280. The
/// times are those of a GTX 1080, at 80 % of 8.87 TFLOP/s and 320 GB/s.
auto cifar_resnet(networks::extent blocks, bool normalised) -> training_graph {
    using namespace networks;
    model m("cifar");
    auto const conv = [&m](std::string const& name, operand x, extent width, extent kernel, extent stride = 1) {
        return m.append(name + ".conv", convolution{width, {kernel, stride, kernel / 2}}, {x});
    };
    auto const active = [&](std::string const& name, operand x) {
        return m.append(name + ".relu", relu{}, {normalised ? m.append(name + ".norm", batch_norm{}, {x}) : x});
    };
    auto x = conv("stem", add_images(m, {.batch = 1280, .resolution = 32}), 16, 3);
    for (std::size_t stage = 0; stage < 3; ++stage)
        for (extent i = 0; i < blocks; ++i) {
            auto const name = networks::detail::block_name(stage, i);
            auto const width = extent{16} << stage, stride = extent{stage > 0 && i == 0 ? 2 : 1};
            auto const first = active(name + ".1", x);
            auto const inner = active(name + ".2", conv(name + ".1", first, width, 3, stride));
            auto const shortcut = i == 0 ? conv(name + ".shortcut", first, width, 1, stride) : x;
            x = m.append(name + ".add", add{}, {conv(name + ".2", inner, width, 3), shortcut});
        }
    add_loss(m, classifier(m, active("head", x), 10));
    return io::make_training_graph(network_of(m, roofline{0.8 * 8.87e12, 0.8 * 320e9}));
}

auto gigabytes(bytes b) -> double { return static_cast<double>(b) / 1e9; }
auto percent_above(training_graph const& training, std::int64_t overhead) -> double {
    return 100 * static_cast<double>(overhead) / static_cast<double>(training.flow.time_once());
}

/// Rows of depths with and without batch norm, to so many blocks; lines of bytes, of those without.
auto print_depths(networks::extent most) -> std::vector<drawing::growth_line> {
    std::vector<drawing::growth_line> lines{{"article, regular", {}, true},
                                            {"article, saving", {}, true},
                                            {"keep_all", {}},
                                            {"sqrt_segments", {}},
                                            {"segment_plan", {}}};
    std::printf(
        "\n## Ten times larger networks\n\n| batch norm | blocks | layers | operations | article, regular | keep_all | "
        "article, saving | "
        "sqrt_segments | segment_plan |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (bool const normalised : {false, true})
        for (auto const& [blocks, regular, saving] : depths) {
            if (blocks > most) break;
            auto const training = cifar_resnet(blocks, normalised);
            std::printf("| %s | %lld | %lld | %zu |", normalised ? "yes" : "no", static_cast<long long>(blocks),
                        static_cast<long long>(6 * blocks + 2), training.flow.operation_count());
            auto const add = [&, at = blocks](std::size_t line, double size) {
                if (size > 0 && !normalised) lines[line].points.push_back({static_cast<double>(at), size});
            };
            auto const shown = [&](std::size_t line, double read_off) {
                std::printf(normalised || read_off == 0 ? " |" : " %.1f GB |", read_off);
                add(line, read_off);
            };
            auto const ours = [&](std::size_t line, replay_result const& cost) {
                std::printf(cost.overhead == 0 ? " %.2f GB |" : " %.2f GB, %.1f %% |", gigabytes(cost.peak),
                            percent_above(training, cost.overhead));
                add(line, gigabytes(cost.peak));
            };
            shown(0, regular);
            ours(2, keep_all(training).cost);
            shown(1, saving);
            ours(3, sqrt_segments(training).cost);
            ours(4, segment_plan(training)->cost);
            std::printf("\n");
            std::fflush(stdout);
        }
    return lines;
}

/// Overheads within shares of what keep_all needs and within what the article's card had for 19 blocks.
void print_depth_budgets() {
    std::printf("| blocks | budget | segment_plan | chain_plan | automatic | at least |\n|--:|--:|--:|--:|--:|--:|\n");
    for (auto const& [blocks, regular, saving] : depths) {
        if (blocks < 19) continue;
        auto const training = cifar_resnet(blocks, false);
        auto const everything = keep_all(training).cost.peak;
        std::vector<bytes> budgets{everything / 2, everything / 4, everything / 10};
        if (blocks > 19) budgets.push_back(5'900'000'000);
        std::ranges::sort(budgets);
        auto const found = repebble::plan(training, budgets, {.limits = {.work = 1'000'000}});
        auto const cell = [&](auto const& plan) {
            if (plan)
                std::printf(" %.2f |", percent_above(training, plan->cost.overhead));
            else
                std::printf(" |");
        };
        for (std::size_t k = 0; k < budgets.size(); ++k) {
            std::printf("| %lld | %.2f GB, %.0f %% |", static_cast<long long>(blocks), gigabytes(budgets[k]),
                        100 * static_cast<double>(budgets[k]) / static_cast<double>(everything));
            for (auto const& s : by_budget)
                if (s.name == "segment_plan" || s.name == "chain_plan") cell(s.plan(training, budgets[k]));
            cell(found[k].plan);
            std::printf(" %.2f |\n", percent_above(training, found[k].lower_bound));
            std::fflush(stdout);
        }
    }
}

void draw_games(std::string const& prefix) {
    for (auto const& a : architectures) {
        auto const g = a.make(16);
        auto const training = training_of(g);
        auto const least = decomposition_plan(training);
        auto const all = keep_all(training).cost.peak;
        auto const budget = std::max(least->cost.peak, (2 * all + 2) / 3);
        auto const found = repebble::plan(training, budget, {.limits = {.work = 20'000}}).plan;
        auto const title =
            a.name + ": " + std::to_string(found->cost.peak) + " pebbles instead of " + std::to_string(all);
        io::write_file(prefix + a.file + ".svg", game_of(g, training, *found, title));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (measure::take_cheap(argc, argv)) {
        for (auto const& a : architectures) print_growth(a, true);
        print_depths(10);
        return 0;
    }
    if (argc != 3) {
        std::fprintf(stderr, "usage: benchmark_bulatov_tables --cheap | GROWTH.svg PREFIX_OF_GAMES\n");
        return 2;
    }
    print_widths();
    constexpr int width = 760, height = 390;
    drawing::svg all(2 * width, height * static_cast<int>(architectures.size()));
    for (std::size_t k = 0; k < architectures.size(); ++k) {
        auto const& a = architectures[k];
        auto const [memory, computations] = print_growth(a, false);
        drawing::growth_line root{"sqrt(n)", {}};
        for (auto const n : sizes) root.points.push_back({static_cast<double>(n), std::sqrt(static_cast<double>(n))});
        auto const y = static_cast<double>(height) * static_cast<double>(k);
        all.inset(0, y, width, height, drawing::growth_picture(a.name + ": bytes against n", memory, {1, "B"}, root));
        all.inset(width, y, width, height,
                  drawing::growth_picture(a.name + ": computations of each operation against n", computations,
                                          {1, "", true}));
    }
    io::write_file(argv[1], std::move(all).finish());
    std::printf("\n");
    print_budgets(512);
    auto const by_depth = print_depths(200);
    io::write_file(
        std::string(argv[2]) + "depths.svg",
        drawing::growth_picture("Residual networks for CIFAR-10, batch 1280: GB against blocks in each stage", by_depth,
                                {.least = 0.5, .unit = "GB", .few_decades = true}));
    std::printf("\n");
    print_depth_budgets();
    draw_games(argv[2]);
    return 0;
}
