#include "curve_report.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/io/byte_size.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"
#include "drawing/curves_picture.hpp"
#include "link_report.hpp"

namespace plan {

using namespace repebble;
using command_line::one_line;

namespace {

auto point_of(subject const& about, bytes memory, std::int64_t overhead) -> drawing::curve_point {
    return {percent(memory, about.keep_all_peak), percent(overhead, about.time_once)};
}

/// What fits, from the least budget to the most.
auto series_of(subject const& about, std::string const& name, std::vector<outcome> const& rows)
    -> drawing::curve_series {
    drawing::curve_series series{name, {}};
    for (auto const& row : rows)
        if (row.strategy == name && row.feasible)
            series.plans.push_back(point_of(about, row.budget.value_or(row.plan->cost.peak), row.plan->cost.overhead));
    std::ranges::sort(series.plans, {}, [](auto const& p) { return std::pair(p.memory, p.overhead); });
    return series;
}

void print_row(subject const& about, outcome const& row) {
    auto const budget = row.budget ? io::format_bytes(*row.budget) : "any";
    auto const share = row.budget ? fmt::format("{:.1f}%", percent(*row.budget, about.keep_all_peak)) : "-";
    auto const of_once = [&](std::int64_t time) { return fmt::format("{:.2f}%", percent(time, about.time_once)); };
    auto const least = row.proof && !row.proof->none_exists ? of_once(row.proof->lower_bound) : "-";
    auto const remark = !row.plan       ? one_line(row.note)
                        : !row.feasible ? "does not fit"
                        : !row.proof    ? ""
                                        : row.proof->time_claim();
    fmt::print("{:<22} {:>11} {:>11} {:>11} {:>10} {:>10}  {}\n", row.strategy, budget, share,
               row.plan ? io::format_bytes(row.plan->cost.peak) : "-",
               row.plan ? of_once(row.plan->cost.overhead) : "-", least, remark);
}

}  // namespace

void print_table(subject const& about, least_memory const& floor, curve const& found) {
    fmt::print("{}: {} vertices, {} edges, {}; keep_all peaks at {}; {} needs {} ({:.1f}%), whatever the schedule\n",
               one_line(about.graph), about.vertices, about.edges, about.convention,
               io::format_bytes(about.keep_all_peak), floor.vertex.empty() ? "nothing" : floor.vertex,
               io::format_bytes(floor.size), percent(floor.size, about.keep_all_peak));
    print_alignment(about);
    fmt::print("{:<22} {:>11} {:>11} {:>11} {:>10} {:>10}\n", "strategy", "budget", "of keep_all", "peak", "overhead",
               "at least");
    for (auto const& row : found.others) print_row(about, row);
    for (auto const& row : found.automatic) print_row(about, row);
    print_copies(about, found.automatic);
    fmt::print("\nautomatic: {} budgets in {:.3f} CPU s\n", found.automatic.size(), found.seconds);
}

void print_json(subject const& about, least_memory const& floor, curve const& found) {
    auto all = json_of(about);
    all["plans"] = nlohmann::ordered_json::array();
    for (auto const& row : found.others) {
        auto& plan = all["plans"].emplace_back(json_of(about, row));
        plan["budget"] = row.budget ? nlohmann::ordered_json(*row.budget) : nullptr;
    }
    all["curve"] = nlohmann::ordered_json::array();
    for (auto const& row : found.automatic) {
        auto const plan = json_of(about, row);
        auto& point = all["curve"].emplace_back(nlohmann::ordered_json{{"budget", *row.budget}});
        for (auto const* field : {"peak", "time", "overhead", "overhead_percent", "lower_bound", "gap", "time_least",
                                  "peak_least", "none_exists", "found_by"})
            point[field] = plan.at(field);
        if (about.link) add_copies(point, row);
        if (row.peak_without_inputs) point["peak_without_inputs"] = *row.peak_without_inputs;
    }
    all["curve_seconds"] = found.seconds;
    all["floor"] = floor.size;
    all["floor_vertex"] = floor.vertex;
    command_line::print_json(all);
}

auto picture_of(subject const& about, least_memory const& floor, curve const& found) -> std::string {
    drawing::curve_panel panel{
        .title = fmt::format("100 % is {}; the floor is {}, {:.1f} %", io::format_bytes(about.keep_all_peak),
                             io::format_bytes(floor.size), percent(floor.size, about.keep_all_peak)),
        .floor = percent(floor.size, about.keep_all_peak),
        .bounded = series_of(about, found.automatic.front().strategy, found.automatic)};
    for (auto const& row : found.automatic) {
        if (row.proof->none_exists)
            panel.impossible = std::max(panel.impossible, percent(*row.budget, about.keep_all_peak));
        else
            panel.bounds.push_back(point_of(about, *row.budget, row.proof->lower_bound));
    }
    std::ranges::sort(panel.bounds, {}, &drawing::curve_point::memory);
    for (auto const& row : found.others)
        if (panel.others.empty() || panel.others.back().name != row.strategy)
            panel.others.push_back(series_of(about, row.strategy, found.others));
    return drawing::curves_picture(about.graph + ": overhead against budget", {std::move(panel)});
}

}  // namespace plan
