#ifndef CURVES_CURVE_PAGE_HPP
#define CURVES_CURVE_PAGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/planner/strategies.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "drawing/curves_picture.hpp"
#include "measure/cheap.hpp"

/// Overhead against budget of a network, by strategy: a page of words, and a panel of a picture.
namespace curves {

using namespace repebble;

using found = std::optional<recompute_plan<>>;

[[nodiscard]] inline auto cpu_seconds() -> double { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// One network: by strategy, and last the automatic planner, overhead in % of everything once at every budget.
struct page {
    std::string title;
    bytes most = 0;   ///< keep_all's peak
    double once = 1;  ///< time of everything once
    bytes floor = 0;
    std::vector<bytes> budgets{};
    std::vector<std::string> names{};  ///< of the strategies
    std::vector<std::vector<std::optional<double>>> overheads{};
    std::vector<double> seconds{};
    std::vector<std::string> notes{};
    std::vector<double> bounds{};
    std::vector<bool> proven{};
    drawing::curve_point segments{};  ///< sqrt_segments

    [[nodiscard]] auto automatic() const { return names.size(); }
    [[nodiscard]] auto share(bytes b) const -> double {
        return 100 * static_cast<double>(b) / static_cast<double>(most);
    }
    [[nodiscard]] auto above(std::int64_t overhead) const -> double {
        return 100 * static_cast<double>(overhead) / once;
    }
    /// By replay, whatever the strategy says of its plan; nothing where the plan does not fit.
    [[nodiscard]] auto judged(training_graph const& training, found const& plan, bytes budget) const
        -> std::optional<double> {
        if (!plan) return std::nullopt;
        auto const cost = replay(training.flow, plan->schedule);
        if (cost.peak > budget) return std::nullopt;
        return above(cost.overhead);
    }
};

/// Twelve budgets at equal distances, from the floor, or 20 % where that is more, to what keep_all needs.
[[nodiscard]] inline auto budgets_from(bytes floor, bytes most) -> std::vector<bytes> {
    constexpr bytes count = 12;
    bytes const least = std::max(floor, most / 5);
    std::vector<bytes> all;
    for (bytes k = 0; k < count; ++k) all.push_back(least + (most - least) / (count - 1) * k);
    all.back() = most;
    return all;
}

/// Where it is to be cheap, every third budget, and without the automatic planner.
[[nodiscard]] inline auto measured(std::string const& name, networks::model const& net_model,
                                   std::span<char const* const> strategies, any_strategy_options const& how = {},
                                   bool cheap = false) -> page {
    auto const net = networks::network_of(net_model);
    auto const training = io::make_training_graph(net);
    auto const kept = keep_all(training);
    page p{.title = name, .most = kept.cost.peak, .once = static_cast<double>(training.flow.time_once())};
    p.overheads.resize(strategies.size() + 1);
    p.seconds.resize(strategies.size() + 1);
    p.notes.resize(strategies.size());
    for (auto const* const strategy : strategies) p.names.emplace_back(strategy);
    p.floor = find_memory_floor(training).size;
    p.budgets = budgets_from(p.floor, p.most);
    if (cheap) std::erase_if(p.budgets, [&, k = 0](bytes) mutable { return ++k % 3 != 0; });
    auto const segments = replay(training.flow, sqrt_segments(training).schedule);
    p.segments = {p.share(segments.peak), p.above(segments.overhead)};
    for (std::size_t s = 0; s < strategies.size(); ++s) {
        auto const start = cpu_seconds();
        try {
            for (auto const budget : p.budgets)
                p.overheads[s].push_back(
                    p.judged(training, find_strategy(strategies[s]).plan(training, budget, how), budget));
        } catch (limit_reached const& e) {
            p.notes[s] = e.what();
        }
        p.overheads[s].resize(p.budgets.size());
        p.seconds[s] = cpu_seconds() - start;
    }
    if (cheap) return p;
    auto const start = cpu_seconds();
    auto const curve = plan(training, p.budgets);
    p.seconds[strategies.size()] = cpu_seconds() - start;
    for (std::size_t k = 0; k < curve.size(); ++k) {
        p.overheads[strategies.size()].push_back(p.judged(training, curve[k].plan, p.budgets[k]));
        p.bounds.push_back(p.above(curve[k].lower_bound));
        p.proven.push_back(curve[k].proven);
    }
    return p;
}

inline void print_page(page const& p) {
    std::printf(
        "\n## %s\n\nkeep_all needs %s; no schedule needs less than %s (%.1f %%). sqrt_segments: %.1f %% "
        "overhead at %.1f %%.\n\n| budget |",
        p.title.c_str(), io::format_bytes(p.most).c_str(), io::format_bytes(p.floor).c_str(), p.share(p.floor),
        p.segments.overhead, p.segments.memory);
    for (auto const& name : p.names) std::printf(" %s |", name.c_str());
    std::printf(" automatic | at least |\n|--:|");
    for (std::size_t s = 0; s <= p.automatic() + 1; ++s) std::printf("--:|");
    std::printf("\n");
    for (std::size_t k = 0; k < p.budgets.size(); ++k) {
        std::printf("| %.1f %% |", p.share(p.budgets[k]));
        if (p.bounds.empty()) {  // cheap
            for (auto const& of : p.overheads)
                std::printf(" %s |", of.empty() ? measure::not_asked : of[k] ? drawing::shown(*of[k], 2).c_str() : "–");
            std::printf(" %s |\n", measure::not_asked);
            continue;
        }
        for (std::size_t s = 0; s <= p.automatic(); ++s) {
            auto const overhead = p.overheads[s][k];
            auto const text = overhead ? drawing::shown(*overhead, 2) : "–";
            auto const* const bold = s == p.automatic() && p.proven[k] && overhead ? "**" : "";
            std::printf(" %s%s%s |", bold, text.c_str(), bold);
        }
        bool const impossible = !p.overheads[p.automatic()][k] && p.proven[k];
        std::printf(" %s |\n", impossible ? "nothing fits" : drawing::shown(p.bounds[k], 2).c_str());
    }
    std::printf("| *CPU s* |");
    for (auto const seconds : p.seconds) std::printf(" *%.1f* |", seconds);
    std::printf(" |\n");
    for (std::size_t s = 0; s < p.automatic(); ++s)
        if (!p.notes[s].empty()) std::printf("\n%s is left out: %s.\n", p.names[s].c_str(), p.notes[s].c_str());
}

/// How often the automatic planner is where.
inline void print_summary(std::vector<page> const& pages) {
    std::size_t cells = 0, plans = 0, proven = 0, near = 0, beaten = 0, others = 0;
    for (auto const& p : pages)
        for (std::size_t k = 0; k < p.budgets.size(); ++k) {
            ++cells;
            std::optional<double> best;
            for (std::size_t s = 0; s < p.automatic(); ++s)
                if (auto const x = p.overheads[s][k]) best = std::min(*x, best.value_or(*x));
            others += best ? 1U : 0U;
            auto const ours = p.overheads[p.automatic()][k];
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

[[nodiscard]] inline auto panel_of(page const& p) -> drawing::curve_panel {
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
    panel.bounded = series("automatic", p.automatic());
    for (std::size_t k = 0; k < p.budgets.size(); ++k) {
        if (p.proven[k] && !p.overheads[p.automatic()][k])
            panel.impossible = p.share(p.budgets[k]);
        else
            panel.bounds.push_back({p.share(p.budgets[k]), p.bounds[k]});
    }
    for (std::size_t s = 0; s < p.automatic(); ++s) panel.others.push_back(series(p.names[s], s));
    panel.others.push_back({"sqrt_segments", {p.segments}});
    return panel;
}

}  // namespace curves

#endif
