#include "largest.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/planner/find_largest_size.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "beside.hpp"
#include "command_line/cpu_seconds.hpp"
#include "command_line/interruption.hpp"
#include "command_line/naming.hpp"
#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"
#include "command_line/run_program.hpp"
#include "graph_source.hpp"
#include "link.hpp"
#include "report.hpp"

namespace plan {

using namespace repebble;

namespace {

/// A row: one search, and the plans that count in it.
struct searched {
    char const* plans;
    largest_size<> found;
    double seconds;    ///< of CPU
    bytes beside = 0;  ///< the values, at the size that was found
};

/// The graph at a size.
auto network_at(arguments asked, std::uint64_t size, time_limit const& limit) -> io::network {
    auto const extent = static_cast<networks::extent>(size);
    (asked.largest == "batch" ? asked.sizes.batch : asked.sizes.length) = extent;
    return graph_of(asked, limit);
}

/// That of training it, or without gradients.
auto problem_of(io::network const& net, arguments const& asked, time_limit const& limit) -> problem {
    dataflow_changes const rounded{.inputs_outside = asked.inputs_outside, .alignment = asked.alignment.value_or(1)};
    if (asked.inference) return edit(io::make_forward_dataflow(net).flow, rounded);
    return edit(io::make_training_graph(net, asked.convention.value_or(convention::value_grad), {},
                                        asked.reading.account(limit.left())),
                rounded);
}

/// The row of the largest size that keeps everything.
auto keeping_all(std::uint64_t size, std::function<problem(std::uint64_t)> const& at) -> searched {
    searched row{"keep_all", {.found = size}, 0};
    if (size > 0) row.found.plan.plan = keep_all(at(size).flow());
    return row;
}

/// What the budget is for beside the values, in words.
auto with_words(included const& beside) -> std::string {
    if (beside.words.empty()) return "";
    return fmt::format(", for {}, too", fmt::join(beside.words, ", "));
}

auto json_of(searched const& row) -> nlohmann::ordered_json {
    auto const& [plans, found, seconds, beside] = row;
    nlohmann::ordered_json all{{"plans", plans}, {"largest", found.found}};
    all["impossible"] = found.impossible ? nlohmann::ordered_json(*found.impossible) : nullptr;
    if (found.plan.plan) {
        auto const& cost = found.plan.plan->cost;
        all.update({{"peak", cost.peak}, {"time", cost.time}, {"overhead", cost.overhead}});
        all.update({{"lower_bound", found.plan.lower_bound}, {"found_by", found.plan.strategy}});
        if (beside > 0) all["beside"] = beside;
    }
    all["seconds"] = seconds;
    return all;
}

void print_row(searched const& row) {
    auto const& [plans, found, seconds, beside] = row;
    std::string peak = "-", overhead = "-", each = "-";
    if (found.plan.plan) {
        auto const& cost = found.plan.plan->cost;
        peak = io::format_bytes(cost.peak);
        overhead = fmt::format("{:.2f}%", percent(cost.overhead, cost.time - cost.overhead));
        each = fmt::format("{:.6g}", static_cast<double>(cost.time) / static_cast<double>(found.found));
    }
    auto const proven = !found.impossible                      ? ""
                        : *found.impossible == found.found + 1 ? "the largest"
                                                               : fmt::format("none from {} on", *found.impossible);
    fmt::print("{:<22} {:>10} {:>11} {:>10} {:>12} {:>8.3f}  {}\n", plans, found.found, peak, overhead, each, seconds,
               proven);
    if (beside > 0) fmt::print("{:<22} {:>10} {:>11}\n", "  beside them", "", io::format_bytes(beside));
}

}  // namespace

auto find_largest(arguments const& asked, time_limit const& limit) -> int {
    if (!asked.budget_given || asked.budget == "min" || asked.budget.ends_with('%'))
        throw bad_option("--largest needs a budget in bytes, such as --budget 16GiB");
    auto const budget = io::parse_bytes(asked.budget);
    auto in = asked;
    {
        command_line::before_results const nothing_yet(asked.graph);
        choose_link(in, std::nullopt, graph_of(asked, limit));
    }
    auto const naming_size = [&](std::uint64_t n, auto&& make) {
        return command_line::naming(fmt::format("{} at {} {}", in.graph, *in.largest, n),
                                    [&] { return make(network_at(in, n, limit)); });
    };
    auto const at = [&](std::uint64_t n) {
        return naming_size(n, [&](io::network const& net) { return problem_of(net, in, limit); });
    };
    auto const beside = [&](std::uint64_t n) {
        return naming_size(n, [&](io::network const& net) { return bytes_beside(net, in.beside); });
    };
    auto const with_plan = [&](char const* plans, std::optional<double> overhead, double until) {
        double const start = command_line::cpu_seconds();
        auto options = in.automatic;
        options.limits.seconds = limit.left(until);
        options.limits.stop = [&limit] { return limit.is_over(); };
        auto found = find_largest_size(at, budget, options, {.overhead = overhead, .beside = beside});
        return searched{plans, std::move(found), command_line::cpu_seconds() - start};
    };
    std::vector<searched> rows;
    if (in.most_overhead) rows.push_back(with_plan("within the overhead", in.most_overhead, 0.5));
    rows.push_back(with_plan("any", std::nullopt, 1));
    rows.insert(rows.begin(), keeping_all(rows.back().found.kept, at));
    for (auto& row : rows)
        if (row.found.found > 0) row.beside = beside(row.found.found);
    if (command_line::interrupted()) command_line::complain("interrupted; the best plans so far:");
    if (asked.json) {
        nlohmann::ordered_json all{{"graph", asked.graph}, {"size", *asked.largest}, {"budget", budget}};
        if (!in.beside.words.empty()) all["include"] = in.beside.words;
        for (auto const& row : rows) all["rows"].push_back(json_of(row));
        command_line::print_json(all);
    } else {
        fmt::print("{}: the largest {} within {}{}\n\n", command_line::one_line(asked.graph), *asked.largest,
                   io::format_bytes(budget), with_words(in.beside));
        fmt::print("{:<22} {:>10} {:>11} {:>10} {:>12} {:>8}\n", "plans that count", *asked.largest, "peak", "overhead",
                   "time of one", "CPU s");
        for (auto const& row : rows) print_row(row);
    }
    return rows.back().found.found > 0 ? 0 : command_line::nothing_fits;
}

}  // namespace plan
