#ifndef PLAN_LINK_HPP
#define PLAN_LINK_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/host_link.hpp>

namespace plan {

/// A device by name: its roofline, and its link to the host.
struct machine {
    char const* name;
    double flops_per_second;  ///< 0: a link alone
    double bytes_per_second;
    repebble::bytes link_bytes_per_second;  ///< in each direction
};

/// Names of all machines, with commas between.
[[nodiscard]] auto machine_names() -> std::string;
/// Nothing where there is none of that name.
[[nodiscard]] auto machine_named(std::string const& name) -> std::optional<machine>;

/// A link in bytes per nanosecond: "12GB/s" or the name of a machine, then, with commas between, a latency such as
/// "10us" and "half-duplex".  Throws bad_weight.
[[nodiscard]] auto parse_link(std::string const& text) -> repebble::host_link;

/// How many times as long as `time_once` a copy of so many bytes takes: far above 1, copies can do little.
[[nodiscard]] auto copy_ratio(repebble::host_link const& via, repebble::bytes size, std::int64_t time_once) -> double;

}  // namespace plan

#endif
