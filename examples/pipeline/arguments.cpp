#include "arguments.hpp"

#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/networks/sizes.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>

#include "command_line/check_files.hpp"
#include "command_line/parse_number.hpp"
#include "command_line/run_program.hpp"
#include "plan/arguments.hpp"
#include "plan/beside.hpp"
#include "plan/graph_source.hpp"

namespace pipeline_program {

using namespace repebble;

namespace {

constexpr char const* examples = R"(
Examples:
  pipeline v_pipeline.json --budget 50%
  pipeline v_pipeline.json --budget 16GiB,16GiB,24GiB,24GiB --svg ranks.svg
  pipeline v_pipeline.json --budget min --order 1F1B --json
  pipeline v_pipeline.json --budget 6GiB --least-ranks
  pipeline llama3_8b --batch 1 --microbatches 8 --budget 80GiB --least-ranks --include parameters,gradients,optimizer
Exit status: 0, 2 for bad input, 3 when nothing that fits was found.)";

constexpr std::int64_t most_count = 1'000'000'000;

auto split(std::string const& text) -> std::vector<std::string> {
    std::vector<std::string> parts{""};
    for (char const c : text) c == ',' ? parts.emplace_back() : parts.back() += c;
    return parts;
}

}  // namespace

auto budgets_of(pipeline const& p, arguments const& asked) -> std::vector<bytes> {
    auto const& texts = asked.budgets;
    if (texts.size() != 1 && texts.size() != p.ranks)
        throw bad_option("--budget: " + std::to_string(texts.size()) + " budgets for " + std::to_string(p.ranks) +
                         " ranks");
    auto budgets = find_least_bytes(p);
    auto const all = find_bytes_to_keep_all(p);
    for (std::size_t r = 0; r < p.ranks; ++r)
        budgets[r] = plan::parse_budget(texts[texts.size() == 1 ? 0 : r], all[r]).value_or(budgets[r]);
    return budgets;
}

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    CLI::App app(
        "Plans a training step on several ranks: the order of passes, and what each stage keeps of each "
        "microbatch, within the memory of every rank.",
        "pipeline");
    app.footer(examples);
    app.failure_message(
        [](CLI::App const*, CLI::Error const& e) { return "pipeline: " + std::string(e.what()) + "\n"; });
    std::map<std::string, pipeline_order> const orders{{"1F1B", pipeline_order::one_forward_one_backward},
                                                       {"zero_bubble", pipeline_order::zero_bubble},
                                                       {"v_shaped", pipeline_order::v_shaped},
                                                       {"one_at_a_time", pipeline_order::one_at_a_time},
                                                       {"found", pipeline_order::found}};
    app.add_option("file", result.file,
                   std::string("pipeline (.json, .json.gz); with --least-ranks also a network: ") + networks::names)
        ->required();
    app.add_option_function<std::string>(
           "--budget",
           [&](std::string const& text) {
               result.budgets = split(text);
               try {
                   for (auto const& one : result.budgets) static_cast<void>(plan::parse_budget(one, 0));
               } catch (error const& e) {
                   throw CLI::ValidationError("--budget", e.what());
               }
           },
           "of each rank, or one for each with commas between: 24GiB; 60% of what keeps everything of as many "
           "microbatches as there are ranks; or min, the least that works")
        ->required();
    app.add_flag(
        "--least-ranks", result.least_ranks,
        "put the stages, in a row, on as few ranks of so many bytes each as they fit on, and say what proves it; "
        "ranks and orders of the file have no say");
    auto const of_network = [&app](std::string const& name, auto& target, std::string const& help,
                                   std::int64_t least = 1) {
        return command_line::add_count(app, name, target, least, most_count, "of a network by name: " + help);
    };
    of_network("--microbatches", result.microbatches, "of a training step (default 1)");
    of_network("--batch", result.network.sizes.batch, "sequences or images of a microbatch");
    of_network("--length", result.network.sizes.length, "length of its sequences");
    of_network("--resolution", result.network.sizes.resolution, "height and width of its images");
    app.add_option_function<std::string>(
           "--include",
           [&result](std::string const& text) {
               try {
                   result.network.beside.words = plan::parse_included(text);
               } catch (error const& e) {
                   throw CLI::ValidationError("--include", e.what());
               }
               if (result.network.beside.words.contains("inputs"))
                   throw CLI::ValidationError("--include", "inputs are those of a stage, which are counted");
           },
           "of a network by name: the budget is for these, too, with commas between: parameters, gradients, optimizer")
        ->type_name("TEXT");
    of_network("--optimizer-states", result.network.beside.optimizer_states,
               "with --include optimizer: so many times the trained parameters (default 2)", 0);
    app.add_option_function<std::string>(
           "--order", [&](std::string const& word) { result.order = orders.at(word); },
           "only this: 1F1B, zero_bubble, v_shaped, one_at_a_time or found (default: the best of all, or the file's)")
        ->check(CLI::IsMember(orders).description(""));
    app.add_option_function<std::string>(
           "--time-limit",
           [&](std::string const& text) { result.time_limit = command_line::parse_seconds("--time-limit", text); },
           "seconds, reading not included (default: a fixed amount of work, some seconds)")
        ->type_name("S");
    command_line::add_count(app, "--tries", result.tries, 0, most_count,
                            "tries of the search (default: some seconds' work)");
    command_line::add_count(app, "--seed", result.seed, 0, most_count, "of the search (default 1)");
    command_line::add_read_limits(app, result.reading);
    app.add_option("--svg", result.svg, "draw when each rank runs which pass");
    app.add_flag("--json", result.json, "print JSON instead of words");
    try {
        app.parse(argc, argv);
        auto const& one = result.budgets.front();
        if (result.least_ranks && (result.budgets.size() > 1 || one == "min" || one.ends_with('%')))
            throw CLI::ValidationError("--least-ranks", "needs one budget in bytes, such as --budget 24GiB");
        result.network.graph = result.file;
        result.by_name = result.least_ranks && !plan::names_file(result.file);
        for (auto const* option :
             {"--microbatches", "--batch", "--length", "--resolution", "--include", "--optimizer-states"})
            if (!result.by_name && app.count(option) > 0)
                throw CLI::ValidationError(option, "is for networks by name, with --least-ranks");
        command_line::check_files({{"the pipeline", result.file}}, {{"--svg", result.svg}});
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace pipeline_program
