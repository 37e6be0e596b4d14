#ifndef SWAP_WRITTEN_FILES_HPP
#define SWAP_WRITTEN_FILES_HPP

#include <string>
#include <vector>

#include <repebble/io/network.hpp>
#include <repebble/traces/trace_file.hpp>

#include "methods.hpp"

namespace swap_program {

/// The dataflow of the trace as a network, whose nodes have the numbers of its operations.
[[nodiscard]] auto network_of(subject const& about, std::vector<std::string> const& kernels, arguments const& asked)
    -> repebble::io::network;

/// The plan of a row as a schedule file: in terms of the training graph where the trace names its operations, else of
/// `network_of`.
void write_schedule(std::string const& path, outcome const& row, subject const& about,
                    repebble::io::trace_document const& read, arguments const& asked);

}  // namespace swap_program

#endif
