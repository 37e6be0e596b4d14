#include "arguments.hpp"

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/machine.hpp>
#include <repebble/io/parse_link.hpp>

#include "command_line/check_files.hpp"
#include "command_line/parse_number.hpp"
#include "command_line/run_program.hpp"
#include "methods.hpp"

namespace swap_program {

namespace {

constexpr char const* examples = R"(
Examples:
  swap trace.jsonl --limit 4GiB
  swap trace.jsonl --limit 70% --link 6GB/s --method greedy --out plan.json
  swap trace.jsonl --limit 50% --method dqn,automatic --time-limit 60
  swap trace.jsonl --write graph.json --out plan.json && plan graph.json --replay plan.json
Exit status: 0, 2 for bad input, 3 when nothing fits.)";

}  // namespace

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    CLI::App app(
        "Plans what an iteration, of which there is a trace, copies to the host or computes again to stay within a "
        "limit, by several methods, which one judge compares.",
        "swap");
    app.footer(examples);
    app.add_option("trace", result.trace, "JSON lines, also packed (.gz): malloc, free, read and write")->required();
    command_line::add_count<std::uint64_t>(app, "--iteration", result.iteration, 0, UINT32_MAX,
                                           "which of the file, from 0 on (default: the last)");
    app.add_option("--limit", result.limit, "bytes such as 4GiB, or a share of the trace's peak such as 60%")
        ->type_name("SIZE")
        ->capture_default_str();
    app.add_option("--link", result.link,
                   "between device and host: 12GB/s, or a machine's name (" + repebble::io::machine_names() +
                       "); then with commas a latency such as 10us, and half-duplex")
        ->type_name("LINK")
        ->capture_default_str();
    app.add_option_function<std::vector<std::string>>(
           "--method",
           [&](std::vector<std::string> const& names) {
               for (auto const& name : names)
                   if (!is_method(name)) throw CLI::ValidationError("--method", name + " is none of " + method_names());
               result.methods = names;
           },
           "with commas between: " + method_names() + " (default: all but dqn)")
        ->type_name("NAMES")
        ->delimiter(',')
        ->allow_extra_args(false);
    command_line::add_count<std::uint64_t>(app, "--episodes", result.episodes, 1, 1'000'000, "of dqn (default 300)");
    command_line::add_count<std::uint64_t>(app, "--seed", result.seed, 0, UINT64_MAX,
                                           "of dqn and automatic (default 1)");
    app.add_option_function<std::string>(
           "--time-limit",
           [&](std::string const& text) { result.time_limit = command_line::parse_seconds("--time-limit", text); },
           "seconds for each of dqn and automatic (default: a fixed amount of work)")
        ->type_name("S");
    command_line::add_read_limits(app, result.reading);
    app.add_option("--out", result.out, "write the schedule of the fastest plan that fits (packed for .gz)");
    app.add_option("--write", result.write, "write the trace as a graph file (packed for .gz)");
    app.add_flag("--json", result.json, "print JSON instead of the table");
    try {
        app.parse(argc, argv);
        result.via = repebble::io::parse_link(result.link);
        command_line::check_files({{"the trace", result.trace}}, {{"--out", result.out}, {"--write", result.write}});
    } catch (repebble::bad_weight const& e) {
        return command_line::exit_of(app, CLI::ValidationError("--link", e.what()));
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace swap_program
