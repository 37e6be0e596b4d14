#ifndef REPEBBLE_IO_SRC_HPP
#define REPEBBLE_IO_SRC_HPP

// The bodies of the files' readers and writers, to be compiled once, as `repebble/src.hpp` those of the library. The
// CMake target repebble::compiled_json does so.

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#error "repebble: define REPEBBLE_SEPARATE_COMPILATION for every source file of the program"
#endif

#include <repebble/impl/io/buffer_table.ipp>
#include <repebble/impl/io/dot_decomposition.ipp>
#include <repebble/impl/io/dot_graph.ipp>
#include <repebble/impl/io/gzip.ipp>
#include <repebble/impl/io/json_chain.ipp>
#include <repebble/impl/io/json_network.ipp>
#include <repebble/impl/io/json_schedule.ipp>
#include <repebble/impl/io/machine.ipp>
#include <repebble/impl/io/network.ipp>
#include <repebble/impl/io/network_policies.ipp>
#include <repebble/impl/io/network_training.ipp>
#include <repebble/impl/io/parse_json.ipp>
#include <repebble/impl/io/parse_link.ipp>
#include <repebble/impl/io/read_account.ipp>
#include <repebble/impl/io/write_file.ipp>

#endif
