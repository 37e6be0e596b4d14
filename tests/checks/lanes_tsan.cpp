// Plans over a link run with copies on other threads, built with the thread sanitizer, which sees two lanes use the
// same bytes unless a wait orders them.
//   test_lanes_tsan [SEEDS]          four networks at two budgets, with so many seeds of random delays (3): without a
//                                    race, every operation reads what it reads where all is kept, and both peaks are
//                                    those of the plan
//   test_lanes_tsan --without-waits  the same without its waits: the sanitizer must see it

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/impl/execute/bind_schedule.ipp>
#include <repebble/impl/execute/copy_threads.ipp>
#include <repebble/impl/execute/fill_pattern.ipp>
#include <repebble/impl/execute/find_lane_waits.ipp>
#include <repebble/impl/execute/guarded_memory.ipp>
#include <repebble/impl/execute/make_planned_record.ipp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/training/executable_model.hpp>

#include "support/mixing_backend.hpp"
#include "support/small_networks.hpp"

namespace {

using namespace repebble;

/// What every operation reads, where all is kept.
auto digests_of(dataflow const& flow, schedule<> const& plan) -> std::vector<std::uint64_t> {
    auto const bound = bind_schedule(flow, plan, {.alignment = 64});
    support::mixing_backend backend;
    executor run(bound, backend);
    run.run();
    std::vector<std::uint64_t> of(flow.operation_count());
    for (std::size_t i = 0; i < backend.digests.size(); ++i)
        if (bound[i].what == action::compute) of[bound[i].operation] = backend.digests[i];
    return of;
}

/// Returns why the plan does not keep its promises, or nothing where it does.
template <class Backend>
auto fault_of(bound_schedule const& bound, std::vector<std::uint64_t> const& expected, std::uint64_t seeds)
    -> char const* {
    Backend backend;
    executor run(bound, backend, {.poison = true});
    written_bytes highest;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        backend.set_delays({.seed = seed, .most = std::chrono::microseconds(50)});
        for (bool const measured : {false, true}) {
            std::ranges::fill(backend.digests, 0);
            if (measured) {
                auto const written = run.run_measured(seed);
                highest = {std::max(highest.device, written.device), std::max(highest.host, written.host)};
            } else {
                run.run();
            }
            for (std::size_t i = 0; i < backend.digests.size(); ++i)
                if (bound[i].what == action::compute && backend.digests[i] != expected[bound[i].operation])
                    return "an operation reads other bytes than where all is kept";
        }
    }
    if (highest != written_bytes{bound.size(pool::device), bound.size(pool::host)})
        return "a peak is not that of the plan";
    return nullptr;
}

template <class Backend>
auto run_networks(std::uint64_t seeds) -> bool {
    bool right = true;
    for (auto const& net : support::small_networks()) {
        training::executable_model const model(net);
        auto const& graph = model.training();
        auto const keep = keep_all(graph);
        auto const expected = digests_of(graph.flow, keep.schedule);
        for (bytes const percent : {80, 65}) {
            auto const found =
                plan(graph, keep.cost.peak * percent / 100,
                     {.limits = {.work = 300}, .arena = true, .link = host_link{.size = 100, .time = 1}});
            if (!found.plan) {
                std::printf("%s: no plan within %d %%\n", net.name().c_str(), static_cast<int>(percent));
                continue;
            }
            auto const bound = bind_schedule(graph.flow, found.plan->schedule, arena_options{.alignment = 64});
            auto const* const fault = fault_of<Backend>(bound, expected, seeds);
            std::printf("%s, %d %%: %lld bytes out, %lld in, %zu recomputations; %s\n", net.name().c_str(),
                        static_cast<int>(percent), static_cast<long long>(found.plan->cost.bytes_out),
                        static_cast<long long>(found.plan->cost.bytes_in), found.plan->cost.recomputations,
                        fault == nullptr ? "as planned" : fault);
            right = right && fault == nullptr;
        }
    }
    return right;
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1 && std::string(arguments[1]) == "--without-waits") {
        static_cast<void>(run_networks<support::heedless_backend>(1));
        return 0;
    }
    return run_networks<support::lane_mixing_backend>(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 3) ? 0 : 1;
}
