#include "arguments.hpp"

#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>

#include "command_line/check_files.hpp"
#include "command_line/parse_number.hpp"
#include "command_line/run_program.hpp"
#include "plan/arguments.hpp"

namespace pipeline_program {

using namespace repebble;

namespace {

constexpr char const* examples = R"(
Examples:
  pipeline v_pipeline.json --budget 50%
  pipeline v_pipeline.json --budget 16GiB,16GiB,24GiB,24GiB --svg ranks.svg
  pipeline v_pipeline.json --budget min --order 1F1B --json
Exit status: 0, 2 for bad input, 3 when nothing that fits was found.)";

constexpr std::uint64_t most_count = 1'000'000'000;

/// An option whose value is a whole number.
template <class Target>
void add_count(CLI::App& app, std::string const& name, Target& target, std::string const& help) {
    auto const set = [&target, name](std::string const& text) {
        auto const number = command_line::number_in<std::uint64_t>(text);
        if (!number || *number > most_count)
            throw CLI::ValidationError(name, text + " is not a whole number up to " + std::to_string(most_count));
        target = *number;
    };
    app.add_option_function<std::string>(name, set, help)->type_name("N");
}

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
    app.add_option("file", result.file, "pipeline (.json, .json.gz)")->required();
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
    app.add_option_function<std::string>(
           "--order", [&](std::string const& word) { result.order = orders.at(word); },
           "only this: 1F1B, zero_bubble, v_shaped, one_at_a_time or found (default: the best of all, or the file's)")
        ->check(CLI::IsMember(orders).description(""));
    app.add_option_function<std::string>(
           "--time-limit",
           [&](std::string const& text) { result.time_limit = command_line::parse_seconds("--time-limit", text); },
           "seconds, reading not included (default: a fixed amount of work, some seconds)")
        ->type_name("S");
    add_count(app, "--tries", result.tries, "orders that the search tries (default 2000)");
    add_count(app, "--seed", result.seed, "of the search (default 1)");
    command_line::add_read_limits(app, result.reading);
    app.add_option("--svg", result.svg, "draw when each rank runs which pass");
    app.add_flag("--json", result.json, "print JSON instead of words");
    try {
        app.parse(argc, argv);
        command_line::check_files({{"the pipeline", result.file}}, {{"--svg", result.svg}});
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace pipeline_program
