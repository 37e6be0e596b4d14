#include "card.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "train_cuda/checks.hpp"
#include "train_cuda/memory.hpp"

namespace gpu_tables {

using repebble::bytes;
using repebble::lane;
using repebble::pool;

namespace {

[[nodiscard]] auto attribute(cudaDeviceAttr which) -> int {
    int value = 0;
    train_cuda::check(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
    return value;
}

/// Bytes of the card's memory.
struct memory_info {
    std::size_t free = 0, total = 0;
};
[[nodiscard]] auto memory_of_card() -> memory_info {
    memory_info m;
    train_cuda::check(cudaMemGetInfo(&m.free, &m.total), "cudaMemGetInfo");
    return m;
}

/// Operations of a multiprocessor in a cycle, two per multiply-add, without sparsity: NVIDIA's whitepapers.
struct arithmetic {
    int major, minor;
    std::array<int, 3> operations;  ///< fp32, tf32, bf16
};
constexpr std::array rates{arithmetic{8, 0, {128, 1024, 2048}}, arithmetic{8, 6, {256, 256, 512}},
                           arithmetic{8, 9, {256, 256, 512}}, arithmetic{9, 0, {256, 2048, 4096}},
                           arithmetic{10, 0, {256, 4096, 8192}}};

/// Seconds of the fastest of some copies on those lanes at once.
[[nodiscard]] auto copy_seconds(train_cuda::cuda_device& device, bytes size, bool out, bool in) -> double {
    auto const of_device = device.allocate(pool::device, 2 * size, 256);
    auto const of_host = device.allocate(pool::host, 2 * size, 256);
    device.fill(of_device.data(), 2 * size, 1);
    device.download(of_host.data(), of_device.data(), 2 * size);
    double least = 0;
    for (int k = 0; k < 4; ++k) {
        auto const begin = std::chrono::steady_clock::now();
        if (out) device.copy_on(lane::offload, of_host.data(), of_device.data(), size, pool::host);
        if (in) device.copy_on(lane::prefetch, of_device.data() + size, of_host.data() + size, size, pool::device);
        device.cancel();  // waits for all lanes
        std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
        least = k == 0 ? took.count() : std::min(least, took.count());
    }
    return std::max(least, 1e-9);
}

}  // namespace

auto card::flops_per_second(train::precision p) const -> std::optional<double> {
    auto const at = std::ranges::find_if(rates, [&](auto const& r) { return r.major == major && r.minor == minor; });
    if (at == rates.end()) return std::nullopt;
    return at->operations.at(static_cast<std::size_t>(p)) * clock * multiprocessors;
}

auto card::link() const -> repebble::host_link {
    constexpr std::int64_t microsecond = 1000;
    auto const slower = std::max(1.0, std::min({out, in, both / 2}) / 1e6);
    return {.size = static_cast<bytes>(slower), .time = microsecond, .latency = 10 * microsecond};
}

auto card::json() const -> nlohmann::json {
    nlohmann::json made{{"name", name},
                        {"capability", std::to_string(major) + "." + std::to_string(minor)},
                        {"multiprocessors", multiprocessors},
                        {"clock", clock},
                        {"bytes_per_second", bytes_per_second},
                        {"memory", memory},
                        {"copies_out", out},
                        {"copies_in", in},
                        {"copies_both", both}};
    for (auto const p : {train::precision::fp32, train::precision::tf32, train::precision::bf16})
        if (auto const rate = flops_per_second(p)) made["flops_per_second"][std::string(to_string(p))] = *rate;
    return made;
}

auto free_memory() -> bytes { return static_cast<bytes>(memory_of_card().free); }

auto measured_card(train_cuda::cuda_device& device, bytes copied) -> card {
    cudaDeviceProp properties{};
    train_cuda::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    card c;
    c.name = static_cast<char const*>(properties.name);
    c.major = attribute(cudaDevAttrComputeCapabilityMajor);
    c.minor = attribute(cudaDevAttrComputeCapabilityMinor);
    c.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    c.clock = 1e3 * attribute(cudaDevAttrClockRate);
    // Two transfers in a cycle of the memory's clock.
    c.bytes_per_second = 2e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    c.memory = static_cast<bytes>(memory_of_card().total);
    auto const size = static_cast<double>(copied);
    c.out = size / copy_seconds(device, copied, true, false);
    c.in = size / copy_seconds(device, copied, false, true);
    c.both = 2 * size / copy_seconds(device, copied, true, true);
    return c;
}

}  // namespace gpu_tables
