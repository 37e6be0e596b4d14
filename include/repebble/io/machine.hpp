#ifndef REPEBBLE_IO_MACHINE_HPP
#define REPEBBLE_IO_MACHINE_HPP

// Devices by name, with their roofline and their link to the host. `parse_link` and the programs know them.

#include <optional>
#include <string>
#include <string_view>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::io {

/// A device by name: its roofline, and its link to the host.
struct machine {
    std::string_view name;        ///< in lower case
    double flops_per_second;      ///< 0: a link alone
    double bytes_per_second;      ///< of its memory; 0: a link alone
    bytes link_bytes_per_second;  ///< in each direction
};

/// The machine of that name; nothing where there is none.  O(machines).
[[nodiscard]] auto find_machine(std::string_view name) -> std::optional<machine>;

/// Names of all machines, with commas between.
[[nodiscard]] auto machine_names() -> std::string;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/machine.ipp>
#endif

#endif
