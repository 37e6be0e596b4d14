// Plans a graph of its own, with the core only.
#include <iostream>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/keep_all.hpp>

int main() {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    repebble::weights const ones{repebble::unit_weight{}, repebble::unit_weight{}};
    auto const plan = repebble::keep_all(repebble::make_training_graph(net, ones));
    std::cout << "peak " << plan.cost.peak << " bytes\n";
    return plan.cost.peak == 9 ? 0 : 1;
}
