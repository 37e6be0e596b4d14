// Covers traces/trace_of.hpp, traces/simulate_swaps.hpp.
#include <cstdint>
#include <string>

#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/swap_baselines.hpp>
#include <repebble/traces/trace_of.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("a network by name has a trace, and swapping with recomputation beats either alone",
          "[trace_of][networks][long]") {
    for (auto const& [name, sizes] : {std::pair{"vgg19", networks::sizes{.batch = 1, .resolution = 64}},
                                      {"unet", {.batch = 1, .resolution = 188}},
                                      {"lstm", {.batch = 2, .length = 2}}}) {
        CAPTURE(name);
        auto const net = networks::network_of(networks::by_name(name, sizes));
        for (auto const how : {convention::value_grad, convention::executable}) {
            auto const training = io::make_training_graph(net, how);
            auto const all = keep_all(training);
            swap_problem const p(trace_of(training.flow, all.schedule));
            CHECK(p.peak() == all.cost.peak);
            CHECK(p.iteration().duration == all.cost.time);
            // As many bytes in the time of an iteration as the peak has: ρ = 1.
            swap_options const options{.limit = p.peak() * 3 / 4,
                                       .link = {.size = p.peak(), .time = p.iteration().duration}};
            auto const greedy = greedy_swaps(p, options);
            CHECK(greedy.result.feasible);
            CHECK(greedy.result.peak <= options.limit);
            auto const lru = superneurons_swaps(p, options, superneurons_mode::swapping);
            CHECK(lru.result.feasible);
            CHECK(greedy.result.overhead <= lru.result.overhead);
            if (auto const memonger = memonger_swaps(p, options); memonger.result.feasible)
                CHECK(greedy.result.overhead <= memonger.result.overhead);
        }
    }
}
