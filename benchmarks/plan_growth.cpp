// How do the time and the memory of the automatic planner grow with the number of operations, and how good are its
// plans? Training graphs of 100 to 50,000 operations, halfway between what one operation needs and what keeping
// everything takes:  benchmark_plan_growth PICTURE.svg [MOST_OPERATIONS]   Markdown on standard output. The page is
// plan_growth.md.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>

#include "drawing/growth_picture.hpp"
#include "measure/user_clock.hpp"

namespace {

using namespace repebble;

/// Three stages of equal blocks, as deep as that.
[[nodiscard]] auto resnet(std::size_t blocks) -> training_graph {
    return io::make_training_graph(
        networks::network_of(networks::by_name("resnet" + std::to_string(9 * std::max<std::size_t>(1, blocks) + 2))));
}
/// Every operation reads one to three of those shortly before it; no two of them are alike.
[[nodiscard]] auto mixed(std::size_t operations) -> training_graph {
    detail::split_mix random(7);
    auto const n = operations / 2;
    std::vector<std::vector<int>> net(n);
    std::vector<std::int64_t> time(n), memory(n);
    for (std::size_t v = 0; v < n; ++v) {
        time[v] = static_cast<std::int64_t>(1 + random.below(1000));
        memory[v] = static_cast<std::int64_t>(1 + random.below(100'000));
        for (auto reads = v == 0 ? 0 : 1 + random.below(3); reads > 0; --reads) {
            auto const back = 1 + random.below(random.chance(0.25) ? 40 : 4);
            auto& readers = net[v - std::min(v, back)];
            if (readers.empty() || readers.back() != static_cast<int>(v)) readers.push_back(static_cast<int>(v));
        }
    }
    return make_training_graph(net, weights{[&](int v) { return time[static_cast<std::size_t>(v)]; },
                                            [&](int v) { return memory[static_cast<std::size_t>(v)]; }});
}

struct point {
    double operations, first, all;
};

/// Hears when the first plan is there.
struct listener {
    double begin = measure::user_seconds(), first = 0;
    void improved(std::int64_t, std::int64_t) {
        if (first == 0) first = measure::user_seconds() - begin;
    }
};

[[nodiscard]] auto measured(std::string const& kind, training_graph const& training) -> point {
    bytes const peak = replay(training.flow, make_schedule(training.flow)).peak;
    bytes const floor = plan(training, 0).floor.size;
    listener heard;
    auto const found = plan(training, floor + (peak - floor) / 2, {}, heard);
    auto const all = measure::user_seconds() - heard.begin;
    auto const once = static_cast<double>(training.flow.time_once());
    auto const n = training.flow.operation_count();
    std::printf("| %s | %zu | %.2f s | %.2f s | %ld MB |", kind.c_str(), n, heard.first, all,
                measure::usage().ru_maxrss / 1024);
    if (found.plan) {
        std::printf(" %.2f %% | %.2f %% | %s |\n", 100 * static_cast<double>(found.plan->cost.overhead) / once,
                    100 * found.gap(), found.strategy.c_str());
    } else {
        std::printf(" | | none |\n");
    }
    std::fflush(stdout);
    return {static_cast<double>(n), heard.first, all};
}

/// All, and (thin) the first plan.
[[nodiscard]] auto lines_of(std::map<std::string, std::vector<point>> const& curves)
    -> std::vector<drawing::growth_line> {
    std::vector<drawing::growth_line> lines;
    for (auto const& [kind, points] : curves)
        for (auto const which : {&point::all, &point::first}) {
            auto& line = lines.emplace_back(kind, std::vector<drawing::growth_point>{}, which == &point::first);
            for (auto const& p : points) line.points.push_back({p.operations, p.*which});
        }
    return lines;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: benchmark_plan_growth PICTURE.svg [MOST_OPERATIONS]\n");
        return 2;
    }
    auto const most = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 50'000;
    auto const of_three = resnet(3).flow.operation_count(), of_two = resnet(2).flow.operation_count();
    std::printf(
        "| graph | operations | first plan | all | memory | overhead | gap | strategy |\n"
        "|---|--:|--:|--:|--:|--:|--:|---|\n");
    std::map<std::string, std::vector<point>> curves;
    for (std::size_t const n : {100, 300, 1000, 3000, 10'000, 25'000, 50'000}) {
        if (n > most) break;
        auto const blocks = n <= of_two ? 1 : 2 + (n - of_two) / (of_three - of_two);
        curves["ResNet"].push_back(measured("ResNet", resnet(blocks)));
        curves["mixed"].push_back(measured("mixed", mixed(n)));
    }
    io::write_file(argv[1], drawing::growth_picture("Seconds against operations: all, and (thin) the first plan",
                                                    lines_of(curves), {1e-3}, {"n", {{100, 0.01}, {5e4, 5}}}));
}
