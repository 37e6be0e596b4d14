#include "report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <repebble/io/byte_size.hpp>
#include <repebble/io/parse_link.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"
#include "link.hpp"
#include "link_report.hpp"

namespace plan {

using namespace repebble;
using command_line::one_line;

namespace {

auto overhead_percent(subject const& about, recompute_plan<> const& plan) -> double {
    return percent(plan.cost.overhead, about.time_once);
}

/// The columns on the arena, where there are any.
auto arena_columns(subject const& about, std::string const& size, std::string const& share) -> std::string {
    return about.arenas ? fmt::format(" {:>11} {:>9}", size, share) : std::string();
}

/// The column on peaks without inputs, where there are any.
auto inputs_column(subject const& about, std::string const& size) -> std::string {
    return about.inputs ? fmt::format(" {:>14}", size) : std::string();
}
auto inputs_column(subject const& about, outcome const& row) -> std::string {
    return inputs_column(about, row.peak_without_inputs ? io::format_bytes(*row.peak_without_inputs) : "-");
}

auto arena_columns(subject const& about, outcome const& row) -> std::string {
    if (!row.arena) return arena_columns(about, "-", "-");
    auto const of_peak = percent(row.arena->size, row.arena->peak);
    return arena_columns(about, io::format_bytes(row.arena->size), fmt::format("{:.2f}%", of_peak));
}

template <class T>
auto or_null(bool applies, T const& value) -> nlohmann::json {
    return applies ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace

auto percent(double part, double whole) -> double { return whole > 0 ? 100 * part / whole : 0; }
auto percent(bytes part, bytes whole) -> double {
    return percent(static_cast<double>(part), static_cast<double>(whole));
}

auto remark(subject const& about, outcome const& row) -> std::string {
    bytes const needed = row.plan->cost.peak;
    if (row.proof && row.feasible) {
        auto const time = row.proof->time_claim();
        if (about.budget) return time;
        return row.proof->peak_least ? "peak least, " + time
                                     : time + "; a peak of " + io::format_bytes(row.proof->floor) + " is not excluded";
    }
    bool const above = about.budget && needed > *about.budget;
    if (row.feasible && !above && about.budget && row.arena && row.arena->size > *about.budget)
        return "fits, its arena is " + io::format_bytes(row.arena->size - *about.budget) + " above";
    if (row.feasible)
        return above ? "fits by formula, its replay is " + io::format_bytes(needed - *about.budget) + " above" : "";
    return above ? "misses by " + io::format_bytes(needed - *about.budget) : "does not fit by formula";
}

void print_alignment(subject const& about) {
    if (about.alignment > 1)
        fmt::print("all sizes are rounded up to multiples of {}\n", io::format_bytes(about.alignment));
    if (about.inputs_outside) fmt::print("inputs lie elsewhere, and count nothing\n");
    fmt::print("\n");
}

void print_table(subject const& about, std::vector<outcome> const& rows) {
    fmt::print("{}: {} vertices, {} edges, {}; keep_all peaks at {}; budget {}\n", one_line(about.graph),
               about.vertices, about.edges, about.convention, io::format_bytes(about.keep_all_peak),
               about.budget ? io::format_bytes(*about.budget) : "min");
    print_alignment(about);
    fmt::print("{:<22} {:>11} {:>11}{}{} {:>10} {:>9} {:>9} {:>9}\n", "strategy", "peak", "of keep_all",
               inputs_column(about, "without inputs"), arena_columns(about, "arena", "of peak"), "overhead", "segments",
               "steps", "CPU s");
    for (auto const& row : rows) {
        if (!row.plan) {
            fmt::print("{:<22} {:>11} {:>11}{}{} {:>10} {:>9} {:>9} {:>9.3f}  {}\n", row.strategy, "-", "-",
                       inputs_column(about, row), arena_columns(about, row), "-", "-", "-", row.seconds,
                       one_line(row.note));
            continue;
        }
        auto const& p = *row.plan;
        auto remarks = remark(about, row);
        if (!row.note.empty()) remarks += (remarks.empty() ? "" : "; ") + one_line(row.note);
        fmt::print("{:<22} {:>11} {:>10.1f}%{}{} {:>9.2f}% {:>9} {:>9} {:>9.3f}  {}\n", one_line(row.strategy),
                   io::format_bytes(p.cost.peak), percent(p.cost.peak, about.keep_all_peak), inputs_column(about, row),
                   arena_columns(about, row), overhead_percent(about, p),
                   p.segments > 0 ? std::to_string(p.segments) : "-", p.schedule.steps.size(), row.seconds, remarks);
    }
}

void print_techniques(subject const& about, std::vector<outcome> const& rows) {
    for (auto const& row : rows) {
        if (row.techniques.empty()) continue;
        fmt::print("\n{:<18} {:>8} {:>6} {:>7} {:>10}\n", "technique", "CPU s", "plans", "bounds", "raised by");
        for (auto const& t : row.techniques)
            fmt::print("{:<18} {:>8.3f} {:>6} {:>7} {:>9.2f}%{}\n", to_string(t.what), t.seconds, t.plans, t.bounds,
                       percent(t.bound_raised, about.time_once), t.found_plan ? "  found the plan" : "");
    }
}

auto json_of(subject const& about) -> nlohmann::ordered_json {
    nlohmann::ordered_json all{{"graph",
                                {{"name", about.graph},
                                 {"vertices", about.vertices},
                                 {"edges", about.edges},
                                 {"keep_all_peak", about.keep_all_peak}}},
                               {"convention", about.convention},
                               {"budget", or_null(about.budget.has_value(), about.budget.value_or(0))}};
    if (about.alignment > 1) all["alignment"] = about.alignment;
    if (about.inputs_outside) all["inputs_outside"] = true;
    if (about.link) {
        all["link"] = *about.link;
        all["rho"] = copy_ratio(io::parse_link(*about.link), about.keep_all_peak, about.time_once);
    }
    return all;
}

auto json_of(subject const& about, outcome const& row) -> nlohmann::ordered_json {
    auto const plan = row.plan.value_or(recompute_plan<>{});
    bool const has = row.plan.has_value();
    auto const formula = plan.formula.value_or(formula_result{});
    nlohmann::ordered_json all{{"strategy", row.strategy},
                               {"feasible", row.feasible},
                               {"peak", or_null(has, plan.cost.peak)},
                               {"peak_formula", or_null(plan.formula.has_value(), formula.peak)},
                               {"time", or_null(has, plan.cost.time)},
                               {"overhead", or_null(has, plan.cost.overhead)},
                               {"overhead_formula", or_null(plan.formula.has_value(), formula.overhead)},
                               {"overhead_percent", or_null(has, overhead_percent(about, plan))},
                               {"segments", or_null(plan.segments > 0, plan.segments)},
                               {"steps", or_null(has, plan.schedule.steps.size())},
                               {"seconds", row.seconds},
                               {"lower_sets", or_null(plan.lower_sets > 0, plan.lower_sets)},
                               {"epsilon", or_null(plan.lower_sets > 0, plan.epsilon)}};
    if (auto const& proof = row.proof) {
        all["lower_bound"] = proof->lower_bound;
        all["gap"] = or_null(has, proof->gap);
        all["time_least"] = proof->time_least;
        all["peak_least"] = proof->peak_least;
        all["none_exists"] = proof->none_exists;
        all["floor"] = proof->floor;
        all["floor_vertex"] = proof->floor_vertex;
        all["found_by"] = or_null(has, proof->found_by);
        if (!has) all["found"] = or_null(proof->found > 0, proof->found);
    }
    if (about.link) add_copies(all, row);
    if (row.peak_without_inputs) all["peak_without_inputs"] = *row.peak_without_inputs;
    if (about.arenas) {
        auto const has_arena = row.arena.has_value();
        all["arena"] = or_null(has_arena, has_arena ? row.arena->size : 0);
        all["arena_least"] = or_null(has_arena, has_arena && row.arena->proof == offset_proof::height_least);
    }
    for (auto const& t : row.techniques)
        all["techniques"].push_back({{"technique", to_string(t.what)},
                                     {"seconds", t.seconds},
                                     {"plans", t.plans},
                                     {"bounds", t.bounds},
                                     {"bound_raised", t.bound_raised},
                                     {"found_plan", t.found_plan}});
    if (!row.note.empty()) all["note"] = row.note;
    return all;
}

void print_json(subject const& about, std::vector<outcome> const& rows) {
    auto all = json_of(about);
    all["plans"] = nlohmann::ordered_json::array();
    for (auto const& row : rows) all["plans"].push_back(json_of(about, row));
    command_line::print_json(all);
}

}  // namespace plan
