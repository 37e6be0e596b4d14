#ifndef PLAN_LINK_HPP
#define PLAN_LINK_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <repebble/graph/quantity.hpp>
#include <repebble/io/network.hpp>
#include <repebble/pebbling/host_link.hpp>

#include "arguments.hpp"

namespace plan {

/// How many times as long as `time_once` a copy of so many bytes takes: far above 1, copies can do little.
[[nodiscard]] auto copy_ratio(repebble::host_link const& via, repebble::bytes size, std::int64_t time_once) -> double;

/// Takes what the command line does not say of copies from a schedule that is replayed, its link, or else from the
/// graph.  Throws bad_option where what the command line asks for needs a link, or does not go with it.
void choose_link(arguments& asked, std::optional<std::string> const& of_schedule, repebble::io::network const& net);

}  // namespace plan

#endif
