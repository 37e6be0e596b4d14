#ifndef TRAIN_PROCESS_MEMORY_HPP
#define TRAIN_PROCESS_MEMORY_HPP

#include <functional>
#include <optional>

#include <repebble/graph/quantity.hpp>

namespace train {

/// Most memory that the process had since its begin, or since `restart_process_peak`, by the system; 0 where it does
/// not say.
[[nodiscard]] auto process_peak() -> repebble::bytes;
/// Gives back what the heap has and nobody uses, makes what the process has now its peak, and returns that; nothing
/// where the system cannot.
[[nodiscard]] auto restart_process_peak() -> std::optional<repebble::bytes>;

/// The figures of a system about the memory in which a device's blocks lie; empty where it does not say.
struct memory_meter {
    /// Makes the memory in use now the peak, and returns it.
    std::function<std::optional<repebble::bytes>()> restart{};
    std::function<repebble::bytes()> peak{};  ///< since then
};

}  // namespace train

#endif
