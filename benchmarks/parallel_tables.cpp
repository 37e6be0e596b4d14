// What does memory for steps that run side by side cost? MXNet's note, "Allocation for parallel operations", on
// networks: bytes and longest path where blocks are shared in turn, by ancestors, and along the longest paths, in two
// orders; and bytes and time against the number of streams. Writes the tables of parallel_tables.md to standard output,
// and a picture to the file that an argument names.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/allocate/sharing_dependencies.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/pebbling/make_schedule.hpp>

#include "measure/cheap.hpp"

namespace {

using namespace repebble;

using times = std::vector<std::int64_t>;
using order_of_operations = std::vector<operation_index>;

// ---- schedules, and the graphs of their steps --------------------------------------------------------------------

/// A schedule with what sharing reads.
struct scheduled {
    schedule<> plan;
    step_graph steps;
    std::vector<buffer> buffers;
    times taken;  ///< of each step

    scheduled(dataflow const& flow, order_of_operations const& order)
        : plan(make_schedule(flow, order)),
          steps(make_step_graph(flow, plan)),
          buffers(find_lifetimes(flow, plan).buffers) {
        for (auto const& s : plan.steps) taken.push_back(s.what == action::compute ? flow.time(s.vertex) : 0);
    }
};

auto with_edges(csr_graph const& g, std::vector<csr_graph::edge> edges) -> csr_graph {
    for (csr_graph::vertex v = 0; v < g.vertex_count(); ++v)
        for (auto const w : g.successors(v)) edges.emplace_back(v, w);
    return {g.vertex_count(), edges};
}

/// When each vertex ends at the earliest; edges lead on in the order of the numbers.
auto earliest_ends(csr_graph const& g, times const& taken) -> times {
    times ends(g.vertex_count());
    for (csr_graph::vertex v = 0; v < g.vertex_count(); ++v) {
        for (auto const u : g.predecessors(v)) ends[v] = std::max(ends[v], ends[u]);
        ends[v] += taken[v];
    }
    return ends;
}
auto longest_path(csr_graph const& g, times const& taken) -> std::int64_t {
    return std::ranges::max(earliest_ends(g, taken));
}

// ---- orders ------------------------------------------------------------------------------------------------------

/// Branches side by side: by the number of operations on the longest way from an input.
auto by_levels(dataflow const& flow) -> order_of_operations {
    auto const level = earliest_ends(csr_graph::copy_of(flow), times(flow.operation_count(), 1));
    order_of_operations order(flow.order().begin(), flow.order().end());
    std::ranges::stable_sort(order, {}, [&](operation_index o) { return level[o]; });
    return order;
}

/// Operations on so many streams: a free one takes the ready operation with the longest way to the end.
struct timetable {
    order_of_operations order{};
    std::vector<std::size_t> stream{};  ///< of each operation
    std::int64_t makespan = 0;
};
auto run_on(std::size_t streams, dataflow const& flow) -> timetable {
    auto const g = csr_graph::copy_of(flow);
    auto const n = flow.operation_count();
    times way(n);  // to the end
    for (auto v = n; v-- > 0;) {
        for (auto const w : g.successors(v)) way[v] = std::max(way[v], way[w]);
        way[v] += flow.time(static_cast<operation_index>(v));
    }
    std::vector<std::size_t> missing(n);
    std::set<std::pair<std::int64_t, operation_index>> ready;
    for (operation_index v = 0; v < n; ++v)
        if (missing[v] = g.predecessors(v).size(); missing[v] == 0) ready.emplace(-way[v], v);
    std::set<std::size_t> idle;
    for (std::size_t s = 0; s < std::min(streams, n); ++s) idle.insert(s);
    using running = std::pair<std::int64_t, operation_index>;  // until then
    std::priority_queue<running, std::vector<running>, std::greater<>> run;
    timetable table{.stream = std::vector<std::size_t>(n)};
    while (!ready.empty() || !run.empty()) {
        if (!ready.empty() && !idle.empty()) {
            auto const v = ready.begin()->second;
            ready.erase(ready.begin());
            table.order.push_back(v);
            table.stream[v] = *idle.begin();
            idle.erase(idle.begin());
            run.emplace(table.makespan + flow.time(v), v);
            continue;
        }
        auto const [end, v] = run.top();
        run.pop();
        table.makespan = end;
        idle.insert(table.stream[v]);
        for (auto const w : g.successors(v))
            if (--missing[w] == 0) ready.emplace(-way[w], w);
    }
    return table;
}

/// From each step to the next one of its stream.
auto edges_of_streams(scheduled const& s, timetable const& table) -> std::vector<csr_graph::edge> {
    constexpr auto none = static_cast<csr_graph::vertex>(-1);
    std::vector<csr_graph::vertex> last(table.stream.size(), none);
    std::vector<csr_graph::edge> edges;
    for (csr_graph::vertex at = 0; at < s.plan.steps.size(); ++at) {
        if (s.plan.steps[at].what != action::compute) continue;
        auto& before = last[table.stream[s.plan.steps[at].vertex]];
        if (before != none) edges.emplace_back(before, at);
        before = at;
    }
    return edges;
}

// ---- tables ------------------------------------------------------------------------------------------------------

constexpr std::array<std::size_t, 4> path_counts{1, 4, 16, 64};
constexpr std::array<std::size_t, 4> stream_counts{1, 2, 4, 8};

struct subject {
    std::string network;
    char const* work;
    dataflow flow;
};

auto gigabytes(bytes b) -> double { return static_cast<double>(b) / 1e9; }
auto percent(std::int64_t part, dataflow const& flow) -> double {
    return 100 * static_cast<double>(part) / static_cast<double>(flow.time_once());
}

void print_ways(std::vector<subject> const& all) {
    std::printf(
        "\n## Two orders\n\n| network | work | order | steps | longest path | in turn | its longest path | waits | "
        "by ancestors |");
    for (auto const paths : path_counts) std::printf(" %zu path%s |", paths, paths == 1 ? "" : "s");
    std::printf("\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (auto const& [network, work, flow] : all)
        for (bool const levels : {false, true}) {
            scheduled const s(flow,
                              levels ? by_levels(flow) : order_of_operations(flow.order().begin(), flow.order().end()));
            auto const& g = s.steps.dependencies;
            auto const in_turn = share_blocks(s.buffers);
            auto const waits = find_sharing_dependencies(s.steps, s.buffers, in_turn.offsets());
            std::printf("| %s | %s | %s | %zu | %.1f %% | %.3f GB | %.1f %% | %zu | %.3f GB |", network.c_str(), work,
                        levels ? "side by side" : "one by one", flow.operation_count(),
                        percent(longest_path(g, s.taken), flow), gigabytes(in_turn.total),
                        percent(longest_path(with_edges(g, waits), s.taken), flow), waits.size(),
                        gigabytes(share_blocks(s.buffers, {.steps = &s.steps}).total));
            for (auto const paths : path_counts)
                std::printf(" %.3f GB |",
                            gigabytes(share_blocks(s.buffers, {.steps = &s.steps, .paths = paths}).total));
            std::printf("\n");
            std::fflush(stdout);
        }
}

/// Bytes and time where so many streams run.
void print_streams(std::vector<subject> const& all) {
    std::printf("\n## Streams\n\n| network | work |");
    for (auto const streams : stream_counts) std::printf(" %zu stream%s |", streams, streams == 1 ? "" : "s");
    std::printf(" longest path |\n|---|---|--:|--:|--:|--:|--:|\n");
    for (auto const& [network, work, flow] : all) {
        std::printf("| %s | %s |", network.c_str(), work);
        for (auto const streams : stream_counts) {
            auto const table = run_on(streams, flow);
            scheduled s(flow, table.order);
            s.steps.dependencies = with_edges(s.steps.dependencies, edges_of_streams(s, table));
            std::printf(" %.3f GB, %.1f %% |", gigabytes(share_blocks(s.buffers, {.steps = &s.steps}).total),
                        percent(table.makespan, flow));
        }
        scheduled const s(flow, by_levels(flow));
        std::printf(" %.1f %% |\n", percent(longest_path(s.steps.dependencies, s.taken), flow));
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    static_cast<void>(measure::take_cheap(argc, argv));  // all is
    std::vector<subject> all;
    for (std::string const name : {"resnet50", "googlenet", "densenet161", "pspnet", "lstm", "gpt2"}) {
        auto training = io::make_training_graph(networks::network_of(networks::by_name(name)));
        all.push_back({name, "inference", detail::forward_part(training).flow});
        all.push_back({name, "training", std::move(training.flow)});
    }
    print_ways(all);
    print_streams(all);
    return 0;
}
