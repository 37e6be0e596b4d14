// A small fast memory beside a large slow one: with the traffic of each buffer as its priority, those that operations
// read and write most often, for their size, lie in the fast memory, where by size alone large ones would.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <vector>

#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/live_bytes.hpp>

int main() {
    using namespace repebble;
    // Layers that shrink, forward and backward: layer i writes an activation, which the next layer and its gradient read.
    // Its weights are needed all the time, and convolutions read them often.
    constexpr int layers = 16;
    std::vector<buffer> buffers;
    std::vector<double> touches;  // bytes moved per byte of size
    for (int i = 0; i < layers; ++i) {
        buffers.push_back({.lifetime = {i, 2 * layers - i}, .size = 1'000'000 / (i + 1)});
        touches.push_back(3);
        buffers.push_back({.lifetime = {0, 2 * layers}, .size = 20'000 * (i + 1)});
        touches.push_back(i < layers / 2 ? 40 : 4);
    }

    bytes const all = find_live_bytes(buffers).most;
    std::vector<bytes> const capacities{all / 16, all * 2};
    auto const by_size = assign_pools(buffers, capacities);
    auto const by_traffic = assign_pools(buffers, capacities, {.priorities = touches});
    if (!by_size.plan || !by_traffic.plan) return 1;
    auto const traffic_in_fast = [&](pool_plan const& plan) {
        double moved = 0;
        for (std::size_t b = 0; b < buffers.size(); ++b)
            if (plan.pool_of[b] == 0) moved += touches[b] * static_cast<double>(buffers[b].size);
        return moved / 1e6;
    };
    std::cout << "traffic in a fast memory of " << capacities[0] << " bytes: by size " << traffic_in_fast(*by_size.plan)
              << " MB, by traffic " << traffic_in_fast(*by_traffic.plan) << " MB\n";
    return traffic_in_fast(*by_traffic.plan) > traffic_in_fast(*by_size.plan) ? 0 : 1;
}
