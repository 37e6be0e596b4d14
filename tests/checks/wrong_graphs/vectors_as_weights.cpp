// expected: weights_time_is_no_callable_on_vertices
#include <cstdint>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>

auto main() -> int {
    std::vector<std::vector<int>> const net{{1}, {}};
    std::vector<std::int64_t> const times{1, 2}, sizes{3, 4};
    static_cast<void>(repebble::make_training_graph(net, repebble::weights{times, sizes}));
}
