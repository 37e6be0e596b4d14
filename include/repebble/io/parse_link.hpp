#ifndef REPEBBLE_IO_PARSE_LINK_HPP
#define REPEBBLE_IO_PARSE_LINK_HPP

// Links to the host as people write them. Graph files, command lines and Python have them.

#include <string>

#include <repebble/pebbling/host_link.hpp>

namespace repebble::inline v0::io {

/// A link in bytes per nanosecond: a bandwidth in each direction, such as "12GB/s", or the name of a machine
/// (`machine_names`); then, with commas between, a latency such as "10us", rounded to nanoseconds, and "half-duplex".
/// O(characters).  Throws bad_weight, quoting the text, where it is anything else.
[[nodiscard]] auto parse_link(std::string const& text) -> host_link;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/parse_link.ipp>
#endif

#endif
