// Plans the training of a real network within a memory budget:  plan GRAPH --budget 60%
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/io/csv_buffers.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "arenas.hpp"
#include "arguments.hpp"
#include "curve_report.hpp"
#include "graph_source.hpp"
#include "report.hpp"
#include "strategies.hpp"

namespace {

using namespace repebble;

constexpr int nothing_fits = 3;

/// The schedule of a file in terms of the operations of the training graph.  Throws bad_file with the step.
auto schedule_of(std::string const& file, io::training_schedule const& from, training_graph<> const& training)
    -> schedule<> {
    std::map<std::tuple<std::uint32_t, pass, std::uint32_t>, operation_index> number;
    for (operation_index v = 0; v < training.origin.size(); ++v) {
        auto const& o = training.origin[v];
        number[{o.vertex, o.pass, o.part}] = v;
    }
    auto const key = [](training_vertex<std::uint32_t> const& v) { return std::tuple{v.vertex, v.pass, v.part}; };
    for (std::size_t i = 0; i < from.steps.size(); ++i) {
        for (auto const& v : {from.steps[i].vertex, from.steps[i].over})
            if (!number.contains(key(v)))
                throw bad_file(file,
                               fmt::format("step {}: vertex {} of the {} pass (part {}), which the training graph "
                                           "does not have",
                                           i, v.vertex, to_string(v.pass), v.part));
    }
    return map_vertices(from, [&](training_vertex<std::uint32_t> const& v) { return number.at(key(v)); });
}

/// The convention that a schedule's header names. A joint graph has its own, whatever is asked for.
auto convention_named(std::string const& name, std::string const& file) -> convention {
    if (name.empty() || name == to_string(convention::joint)) return convention::value_grad;
    for (auto const c : {convention::value_grad, convention::op_backward, convention::executable})
        if (name == to_string(c)) return c;
    throw bad_file(file, "unknown convention " + name);
}

/// Replays the schedule of a file.  Throws bad_file with the step, and the vertex in the terms of the file.
auto judged_from(std::string const& file, io::schedule_document const& given, training_graph<> const& training)
    -> recompute_plan<> {
    recompute_plan<> judged;
    judged.schedule = schedule_of(file, given.schedule, training);
    auto verdict = judge(training.flow, judged.schedule);
    if (auto const& broken = verdict.broken) {
        auto const& v = training.origin.at(broken->vertex);
        throw bad_file(file, fmt::format("{}; in terms of the graph it is the {} pass of vertex {}", broken->message,
                                         to_string(v.pass), v.vertex));
    }
    judged.cost = std::move(verdict.result);
    return judged;
}

/// What the header of a written schedule promises of it.
constexpr char const* promised_peak = "peak";
constexpr char const* promised_time = "time";

/// Says so where a replay differs from what the file promised: its graph had other sizes, for example.
void warn_of_difference(std::string const& file, char const* what, nlohmann::json const& header, std::int64_t found) {
    auto const promised = header.find(what);
    if (promised != header.end() && promised->is_number_integer() && *promised != found)
        fmt::print(stderr, "plan: {} promises a {} of {}, and here it is {}\n", file, what, promised->dump(), found);
}

void write_schedule_of(plan::outcome const& best, plan::subject const& about, training_graph<> const& training,
                       std::string const& path) {
    nlohmann::json promised{{promised_peak, best.plan->cost.peak}, {promised_time, best.plan->cost.time}};
    io::write_schedule(path, {about.graph, about.convention, best.strategy, std::move(promised)},
                       map_vertices(best.plan->schedule, [&](operation_index v) { return training.origin[v]; }));
}

void write_arena_of(plan::outcome const& best, plan::subject const& about, training_graph<> const& training,
                    plan::arguments const& asked) {
    auto const& arena = *best.arena;
    auto const named = plan::named_buffers(arena, training);
    if (asked.arena_out) io::write_buffers(*asked.arena_out, named, arena.offsets);
    auto const title = fmt::format("{}: the arena of {}", about.graph, best.strategy);
    if (asked.arena_svg) io::write_file(*asked.arena_svg, plan::picture_of(arena, named, title));
}

/// What f returns; what it has to say against the graph begins with the graph's file or name.
template <class F>
auto naming(std::string const& graph, F&& f) {
    try {
        return f();
    } catch (bad_file const&) {
        throw;
    } catch (error const& e) {
        throw bad_file(graph, e.what());
    }
}

/// Plans for many budgets, and says what came out. Returns the exit status.
auto draw_curve(io::network const& net, training_graph<> const& training, plan::arguments const& asked,
                plan::subject const& about) -> int {
    auto const floor = naming(asked.graph, [&] { return plan::floor_of(training); });
    auto const budgets = plan::parse_curve(*asked.curve, floor.size, about.keep_all_peak);
    if (asked.curve_svg) io::write_file(*asked.curve_svg, "");  // told now where it cannot be
    auto const found = naming(asked.graph, [&] { return plan::run_curve(net, training, asked, budgets); });
    asked.json ? plan::print_json(about, floor, found) : plan::print_table(about, floor, found);
    if (asked.curve_svg) io::write_file(*asked.curve_svg, plan::picture_of(about, floor, found));
    auto const fits = [](auto const& rows) { return std::ranges::any_of(rows, &plan::outcome::feasible); };
    return fits(found.automatic) || fits(found.others) ? 0 : nothing_fits;
}

auto run(plan::arguments const& asked) -> int {
    auto const net = plan::graph_of(asked);
    if (asked.graph_out) io::write_network(*asked.graph_out, net);
    std::optional<io::schedule_document> given;
    if (asked.replay_in) given = io::read_schedule(*asked.replay_in);
    auto const how = asked.convention.value_or(given ? convention_named(given->header.convention, *asked.replay_in)
                                                     : convention::value_grad);
    auto const training = naming(asked.graph, [&] { return io::training_graph_of(net, how); });
    auto const peak = naming(asked.graph, [&] { return keep_all(training).cost.peak; });
    auto const name = net.name().empty() ? std::filesystem::path(asked.graph).stem().string() : net.name();
    plan::subject about{
        name, net.nodes().size(), net.edges().size(), peak, to_string(training.made_by), {}, training.flow.time_once(),
        false};
    std::optional<overwrite_table> in_place;
    if (asked.in_place) in_place = io::overwrites_of(net, training);
    if (asked.curve) return draw_curve(net, training, asked, about);
    std::vector<plan::outcome> rows;
    if (given) {
        if (!given->header.graph.empty() && given->header.graph != name)
            fmt::print(stderr, "plan: {} is a schedule of the graph {}, and is judged on {}\n", *asked.replay_in,
                       given->header.graph, name);
        if (asked.budget_given) about.budget = plan::parse_budget(asked.budget, peak);
        auto judged = judged_from(*asked.replay_in, *given, training);
        warn_of_difference(*asked.replay_in, promised_peak, given->header.extra, judged.cost.peak);
        warn_of_difference(*asked.replay_in, promised_time, given->header.extra, judged.cost.time);
        if (in_place) plan::make_in_place(judged, training, *in_place);
        bool const fits = !about.budget || judged.cost.peak <= *about.budget;
        rows.push_back({.strategy = given->header.strategy,
                        .feasible = fits,
                        .plan = repebble::lower_set_plan<>{{std::move(judged)}}});
        if (asked.arena) rows.back().arena = plan_arena(training.flow, rows.back().plan->schedule);
    } else {
        about.budget = plan::parse_budget(asked.budget, peak);
        rows = naming(asked.graph, [&] { return plan::run_strategies(net, training, asked, about.budget, in_place); });
    }
    about.arenas = asked.arena;
    if (!asked.explain)
        for (auto& row : rows) row.techniques.clear();
    asked.json ? plan::print_json(about, rows) : plan::print_table(about, rows);
    if (!asked.json) plan::print_techniques(about, rows);

    auto const cost = [](plan::outcome const& row) {
        return row.feasible ? std::tuple{0, row.plan->cost.time, row.plan->cost.peak}
                            : std::tuple{1, std::int64_t{0}, bytes{0}};
    };
    auto const best = std::ranges::min_element(rows, {}, cost);
    if (best == rows.end() || !best->feasible) return nothing_fits;
    if (asked.schedule_out) write_schedule_of(*best, about, training, *asked.schedule_out);
    if (asked.arena_out || asked.arena_svg) write_arena_of(*best, about, training, asked);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        plan::arguments asked;
        if (auto const status = plan::read_arguments(argc, argv, asked)) return *status;
        return run(asked);
    } catch (std::exception const& e) {
        fmt::print(stderr, "plan: {}\n", e.what());
        return 2;
    }
}
