#ifndef REPEBBLE_ONNX_PARSE_ONNX_HPP
#define REPEBBLE_ONNX_PARSE_ONNX_HPP

// ONNX models from files, from texts, and from objects of protobuf's. No library of Protocol Buffers is needed, and
// none is in the way of one that a program links.

#include <concepts>
#include <filesystem>
#include <string>

#include <repebble/io/read_account.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io {

/// The ONNX model in a file, which may be gzip data. Contents of tensors with more than 4,096 elements are skipped, so
/// that a file takes memory for its graph only; of one that is packed, all is unpacked in memory. Contents that lie in
/// other files (external data) are unknown.  O(bytes).
/// Throws bad_file, naming the file and the byte, where it cannot be read or is no ONNX model; limit_reached.
[[nodiscard]] auto read_onnx_model(std::filesystem::path const& path, read_account account = read_account())
    -> onnx_model;

/// The ONNX model in a text, as protobuf writes it.  O(bytes).  Throws bad_file, naming `source` and the byte;
/// limit_reached where the account is spent.
[[nodiscard]] auto parse_onnx_model(std::string text, std::string const& source = "model",
                                    read_account account = read_account()) -> onnx_model;

/// A class that protobuf generates, such as `onnx::ModelProto`, of any version of protobuf.
template <class Message>
concept onnx_message = requires(Message const& m) {
    { m.SerializeAsString() } -> std::convertible_to<std::string>;
};

/// The model in an object of protobuf's, so that a framework can hand over its own; it is serialised once.
/// Throws as `parse_onnx_model` does.
template <onnx_message Message>
[[nodiscard]] auto onnx_model_of(Message const& message) -> onnx_model {
    return parse_onnx_model(message.SerializeAsString());
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/onnx/parse_onnx.ipp>
#endif

#endif
