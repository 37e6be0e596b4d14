// MobileNet v1 (224 × 224, int8) in 512 KiB of fast and 2 MiB of slow memory: the plan of least traffic between the
// slow one and the rest, with a proof, beside plans by size and by bytes moved per byte. Every layer writes its
// activation once, and the next reads it once; its weights come from flash into a buffer that lives for the layer
// alone. Then MobileNet v2, where what an addition reads again may be copied to the slow memory meanwhile and back.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/verify_pools.hpp>

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

/// MobileNet v2 by Sandler et al. 2018, table 2: expansion, depthwise convolution, projection, and a sum where input
/// and output are alike.
struct residual_table {
    std::vector<repebble::buffer> buffers{};
    std::vector<std::vector<repebble::pool_access>> accesses{};

    explicit residual_table(std::int64_t element) {
        struct row {
            std::int64_t expansion, channels, blocks, stride;
        };
        std::vector<row> const rows{{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                    {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
        std::int64_t side = 112, channels = 32;
        auto at = make(224 * 224 * 3 * element);
        at = layer(at, side * side * channels * element, 3 * 3 * 3 * channels * element);
        for (auto const& [expansion, wider, blocks, stride] : rows)
            for (std::int64_t block = 0; block < blocks; ++block) {
                auto const input = at;
                auto const inner = channels * expansion, before = side;
                if (block == 0) side /= stride;
                if (expansion > 1) at = layer(at, before * before * inner * element, channels * inner * element);
                at = layer(at, side * side * inner * element, 3 * 3 * inner * element);
                at = layer(at, side * side * wider * element, inner * wider * element);
                if (block > 0) {
                    read(input);
                    at = layer(at, side * side * wider * element, 0);
                }
                channels = wider;
            }
        at = layer(at, side * side * 1280 * element, channels * 1280 * element);
        at = layer(at, 1280 * element, 0);
        layer(at, 1000 * element, 1280 * 1000 * element);
    }

  private:
    std::int64_t step_ = 0;

    auto make(std::int64_t size) -> std::size_t {
        buffers.push_back({.lifetime = {step_, step_ + 1}, .size = size, .alignment = 16});
        accesses.push_back({{step_, size}});
        return buffers.size() - 1;
    }
    void read(std::size_t b) {
        buffers[b].lifetime.upper = step_ + 1;
        accesses[b].push_back({step_, buffers[b].size});
    }
    auto layer(std::size_t input, std::int64_t output, std::int64_t weights) -> std::size_t {
        ++step_;
        read(input);
        if (weights > 0) read(make(weights));
        return make(output);
    }
};

/// Shows the traffic of MobileNet v2 without and with copies; whether no plan has less.
auto show_copies(std::string const& name, std::int64_t element, std::vector<repebble::bytes> const& capacities)
    -> bool {
    residual_table const of(element);
    std::vector<std::int64_t> traffic(of.buffers.size(), 0);
    for (std::size_t b = 0; b < traffic.size(); ++b)
        for (auto const& a : of.accesses[b]) traffic[b] += a.traffic;
    auto const without = repebble::assign_pools(of.buffers, capacities, {.traffic = traffic});
    repebble::pool_options const options{.accesses = of.accesses};
    auto const with = repebble::assign_pools(of.buffers, capacities, options);
    std::cout << name << ": ";
    if (!without.plan || !with.plan) {
        std::cout << (with.none_exists ? "no plan exists\n" : "no plan was found\n");
        return with.none_exists;
    }
    std::cout << without.traffic << " bytes of traffic, at least " << without.traffic_bound << "; with "
              << with.plan->copies.size() << " copies " << with.traffic << ", at least " << with.traffic_bound << '\n';
    return repebble::verify_pools(of.buffers, capacities, *with.plan, options).traffic == with.traffic &&
           with.traffic <= without.traffic && with.traffic_bound <= with.traffic;
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
    bool const copied = show_copies("MobileNet v2, int8", 1, capacities) &&
                        show_copies("MobileNet v2, float32", 4, capacities) &&
                        show_copies("MobileNet v2, int8, 224 KiB", 1, {224 * 1024, 2 * 1024 * 1024}) &&
                        show_copies("MobileNet v2, float32, 2 MiB and 8 MiB", 4, {2 << 20, 8 << 20});
    return copied && least.traffic == slow && least.traffic == least.traffic_bound && slow <= by_size &&
                   slow <= by_priority
               ? 0
               : 1;
}
