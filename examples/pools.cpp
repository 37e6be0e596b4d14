// MobileNet v1 (224 × 224, int8) in 512 KiB of fast and 2 MiB of slow memory: the plan of least traffic between the
// slow one and the rest, with a proof, beside plans by size and by bytes moved per byte. Every layer writes its
// activation once, and the next reads it once; its weights come from flash into a buffer that lives for the layer
// alone.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/buffer.hpp>

namespace {

struct table {
    std::vector<repebble::buffer> buffers{};
    std::vector<std::int64_t> traffic{};  // bytes written and read

    void add(repebble::interval lifetime, std::int64_t size) {
        buffers.push_back({.lifetime = lifetime, .size = size, .alignment = 16});
        traffic.push_back(2 * size);
    }
};

/// Layers by Howard et al. 2017, table 1: pairs of a depthwise and a pointwise convolution.
auto mobilenet() -> table {
    struct pair {
        std::int64_t stride, channels;
    };
    std::vector<pair> const pairs{{1, 64},  {2, 128}, {1, 128}, {2, 256}, {1, 256},  {2, 512}, {1, 512},
                                  {1, 512}, {1, 512}, {1, 512}, {1, 512}, {2, 1024}, {1, 1024}};
    table made;
    std::int64_t step = 0, side = 112, channels = 32;
    auto const layer = [&](std::int64_t output, std::int64_t weights) {
        if (weights > 0) made.add({step, step + 1}, weights);
        made.add({step, step + 2}, output);
        ++step;
    };
    made.add({0, 1}, 224 * 224 * 3);
    layer(side * side * channels, 3 * 3 * 3 * channels);
    for (auto const& [stride, wider] : pairs) {
        side /= stride;
        layer(side * side * channels, 3 * 3 * channels);
        layer(side * side * wider, channels * wider);
        channels = wider;
    }
    layer(channels, 0);  // average
    layer(1000, channels * 1000);
    return made;
}

}  // namespace

int main() {
    using namespace repebble;
    auto const [buffers, traffic] = mobilenet();
    std::vector<bytes> const capacities{512 * 1024, 2 * 1024 * 1024};
    std::vector<double> priorities;  // bytes moved per byte
    for (std::size_t b = 0; b < buffers.size(); ++b)
        priorities.push_back(static_cast<double>(traffic[b]) / static_cast<double>(buffers[b].size));

    auto const show = [&](std::string const& name, pool_result const& found) {
        std::int64_t slow = 0;
        for (std::size_t b = 0; b < buffers.size(); ++b)
            if (found.plan && found.plan->pool_of[b] == 1) slow += traffic[b];
        std::cout << name << ": " << slow << " bytes of traffic in the slow memory\n";
        return slow;
    };
    auto const by_size = show("large buffers first", assign_pools(buffers, capacities));
    auto const by_priority =
        show("bytes moved per byte first", assign_pools(buffers, capacities, {.priorities = priorities}));
    auto const least = assign_pools(buffers, capacities, {.traffic = traffic});
    auto const slow = show("least traffic", least);
    std::cout << "no plan has less than " << least.traffic_bound << " bytes\n";
    return least.traffic == slow && least.traffic == least.traffic_bound && slow <= by_size && slow <= by_priority ? 0
                                                                                                                   : 1;
}
