// How long does an action of REVOLVE take? Chains of 10⁷ and 10⁹ equal steps, with few and many snapshots.
#include <cstdint>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/revolve.hpp>

namespace {

using namespace repebble;

void reverse(benchmark::State& state) {
    auto const steps = static_cast<std::uint64_t>(state.range(0));
    auto const snapshots = static_cast<std::uint32_t>(state.range(1));
    std::uint64_t actions = 0;
    for (auto _ : state) {
        std::uint64_t advanced = 0, looked_at = 0;
        actions = 0;
        for (auto const& a : revolve(steps, snapshots)) {
            advanced += a.end - a.begin;
            looked_at += a.begin + a.slot + static_cast<std::uint64_t>(a.what);
            ++actions;
        }
        benchmark::DoNotOptimize(looked_at);
        if (advanced != binomial_bounds::least_advances(steps, snapshots)) state.SkipWithError("not the least steps");
    }
    state.counters["actions"] = static_cast<double>(actions);
    state.counters["seconds_an_action"] =
        benchmark::Counter(static_cast<double>(actions) * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace

BENCHMARK(reverse)
    ->ArgNames({"steps", "snapshots"})
    ->ArgsProduct({{10'000'000}, {1, 2, 10, 50, 200}})
    ->Args({1'000'000'000, 10})
    ->Unit(benchmark::kMillisecond);
