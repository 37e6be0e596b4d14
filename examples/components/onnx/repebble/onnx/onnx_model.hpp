#ifndef REPEBBLE_ONNX_ONNX_MODEL_HPP
#define REPEBBLE_ONNX_ONNX_MODEL_HPP

// ONNX models as plain values: what planning needs of a file. parse_onnx.hpp makes them of files and
// of protobuf's classes.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::io {

/// Element types by the numbers of ONNX's TensorProto.DataType, up to those of 2026.
enum class onnx_type : std::int32_t {
    undefined = 0,
    float32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    string = 8,
    boolean = 9,
    float16 = 10,
    float64 = 11,
    uint32 = 12,
    uint64 = 13,
    complex64 = 14,
    complex128 = 15,
    bfloat16 = 16,
    float8e4m3fn = 17,
    float8e4m3fnuz = 18,
    float8e5m2 = 19,
    float8e5m2fnuz = 20,
    uint4 = 21,
    int4 = 22,
    float4e2m1 = 23,
    float8e8m0 = 24,
    uint2 = 25,
    int2 = 26,
    float6e2m3 = 27,
    float6e3m2 = 28
};

/// A tensor of an ONNX file: an initializer, or an attribute. Elements are kept where they may decide about shapes: of
/// integers and booleans in `integers`, of floating-point numbers in `reals`; neither where they were left out or are
/// too many.
struct onnx_tensor {
    onnx_type type = onnx_type::undefined;                ///< of its elements
    std::vector<std::int64_t> shape{};                    ///< its extents; none of a scalar
    std::optional<std::vector<std::int64_t>> integers{};  ///< elements in row-major order
    std::optional<std::vector<double>> reals{};           ///< elements in row-major order
    bool is_constant = false;                             ///< of a Constant node, not an initializer of the file
    friend auto operator==(onnx_tensor const&, onnx_tensor const&) -> bool = default;
};

struct onnx_graph;

/// An attribute of an ONNX node. Graphs stand in a vector, as the type is not complete here: one of them for `body`,
/// `then_branch` and `else_branch`.
struct onnx_attribute {
    std::string name{};  ///< such as axis
    std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<std::string>, onnx_tensor, std::vector<onnx_graph>>
        value;                ///< monostate: a kind that planning does not need
    std::string reference{};  ///< in the body of a function: the attribute of the call that gives the value, else empty
};

/// An operation of an ONNX graph, or the call of a function of the model.
struct onnx_node {
    std::string name{};                        ///< may be empty
    std::string op_type{};                     ///< such as Conv
    std::string domain{};                      ///< empty or ai.onnx: ONNX's own
    std::string overload{};                    ///< of the function that it calls; mostly empty
    std::vector<std::string> inputs{};         ///< names of values; an empty name: left out
    std::vector<std::string> outputs{};        ///< names of values; an empty name: not wanted
    std::vector<onnx_attribute> attributes{};  ///< in the order of the file
};

/// An extent of a declared shape: a number, or the name of a dimension; an empty name where the file says nothing.
using onnx_extent = std::variant<std::int64_t, std::string>;

/// The declared type and shape of a value: of an input or output of a graph, or of a value in between.
struct onnx_value {
    std::string name{};                               ///< of the value
    onnx_type type = onnx_type::undefined;            ///< of its elements, of a sequence's or optional's too
    std::optional<std::vector<onnx_extent>> shape{};  ///< none where the file does not say it
};

/// An ONNX graph.
struct onnx_graph {
    std::string name{};                                 ///< for people to read
    std::vector<onnx_node> nodes{};                     ///< in the order of the file
    std::vector<onnx_value> inputs{};                   ///< of old files: initializers among them
    std::vector<onnx_value> outputs{};                  ///< its results
    std::map<std::string, onnx_tensor> initializers{};  ///< by name
    std::vector<onnx_value> values{};                   ///< value_info: what the file declares of values in between
};

/// A function of an ONNX model, which nodes call by domain, name and overload.
struct onnx_function {
    std::string name{};                            ///< what calls have as operator
    std::string domain{};                          ///< of the operator
    std::string overload{};                        ///< tells functions of one name apart; mostly empty
    std::vector<std::string> inputs{};             ///< names of values of its own
    std::vector<std::string> outputs{};            ///< names of values of its own
    std::vector<onnx_node> nodes{};                ///< its body
    std::vector<std::string> attributes{};         ///< that a call must give
    std::vector<onnx_attribute> defaults{};        ///< those that it may leave out
    std::map<std::string, std::int64_t> opsets{};  ///< version by domain
};

/// An ONNX model.
struct onnx_model {
    std::map<std::string, std::int64_t> opsets{};  ///< version by domain; "" is ai.onnx
    onnx_graph graph{};                            ///< what it computes
    std::vector<onnx_function> functions{};        ///< that nodes may call
};

}  // namespace repebble::inline v0::io

#endif
