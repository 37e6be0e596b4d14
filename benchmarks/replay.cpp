// How many steps a second does the judge play? On the schedules of keep_all and forget_all of big generated networks.
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace {

using namespace repebble;

/// The training graph (value_grad) of a chain of n operations with a skip connection over three from every fourth, and
/// further ones at random.
auto skip_network(std::size_t n) -> training_graph {
    std::mt19937_64 random(1);
    std::vector<std::vector<std::uint32_t>> g(n);
    for (std::size_t v = 0; v + 1 < n; ++v) g[v].push_back(static_cast<std::uint32_t>(v + 1));
    for (std::size_t v = 0; v + 4 < n; v += 4) g[v].push_back(static_cast<std::uint32_t>(v + 4));
    for (std::size_t v = 0; v + 64 < n; v += 16) g[v].push_back(static_cast<std::uint32_t>(v + 5 + random() % 59));
    auto const time = [](std::uint32_t v) { return 1 + v % 10; };
    auto const memory = [](std::uint32_t v) { return bytes{4096} * (1 + v % 7); };
    return make_training_graph(g, weights{time, memory});
}

void play(benchmark::State& state, training_graph const& training, recompute_plan<> const& plan) {
    for (auto _ : state) {
        auto const result = replay(training.flow, plan.schedule);
        benchmark::DoNotOptimize(result.peak);
        if (result.peak != plan.cost.peak) state.SkipWithError("the peak is not that of the plan");
    }
    auto const steps = static_cast<double>(plan.schedule.steps.size());
    state.counters["operations"] = static_cast<double>(training.flow.operation_count());
    state.counters["steps"] = steps;
    state.counters["steps_per_second"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * steps, benchmark::Counter::kIsRate);
}

void keep_all_schedule(benchmark::State& state) {
    auto const training = skip_network(static_cast<std::size_t>(state.range(0)));
    play(state, training, keep_all(training));
}

void forget_all_schedule(benchmark::State& state) {
    auto const training = skip_network(static_cast<std::size_t>(state.range(0)));
    play(state, training, forget_all(training));
}

}  // namespace

BENCHMARK(keep_all_schedule)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(forget_all_schedule)->Arg(500)->Arg(2'000)->Unit(benchmark::kMillisecond);
