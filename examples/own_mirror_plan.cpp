// Your own plan of what to compute again: how often, vertex by vertex. And the graph in which that happens, for a
// framework that runs graphs and not schedules.
#include <iostream>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/make_unrolled.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/mirror.hpp>

int main() {
    // Convolution, normalisation and activation, three times: each makes 4 bytes, convolutions take 10 time units.
    std::vector<std::vector<int>> const net{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {}};
    repebble::weights const w{[](int v) { return v % 3 == 0 ? 10 : 1; }, [](int) { return 4; }};
    auto const mirror_count = [](auto v) { return v % 3 == 0 ? 0 : 1; };  // what follows a convolution, once more

    auto const step = repebble::make_training_problem(net, w);
    auto const plan = repebble::mirror(step, [&](auto v) { return mirror_count(step(v).vertex); });
    std::cout << "peak " << plan.cost.peak << " bytes, overhead " << plan.cost.overhead << " time units\n";

    // The mirrored gradient graph: originals, copies and gradients, in the order in which they run.
    auto const graph = repebble::make_unrolled(step.flow(), plan.schedule);
    for (std::size_t i = 0; i < graph.origin.size(); ++i) {
        auto const& [vertex, pass, part] = step(graph.origin[i]);
        std::cout << (i > 0 ? ", " : "") << to_string(pass) << ' ' << vertex
                  << (graph.repetition[i] > 0 ? " again" : "");
    }
    std::cout << '\n';

    auto const all = repebble::keep_all(step).cost;
    auto const cost = repebble::replay(graph.flow, repebble::make_schedule(graph.flow));
    return plan.cost.peak < all.peak && plan.cost.overhead == 6 && cost.peak == plan.cost.peak ? 0 : 1;
}
