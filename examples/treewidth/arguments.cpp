#include "arguments.hpp"

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "command_line/check_files.hpp"
#include "command_line/parse_number.hpp"
#include "command_line/run_program.hpp"
#include "heuristics.hpp"

namespace treewidth_program {

namespace {

constexpr char const* examples = R"(
Examples:
  treewidth he157.gr.gz --time-limit 10 --td he157.td
  treewidth resnet50_joint.json --json
  treewidth network.dot --heuristic min-fill --svg bags.svg
  treewidth gpt2_small --moral
Exit status: 0, 2 for bad input.)";

}  // namespace

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    CLI::App app("Finds a tree decomposition of small width, and a bound below which no width is.", "treewidth");
    app.footer(examples);
    app.failure_message(
        [](CLI::App const*, CLI::Error const& e) { return "treewidth: " + std::string(e.what()) + "\n"; });
    app.add_option(
           "graph", result.graph,
           "PACE graph (.gr), DOT (.dot, .gv), network (.json), each also packed (.gz); or a network by name (a word "
           "without a dot or a slash)")
        ->required();
    app.add_option_function<std::string>(
           "--heuristic",
           [&](std::string const& name) {
               if (!is_heuristic(name))
                   throw CLI::ValidationError("--heuristic", name + " is none of " + heuristic_names());
               result.heuristic = name;
           },
           heuristic_names() + " (default: best)")
        ->type_name("NAME");
    app.add_option_function<std::string>(
           "--time-limit",
           [&](std::string const& text) { result.time_limit = command_line::parse_seconds("--time-limit", text); },
           "seconds for --heuristic best, reading not included (default 0.4)")
        ->type_name("S");
    command_line::add_count<std::uint64_t>(app, "--seed", result.seed, 0, UINT64_MAX,
                                           "of ties and separators (default 1)");
    command_line::add_count<std::uint64_t>(app, "--threads", result.threads, 1, 1024,
                                           "that work side by side (default: as there are cores)");
    command_line::add_read_limits(app, result.reading);
    app.add_flag("--moral", result.moral, "all that a vertex reads are neighbours of one another, too");
    app.add_option("--td", result.td, "write the tree decomposition as PACE does (packed for .gz)");
    app.add_option("--dot", result.dot, "write the tree of bags as DOT");
    app.add_option("--svg", result.svg, "draw the tree of bags");
    app.add_flag("--json", result.json, "print JSON instead of words");
    try {
        app.parse(argc, argv);
        for (auto const* option : {"--time-limit", "--threads"})
            if (app.count(option) > 0 && result.heuristic != "best")
                throw CLI::ValidationError(option, "is for --heuristic best");
        command_line::check_files({{"the graph", result.graph}},
                                  {{"--td", result.td}, {"--dot", result.dot}, {"--svg", result.svg}});
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace treewidth_program
