// Plans the training of a real network within a memory budget:  plan GRAPH --budget 60%
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_policies.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "arenas.hpp"
#include "arguments.hpp"
#include "command_line/naming.hpp"
#include "command_line/run_program.hpp"
#include "curve_report.hpp"
#include "graph_source.hpp"
#include "largest.hpp"
#include "link.hpp"
#include "link_report.hpp"
#include "page.hpp"
#include "report.hpp"
#include "schedule_source.hpp"
#include "strategies.hpp"

namespace {

using namespace repebble;
using command_line::attempt_each;
using command_line::before_results;
using command_line::complain;
using command_line::naming;
using command_line::nothing_fits;

/// What the header of a written schedule promises of it.
constexpr char const* promised_peak = "peak";
constexpr char const* promised_time = "time";
/// The link over which it does so.
constexpr char const* link_field = "link";
/// Number of bytes of which all sizes are multiples then.
constexpr char const* alignment_field = "alignment";
constexpr char const* outside_field = "inputs_outside";

/// Says so where a replay differs from what the file promised: its graph had other sizes, for example.
void warn_of_difference(std::string const& file, char const* what, nlohmann::json const& header, std::int64_t found) {
    auto const promised = header.find(what);
    if (promised != header.end() && promised->is_number_integer() && *promised != found)
        complain(fmt::format("{} promises a {} of {}, and here it is {}", file, what, promised->dump(), found));
}

void write_schedule_of(plan::outcome const& best, plan::subject const& about, training_graph const& training,
                       std::string const& path) {
    nlohmann::json promised{{promised_peak, best.plan->cost.peak}, {promised_time, best.plan->cost.time}};
    if (about.link) promised[link_field] = *about.link;
    if (about.alignment > 1) promised[alignment_field] = about.alignment;
    if (about.inputs_outside) promised[outside_field] = true;
    io::write_schedule(path, {about.graph, about.convention, best.strategy, std::move(promised)},
                       map_vertices(best.plan->schedule, [&](operation_index v) { return training.origin[v]; }),
                       io::find_reads(best.plan->schedule, training));
}

void draw_arena_of(plan::outcome const& best, plan::subject const& about, training_graph const& training,
                   std::string const& path) {
    auto const title = fmt::format("{}: the arena of {}", about.graph, best.strategy);
    auto const named = plan::named_buffers(best.arena->lifetimes, plan::tensors_of(best.plan->schedule, training));
    io::write_file(path, plan::picture_of(*best.arena, named, title));
}

/// With a row for all that lies in a buffer.
void write_arena_of(plan::outcome const& best, training_graph const& training, std::string const& path) {
    auto const tensors = plan::tensors_of(best.plan->schedule, training);
    auto named = plan::named_buffers(best.arena->lifetimes, tensors);
    auto offsets = best.arena->offsets;
    plan::add_aliases(named, offsets, tensors);
    io::write_buffers(path, named, offsets);
}

void print(plan::subject const& about, std::vector<plan::outcome> const& rows, bool as_json) {
    if (as_json) return plan::print_json(about, rows);
    plan::print_table(about, rows);
    plan::print_copies(about, rows);
    plan::print_techniques(about, rows);
}

/// The alignment that a schedule's header names; nothing where it names none.
auto alignment_said_by(nlohmann::json const& header) -> std::optional<bytes> {
    auto const said = header.find(alignment_field);
    if (said == header.end() || !said->is_number_unsigned()) return std::nullopt;
    return said->get<bytes>();
}

/// A schedule's header says that the bytes of inputs are not counted.
auto leaves_out_inputs(nlohmann::json const& header) -> bool {
    auto const said = header.find(outside_field);
    return said != header.end() && said->is_boolean() && said->get<bool>();
}

/// Says that a signal has ended the searches, before the results are printed.
void say_if_interrupted() {
    if (command_line::interrupted()) complain("interrupted; the best plans so far:");
}

/// What judging is about.
struct judging {
    io::network const& net;
    training_graph const& training;
    plan::arguments const& asked;
    plan::subject const& about;
    std::optional<overwrite_table> const& in_place;
    plan::time_limit const& limit;
};

/// The row of a schedule from a file, judged by replay.  Throws bad_file, naming the step, where it breaks a rule.
auto row_of_file(std::string const& file, io::schedule_document const& given, std::string strategy, judging const& by)
    -> plan::outcome {
    auto const& [net, training, asked, about, in_place, limit] = by;
    if (!given.header.graph.empty() && given.header.graph != about.graph)
        complain(fmt::format("{} is a schedule of the graph {}, and is judged on {}", file, given.header.graph,
                             about.graph));
    auto judged = plan::judged_from(file, given, training, asked.automatic.link);
    warn_of_difference(file, promised_peak, given.header.extra, judged.cost.peak);
    warn_of_difference(file, promised_time, given.header.extra, judged.cost.time);
    if (in_place) plan::make_in_place(judged, training, *in_place);
    if (auto const fault = plan::broken_policy(training, judged.schedule, asked); !fault.empty())
        throw bad_file(file, "does not keep the graph's policies: " + fault);
    bool const fits = !about.budget || judged.cost.peak <= *about.budget;
    plan::outcome row{.strategy = std::move(strategy), .feasible = fits, .plan = std::move(judged)};
    plan::complete(row, training, asked, limit);
    return row;
}

/// The rows of the schedules to compare with, by the names of their files.
auto compared(judging const& by) -> std::vector<plan::outcome> {
    std::vector<plan::outcome> rows;
    for (auto const& file : by.asked.compare) {
        auto const given = io::read_schedule(file, by.asked.reading.account(by.limit.left()));
        auto const& convention = given.header.convention;
        if (!convention.empty() && convention != by.about.convention)
            throw bad_file(file,
                           fmt::format("its convention is {}, and the graph's {}", convention, by.about.convention));
        auto const name = std::filesystem::path(file).filename().string();
        rows.push_back(row_of_file(file, given, command_line::one_line(name), by));
    }
    return rows;
}

/// Plans for many budgets, and says what came out. Returns the exit status.
auto draw_curve(judging const& by, std::vector<plan::outcome> beside) -> int {
    auto const& asked = by.asked;
    auto const& about = by.about;
    auto const floor = naming(asked.graph, [&] { return plan::floor_of(by.training); });
    auto const budgets = plan::parse_curve(*asked.curve, floor.size, about.keep_all_peak);
    auto found = naming(asked.graph, [&] { return plan::run_curve(by.net, by.training, asked, budgets, by.limit); });
    say_if_interrupted();
    auto const fits = [](auto const& rows) { return std::ranges::any_of(rows, &plan::outcome::feasible); };
    int const status = fits(found.automatic) || fits(found.others) ? 0 : nothing_fits;
    std::ranges::move(beside, std::back_inserter(found.others));
    return attempt_each(
        status,
        [&] {
            if (asked.curve_svg) io::write_file(*asked.curve_svg, plan::picture_of(about, floor, found));
        },
        [&] { asked.json ? plan::print_json(about, floor, found) : plan::print_table(about, floor, found); });
}

/// Plans over many links, and says what came out. Returns the exit status.
auto compare_links(io::network const& net, training_graph const& training, plan::arguments const& asked,
                   plan::subject const& about, plan::time_limit const& limit) -> int {
    auto const rows = naming(asked.graph, [&] { return plan::run_links(net, training, asked, about.budget, limit); });
    say_if_interrupted();
    asked.json ? plan::print_links_json(about, asked.links, rows) : plan::print_links(about, asked.links, rows);
    return std::ranges::any_of(rows, &plan::outcome::feasible) ? 0 : nothing_fits;
}

/// Says what is assumed where a graph that is planned as it is does not name its results.
void tell_of_results(plan::arguments const& asked, io::network const& net, training_graph const& training) {
    if ((!asked.inference && !net.is_joint()) || !training.flow.results().empty()) return;
    complain(fmt::format("{} names no results (\"result\": true): every value may be let go after its last use",
                         asked.graph));
}

auto run(plan::arguments asked) -> int {
    plan::time_limit const limit(asked.time_limit);
    if (asked.largest) return plan::find_largest(asked, limit);
    std::optional<before_results> nothing_yet(asked.graph);
    auto const net = plan::graph_of(asked, limit);
    nothing_yet.reset();
    if (asked.graph_out) io::write_network(*asked.graph_out, net);
    nothing_yet.emplace(asked.graph);
    std::optional<io::schedule_document> given;
    if (asked.replay_in) given = io::read_schedule(*asked.replay_in, asked.reading.account(limit.left()));
    if (given && given->header.convention == plan::inference) asked.inference = true;
    std::optional<std::string> of_schedule;
    if (given)
        if (auto const said = given->header.extra.find(link_field);
            said != given->header.extra.end() && said->is_string())
            of_schedule = said->get<std::string>();
    plan::choose_link(asked, of_schedule, net);
    if (given && !asked.alignment) asked.alignment = alignment_said_by(given->header.extra);
    if (given) asked.inputs_outside = asked.inputs_outside || leaves_out_inputs(given->header.extra);
    auto const how = asked.convention.value_or(
        given ? plan::convention_named(given->header.convention, *asked.replay_in) : convention::value_grad);
    std::optional<forward_dataflow> forward;
    if (asked.inference) forward = naming(asked.graph, [&] { return io::make_forward_dataflow(net); });
    auto const account = asked.reading.account(limit.left());
    account.open({}, net.nodes().size() + net.edges().size());
    auto const exact = forward ? plan::without_gradients(*forward)
                               : naming(asked.graph, [&] { return io::make_training_graph(net, how, {}, account); });
    auto const alignment = asked.alignment.value_or(1);
    auto const training = naming(
        asked.graph, [&] { return edit(exact, {.inputs_outside = asked.inputs_outside, .alignment = alignment}); });
    asked.automatic.policies = forward ? io::find_policies(net, *forward) : io::find_policies(net);
    if (!given) tell_of_results(asked, net, training);
    auto const peak = naming(asked.graph, [&] { return keep_all(training).cost.peak; });
    // Of a file's name there may be any bytes, and a schedule is UTF-8.
    auto const name =
        net.name().empty() ? command_line::one_line(std::filesystem::path(asked.graph).stem().string()) : net.name();
    plan::subject about{name,
                        net.nodes().size(),
                        net.edges().size(),
                        peak,
                        forward ? plan::inference : to_string(training.made_by),
                        {},
                        training.flow.time_once(),
                        asked.link};
    about.alignment = alignment;
    about.inputs_outside = asked.inputs_outside;
    std::optional<overwrite_table> in_place;
    if (asked.in_place) in_place = forward ? io::find_overwrites(net, *forward) : io::find_overwrites(net, exact);
    bool const has_budget = !asked.curve && (!given || asked.budget_given);
    if (has_budget) about.budget = plan::parse_budget(asked.budget, peak);
    judging const by{net, training, asked, about, in_place, limit};
    auto beside = compared(by);
    nothing_yet.reset();
    if (asked.curve) return draw_curve(by, std::move(beside));
    if (!asked.links.empty()) return compare_links(net, training, asked, about, limit);
    std::vector<plan::outcome> rows;
    if (given)
        rows.push_back(row_of_file(*asked.replay_in, *given, given->header.strategy, by));
    else
        rows = naming(asked.graph,
                      [&] { return plan::run_strategies(net, training, asked, about.budget, in_place, limit); });
    rows.reserve(rows.size() + beside.size());
    auto const cost = [](plan::outcome const& row) {
        return row.feasible ? std::tuple{0, row.plan->cost.time, row.plan->cost.peak}
                            : std::tuple{1, std::int64_t{0}, bytes{0}};
    };
    auto const best = std::ranges::min_element(rows, {}, cost);  // of those that are planned here
    bool const fits = best != rows.end() && best->feasible;
    auto const planned = rows.size();
    std::ranges::move(beside, std::back_inserter(rows));
    about.arenas = asked.arena;
    about.inputs = std::ranges::any_of(rows, [](auto const& row) { return row.peak_without_inputs.has_value(); });
    if (!asked.explain)
        for (auto& row : rows) row.techniques.clear();
    say_if_interrupted();
    // First what took longest to find, last what takes long to make.
    return attempt_each(
        fits ? 0 : nothing_fits,
        [&] {
            if (fits && asked.schedule_out) write_schedule_of(*best, about, training, *asked.schedule_out);
        },
        [&] {
            if (fits && asked.arena_out) write_arena_of(*best, training, *asked.arena_out);
        },
        [&] {
            if (fits && asked.arena_svg) draw_arena_of(*best, about, training, *asked.arena_svg);
        },
        [&] { print(about, rows, asked.json); },
        [&] {
            if (asked.html_out)
                io::write_file(*asked.html_out,
                               plan::page_of(net, training, asked, about, rows, fits ? &*best : nullptr,
                                             planned < rows.size() ? &rows[planned] : nullptr, in_place, limit));
        });
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::run_program("plan", [&]() -> int {
        plan::arguments asked;
        if (auto const status = plan::read_arguments(argc, argv, asked)) return *status;
        return run(asked);
    });
}
