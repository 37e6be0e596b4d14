#ifndef ALLOCATE_MODEL_BUFFERS_HPP
#define ALLOCATE_MODEL_BUFFERS_HPP

#include <repebble/io/buffer_table.hpp>

#include "arguments.hpp"

namespace allocate {

/// The buffers of an ONNX model's inference, named by node and output: in the order of the file, each value until its
/// last use, written over what it reads where that is allowed. Inputs and results are the caller's and not among them.
/// Throws repebble::error, naming the file.
[[nodiscard]] auto buffers_of_model(arguments const& asked) -> repebble::io::buffer_table;

}  // namespace allocate

#endif
