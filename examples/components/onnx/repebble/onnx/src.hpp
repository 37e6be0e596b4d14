#ifndef REPEBBLE_ONNX_SRC_HPP
#define REPEBBLE_ONNX_SRC_HPP

// The bodies of the ONNX reader, to be compiled once, as `repebble/io/src.hpp` those of the readers of other files. The
// CMake target repebble::compiled_onnx does so.

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#error "repebble: define REPEBBLE_SEPARATE_COMPILATION for every source file of the program"
#endif

#include <repebble/impl/onnx/onnx_flatten.ipp>
#include <repebble/impl/onnx/onnx_network.ipp>
#include <repebble/impl/onnx/onnx_shapes.ipp>
#include <repebble/impl/onnx/parse_onnx.ipp>

#endif
