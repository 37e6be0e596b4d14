// expected: graph_traits_has_no_predecessors_which_bidirectional_would_derive
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/adapt/reversed.hpp>

int main() {
    std::vector<std::vector<int>> const net{{1}, {}};
    auto const turned = repebble::reversed(net);
    return 0;
}
