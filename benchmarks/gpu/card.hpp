#ifndef GPU_TABLES_CARD_HPP
#define GPU_TABLES_CARD_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/host_link.hpp>

#include "program/arguments.hpp"
#include "train_cuda/cuda_device.hpp"

namespace gpu_tables {

/// A card by its properties, and its link by copies of pinned memory.
struct card {
    std::string name;
    int major = 0, minor = 0;  ///< compute capability
    int multiprocessors = 0;
    double clock = 0;                  ///< cycles a second
    double bytes_per_second = 0;       ///< of its memory
    repebble::bytes memory = 0;        ///< all of it
    double out = 0, in = 0, both = 0;  ///< bytes a second to the host, from it, and both ways at once together

    /// Operations a second at that clock; nothing where they are not known for this compute capability.
    [[nodiscard]] auto flops_per_second(train::precision p) const -> std::optional<double>;
    /// In bytes per nanosecond, by the slower direction.
    [[nodiscard]] auto link() const -> repebble::host_link;
    [[nodiscard]] auto json() const -> nlohmann::json;
};

/// Bytes of the card's memory that nobody has.
[[nodiscard]] auto free_memory() -> repebble::bytes;

/// Measures the link by copies of so many bytes.
[[nodiscard]] auto measured_card(train_cuda::cuda_device& device, repebble::bytes copied) -> card;

}  // namespace gpu_tables

#endif
