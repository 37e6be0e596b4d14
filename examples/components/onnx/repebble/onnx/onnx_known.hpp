#ifndef REPEBBLE_ONNX_ONNX_KNOWN_HPP
#define REPEBBLE_ONNX_ONNX_KNOWN_HPP

// What inference finds of a value of an ONNX graph: type, shape, contents where they may decide about other shapes.

#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io {

/// What is known of a value of an ONNX graph. Contents are kept of small tensors only: of integers and booleans in
/// `integers`, of floating-point numbers in `reals`, both in row-major order.
struct onnx_known {
    onnx_type type = onnx_type::undefined;                ///< of its elements; undefined where unknown
    std::optional<std::vector<std::int64_t>> shape{};     ///< its extents; none where one of them is unknown
    std::optional<std::vector<std::int64_t>> integers{};  ///< its contents, where they are known
    std::optional<std::vector<double>> reals{};           ///< its contents, where they are known
    bool constant = false;  ///< made of initializers and of known shapes only: the same in every run
    std::optional<std::vector<onnx_known>> sequence{};  ///< of a sequence of tensors: what is known of each
};

}  // namespace repebble::inline v0::io

#endif
