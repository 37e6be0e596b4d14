// How good are the plans of the deep Q-network paper (Chen), beside random choice of as many plans and the systems that
// it compares itself with? Networks by name, limits in per cent of the peak, all in one simulator. Writes the page
// (offload_tables.md) to standard output.
//   benchmark_offload_tables [EPISODES [NETWORK...]]
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <repebble/detail/thread_clock.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/roofline.hpp>
#include <repebble/offload/fitted_q_iteration.hpp>
#include <repebble/offload/greedy_swaps.hpp>
#include <repebble/offload/play_episode.hpp>
#include <repebble/offload/swap_baselines.hpp>
#include <repebble/offload/swap_environment.hpp>
#include <repebble/offload/trace_of.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace {

using namespace repebble;

/// The machine of the paper: a GeForce GTX 1080 Ti on PCI Express 3.
constexpr networks::roofline device{11.3e12, 484e9};
constexpr std::array hosts{host_link<std::int64_t>{.size = 12, .time = 1, .latency = 10'000},
                           host_link<std::int64_t>{.size = 50, .time = 1, .latency = 10'000}};
constexpr std::array limits{70, 60, 50};

/// What a method is given: a trace within a limit.
struct question {
    dataflow<> const& flow;
    swap_problem const& problem;
    swap_options options;
    std::size_t episodes;
};
/// The overheads that it found, the first of them what it stands for; empty where no plan fits.
using overheads = std::vector<std::optional<std::int64_t>>;

struct method {
    std::vector<char const*> columns;
    overheads (*run)(question const&);
};

auto of(judged_swaps const& found) -> std::optional<std::int64_t> {
    return found.result.feasible ? std::optional(found.result.overhead) : std::nullopt;
}
auto of(std::optional<planned_actions> const& found) -> std::optional<std::int64_t> {
    return found ? std::optional(found->overhead) : std::nullopt;
}

/// Fitted Q-iteration: its best plan, and that of its last policy. An update every fourth step, as Mnih et al. 2015
/// have it: each transition is still learnt from four times.
auto learnt(question const& q, q_form form, bool only_helpful) -> overheads {
    swap_environment env(q.problem, q.options, {.only_helpful = only_helpful});
    auto const found = fitted_q_iteration(
        env,
        {.shape = {.width = 16, .form = form}, .episodes = q.episodes, .steps_per_update = 4, .rule = descent::adam});
    return {of(found.best), of(found.last)};
}
auto random_choice(question const& q, bool only_helpful) -> overheads {
    swap_environment env(q.problem, q.options, {.only_helpful = only_helpful});
    return {of(best_random_actions(env, q.episodes))};
}

/// The automatic planner over the link: its plan, judged by lanes, and the bound on the overhead of any.
auto planned(question const& q) -> overheads {
    auto const found = plan(q.flow, q.options.limit, {.time_limit = 10, .arena = false, .link = q.options.link});
    return {found.plan ? std::optional(found.plan->cost.overhead) : std::nullopt, found.lower_bound};
}

/// Another planner is one more line.
std::vector<method> const methods{
    {{"memonger"}, [](question const& q) { return overheads{of(memonger_swaps(q.problem, q.options))}; }},
    {{"SuperNeurons: swapping"},
     [](question const& q) {
         return overheads{of(superneurons_swaps(q.problem, q.options, superneurons_mode::swapping))};
     }},
    {{"recomputing"},
     [](question const& q) {
         return overheads{of(superneurons_swaps(q.problem, q.options, superneurons_mode::recomputing))};
     }},
    {{"both"},
     [](question const& q) {
         return overheads{of(superneurons_swaps(q.problem, q.options, superneurons_mode::both))};
     }},
    {{"TFLMS"}, [](question const& q) { return overheads{of(tflms_swaps(q.problem, q.options))}; }},
    {{"vDNN: all"}, [](question const& q) { return overheads{of(vdnn_swaps(q.problem, q.options, vdnn_mode::all))}; }},
    {{"convolutions"},
     [](question const& q) { return overheads{of(vdnn_swaps(q.problem, q.options, vdnn_mode::convolutions))}; }},
    {{"plan", "at least"}, planned},
    {{"greedy"}, [](question const& q) { return overheads{of(greedy_swaps(q.problem, q.options))}; }},
    {{"random"}, [](question const& q) { return random_choice(q, false); }},
    {{"DQN", "its last policy"}, [](question const& q) { return learnt(q, q_form::separable, false); }},
    {{"DQN, joint", "its last policy"}, [](question const& q) { return learnt(q, q_form::joint, false); }},
    {{"helpful: random"}, [](question const& q) { return random_choice(q, true); }},
    {{"DQN", "its last policy"}, [](question const& q) { return learnt(q, q_form::separable, true); }},
    {{"DQN, joint", "its last policy"}, [](question const& q) { return learnt(q, q_form::joint, true); }},
};

constexpr char const* introduction = R"(# Plans of a deep Q-network beside those of others

Made by `benchmark_offload_tables > offload_tables.md`: training graphs of the builders at their default sizes, gradients by
`value_grad`, times by the roofline of a GeForce GTX 1080 Ti (11.3 TFLOP/s, 484 GB/s), copies at 12 and 50 GB/s and 10 µs. The
trace is that of keep_all; limits are in per cent of its peak. Figures are overheads, the simulated time above the
trace's, in per cent of it; – where no plan fits. ρ is the time of copying the peak over that of computing once.

*plan* is the automatic planner over the link, in 10 seconds, judged by lanes; no plan has less overhead than *at least*.
*DQN* is fitted Q-iteration with T = 4, p = 16, Adam, batches of 16 at every fourth step: the best plan that it saw, and
that of its last policy. *random* is the best of as many episodes of random choice. *joint* replaces equation (3) by a
form in which the state of the graph and of the action act on each other. *helpful* offers only actions that free memory
at the first row that does not fit; the paper offers all. *s* is the CPU time of the first *DQN* column.
)";

auto text(std::optional<std::int64_t> const& overhead, std::int64_t once) -> std::string {
    if (!overhead) return "–";
    std::array<char, 32> shown{};
    std::snprintf(shown.data(), shown.size(), "%.2f", 100 * static_cast<double>(*overhead) / static_cast<double>(once));
    return shown.data();
}

}  // namespace

int main(int argc, char** argv) {
    auto const episodes = argc > 1 ? static_cast<std::size_t>(std::strtoul(argv[1], nullptr, 10)) : std::size_t{300};
    std::vector<std::string> chosen(argv + (argc > 2 ? 2 : argc), argv + argc);
    if (chosen.empty()) chosen = {"resnet18", "resnet50", "vgg19", "unet", "googlenet"};
    std::printf("%s\n%zu episodes.\n\n| network | rows | ρ | limit |", introduction, episodes);
    std::size_t columns = 5;
    for (auto const& m : methods)
        for (auto const* name : m.columns) {
            std::printf(" %s |", name);
            ++columns;
        }
    std::printf(" s |\n|---|");
    for (std::size_t k = 1; k < columns; ++k) std::printf("--:|");
    std::printf("\n");
    for (auto const& name : chosen) {
        auto const net = networks::network_of(networks::by_name(name), device);
        auto const training = io::training_graph_of(net);
        swap_problem const problem(trace_of(training.flow, keep_all(training).schedule));
        auto const once = problem.iteration().duration;
        for (auto const& host : hosts)
            for (auto const percent : limits) {
                auto const rho = static_cast<double>(host.copy_time(problem.peak())) / static_cast<double>(once);
                question const q{
                    training.flow, problem, {.limit = problem.peak() / 100 * percent, .link = host}, episodes};
                std::printf("| %s | %zu | %.1f | %d %% |", name.c_str(), problem.row_count(), rho, percent);
                std::optional<double> seconds;
                for (auto const& m : methods) {
                    auto const begin = detail::thread_clock::now();
                    for (auto const& overhead : m.run(q)) std::printf(" %s |", text(overhead, once).c_str());
                    if (m.columns.front() == std::string("DQN") && !seconds)
                        seconds = (detail::thread_clock::now() - begin).count();
                    std::fflush(stdout);
                }
                std::printf(" %.0f |\n", seconds.value_or(0));
            }
    }
}
