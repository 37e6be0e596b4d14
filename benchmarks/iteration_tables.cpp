// What does the automatic planner make of iterations that are no graph of their own: k-means, where the samples of one
// iteration are those of the next, and stochastic depth, where one plan must serve every subset of blocks?
// Writes the page (iteration_tables.md) to standard output.
//   benchmark_iteration_tables [--cheap] [kmeans] [NETWORK...]
// NETWORK is one with residual blocks; without names k-means, resnet18 and resnet50. Networks and links are taken side
// by side, one to a core.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/io/byte_size.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/kmeans_trace.hpp>
#include <repebble/traces/plan_iterations.hpp>
#include <repebble/traces/plan_period.hpp>
#include <repebble/traces/stochastic_depth.hpp>
#include <repebble/traces/trace_of.hpp>
#include <repebble/traces/traced_dataflow.hpp>

#include "measure/cheap.hpp"
#include "swaps/machine.hpp"
#include "swaps/shortened_iterations.hpp"
#include "swaps/swap_page.hpp"

namespace {

using namespace repebble;

constexpr std::array percents{90, 80, 70, 60, 50};

auto percent_of(std::int64_t part, std::int64_t once) -> double {
    return 100 * static_cast<double>(part) / static_cast<double>(once);
}
/// A row of a table, and the row below a head.
auto row_of(std::vector<std::string> const& cells) -> std::string {
    std::string row = "|";
    for (auto const& c : cells) row += " " + c + " |";
    return row + "\n";
}
auto head_of(std::string const& name, char const* link, std::vector<std::string> const& columns) -> std::string {
    std::string under = "|";
    for (std::size_t k = 0; k < columns.size(); ++k) under += "--:|";
    return "\n## " + name + ", " + link + "\n\n" + row_of(columns) + under + "\n";
}
auto limit_of(int percent) -> std::string { return std::to_string(percent) + " %"; }

// ---- k-means -----------------------------------------------------------------------------------------------------

auto period_row(swap_problem const& p, dataflow const& flow, int percent, host_link const& bus, bool is_cheap)
    -> std::string {
    auto const once = p.iteration().duration;
    auto const limit = p.peak() / 100 * percent;
    auto const greedy = greedy_swaps(p, {.limit = limit, .link = bus});
    std::optional<double> simulated;
    if (greedy.result.feasible) simulated = percent_of(greedy.result.overhead, once);
    std::string const no = measure::not_asked;
    if (is_cheap && percent != percents.front())
        return row_of({limit_of(percent), swaps::shown(simulated), no, no, no, no, no});
    auto const found = plan_period(flow, limit, {.limits = {.work = 20'000}, .link = bus});
    if (!found) return row_of({limit_of(percent), swaps::shown(simulated), "–", "–", "–", "–", "–"});
    return row_of({limit_of(percent), swaps::shown(simulated), swaps::shown(percent_of(found->cost.overhead, once)),
                   swaps::shown(percent_of(found->lower_bound, once)), std::to_string(found->away.size()),
                   io::format_bytes(found->cost.bytes_in), io::format_bytes(found->cost.bytes_out)});
}

auto kmeans_table(std::pair<char const*, host_link> const& link, bool is_cheap) -> std::string {
    swap_problem const p(kmeans_trace());
    auto const traced = make_traced_dataflow(p);
    auto table = head_of("k-means", link.first, {"limit", "greedy", "plan", "at least", "chunks away", "in", "out"});
    for (auto const percent : percents) table += period_row(p, traced.flow, percent, link.second, is_cheap);
    return table;
}

// ---- stochastic depth --------------------------------------------------------------------------------------------

/// A network, two draws of twenty iterations of it, and the plans of both kinds.
struct droppable {
    training_graph training;
    swap_problem problem;
    traced_dataflow traced;
    std::vector<std::vector<bool>> seen, shortened;  ///< those of the plan, and those of the figure
};

auto droppable_network(std::string const& name) -> droppable {
    auto const model = networks::by_name(name);
    auto training = io::make_training_graph(networks::network_of(model, swaps::device));
    auto const kept = keep_all(training).schedule;
    auto const operations = traced_operations(training.flow, kept);
    swap_problem problem(trace_of(training.flow, kept));
    auto traced = make_traced_dataflow(problem);
    auto seen = swaps::shortened_iterations(model, training, operations, 2);
    auto shortened = swaps::shortened_iterations(model, training, operations, 1);
    return {std::move(training), std::move(problem), std::move(traced), std::move(seen), std::move(shortened)};
}

/// The mean over iterations of a plan in the simulator.
auto simulated_mean(droppable const& net, swap_options const& options) -> std::optional<double> {
    auto const full = greedy_swaps(net.problem, options);
    double sum = 0;
    for (auto const& dropped : net.shortened) {
        auto const r = without_computations(net.problem, full.plan, dropped, options);
        if (!r.result.feasible) return std::nullopt;
        sum += percent_of(r.result.overhead, r.trace.duration);
    }
    return sum / static_cast<double>(net.shortened.size());
}

auto depth_row(droppable const& net, int percent, host_link const& bus, bool is_cheap) -> std::string {
    auto const limit = net.problem.peak() / 100 * percent;
    auto const simulated = swaps::shown(simulated_mean(net, {.limit = limit, .link = bus}));
    if (is_cheap) return row_of({limit_of(percent), simulated, measure::not_asked, measure::not_asked});
    auto const found =
        plan_iterations(net.problem, net.traced, net.seen, limit, {.limits = {.work = 20'000}, .link = bus});
    std::optional<double> whole, mean;
    if (found) whole = percent_of(found->cost.overhead, net.traced.flow.time_once());
    if (found) mean = 100 * mean_overhead(net.problem, net.traced, found->steps, net.shortened, bus);
    return row_of({limit_of(percent), simulated, swaps::shown(mean), swaps::shown(whole)});
}

auto depth_table(std::string const& name, std::pair<char const*, host_link> const& link, bool is_cheap) -> std::string {
    auto const net = droppable_network(name);
    auto table = head_of("SD-" + name, link.first, {"limit", "greedy", "plan", "plan, whole"});
    for (auto const percent : percents) table += depth_row(net, percent, link.second, is_cheap);
    return table;
}

constexpr char const* introduction = R"(# Iterations that go round, and iterations that drop blocks

Made by `benchmark_iteration_tables > iteration_tables.md`. Trace, card, links, limits and draws are those of
[offload_tables](offload_tables.md), which has the deep Q-network, random choice and others; *greedy* is that of these
by simulated cost, in the simulator of the paper. *plan* is the automatic planner with 20,000 moves, judged by lanes.
Figures are overheads in per cent, – where no plan was found.

The samples of k-means have memory from one iteration to the next. *plan* is a period that ends in the state in which it
began (`plan_period`): *chunks away* of 32 lie on the host between two iterations; *in* and *out* is what is copied in
each. They are not copied out, as nothing overwrites them; the simulator copies out what it offloads, each time. No
period between which the same chunks are away has less overhead than *at least*.

*SD-* is stochastic depth: *plan* is one schedule for every subset of blocks (`plan_iterations`), made with twenty
iterations; the figure is the mean of twenty others, and *plan, whole* its overhead where nothing is dropped.
)";

}  // namespace

int main(int argc, char** argv) {
    bool const is_cheap = measure::take_cheap(argc, argv);
    std::vector<std::string> names(argv + 1, argv + argc);
    if (names.empty()) names = {"kmeans", "resnet18", "resnet50"};
    if (is_cheap) names = {"kmeans", "resnet18"};
    auto const tables = swaps::over_all_links(names, [&](std::string const& name, auto const& link) {
        return name == "kmeans" ? kmeans_table(link, is_cheap) : depth_table(name, link, is_cheap);
    });
    if (!is_cheap) std::fputs(introduction, stdout);
    for (auto const& table : tables) std::fputs(table.c_str(), stdout);
    return 0;
}
