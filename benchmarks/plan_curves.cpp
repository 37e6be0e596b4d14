// What does memory cost in time? Six networks, twelve budgets each, every strategy: overhead against budget, beside
// what is proven of any schedule. Writes the page (plan_curves.md) to standard output, and its picture to the file that
// an argument names.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_exact.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "drawing/curves_picture.hpp"

namespace {

using namespace repebble;

using found = std::optional<recompute_plan<>>;

struct strategy {
    char const* name;
    found (*run)(training_graph<> const&, strategy_options const&);
};
constexpr std::array strategies{
    strategy{"greedy_eviction", [](auto const& t, auto const& o) -> found { return greedy_eviction(t, o); }},
    strategy{"save_set", [](auto const& t, auto const& o) -> found { return save_set(t, o); }},
    strategy{"lower_set_approximate",
             [](auto const& t, auto const& o) -> found { return lower_set_approximate(t, o); }},
    strategy{"lower_set_exact", [](auto const& t, auto const& o) -> found { return lower_set_exact(t, o); }},
};
constexpr std::size_t automatic = strategies.size();

[[nodiscard]] auto cpu_seconds() -> double { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// One network: by strategy, and last the automatic planner, overhead in % of everything once at every budget.
struct page {
    std::string title;
    bytes most = 0;   ///< keep_all's peak
    double once = 1;  ///< time of everything once
    bytes floor = 0;
    std::vector<bytes> budgets{};
    std::array<std::vector<std::optional<double>>, automatic + 1> overheads{};
    std::array<double, automatic + 1> seconds{};
    std::array<std::string, automatic + 1> notes{};
    std::vector<double> bounds{};
    std::vector<bool> proven{};
    drawing::curve_point segments{};  ///< sqrt_segments

    [[nodiscard]] auto share(bytes b) const -> double {
        return 100 * static_cast<double>(b) / static_cast<double>(most);
    }
    [[nodiscard]] auto above(std::int64_t overhead) const -> double {
        return 100 * static_cast<double>(overhead) / once;
    }
    /// By replay, whatever the strategy says of its plan; nothing where the plan does not fit.
    [[nodiscard]] auto judged(training_graph<> const& training, found const& plan, bytes budget) const
        -> std::optional<double> {
        if (!plan) return std::nullopt;
        auto const cost = replay(training.flow, plan->schedule);
        if (cost.peak > budget) return std::nullopt;
        return above(cost.overhead);
    }
};

/// Twelve budgets at equal distances, from the floor, or 20 % where that is more, to what keep_all needs.
[[nodiscard]] auto budgets_from(bytes floor, bytes most) -> std::vector<bytes> {
    constexpr bytes count = 12;
    bytes const least = std::max(floor, most / 5);
    std::vector<bytes> all;
    for (bytes k = 0; k < count; ++k) all.push_back(least + (most - least) / (count - 1) * k);
    all.back() = most;
    return all;
}

[[nodiscard]] auto measured(std::string const& name) -> page {
    auto const net = networks::network_of(networks::by_name(name));
    auto const training = io::training_graph_of(net);
    auto const kept = keep_all(training);
    page p{.title = name, .most = kept.cost.peak, .once = static_cast<double>(training.flow.time_once())};
    p.floor = plan(training, p.most, {.arena = false}).floor.size;
    p.budgets = budgets_from(p.floor, p.most);
    auto const segments = replay(training.flow, sqrt_segments(training).schedule);
    p.segments = {p.share(segments.peak), p.above(segments.overhead)};
    for (std::size_t s = 0; s < strategies.size(); ++s) {
        auto const start = cpu_seconds();
        try {
            for (auto const budget : p.budgets)
                p.overheads[s].push_back(p.judged(training, strategies[s].run(training, {.budget = budget}), budget));
        } catch (limit_reached const& e) {
            p.notes[s] = e.what();
        }
        p.overheads[s].resize(p.budgets.size());
        p.seconds[s] = cpu_seconds() - start;
    }
    auto const start = cpu_seconds();
    auto const curve = plan_curve(training, p.budgets, {.arena = false});
    p.seconds[automatic] = cpu_seconds() - start;
    for (std::size_t k = 0; k < curve.size(); ++k) {
        p.overheads[automatic].push_back(p.judged(training, curve[k].plan, p.budgets[k]));
        p.bounds.push_back(p.above(curve[k].lower_bound));
        p.proven.push_back(curve[k].proven);
    }
    return p;
}

void print_page(page const& p) {
    std::printf(
        "\n## %s\n\nkeep_all needs %s; no schedule needs less than %s (%.1f %%). sqrt_segments: %.1f %% "
        "overhead at %.1f %%.\n\n| budget |",
        p.title.c_str(), io::format_bytes(p.most).c_str(), io::format_bytes(p.floor).c_str(), p.share(p.floor),
        p.segments.overhead, p.segments.memory);
    for (auto const& s : strategies) std::printf(" %s |", s.name);
    std::printf(" automatic | at least |\n|--:|");
    for (std::size_t s = 0; s <= automatic + 1; ++s) std::printf("--:|");
    std::printf("\n");
    for (std::size_t k = 0; k < p.budgets.size(); ++k) {
        std::printf("| %.1f %% |", p.share(p.budgets[k]));
        for (std::size_t s = 0; s <= automatic; ++s) {
            auto const overhead = p.overheads[s][k];
            auto const text = overhead ? drawing::shown(*overhead, 2) : "–";
            auto const* const bold = s == automatic && p.proven[k] && overhead ? "**" : "";
            std::printf(" %s%s%s |", bold, text.c_str(), bold);
        }
        bool const impossible = !p.overheads[automatic][k] && p.proven[k];
        std::printf(" %s |\n", impossible ? "nothing fits" : drawing::shown(p.bounds[k], 2).c_str());
    }
    std::printf("| *CPU s* |");
    for (auto const seconds : p.seconds) std::printf(" *%.1f* |", seconds);
    std::printf(" |\n");
    for (std::size_t s = 0; s < strategies.size(); ++s)
        if (!p.notes[s].empty()) std::printf("\n%s is left out: %s.\n", strategies[s].name, p.notes[s].c_str());
}

/// How often the automatic planner is where.
void print_summary(std::vector<page> const& pages) {
    std::size_t cells = 0, plans = 0, proven = 0, near = 0, beaten = 0, others = 0;
    for (auto const& p : pages)
        for (std::size_t k = 0; k < p.budgets.size(); ++k) {
            ++cells;
            std::optional<double> best;
            for (std::size_t s = 0; s < automatic; ++s)
                if (auto const x = p.overheads[s][k]) best = std::min(*x, best.value_or(*x));
            others += best ? 1U : 0U;
            auto const ours = p.overheads[automatic][k];
            beaten += best && (!ours || *best < *ours) ? 1U : 0U;
            if (!ours) continue;
            ++plans;
            proven += p.proven[k] ? 1U : 0U;
            near += p.proven[k] || *ours - p.bounds[k] <= 0.01 * (100 + p.bounds[k]) ? 1U : 0U;
        }
    std::printf(
        "Of %zu budgets the automatic planner has a plan for %zu, the others together for %zu. Of its plans %zu "
        "are\nproven least, and %zu take at most 1 %% more time than the least. At %zu of them another strategy "
        "is faster.\n",
        cells, plans, others, proven, near, beaten);
}

[[nodiscard]] auto panel_of(page const& p) -> drawing::curve_panel {
    drawing::curve_panel panel{.title = p.title + ": 100 % is " + io::format_bytes(p.most),
                               .floor = p.share(p.floor),
                               .bounded = {"automatic", {}}};
    panel.most_overhead = 36;  // else the first steps of greedy_eviction are all that is seen
    auto const series = [&](std::string name, std::size_t s) {
        drawing::curve_series all{std::move(name), {}};
        for (std::size_t k = 0; k < p.budgets.size(); ++k)
            if (auto const overhead = p.overheads[s][k]) all.plans.push_back({p.share(p.budgets[k]), *overhead});
        return all;
    };
    panel.bounded = series("automatic", automatic);
    for (std::size_t k = 0; k < p.budgets.size(); ++k) {
        if (p.proven[k] && !p.overheads[automatic][k])
            panel.impossible = p.share(p.budgets[k]);
        else
            panel.bounds.push_back({p.share(p.budgets[k]), p.bounds[k]});
    }
    for (std::size_t s = 0; s < strategies.size(); ++s) panel.others.push_back(series(strategies[s].name, s));
    panel.others.push_back({"sqrt_segments", {p.segments}});
    return panel;
}

constexpr char const* introduction = R"(# What memory costs in time

Made by `benchmark_plan_curves plan_curves.svg > plan_curves.md`: six networks of the builders at their default sizes,
gradients by `value_grad`, times by the roofline. Each has twelve budgets at equal distances, from what every schedule
needs (the floor; 20 % where that is less) to what keep_all needs. Figures are overheads: time above computing everything
once, in per cent of that. Every schedule is replayed, and counts where its peak is within the budget.

![overhead against budget, six networks](plan_curves.svg)

*automatic* is `repebble::plan_curve`, and **bold** where its plan is proven least; *at least* is what it proves of any
schedule. The least overhead lies in the band between them. keep_all is the point at 100 %; sqrt_segments has one plan
only; forget_all, which has one plan too, takes several times as long and is left out. The picture ends at 36 %.
*CPU s* is the time of planning for all twelve budgets.
)";

}  // namespace

int main(int argc, char** argv) {
    std::vector<page> pages;
    for (auto const* name : {"resnet50", "vgg19", "unet", "gpt2", "googlenet", "densenet161"}) {
        pages.push_back(measured(name));
        std::fprintf(stderr, "%s\n", name);
    }
    std::printf("%s\n", introduction);
    print_summary(pages);
    for (auto const& p : pages) print_page(p);
    if (argc < 2) return 0;
    std::vector<drawing::curve_panel> panels;
    for (auto const& p : pages) panels.push_back(panel_of(p));
    io::write_file(argv[1], drawing::curves_picture("Overhead against budget, by strategy", panels));
}
