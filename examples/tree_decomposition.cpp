// How near is a network to a tree? The bags of a tree decomposition are its separators.
#include <cstddef>
#include <iostream>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/treewidth/treewidth.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

int main() {
    // Ten steps of two towers that read one another: operations 2t and 2t + 1 are read by both of the next step.
    std::vector<std::vector<int>> towers(20);
    for (int v = 0; v + 2 < 20; ++v) {
        auto const next = v + 2 - v % 2;
        towers[static_cast<std::size_t>(v)] = {next, next + 1};
    }
    auto const found = repebble::find_treewidth(towers);
    std::cout << "treewidth " << found.lower << " to " << found.upper << '\n';

    auto const graph = repebble::undirected_graph::of(towers);
    auto const bags = repebble::make_tree_decomposition(graph, found.order);
    for (auto const& bag : bags.bags) {
        for (auto const v : bag) std::cout << v << ' ';
        std::cout << '\n';
    }
    return found.is_exact() && bags.width() == 3 && repebble::verify_decomposition(graph, bags) ? 0 : 1;
}
