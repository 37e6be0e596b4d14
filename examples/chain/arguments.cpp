#include "arguments.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/byte_size.hpp>

#include "command_line/parse_number.hpp"
#include "command_line/run_program.hpp"

namespace chain_program {

using namespace repebble;
using command_line::add_count;
using command_line::number_in;

namespace {

constexpr char const* examples = R"(
Examples:
  chain net_resnet152_b32.json --budget 60%
  chain net_resnet152_b32.json --budget 2GiB --actions
  chain net_resnet152_b32.json --curve --json
  chain net_gpt2_24x1024_b8.json --budget 50% --slots 500
  chain --uniform 1000 --snapshots 10 --count
  chain --uniform 1000 --snapshots 10 --disk 20 --write 5 --read 5
  seq 1000 | chain --online --snapshots 10
Exit status: 0, 2 for bad input, 3 when nothing fits.)";

auto parse_epsilon(std::string_view text) -> double {
    bool const percent = text.ends_with('%');
    auto const number = number_in<double>(percent ? text.substr(0, text.size() - 1) : text);
    if (!number || !(*number >= 0) || !std::isfinite(*number))
        throw CLI::ValidationError("--epsilon", std::string(text) + " is not a share such as 0.01 or 1%");
    return percent ? *number / 100 : *number;
}

/// "60.5" per cent of a number, exactly, rounded down; nothing where the text is no such number.
auto percent_of(std::string_view text, bytes whole) -> std::optional<bytes> {
    __extension__ using wide = unsigned __int128;
    constexpr std::size_t most_digits = 18;
    std::string digits(text);
    wide scale = 100;
    if (auto const point = digits.find('.'); point != digits.npos) {
        if (point == 0 || point + 1 == digits.size()) return std::nullopt;
        digits.erase(point, 1);
        for (auto k = point; k < digits.size(); ++k) scale *= 10;
    }
    if (digits.size() > most_digits) return std::nullopt;
    auto const number = number_in<std::uint64_t>(digits);
    if (!number) return std::nullopt;
    auto const size = static_cast<wide>(*number) * static_cast<std::uint64_t>(whole) / scale;
    if (size > static_cast<std::uint64_t>(std::numeric_limits<bytes>::max())) return std::nullopt;
    return static_cast<bytes>(size);
}

void check(CLI::App const& app, arguments const& asked) {
    auto const given = [&](char const* name) { return app.count(name) > 0; };
    auto const* const steps = given("--online") ? "--online" : "--uniform";
    if (given(steps)) {
        for (auto const* other : {"--budget", "--curve", "--slots", "--epsilon", "--drop-saved-inputs", "--memory-test",
                                  "--threads", "--point-limit", "--actions", "--time-unit", "file"})
            if (given(other)) throw CLI::ExcludesError(steps, other);
        for (auto const* other : {"--uniform", "--disk", "--free-initial-state"})
            if (asked.online && given(other)) throw CLI::ExcludesError(steps, other);
        if (!given("--snapshots")) throw CLI::RequiresError(steps, "--snapshots");
        if (asked.snapshots == 0 && asked.first == initial_state::counted)
            throw CLI::ValidationError("--snapshots", "0 is too few, but for --free-initial-state");
        if (given("--disk") && given("--free-initial-state"))
            throw CLI::ExcludesError("--disk", "--free-initial-state");
        for (auto const* other : {"--write", "--read"})
            if (given(other) && !given("--disk")) throw CLI::RequiresError(other, "--disk");
        return;
    }
    for (auto const* other : {"--snapshots", "--free-initial-state", "--count", "--disk", "--write", "--read"})
        if (given(other)) throw CLI::RequiresError(other, "--uniform");
    if (!given("file")) throw CLI::RequiredError("file");
    if (!given("--budget") && !given("--curve")) throw CLI::RequiredError("one of --budget and --curve");
}

}  // namespace

auto parse_budget(std::string const& text, bytes keep_all) -> bytes {
    if (!text.ends_with('%')) return io::parse_bytes(text);
    auto const budget = percent_of(std::string_view(text).substr(0, text.size() - 1), keep_all);
    if (!budget) throw bad_weight("budget " + text + " is not a percentage such as 60%");
    return *budget;
}

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    CLI::App app("Plans the training of a chain of stages within a memory budget: what to keep, what to make again.",
                 "chain");
    app.footer(examples);
    app.failure_message([](CLI::App const*, CLI::Error const& e) { return "chain: " + std::string(e.what()) + "\n"; });
    std::map<std::string, memory_test> const tests{{"tight", memory_test::tight},
                                                   {"published", memory_test::published}};
    app.add_option("file", result.file, "chain (.json, .json.gz)");
    command_line::add_read_limits(app, result.reading);
    app.add_option("--time-unit", result.time_unit,
                   "s, ms, us or ns: the unit of the times of a file that does not say it, which may be fractions then")
        ->check(CLI::IsMember({"s", "ms", "us", "ns"}).description(""));
    auto* budget = app.add_option_function<std::string>(
        "--budget",
        [&](std::string const& text) {
            try {
                static_cast<void>(parse_budget(text, 0));
            } catch (error const& e) {
                throw CLI::ValidationError("--budget", e.what());
            }
            result.budget = text;
        },
        "4GiB, 2000, or 60% of what is needed to keep all");
    bool curve = false;
    app.add_flag("--curve", curve, "the least times for all budgets")->excludes(budget);
    auto* slots = add_count(app, "--slots", result.slots, 1, 10'000'000,
                            "count memory in so many equal parts of the budget (of what keeps all, for a curve)");
    app.add_option_function<std::string>(
           "--epsilon", [&](std::string const& text) { result.epsilon = parse_epsilon(text); },
           "a plan may take this share longer than the best: 0.01 or 1% (default 0)")
        ->type_name("E")
        ->excludes(slots);
    app.add_flag("--drop-saved-inputs", result.drop_saved_inputs,
                 "a stage that is saved may lose its input, which is made again before it runs backward")
        ->excludes(slots);
    app.add_option_function<std::string>(
           "--memory-test", [&](std::string const& word) { result.test = tests.at(word); },
           "tight: the bytes that are there (default); published: as in Beaumont et al. 2019")
        ->check(CLI::IsMember(tests).description(""));
    add_count(app, "--threads", result.threads, 1, 1024,
              "of --slots; the result is the same for any number (default 1)")
        ->needs(slots);
    add_count(app, "--point-limit", result.point_limit, 1, most,
              "of all curves together; beyond it the plan is within 1% only (default 10^8)")
        ->excludes(slots);
    app.add_flag("--actions", result.actions, "print the plan for the budget, one run of a stage per line")
        ->needs(budget);
    add_count(app, "--uniform", result.uniform, 0, most,
              "instead of a file: REVOLVE's actions for so many equal steps");
    app.add_flag("--online", result.online,
                 "instead of a file: the same for a number of steps that is not known before, one for each line of the "
                 "standard input");
    add_count(app, "--snapshots", result.snapshots, 0, std::numeric_limits<std::uint32_t>::max(),
              "with --uniform or --online: how many states can be stored");
    app.add_flag_callback(
        "--free-initial-state", [&] { result.first = initial_state::free; },
        "with --uniform: the state before the first step is there beside the snapshots");
    storage_level disk{.slots = 0};
    add_count(app, "--disk", disk.slots, 0, storage_level::unlimited,
              "with --uniform: slots on disk (4294967295: any number); the actions of H-Revolve");
    add_count(app, "--write", disk.write, 0, most, "with --disk: cost of a snapshot on disk, in steps (default 0)");
    add_count(app, "--read", disk.read, 0, most, "with --disk: cost of a restore from disk, in steps (default 0)");
    app.add_flag("--count", result.count, "with --uniform or --online: print how many actions there are, not which");
    app.add_flag("--json", result.json, "print JSON instead of words");
    try {
        app.parse(argc, argv);
        check(app, result);
        if (app.count("--disk") > 0) result.disk = disk;
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace chain_program
