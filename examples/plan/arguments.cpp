#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <repebble/io/byte_size.hpp>
#include <repebble/io/machine.hpp>
#include <repebble/io/parse_link.hpp>

#include "command_line/check_files.hpp"
#include "command_line/onnx_arguments.hpp"
#include "command_line/run_program.hpp"
#include "strategies.hpp"

namespace plan {

using namespace repebble;

namespace {

template <class T>
using names = std::map<std::string, T>;

constexpr char const* examples = R"(
Examples:
  plan resnet50_joint.json --budget 60%
  plan gpt2 --budget 50% --strategy automatic --time-limit 10
  plan resnet152 --batch 96 --budget 16GiB
  plan resnet50 --budget 16GiB --largest batch --most-overhead 0.1
  plan gpt2_medium --budget 80GiB --largest batch --include parameters,gradients,optimizer,inputs
  plan resnet50 --curve 20 --curve-svg curve.svg --strategy automatic,save_set
  plan unet_small.json --budget 2GiB --strategy lower_set_exact --schedule out.json
  plan unet_small.json --replay out.json
  plan unet_small.json --budget 2GiB --compare own.schedule.json
  plan unet_small.json --in-place --arena --arena-svg arena.svg
  plan unet_small.json --inference --budget min
  plan model.onnx --budget 60% --dimension batch=8
  plan resnet50 --html page.html
  plan resnet50 --device 1080ti --link 12GB/s --budget 50% --strategy automatic
Bytes are those of values and gradients, without parameters and inputs, but for --include.
Exit status: 0, 2 for bad input, 3 when nothing fits.)";

/// What stands between commas.
auto split(std::string_view text) -> std::vector<std::string> {
    std::vector<std::string> all;
    for (;;) {
        auto const comma = std::min(text.find(','), text.size());
        all.emplace_back(text.substr(0, comma));
        if (comma == text.size()) return all;
        text.remove_prefix(comma + 1);
    }
}

/// An option whose value is one of a few words.
template <class T>
auto add_choice(CLI::App& app, std::string const& name, T& target, names<T> const& words, std::string const& help)
    -> CLI::Option* {
    auto const set = [&target, words](std::string const& word) { target = words.at(word); };
    return app.add_option_function<std::string>(name, set, help)->check(CLI::IsMember(words).description(""));
}

/// An option whose value is a whole number, from `least` on.
template <class Target>
auto add_count(CLI::App& app, std::string const& name, Target& target, std::int64_t least, std::string const& help)
    -> CLI::Option* {
    auto const set = [&target, name, least](std::string const& text) {
        std::int64_t number = 0;
        auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (wrong != std::errc{} || end != text.data() + text.size() || number < least)
            throw CLI::ValidationError(name,
                                       text + " is not a whole number from " + std::to_string(least) + " to 2^63 - 1");
        target = static_cast<Target>(number);
    };
    return app.add_option_function<std::string>(name, set, help)->type_name("N");
}

/// An option whose value is a share, up to `most`.
template <class Target>
auto add_share(CLI::App& app, std::string const& name, Target& target, double most, std::string const& help)
    -> CLI::Option* {
    return app.add_option(name, target, help)->check(CLI::Range(0.0, most))->check([](std::string const& text) {
        return text.find_first_of("nN") == text.npos ? "" : text + " is not a number";
    });
}

/// An option whose value is a number above 0.
auto add_rate(CLI::App& app, std::string const& name, std::optional<double>& target, std::string const& help)
    -> CLI::Option* {
    auto const set = [&target, name](std::string const& text) {
        double number = 0;
        auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (wrong != std::errc{} || end != text.data() + text.size() || !(number > 0) || !std::isfinite(number))
            throw CLI::ValidationError(name, text + " is not a number above 0");
        target = number;
    };
    return app.add_option_function<std::string>(name, set, help)->type_name("X");
}

/// An option whose text `read` parses.
template <class Read>
auto add_text(CLI::App& app, std::string const& name, Read read, std::string const& help) -> CLI::Option* {
    auto const set = [name, read](std::string const& text) {
        try {
            read(text);
        } catch (error const& e) {
            throw CLI::ValidationError(name, e.what());
        }
    };
    return app.add_option_function<std::string>(name, set, help)->type_name("TEXT");
}

auto technique_list() -> std::string {
    std::string all;
    for (std::size_t k = 0; k < technique_count; ++k)
        all += (k == 0 ? "" : ", ") + std::string(to_string(static_cast<technique>(k)));
    return all;
}

/// The constants of the automatic planner, each with its default, its range and a sentence.
auto effort_table() -> std::string {
    std::string all;
    for (auto const& c : effort_constants)
        all += fmt::format("{:<30} {:>10.12g}  {:.12g} to {:.12g}{}: {}\n", c.name, c.usual, c.least, c.most,
                           c.is_whole() ? ", whole" : "", c.sentence);
    all.pop_back();
    return all;
}

/// Sets a constant by NAME=VALUE.
void read_effort(std::string const& text, effort& target) {
    if (text == "list") throw CLI::CallForVersion(effort_table(), CLI::ExitCodes::Success);
    auto const equals = text.find('=');
    double value = 0;
    auto const* const first = text.data() + (equals == text.npos ? text.size() : equals + 1);
    auto const* const last = text.data() + text.size();
    auto const [end, wrong] = std::from_chars(first, last, value);
    if (equals == text.npos || equals == 0 || wrong != std::errc{} || end != last)
        throw CLI::ValidationError("--effort", text + " is not NAME=VALUE, nor list");
    try {
        set_effort(target, text.substr(0, equals), value);
    } catch (bad_option const& e) {
        throw CLI::ValidationError("--effort", e.what());
    }
}

}  // namespace

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    CLI::App app("Plans the training of a network within a memory budget.", "plan");
    app.footer(examples);
    app.failure_message([](CLI::App const*, CLI::Error const& e) { return "plan: " + std::string(e.what()) + '\n'; });
    auto& options = result.options;
    names<convention> const conventions{{"value_grad", convention::value_grad},
                                        {"op_backward", convention::op_backward},
                                        {"executable", convention::executable}};
    names<objective> const objectives{{"time", objective::time}, {"memory", objective::memory}};
    names<judged_by> const judges{{"replay", judged_by::replayed}, {"formula", judged_by::formula}};
    names<bool> const last_segments{{"kept", true}, {"recomputed", false}};
    convention how = convention::value_grad;
    auto const group = [&app](char const* name) { app.option_defaults()->group(name); };

    app.add_option(
           "graph", result.graph,
           std::string("graph file (.json), ONNX model (.onnx), also packed (.gz); or a network: ") + networks::names)
        ->required();
    group("Graph");
    command_line::add_dimensions(app, result.dimensions);
    command_line::add_read_limits(app, result.reading);
    app.add_option("--time-unit", result.time_unit,
                   "s, ms, us or ns: the unit of the times of a file that does not say it, which may be fractions then")
        ->check(CLI::IsMember({"s", "ms", "us", "ns"}).description(""));
    auto* inference =
        app.add_flag("--inference", result.inference,
                     "plan the forward graph as it is, without gradients; of a file with a backward pass, "
                     "its forward part");
    group("Plans");
    auto* budget = app.add_option("--budget", result.budget,
                                  "4GiB, 60% (of keep_all's peak), or min: each strategy's own least (default 60%)");
    auto* largest =
        app.add_option("--largest", result.largest,
                       "batch or length: the largest of a network by name, or the largest batch of an ONNX model, with "
                       "a plan of the automatic planner within --budget, and from which on there is none")
            ->check(CLI::IsMember({"batch", "length"}).description(""))
            ->needs(budget);
    add_share(app, "--most-overhead", result.most_overhead, 1e9,
              "with --largest: also the largest whose plan takes at most this share more time, such as 0.1")
        ->needs(largest);
    auto* include =
        add_text(
            app, "--include", [&result](std::string const& text) { result.beside.words = parse_included(text); },
            "with --largest: the budget is for these, too, with commas between: parameters (and masks, statistics), "
            "gradients of the trained ones, optimizer, inputs; they are there all the time")
            ->needs(largest);
    add_count(
        app, "--optimizer-states", result.beside.optimizer_states, 0,
        "with --include optimizer: its states take so many times the bytes of the trained parameters: 0 of SGD, 1 "
        "with momentum, 2 of Adam (default)")
        ->needs(include);
    auto* strategy = app.add_option_function<std::string>(
        "--strategy",
        [&result](std::string const& names) {
            result.strategies = split(names);
            for (auto const& name : result.strategies)
                if (!is_strategy(name))
                    throw CLI::ValidationError("--strategy",
                                               "unknown strategy " + name + "; there are " + strategy_names());
        },
        "only this one, or these, with commas between: " + strategy_names() + " (default: all but " +
            strategies_not_by_default() + "; with --inference those that plan it)");
    group("Gradients and goals");
    auto* convention_option =
        add_choice(app, "--convention", how, conventions,
                   "how gradients are made operations: value_grad (default), op_backward, executable; a file with a "
                   "backward pass keeps its own");
    add_choice(app, "--objective", options.goal, objectives,
               "time: least overhead (default); memory: least peak (section 4.4)");
    add_choice(app, "--judge", options.judge, judges,
               "what must fit the budget: replay of the real schedule (default), or formula (2) of the literal one");
    add_choice(app, "--last-segment", options.keep_last, last_segments,
               "with --judge formula: recomputed (default) or kept");
    add_share(app, "--epsilon", options.epsilon, 1,
              "tolerated loss, as a share of the forward time (default 0 below 10^6 time units, else 0.005)");
    add_count(app, "--lower-set-limit", options.limits.work.emplace(100'000), 0,
              "lower_set_exact searches a family where there are more lower sets (10^5)");
    group("Search");
    add_rate(app, "--time-limit", result.time_limit,
             "seconds for all strategies and budgets together; the automatic planner comes first "
             "(default: a fixed amount of work, some seconds)");
    add_share(app, "--gap", result.automatic.gap, 1e9,
              "the automatic planner stops where its plan is within this share of the proven least (default 0)");
    result.automatic.threads = plan_options::threads_here();
    add_count(app, "--threads", result.automatic.threads, 1,
              "of the automatic planner and the search of lower sets: plans are the same for any number, but with "
              "--time-limit (default: the machine's, at most " +
                  std::to_string(plan_options::most_threads) + ")");
    add_count(app, "--seed", result.automatic.seed, 0, "of the automatic planner's annealing (default 1)");
    add_count(app, "--kept", result.kept, 1, "segment_recursive divides each part at so many cuts (default 1)");
    add_count(app, "--step-limit", result.step_limit, 0,
              "forget_all refuses more computations, lower_set_exhaustive more steps (4 * 10^6)");
    auto* explain =
        app.add_flag("--explain", result.explain,
                     "say which technique of the automatic planner found the plan, raised the bound, and at what cost");
    app.add_option_function<std::string>(
           "--without",
           [&result](std::string const& names) {
               for (auto const& name : split(names)) {
                   auto const known = technique_by_name(name);
                   if (!known)
                       throw CLI::ValidationError("--without",
                                                  "unknown technique " + name + "; there are " + technique_list());
                   result.automatic.without.insert(*known);
               }
           },
           "switch off these techniques of the automatic planner, with commas between: " + technique_list())
        ->type_name("NAMES");
    app.add_option_function<std::vector<std::string>>(
           "--effort",
           [&result](std::vector<std::string> const& all) {
               for (auto const& one : all) read_effort(one, result.automatic.effort);
           },
           "a constant of the automatic planner, once for each; list prints all with default, range and meaning")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    group("Copies to the host");
    auto* link = add_text(
        app, "--link",
        [&result](std::string const& text) {
            if (text != no_link) static_cast<void>(io::parse_link(text));
            result.link = text;
        },
        "the automatic planner may copy to the host over this link: 12GB/s, or the name of a machine (" +
            io::machine_names() +
            "), then with commas a latency such as 10us and half-duplex; none: no copies (default: the graph file's)");
    auto* links = add_text(
        app, "--links",
        [&result](std::string const& text) {
            result.links = split(text);
            for (auto const& one : result.links) static_cast<void>(io::parse_link(one));
        },
        "plans of the automatic planner over each of these links, with commas between, and over none");
    add_text(
        app, "--host-budget", [&result](std::string const& text) { result.host_budget = io::parse_bytes(text); },
        "with --link or --links: bytes on the host at most, such as 16GiB (default: the graph file's)");
    links->excludes(link);
    group("Output");
    app.add_flag("--json", result.json, "print JSON instead of a table");
    auto* schedule = app.add_option("--schedule", result.schedule_out,
                                    "write the schedule (of the fastest plan that fits) to a file");
    auto* replay = app.add_option("--replay", result.replay_in, "judge the schedule in this file instead of planning");
    auto* compare =
        app.add_option("--compare", result.compare,
                       "a row for the schedule in this file, judged like those that are planned, and a point "
                       "in the curve; the first beside the plan on the page; may be repeated")
            ->type_name("FILE")
            ->allow_extra_args(false);
    group("Memory");
    auto* in_place = app.add_flag("--in-place", result.in_place,
                                  "let operations write over what they read last, where the graph allows");
    auto* arena = app.add_flag("--arena", result.arena,
                               "find an offset for everything that each schedule holds (about a second each)");
    add_count(app, "--alignment", result.alignment, 1,
              "sizes are rounded up to multiples of that, as a device allocates them, such as 256; offsets of arenas "
              "are such, too (default 1)");
    app.add_flag("--inputs-outside", result.inputs_outside,
                 "inputs, and what mutations write over them, lie elsewhere: budget, peak and arena do not count them");
    auto* arena_out = app.add_option("--arena-out", result.arena_out,
                                     "--arena, and write the buffers of the fastest plan that fits (.csv)");
    auto* arena_svg =
        app.add_option("--arena-svg", result.arena_svg, "--arena, and draw that of the fastest plan that fits");
    group("Output");
    auto* html = app.add_option("--html", result.html_out,
                                "write a page on the fastest plan that fits (.html): memory over time, offsets, why it "
                                "recomputes what it does, a curve; with --compare two plans side by side");
    convention_option->excludes(inference);
    auto* curve =
        app.add_option("--curve", result.curve,
                       "plans of the automatic planner for many budgets: so many, from the floor to keep_all's "
                       "peak, or a list such as 80%,60%,4GiB; and those of the others that --strategy names");
    auto* curve_svg = app.add_option("--curve-svg", result.curve_svg, "--curve (default 12), and draw it");
    for (auto* option : {schedule, replay, compare, in_place, arena, arena_out, arena_svg, html, curve, curve_svg})
        links->excludes(option);
    for (auto* option : {budget, schedule, replay, in_place, arena, arena_out, arena_svg, html}) {
        curve->excludes(option);
        curve_svg->excludes(option);
    }
    for (auto* option :
         {strategy, explain, links, schedule, replay, compare, in_place, arena, arena_out, arena_svg, html})
        largest->excludes(option);
    group("Graph");
    auto const size = [&app](std::string const& name, std::optional<networks::extent>& target, std::string const& of) {
        return add_count(app, name, target, 1, "of a network by name: " + of);
    };
    auto* batch =
        size("--batch", result.sizes.batch, "its batch size; of an ONNX model the first extent of its inputs");
    size("--resolution", result.sizes.resolution, "height and width of its images");
    size("--classes", result.sizes.classes, "number of classes");
    size("--channels", result.sizes.channels, "number of channels of its images");
    auto* length = size("--length", result.sizes.length, "length of its sequences");
    auto* flops =
        add_rate(app, "--flops-per-second", result.flops_per_second,
                 "of the roofline that gives the times of a network by name or an ONNX model (default 156e12)");
    auto* traffic = add_rate(app, "--bytes-per-second", result.bytes_per_second, "of the same (default 2e12)");
    auto* device = add_text(
        app, "--device",
        [&result](std::string const& text) {
            auto const known = io::find_machine(text);
            if (!known || !(known->flops_per_second > 0)) throw bad_weight(text + " is no device with a roofline");
            result.device = text;
            result.flops_per_second = known->flops_per_second;
            result.bytes_per_second = known->bytes_per_second;
        },
        "the roofline of a network by name or an ONNX model: 1080ti, a100 (default), h100 or gh200");
    device->excludes(flops)->excludes(traffic);
    app.add_option("--times", result.times_in, "table of measured times of a network by name, instead of a roofline")
        ->excludes(flops)
        ->excludes(traffic)
        ->excludes(device);
    app.add_option("--write", result.graph_out, "write the graph to a file")->excludes(largest);
    try {
        app.parse(argc, argv);
        if (result.largest && (*result.largest == "batch" ? batch : length)->count() > 0)
            throw CLI::ValidationError("--largest", *result.largest + " excludes --" + *result.largest);
        command_line::files_by_option read{
            {"the graph", result.graph}, {"--times", result.times_in}, {"--replay", result.replay_in}};
        for (auto const& file : result.compare) read.emplace_back("--compare", file);
        command_line::check_files(read, {{"--write", result.graph_out},
                                         {"--schedule", result.schedule_out},
                                         {"--arena-out", result.arena_out},
                                         {"--arena-svg", result.arena_svg},
                                         {"--html", result.html_out},
                                         {"--curve-svg", result.curve_svg}});
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    result.options.threads = result.automatic.threads;
    result.budget_given = budget->count() > 0;
    result.arena = result.arena || result.arena_out || result.arena_svg;
    if (result.curve_svg && !result.curve) result.curve = "12";
    if (convention_option->count() > 0) result.convention = how;
    return std::nullopt;
}

auto parse_budget(std::string const& text, bytes keep_all_peak) -> std::optional<bytes> {
    if (text == "min") return std::nullopt;
    if (!text.ends_with('%')) return io::parse_bytes(text);
    double percent = 0;
    auto const* const last = text.data() + text.size() - 1;
    auto const [end, wrong] = std::from_chars(text.data(), last, percent, std::chars_format::fixed);
    if (wrong != std::errc{} || end != last || !(percent >= 0))
        throw bad_weight("budget " + text + " is not a percentage such as 60%");
    double const budget = std::floor(static_cast<double>(keep_all_peak) * (percent / 100));
    if (!(budget < 0x1p63)) throw bad_weight("budget " + text + " of keep_all's peak does not fit in 64 bits");
    return static_cast<bytes>(budget);
}

auto parse_curve(std::string const& text, bytes floor, bytes keep_all_peak) -> std::vector<bytes> {
    constexpr bytes most = 1000;
    std::vector<bytes> budgets;
    bytes count = 0;
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (end == text.data() + text.size() && !text.empty()) {
        if (wrong != std::errc{} || count < 2 || count > most)
            throw bad_weight("curve " + text + " is not a number of budgets from 2 to " + std::to_string(most));
        auto const step = static_cast<double>(keep_all_peak - floor) / static_cast<double>(count - 1);
        for (bytes k = 0; k + 1 < count; ++k)
            budgets.push_back(floor + static_cast<bytes>(step * static_cast<double>(k)));
        budgets.push_back(keep_all_peak);
        return budgets;
    }
    for (auto const& one : split(text)) {
        auto const budget = parse_budget(one, keep_all_peak);
        if (!budget) throw bad_weight("curve " + text + ": min is not one budget, but each strategy's own");
        budgets.push_back(*budget);
    }
    return budgets;
}

}  // namespace plan
