// What does planning with steps in place bring? All networks by name at 60 and 40 % of what keep_all needs: overhead
// and bound without steps in place, and where the planner counts on them; and the peaks of keep_all and of inference.
// Writes the page (in_place_tables.md) to standard output, for all networks or for those that arguments name.
#include <array>
#include <cstdio>
#include <string>

#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>

#include "measure/cheap.hpp"

namespace {

using namespace repebble;

constexpr std::array names{"resnet18", "resnet34",    "resnet50",  "resnet101", "resnet152", "resnet1001", "vgg19",
                           "vgg19_bn", "densenet161", "googlenet", "unet",      "pspnet",    "lstm",       "gpt2"};

constexpr char const* introduction = R"(# What planning with steps in place brings

Made by `benchmark_in_place_tables > in_place_tables.md`: the networks of the builders at their default sizes, gradients
that are executable, times by the roofline. Elementwise operations and sums of gradients may write over what they read
(`io::find_overwrites`). Overheads and bounds are in per cent of computing everything once, budgets in per cent of what
keep_all needs without steps in place. *in place*: `plan` of the dataflow with these overwrites, whose bound holds for steps in
place, too. **Bold** is proven least. Without a limit of time, one seed.

| network | keep_all, in place | inference, in place | floor, in place | 60 %: without | in place | 40 %: without | in place |
|---|--:|--:|--:|--:|--:|--:|--:|
)";

/// "3.21, at least 3.10", or "**3.21**"; "none" where no plan fits.
auto text(dataflow const& flow, bytes budget) -> std::string {
    auto const found = plan(flow, budget);
    auto const share = [&](std::int64_t overhead) {
        return 100 * static_cast<double>(overhead) / static_cast<double>(flow.time_once());
    };
    std::array<char, 80> buffer{};
    if (!found.plan)
        std::snprintf(buffer.data(), buffer.size(), found.proven ? "none" : "?");
    else if (found.proven)
        std::snprintf(buffer.data(), buffer.size(), "**%.2f**", share(found.plan->cost.overhead));
    else
        std::snprintf(buffer.data(), buffer.size(), "%.2f, at least %.2f", share(found.plan->cost.overhead),
                      share(found.lower_bound));
    return buffer.data();
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    std::fputs(introduction, stdout);
    for (auto const* name : names) {
        if (!measure::is_asked_for(name, {argv, static_cast<std::size_t>(argc)}, 1)) continue;
        auto const net = networks::network_of(networks::by_name(name));
        auto training = io::make_training_graph(net, convention::executable);
        auto const flow = training.flow;
        training.flow = edit(flow, {.may_overwrite = io::find_overwrites(net, training)});
        auto const peak = [](dataflow const& of) { return replay(of, make_schedule(of)).peak; };
        auto const all = peak(flow);
        auto const share = [&](bytes of) { return 100 * static_cast<double>(of) / static_cast<double>(all); };
        auto const inference = [&](dataflow const& of) {
            auto part = training;
            part.flow = of;
            return peak(detail::forward_part(part).flow);
        };
        auto const floor = [&](dataflow const& of) { return plan(of, 0).floor.size; };
        std::printf("| %s | %.2f GB, %.1f %% | %.1f %%, %.1f %% | %.1f %%, %.1f %% |", name,
                    static_cast<double>(all) / 1e9, share(peak(training.flow)), share(inference(flow)),
                    share(inference(training.flow)), share(floor(flow)), share(floor(training.flow)));
        for (bytes const percent : {60, 40}) {
            if (cheap) {
                std::printf(" … | … |");
                continue;
            }
            bytes const budget = all / 100 * percent;
            std::printf(" %s | %s |", text(flow, budget).c_str(), text(training.flow, budget).c_str());
        }
        std::printf("\n");
        std::fflush(stdout);
    }
    return 0;
}
