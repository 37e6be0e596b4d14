// How soon does each solver end at its time limit, and when it is asked to stop? Graphs that are deep (a chain with
// skips over eight operations) or wide (twenty layers in which each operation reads two of the layer before):
// benchmark_stop_tables SECONDS KIND:OPERATIONS[:SOLVER,...]...   Markdown on standard output. The page is
// stop_tables.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/orders/find_least_peak_order.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/planner/strategies.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/treewidth/treewidth.hpp>

#include "measure/in_child.hpp"

namespace {

using namespace repebble;
using net = std::vector<std::vector<int>>;

[[nodiscard]] auto deep_net(int count) -> net {
    net all(static_cast<std::size_t>(count));
    for (int v = 0; v + 1 < count; ++v) {
        all[static_cast<std::size_t>(v)].push_back(v + 1);
        if (v % 8 == 0 && v + 9 < count) all[static_cast<std::size_t>(v)].push_back(v + 9);
    }
    return all;
}
[[nodiscard]] auto wide_net(int count) -> net {
    constexpr int layers = 20;
    int const width = count / layers;
    net all(static_cast<std::size_t>(layers * width));
    for (int layer = 0; layer + 1 < layers; ++layer)
        for (int k = 0; k < width; ++k)
            for (int const from : {k, (7 * k + layer) % width}) {
                auto& readers = all[static_cast<std::size_t>(layer * width + from)];
                int const reader = (layer + 1) * width + k;
                if (readers.empty() || readers.back() != reader) readers.push_back(reader);
            }
    return all;
}

/// What the solvers are given: one graph in several forms.
struct inputs {
    net forward{};
    std::vector<std::int64_t> times{}, sizes{};
    training_graph training{};
    dataflow flow{};                ///< of the forward operations
    bytes budget = 0;               ///< three fifths of what keeping everything takes
    std::vector<buffer> buffers{};  ///< of keeping everything
    chain stages{};                 ///< as many as operations
};

[[nodiscard]] auto inputs_of(net forward) -> inputs {
    inputs all{.forward = std::move(forward)};
    auto const n = all.forward.size();
    detail::split_mix random(1);
    for (std::size_t v = 0; v < n; ++v) {
        all.times.push_back(static_cast<std::int64_t>(1 + random.below(100)));
        all.sizes.push_back(static_cast<std::int64_t>(1 + random.below(4096)));
    }
    weights const costs{[&](int v) { return all.times[static_cast<std::size_t>(v)]; },
                        [&](int v) { return all.sizes[static_cast<std::size_t>(v)]; }};
    all.training = make_training_graph(all.forward, costs);
    all.flow = make_dataflow(all.forward, costs);
    auto const kept = keep_all(all.training);
    all.budget = kept.cost.peak / 5 * 3;
    all.buffers = find_lifetimes(all.training.flow, kept.schedule).buffers;
    for (std::size_t v = 0; v < n; ++v)
        all.stages.stages.push_back({.forward_time = all.times[v],
                                     .backward_time = 2 * all.times[v],
                                     .output = all.sizes[v],
                                     .gradient = all.sizes[v],
                                     .tapes = {{.saved = all.sizes[v]}}});
    return all;
}

/// A solver: whether it has an answer within the limits.
struct solver {
    std::string name;
    std::function<bool(inputs const&, limits const&)> run;
};

[[nodiscard]] auto all_solvers() -> std::vector<solver> {
    std::vector<solver> all;
    for (auto const& s : strategies())
        all.push_back({std::string(s.name), [&s](inputs const& in, limits const& within) {
                           return s(in.training, in.budget, {.limits = within}).has_value();
                       }});
    all.push_back({"plan with an arena", [](inputs const& in, limits const& within) {
                       return plan(in.training, in.budget, {.limits = within, .arena = true}).plan.has_value();
                   }});
    all.push_back(
        {"plan with a link", [](inputs const& in, limits const& within) {
             return plan(in.training, in.budget, {.limits = within, .link = host_link{100, 1}}).plan.has_value();
         }});
    all.push_back({"find_least_budget", [](inputs const& in, limits const& within) {
                       return find_least_budget(in.training, {.limits = within}).found > 0;
                   }});
    all.push_back({"find_least_peak_order", [](inputs const& in, limits const& within) {
                       return !find_least_peak_order(in.flow, {.limits = within}).order.empty();
                   }});
    all.push_back({"assign_offsets", [](inputs const& in, limits const& within) {
                       return !assign_offsets(in.buffers, {.limits = within}).offsets.empty();
                   }});
    all.push_back({"assign_pools", [](inputs const& in, limits const& within) {
                       auto const live = find_live_bytes(in.buffers).most;
                       std::vector<bytes> const pools{live / 2, live / 2 + live / 50};
                       return assign_pools(in.buffers, pools, {.offsets = {.limits = within}}).plan.has_value();
                   }});
    auto const solve = [](inputs const& in, chain_options const& options) {
        return solve_chain(in.stages, bytes_to_keep_all(in.stages) / 2, options).has_value();
    };
    all.push_back(
        {"solve_chain", [=](inputs const& in, limits const& within) { return solve(in, {.limits = within}); }});
    all.push_back({"solve_chain in slots", [=](inputs const& in, limits const& within) {
                       return solve(in, {.slots = 100, .limits = within});
                   }});
    all.push_back({"solve_chain with a link", [=](inputs const& in, limits const& within) {
                       return solve(in, {.slots = 20, .link = host_link{100, 1}, .limits = within});
                   }});
    all.push_back({"find_treewidth", [](inputs const& in, limits const& within) {
                       return find_treewidth(in.forward, {.limits = within}).upper > 0;
                   }});
    return all;
}

using clock = std::chrono::steady_clock;

/// CPU microseconds of this process so far.
[[nodiscard]] auto cpu_microseconds() -> std::int64_t {
    std::timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1000;
}

enum class ending : std::int64_t { answer, nothing, refused, no_memory };

/// What a run tells, in microseconds.
enum class told : std::size_t { wall, cpu_late, pause, how };

/// Runs a solver; after so many seconds its own limit, or the stop that its caller tells it, is reached.
[[nodiscard]] auto watched(solver const& s, inputs const& in, double seconds, bool by_stop)
    -> std::vector<std::int64_t> {
    constexpr rlim_t most = rlim_t{10} << 30U;
    rlimit const memory{most, most};
    setrlimit(RLIMIT_AS, &memory);
    std::mutex guard;
    std::condition_variable changed;
    bool ended = false;
    std::atomic<bool> late{false};
    std::int64_t cpu_then = -1;
    auto const begin = clock::now();
    std::thread watch([&] {
        std::unique_lock lock(guard);
        if (changed.wait_until(lock, begin + std::chrono::duration<double>(seconds), [&] { return ended; })) return;
        cpu_then = cpu_microseconds();
        late = true;
    });
    auto last = cpu_microseconds();
    std::int64_t pause = 0;
    auto const note = [&] {
        auto const now = cpu_microseconds();
        pause = std::max(pause, now - std::exchange(last, now));
    };
    limits within{.stop = [&] {
        note();
        return by_stop && late;
    }};
    if (!by_stop) within.seconds = seconds;
    auto how = ending::nothing;
    try {
        if (s.run(in, within)) how = ending::answer;
    } catch (error const& e) {
        how = ending::refused;
        std::fprintf(stderr, "%s: %s\n", s.name.c_str(), e.what());
    } catch (std::bad_alloc const&) {
        how = ending::no_memory;
    }
    note();
    auto const end = clock::now();
    {
        std::lock_guard const lock(guard);
        ended = true;
    }
    changed.notify_one();
    watch.join();
    return {std::chrono::duration_cast<std::chrono::microseconds>(end - begin).count(),
            cpu_then < 0 ? -1 : last - cpu_then, pause, static_cast<std::int64_t>(how)};
}

void report(solver const& s, std::string const& graph, inputs const& in, double seconds) {
    constexpr unsigned most_seconds = 100;
    std::printf("| %s | %s |", graph.c_str(), s.name.c_str());
    auto how = ending::nothing;
    double pause = 0, megabytes = 0;
    for (bool const by_stop : {false, true}) {
        auto const found = measure::in_child(most_seconds, [&] { return watched(s, in, seconds, by_stop); });
        if (!found) {
            std::printf(" more than %u s | |", most_seconds);
            continue;
        }
        auto const tell = [&](told what) { return found->said[static_cast<std::size_t>(what)]; };
        how = static_cast<ending>(tell(told::how));
        pause = std::max(pause, 1e-6 * static_cast<double>(tell(told::pause)));
        megabytes = std::max(megabytes, found->megabytes);
        auto const wall = 1e-6 * static_cast<double>(tell(told::wall));
        if (tell(told::cpu_late) < 0)
            std::printf(" after %.2f s | |", wall);
        else
            std::printf(" %.2f | %.2f |", wall - seconds, 1e-6 * static_cast<double>(tell(told::cpu_late)));
    }
    static constexpr char const* words[] = {"yes", "no", "refuses", "no memory"};
    std::printf(" %.2f | %s | %.0f |\n", pause, words[static_cast<std::size_t>(how)], megabytes);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: benchmark_stop_tables SECONDS KIND:OPERATIONS[:SOLVER,...]...\n");
        return 2;
    }
    double const seconds = std::strtod(argv[1], nullptr);
    auto const solvers = all_solvers();
    std::printf(
        "| graph | solver | beyond the limit, s | CPU | after the stop, s | CPU | longest pause, CPU s | answer | MB "
        "|\n"
        "|---|---|--:|--:|--:|--:|--:|---|--:|\n");
    for (auto const* argument : std::span(argv + 2, argv + argc)) {
        std::string const graph = argument;
        auto const colon = graph.find(':');
        auto const kind = graph.substr(0, colon);
        char* end = nullptr;
        auto const count = static_cast<int>(std::strtol(graph.c_str() + colon + 1, &end, 10));
        std::string const chosen = *end == ':' ? "," + std::string(end + 1) + "," : "";
        auto const in = inputs_of(kind == "deep" ? deep_net(count) : wide_net(count));
        for (auto const& s : solvers)
            if (chosen.empty() || chosen.find("," + s.name + ",") != chosen.npos)
                report(s, kind + " " + std::to_string(count), in, seconds);
    }
}
