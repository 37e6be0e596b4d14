#include "arguments.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <repebble/io/byte_size.hpp>
#include <repebble/io/machine.hpp>
#include <repebble/io/parse_link.hpp>
#include <repebble/networks/sizes.hpp>

#include "command_line/check_files.hpp"
#include "command_line/run_program.hpp"
#include "plan/strategies.hpp"

namespace train {

using namespace repebble;

auto read_arguments(char const* program, int argc, char const* const* argv, arguments& result,
                    device_offers const& offers) -> std::optional<int> {
    CLI::App app("Trains a real network by a plan that fits a memory budget, and measures what the plan promised.",
                 program);
    app.footer(
        std::string("\nExamples:\n  ") + program + " resnet50 --batch 2 --budget 40% --compare\n  " + program +
        " resnet50 --batch 16 --budget 2GiB --all\n  " + program +
        " resnet56 --batch 64 --resolution 8 --channels 1 --classes 10 --data digits.csv --budget 40%\nNetworks: " +
        networks::names +
        "\nBytes are those of the arena: values, gradients of values and workspaces. Parameters, their gradients "
        "and velocities and the inputs lie beside it. With --plan-gradients the gradients of parameters are results "
        "of the plan and lie in the arena; with --all the budget is for everything together: parameters, "
        "velocities, inputs and the arena.\nExit status: 0, 2 for bad input, 3 when nothing fits, 4 "
        "when the gradients differ.");
    app.add_option("network", result.network, "a network by name")->required();
    auto const size = [&app](std::string const& name, std::optional<networks::extent>& target,
                             std::string const& help) {
        app.add_option_function<networks::extent>(
               name, [&target](networks::extent const& n) { target = n; }, help)
            ->check(CLI::Range(networks::extent{1}, networks::extent{1} << 40U));
    };
    size("--batch", result.sizes.batch, "samples per iteration");
    size("--resolution", result.sizes.resolution, "height and width of its images");
    size("--classes", result.sizes.classes, "number of classes");
    size("--channels", result.sizes.channels, "number of channels of its images");
    size("--length", result.sizes.length, "length of its sequences");
    auto* budget =
        app.add_option("--budget", result.budget, "bytes such as 2GiB, a share of keep_all's peak such as 60%, or min")
            ->capture_default_str();
    app.add_flag("--plan-gradients", result.plan_gradients,
                 "gradients of parameters are results of the plan: they lie in the arena and stay to the end");
    auto* all = app.add_flag(
        "--all", result.all,
        "the budget is for all memory: parameters, velocities, inputs and the arena together, in which the "
        "gradients of parameters are results. A share is of what keep_all needs of all that");
    auto* strategy =
        app.add_option("--strategy", result.strategy, "one of " + plan::strategy_names())->capture_default_str();
    app.add_option("--schedule", result.schedule_in,
                   "instead: the schedule in this file, of `plan --schedule` or of `swap --out`")
        ->excludes(budget)
        ->excludes(all)
        ->excludes(strategy);
    app.add_option("--time-limit", result.automatic.limits.seconds,
                   "seconds for the automatic planner (default: a fixed amount of work, some seconds)")
        ->check(CLI::PositiveNumber);
    app.add_option("--gap", result.automatic.gap,
                   "the automatic planner stops where its plan is within this share of the proven least (default 0)")
        ->check(CLI::Range(0.0, 1e9));
    result.automatic.threads = plan_options::threads_here();
    app.add_option("--threads", result.automatic.threads,
                   "of the automatic planner: its plan is the same for any number, but with --time-limit (default: the "
                   "machine's, at most " +
                       std::to_string(plan_options::most_threads) + ")")
        ->check(CLI::PositiveNumber);
    app.add_option("--plan-seed", result.automatic.seed, "of the automatic planner's annealing (default 1)")
        ->check(CLI::NonNegativeNumber);
    std::optional<std::string> link, host_budget;
    app.add_option("--link", link,
                   "the automatic planner may copy values to the host and back over this link, beside computations: "
                   "12GB/s, or the name of a machine (" +
                       io::machine_names() + "), then with commas a latency such as 10us and half-duplex");
    app.add_option("--host-budget", host_budget, "with --link: bytes in the host's memory at most, such as 4GiB");
    app.add_flag("--in-place", result.in_place, "let operations write over what they read last");
    app.get_option("--schedule")->excludes("--in-place");
    app.add_option("--iterations", result.iterations, "without data")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--data", result.data,
                   "images and labels to learn, a line each: the pixels, from 0 to 16, and the label; every fifth line "
                   "is kept to test what was learnt. Without it, numbers that look random");
    app.add_option("--epochs", result.epochs, "with data: how often all of it is seen")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    auto* profile = app.add_option("--profile", result.profile_out,
                                   "measure every operation first, write the times to this file and plan with them");
    app.add_option("--times", result.times_in, "plan with the times of such a file")->excludes(profile);
    app.add_flag("--compare", result.compare,
                 "run keep_all beside the plan, compare every gradient, and the times in pairs of runs");
    app.add_flag("--poison", result.poison, "fill all that is discarded with rubbish");
    if (offers.delays)
        app.add_option("--delay-seed", result.delay_seed,
                       "with --link: copies pause at random, by this seed, which must not change what is computed");
    std::vector<std::string> precisions;
    for (auto const p : offers.precisions) precisions.emplace_back(to_string(p));
    std::string chosen(to_string(result.precision));
    app.add_option("--precision", chosen,
                   "fp32; tf32: products of factors with 10 bits after the point instead of 23; bf16: values and their "
                   "gradients are stored as bfloat16, half the bytes, and parameters stay float32. On a GPU")
        ->check(CLI::IsMember(precisions))
        ->capture_default_str();
    std::string capture = "auto";
    if (offers.capture)
        app.add_option("--cuda-graph", capture,
                       "capture an iteration's launches in a CUDA graph and launch that in later iterations: on, off, "
                       "or auto, which does it where there are many iterations and no --trace")
            ->check(CLI::IsMember({"auto", "on", "off"}))
            ->capture_default_str();
    app.add_option(
        "--trace", result.trace_out,
        "write the last iteration: where the name ends in .jsonl or .jsonl.gz, what it does with memory, for `swap`; "
        "else for Chrome's or Perfetto's trace viewer");
    app.add_flag("--json", result.json, "print JSON");
    app.add_option("--seed", result.seed, "of the first parameters, of the data and of dropout")->capture_default_str();
    app.add_option("--rate", result.step.rate, "learning rate")->capture_default_str();
    app.add_option("--momentum", result.step.momentum, "of the steps")->capture_default_str();
    app.add_option("--decay", result.step.decay, "of the weights")->capture_default_str();
    try {
        app.parse(argc, argv);
        if (!plan::is_strategy(result.strategy))
            throw CLI::ValidationError("--strategy",
                                       "there is no " + result.strategy + "; there are " + plan::strategy_names());
        for (auto const& [name, value] : {std::pair("--rate", result.step.rate),
                                          {"--momentum", result.step.momentum},
                                          {"--decay", result.step.decay}})
            if (!std::isfinite(value)) throw CLI::ValidationError(name, "must be a finite number");
        if (link) result.automatic.link = io::parse_link(*link);
        if (host_budget) result.automatic.host_budget = io::parse_bytes(*host_budget);
        auto const at = std::ranges::find(precisions, chosen) - precisions.begin();
        result.precision = offers.precisions[static_cast<std::size_t>(at)];
        result.plan_gradients = result.plan_gradients || result.all;
        if (capture != "auto") result.capture = capture == "on" ? capture_choice::on : capture_choice::off;
        if (result.capture == capture_choice::on && result.trace_out)
            throw CLI::ValidationError("--trace", "has times of steps, and --cuda-graph on has none");
        command_line::check_files(
            {{"--data", result.data}, {"--times", result.times_in}, {"--schedule", result.schedule_in}},
            {{"--profile", result.profile_out}, {"--trace", result.trace_out}});
    } catch (bad_weight const& e) {
        return command_line::exit_of(app, CLI::ValidationError(e.what()));
    } catch (CLI::ParseError const& e) {
        return command_line::exit_of(app, e);
    }
    return std::nullopt;
}

}  // namespace train
