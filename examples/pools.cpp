// A small fast memory beside a large slow one: with the traffic of each buffer as its priority, those that operations
// read and write most often, for their size, lie in the fast memory, where by size alone large ones would.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <vector>

#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/buffer_walk.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/recompute/keep_all.hpp>

int main() {
    using namespace repebble;
    auto const net = networks::network_of(networks::by_name("resnet18", {.batch = 2, .resolution = 64}));
    auto const training = io::training_graph_of(net);
    auto const& flow = training.flow;
    auto const schedule = keep_all(training).schedule;
    auto const buffers = lifetimes(flow, schedule).buffers;

    std::vector<double> touches(buffers.size(), 0);  // by operations: bytes moved per byte of size
    buffer_walk walk(flow);
    for (auto const& s : schedule.steps) {
        if (s.what != action::compute) continue;
        for (auto const x : flow.reads(s.vertex))
            for (auto const b : walk.buffers_of(x)) ++touches[b];
        for (auto b = walk.compute(s).first_new; b < walk.buffer_count(); ++b) ++touches[b];
    }

    bytes const all = greatest_live_bytes(buffers).most;
    std::vector<bytes> const capacities{all / 16, all * 2};
    auto const by_size = assign_pools(buffers, capacities);
    auto const by_traffic = assign_pools(buffers, capacities, {}, {}, touches);
    if (!by_size || !by_traffic) return 1;
    auto const traffic_in_fast = [&](pool_plan const& plan) {
        double moved = 0;
        for (std::size_t b = 0; b < buffers.size(); ++b)
            if (plan.pool_of[b] == 0) moved += touches[b] * static_cast<double>(buffers[b].size);
        return moved / 1e6;
    };
    std::cout << "traffic in a fast memory of " << capacities[0] << " bytes: by size " << traffic_in_fast(*by_size)
              << " MB, by traffic " << traffic_in_fast(*by_traffic) << " MB\n";
    return traffic_in_fast(*by_traffic) > traffic_in_fast(*by_size) ? 0 : 1;
}
