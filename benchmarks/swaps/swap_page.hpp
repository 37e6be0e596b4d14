#ifndef SWAPS_SWAP_PAGE_HPP
#define SWAPS_SWAP_PAGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/io/byte_size.hpp>

#include "drawing/curves_picture.hpp"
#include "measure/cheap.hpp"

/// Overhead against memory saved of one network over one link, by method: a table, and a panel of a picture.
namespace swaps {

/// The overheads of one method in per cent, one for each limit.
struct column {
    std::string name;
    std::vector<std::optional<double>> overheads{};  ///< nothing where no plan fits, or none was asked for
    bool is_asked = true;                            ///< else the table has a mark for any figure
    std::vector<std::pair<std::optional<double>, std::optional<double>>>
        spreads{};  ///< by seed: the least and the most

    /// Of the next limit: the overheads by seed, of which the median counts.
    void add(std::vector<std::optional<double>> by_seed) {
        std::ranges::sort(by_seed, {}, [](auto const& x) { return std::pair(!x, x.value_or(0)); });
        overheads.push_back(by_seed[(by_seed.size() - 1) / 2]);
        if (by_seed.size() > 1) spreads.emplace_back(by_seed.front(), by_seed.back());
    }
};

struct page {
    std::string network, link;
    std::size_t rows = 0;        ///< of the trace
    repebble::bytes most = 0;    ///< its peak
    double rho = 0;              ///< time of copying the peak over that of computing once
    std::vector<int> limits{};   ///< in per cent of the peak, ascending
    std::vector<column> all{};   ///< the last one is the automatic planner's
    std::vector<double> bounds;  ///< no schedule has less; empty where there is no automatic plan
    std::string note{};          ///< what is left out, and why
};

[[nodiscard]] inline auto shown(std::optional<double> const& overhead) -> std::string {
    return overhead ? drawing::shown(*overhead, 2) : "–";
}
[[nodiscard]] inline auto shown(column const& c, std::size_t k) -> std::string {
    if (!c.is_asked) return measure::not_asked;
    auto cell = shown(c.overheads[k]);
    if (!c.spreads.empty() && c.spreads[k].first != c.spreads[k].second)
        cell += " (" + shown(c.spreads[k].first) + " to " + shown(c.spreads[k].second) + ")";
    return cell;
}

inline void print_page(page const& p) {
    std::printf("\n## %s, %s, ρ = %.1f\n\n%zu rows, peak %s.", p.network.c_str(), p.link.c_str(), p.rho, p.rows,
                repebble::io::format_bytes(p.most).c_str());
    if (!p.note.empty()) std::printf(" %s", p.note.c_str());
    std::printf("\n\n| limit |");
    for (auto const& c : p.all) std::printf(" %s |", c.name.c_str());
    std::printf("%s\n|--:|", p.bounds.empty() ? "" : " at least |");
    for (std::size_t k = 0; k < p.all.size() + (p.bounds.empty() ? 0 : 1); ++k) std::printf("--:|");
    std::printf("\n");
    for (std::size_t k = p.limits.size(); k-- > 0;) {
        std::printf("| %d %% |", p.limits[k]);
        for (auto const& c : p.all) std::printf(" %s |", shown(c, k).c_str());
        if (!p.bounds.empty())
            std::printf(" %s |", p.all.back().is_asked ? drawing::shown(p.bounds[k], 2).c_str() : measure::not_asked);
        std::printf("\n");
    }
    std::fflush(stdout);
}

/// Figure 5 of Chen: memory saved is what the limit leaves of the peak. What has more than twice the least overhead,
/// and more than 10 %, leaves the picture: else nothing is seen below those that copy in the wrong place.
[[nodiscard]] inline auto panel_of(page const& p) -> drawing::curve_panel {
    auto const saved = [&](std::size_t k) { return 100.0 - p.limits[k]; };
    auto const series = [&](column const& c) {
        drawing::curve_series points{c.name, {}};
        for (auto k = p.limits.size(); k-- > 0;)
            if (c.overheads[k]) points.plans.push_back({saved(k), *c.overheads[k]});
        return points;
    };
    double hardest = 0;  // the least overhead of all methods where that is largest
    for (std::size_t k = 0; k < p.limits.size(); ++k) {
        std::optional<double> least;
        for (auto const& c : p.all)
            if (c.overheads[k]) least = std::min(*c.overheads[k], least.value_or(*c.overheads[k]));
        hardest = std::max(hardest, least.value_or(0));
    }
    drawing::curve_panel panel{.title = p.network + ", " + p.link + ", ρ = " + drawing::shown(p.rho, 1),
                               .most_overhead = std::max(10.0, 2 * hardest),
                               .most_memory = 52,
                               .along = "memory saved, % of keep_all's peak"};
    for (auto const& c : p.all) (&c == &p.all.back() ? panel.bounded : panel.others.emplace_back()) = series(c);
    for (auto k = p.bounds.size(); k-- > 0;) panel.bounds.push_back({saved(k), p.bounds[k]});
    return panel;
}

}  // namespace swaps

#endif
