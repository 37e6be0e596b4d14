#include "arguments.hpp"

#include <charconv>
#include <cmath>
#include <map>

#include <CLI/CLI.hpp>

#include <repebble/io/byte_size.hpp>

#include "strategies.hpp"

namespace plan {

using namespace repebble;

namespace {

template <class T>
using names = std::map<std::string, T>;

constexpr char const* examples = R"(
Examples:
  plan resnet50_joint.json --budget 60%
  plan unet_small.json --budget 2GiB --strategy lower_set_exact --schedule out.json
  plan unet_small.json --replay out.json
Bytes are those of values and gradients, without parameters and inputs.
Exit status: 0, 2 for bad input, 3 when nothing fits.)";

/// An option whose value is one of a few words.
template <class T>
auto add_choice(CLI::App& app, std::string const& name, T& target, names<T> const& words, std::string const& help)
    -> CLI::Option* {
    auto const set = [&target, words](std::string const& word) { target = words.at(word); };
    return app.add_option_function<std::string>(name, set, help)->check(CLI::IsMember(words).description(""));
}

}  // namespace

auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int> {
    CLI::App app("Plans the training of a network within a memory budget.", "plan");
    app.footer(examples);
    auto& options = result.options;
    names<convention> const conventions{{"value_grad", convention::value_grad},
                                        {"op_backward", convention::op_backward},
                                        {"executable", convention::executable}};
    names<objective> const objectives{{"time", objective::time}, {"memory", objective::memory}};
    names<judged_by> const judges{{"replay", judged_by::replay}, {"formula", judged_by::formula}};
    names<bool> const last_segments{{"kept", true}, {"recomputed", false}};
    convention how = convention::value_grad;

    app.add_option("graph", result.graph, "graph file (.json, .json.gz)")->required();
    auto* budget = app.add_option("--budget", result.budget,
                                  "4GiB, 60% (of keep_all's peak), or min: each strategy's own least (default 60%)");
    app.add_option("--strategy", result.strategy, "only this one: " + strategy_names() + " (default: all but exhaustive)")
        ->check([](std::string const& name) {
            return is_strategy(name) ? std::string() : "unknown strategy " + name + "; there are " + strategy_names();
        });
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
    app.add_option("--epsilon", options.epsilon,
                   "tolerated loss, as a share of the forward time (default 0 below 10^6 time units, else 0.005)")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--lower-set-limit", options.lower_set_limit, "lower_set_exact refuses more lower sets (10^5)")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--step-limit", result.step_limit, "forget_all refuses more computations, lower_set_exhaustive more steps (4 * 10^6)")
        ->check(CLI::NonNegativeNumber);
    app.add_flag("--json", result.json, "print JSON instead of a table");
    app.add_option("--schedule", result.schedule_out, "write the schedule (of the fastest plan that fits) to a file");
    app.add_option("--replay", result.replay_in, "judge the schedule in this file instead of planning");
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    result.budget_given = budget->count() > 0;
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

}  // namespace plan
