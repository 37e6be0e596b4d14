// Both ways between repebble and Boost.Graph: a Boost graph is planned as it is, and a training graph of ours is given
// to one of Boost's algorithms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dag_shortest_paths.hpp>

#include <repebble/graph/adapt/as_boost_graph.hpp>
#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/property_map.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

namespace {

struct layer {
    std::int64_t microseconds = 0;
    std::int64_t bytes = 0;
};
using network = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, layer>;

/// A stem and three blocks of four branches, the last the slowest.
auto branching_network() -> network {
    network net;
    auto from = boost::add_vertex({40, 4096}, net);
    for (int block = 0; block < 3; ++block) {
        auto const joined = boost::add_vertex({10, 4096}, net);
        for (std::int64_t width = 1; width <= 4; ++width) {
            auto const narrow = boost::add_vertex({20 * width, 1024}, net);
            auto const wide = boost::add_vertex({50 * width, 2048}, net);
            boost::add_edge(from, narrow, net);
            boost::add_edge(narrow, wide, net);
            boost::add_edge(wide, joined, net);
        }
        from = joined;
    }
    return net;
}

/// The time of the longest path: what a training step takes on as many devices as it can use.
auto critical_path(repebble::training_graph const& training) -> std::int64_t {
    auto const& flow = training.flow;
    auto const graph = repebble::as_boost_graph(flow);
    // Boost finds shortest paths, so that times are negated; an edge takes the time of the operation that it leaves.
    auto const time = repebble::make_edge_property_map(graph, [&](auto u, auto) { return -flow.time(u); });
    std::int64_t longest = 0;
    for (auto const source : flow.order()) {
        if (!flow.graph().predecessors(source).empty()) continue;
        std::vector<std::int64_t> distance(num_vertices(graph));
        boost::dag_shortest_paths(graph, vertex(source, graph),
                                  boost::distance_map(distance.data()).weight_map(time));
        for (std::size_t v = 0; v < distance.size(); ++v)
            if (distance[v] <= 0) longest = std::max(longest, flow.time(v) - distance[v]);
    }
    return longest;
}

}  // namespace

int main() {
    auto const net = branching_network();
    repebble::weights const w{
        repebble::from_property_map(get(&layer::microseconds, net)),
        repebble::from_property_map(get(&layer::bytes, net)),
    };
    auto const step = repebble::make_training_problem(net, w);
    auto const& training = *step.training();
    auto const all = repebble::keep_all(step);
    auto const plan = repebble::lower_set_plan(step, all.cost.peak * 2 / 3);
    if (!plan) return 1;
    auto const longest = critical_path(training);
    std::cout << "keep_all: " << all.cost.peak << " bytes; the plan: " << plan->cost.peak << " bytes, "
              << plan->cost.overhead << " us more than " << all.cost.time << " us\n"
              << "critical path: " << longest << " us\n";
    bool const fits = plan->cost.peak <= all.cost.peak * 2 / 3 && plan->cost.recomputations > 0;
    // The stem, and of each block the slowest branch and what joins: forward once, and gradients take twice as long.
    return fits && longest == 3 * (40 + 3 * (4 * (20 + 50) + 10)) ? 0 : 1;
}
