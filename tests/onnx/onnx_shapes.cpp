// Covers onnx/onnx_shapes.hpp, onnx/onnx_known.hpp.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/onnx/onnx_shapes.hpp>

#include "onnx_models.hpp"
#include "support/catch.hpp"

using namespace onnx_models;

namespace {

struct shape_case {
    one_node call;
    std::vector<extents> shapes;
};

void check_shapes(std::vector<shape_case> cases) {
    for (auto& [call, shapes] : cases) {
        call.outputs = shapes.size();
        auto const known = known_of(call);
        for (std::size_t k = 0; k < shapes.size(); ++k) {
            INFO(call.op << ", output " << k);
            CHECK(known[k].shape == std::optional(shapes[k]));
        }
    }
}

}  // namespace

TEST_CASE("elementwise operators broadcast, others keep the shape of the input", "[io]") {
    check_shapes({
        {{"Relu", {input({2, 3})}}, {{2, 3}}},
        {{"Add", {input({2, 3, 4}), input({4})}}, {{2, 3, 4}}},
        {{"Mul", {input({2, 1}), input({1, 3})}}, {{2, 3}}},
        {{"Sub", {input({}), input({5, 0})}}, {{5, 0}}},
        {{"Div", {input({1}), input({0})}}, {{0}}},
        {{"Max", {input({2, 1}), input({3}), input({4, 1, 1})}}, {{4, 2, 3}}},
        {{"Sum", {input({2, 3})}}, {{2, 3}}},
        {{"Where", {input({2, 1}, onnx_type::boolean), input({3}), input({})}}, {{2, 3}}},
        {{"Equal", {input({2, 1}), input({3})}}, {{2, 3}}},
        {{"PRelu", {input({2, 3, 4, 4}), input({3, 1, 1})}}, {{2, 3, 4, 4}}},
        {{"PRelu", {input({2, 3, 4, 5}), input({3})}}, {{2, 3, 4, 5}}},
        {{"Dropout", {input({2, 3})}}, {{2, 3}, {2, 3}}},
        {{"BatchNormalization", {input({2, 3, 4}), input({3}), input({3}), input({3}), input({3})}},
         {{2, 3, 4}, {3}, {3}}},
        {{"LayerNormalization", {input({2, 3, 4, 5}), input({4, 5})}, {attr("axis", 2)}},
         {{2, 3, 4, 5}, {2, 3, 1, 1}, {2, 3, 1, 1}}},
        {{"Add", {input({2, 3, 4}), input({3})}, {attr("broadcast", 1), attr("axis", 1)}, 1, 6}, {{2, 3, 4}}},
        {{"com.microsoft:BiasGelu", {input({2, 3}), input({3})}}, {{2, 3}}},
        {{"com.microsoft:Gelu", {input({2, 3})}}, {{2, 3}}},
        {{"com.microsoft:SkipLayerNormalization", {input({2, 3, 8}), input({2, 3, 8}), input({8})}},
         {{2, 3, 8}, {2, 3, 1}, {2, 3, 1}, {2, 3, 8}}},
    });
}

TEST_CASE("types of outputs follow operators and attributes", "[io]") {
    auto const type = [](one_node call, std::size_t k = 0) {
        call.outputs = k + 1;
        return known_of(call)[k].type;
    };
    auto const x = input({2, 3});
    CHECK(type({"Relu", {input({2}, onnx_type::float16)}}) == onnx_type::float16);
    CHECK(type({"Less", {x, x}}) == onnx_type::boolean);
    CHECK(type({"Cast", {x}, {attr("to", 16)}}) == onnx_type::bfloat16);
    CHECK(type({"CastLike", {x, input({}, onnx_type::int8)}}) == onnx_type::int8);
    CHECK(type({"Where", {input({2, 3}, onnx_type::boolean), x, x}}) == onnx_type::float32);
    CHECK(type({"Shape", {x}}) == onnx_type::int64);
    CHECK(type({"ArgMax", {x}}) == onnx_type::int64);
    CHECK(type({"MaxPool", {input({1, 1, 4})}, {attr("kernel_shape", extents{2})}}, 1) == onnx_type::int64);
    CHECK(type({"Dropout", {x}}, 1) == onnx_type::boolean);
    CHECK(type({"QuantizeLinear", {x, input({})}}) == onnx_type::uint8);
    CHECK(type({"QuantizeLinear", {x, input({}), input({}, onnx_type::int8)}}) == onnx_type::int8);
    CHECK(type({"DequantizeLinear", {input({2}, onnx_type::int4), input({}, onnx_type::float16)}}) ==
          onnx_type::float16);
    CHECK(type({"MatMulInteger", {input({2, 3}, onnx_type::int8), input({3, 4}, onnx_type::int8)}}) ==
          onnx_type::int32);
    CHECK(type({"LayerNormalization", {input({2, 3}, onnx_type::float16), input({3})}}, 1) == onnx_type::float32);
    CHECK(type({"ConstantOfShape", {whole({2})}}) == onnx_type::float32);
}

TEST_CASE("convolutions and pools place windows as their padding says", "[io]") {
    auto const image = input({1, 3, 224, 224});
    auto const kernel = [](std::int64_t k) { return attr("kernel_shape", extents{k, k}); };
    auto const strides = [](std::int64_t s) { return attr("strides", extents{s, s}); };
    auto const pads = [](std::int64_t p) { return attr("pads", extents{p, p, p, p}); };
    check_shapes({
        {{"Conv", {image, input({64, 3, 7, 7})}, {strides(2), pads(3)}}, {{1, 64, 112, 112}}},
        {{"Conv", {input({2, 8, 10}), input({8, 1, 3})}, {attr("group", 8), attr("dilations", extents{2})}},
         {{2, 8, 6}}},
        {{"Conv", {image, input({4, 3, 3, 3})}, {attr("auto_pad", "SAME_UPPER"), strides(2)}}, {{1, 4, 112, 112}}},
        {{"Conv", {image, input({4, 3, 3, 3})}, {attr("auto_pad", "VALID"), strides(2)}}, {{1, 4, 111, 111}}},
        {{"Conv", {input({1, 3, 9, 9, 9}), input({4, 3, 3, 3, 3})}}, {{1, 4, 7, 7, 7}}},
        {{"ConvTranspose",
          {input({1, 8, 4, 4}), input({8, 2, 3, 3})},
          {attr("group", 2), strides(2), pads(1), attr("output_padding", extents{1, 1})}},
         {{1, 4, 8, 8}}},
        {{"ConvTranspose", {input({1, 8, 4, 4}), input({8, 2, 3, 3})}, {attr("output_shape", extents{9, 10})}},
         {{1, 2, 9, 10}}},
        {{"ConvTranspose",
          {input({1, 8, 4}), input({8, 2, 3})},
          {attr("auto_pad", "SAME_LOWER"), attr("strides", extents{3})}},
         {{1, 2, 12}}},
        {{"DeformConv", {input({1, 3, 9, 9}), input({4, 3, 3, 3}), input({1, 18, 7, 7})}}, {{1, 4, 7, 7}}},
        {{"QLinearConv",
          {input({1, 3, 9, 9}), input({}), input({}), input({4, 3, 3, 3}), input({}), input({}), input({}), input({})}},
         {{1, 4, 7, 7}}},
        {{"com.microsoft:FusedConv", {input({1, 3, 9, 9}), input({4, 3, 3, 3})}}, {{1, 4, 7, 7}}},
        {{"MaxPool", {input({1, 64, 112, 112})}, {kernel(3), strides(2), pads(1)}}, {{1, 64, 56, 56}, {1, 64, 56, 56}}},
        {{"MaxPool", {input({1, 2, 7, 7})}, {kernel(3), strides(2), attr("ceil_mode", 1)}}, {{1, 2, 3, 3}}},
        {{"MaxPool", {input({1, 2, 6, 6})}, {kernel(3), strides(2), attr("ceil_mode", 1)}}, {{1, 2, 3, 3}}},
        {{"AveragePool", {input({1, 2, 6, 6})}, {kernel(1), strides(2), attr("ceil_mode", 1)}}, {{1, 2, 3, 3}}},
        {{"GlobalAveragePool", {input({2, 5, 7, 7})}}, {{2, 5, 1, 1}}},
        {{"MaxUnpool", {input({1, 2, 3, 3}), input({1, 2, 3, 3})}, {kernel(2), strides(2)}}, {{1, 2, 6, 6}}},
        {{"Col2Im", {input({1, 5, 5}), whole({5, 5}), whole({1, 5})}}, {{1, 1, 5, 5}}},
        {{"com.microsoft:NhwcMaxPool", {input({1, 8, 8, 3})}, {kernel(2), strides(2)}}, {{1, 4, 4, 3}}},
    });
}

TEST_CASE("products of matrices follow NumPy, Einstein's convention and the attributes of attention", "[io]") {
    check_shapes({
        {{"MatMul", {input({2, 1, 3, 4}), input({5, 4, 6})}}, {{2, 5, 3, 6}}},
        {{"MatMul", {input({4}), input({2, 4, 3})}}, {{2, 3}}},
        {{"MatMul", {input({2, 3, 4}), input({4})}}, {{2, 3}}},
        {{"MatMul", {input({4}), input({4})}}, {{}}},
        {{"Gemm", {input({4, 3}), input({5, 4}), input({5})}, {attr("transA", 1), attr("transB", 1)}}, {{3, 5}}},
        {{"com.microsoft:FusedMatMul", {input({2, 4, 3}), input({2, 5, 4})}, {attr("transA", 1), attr("transB", 1)}},
         {{2, 3, 5}}},
        {{"com.microsoft:MatMulNBits", {input({2, 7, 32}), input({16, 1, 16})}, {attr("K", 32), attr("N", 16)}},
         {{2, 7, 16}}},
        {{"Einsum", {input({2, 3, 4}), input({2, 4, 5})}, {attr("equation", "bij, bjk -> bik")}}, {{2, 3, 5}}},
        {{"Einsum", {input({3, 4})}, {attr("equation", "ij")}}, {{3, 4}}},
        {{"Einsum", {input({3, 3})}, {attr("equation", "ii->i")}}, {{3}}},
        {{"Einsum", {input({2, 1, 3, 4}), input({5, 4, 6})}, {attr("equation", "...ij,...jk->...ik")}}, {{2, 5, 3, 6}}},
        {{"Einsum", {input({2, 3}), input({3})}, {attr("equation", "ij,j")}}, {{2}}},
        {{"Det", {input({2, 3, 3})}}, {{2}}},
        {{"Attention", {input({2, 8, 5, 16}), input({2, 4, 7, 16}), input({2, 4, 7, 12})}, {}, 1, 23}, {{2, 8, 5, 12}}},
        {{"Attention",
          {input({2, 5, 128}), input({2, 7, 64}), input({2, 7, 48}), none(), input({2, 4, 3, 16}),
           input({2, 4, 3, 12})},
          {attr("q_num_heads", 8), attr("kv_num_heads", 4)},
          1,
          23},
         {{2, 5, 96}, {2, 4, 10, 16}, {2, 4, 10, 12}, {2, 8, 5, 10}}},
        {{"com.microsoft:Attention",
          {input({2, 5, 8}), input({8, 24}), input({24}), none(), input({2, 2, 2, 3, 4})},
          {attr("num_heads", 2)}},
         {{2, 5, 8}, {2, 2, 2, 8, 4}}},
        {{"com.microsoft:MultiHeadAttention",
          {input({2, 5, 8}), input({2, 7, 8}), input({2, 7, 12})},
          {attr("num_heads", 2)}},
         {{2, 5, 12}}},
        {{"com.microsoft:GroupQueryAttention",
          {input({1, 5, 64}), none(), none(), none(), none(), input({1}), input({})},
          {attr("num_heads", 4), attr("kv_num_heads", 2)}},
         {{1, 5, 32}, {1, 2, 5, 8}, {1, 2, 5, 8}}},
        {{"LSTM",
          {input({4, 2, 3}), input({2, 20, 3}), input({2, 20, 5})},
          {attr("hidden_size", 5), attr("direction", "bidirectional")}},
         {{4, 2, 2, 5}, {2, 2, 5}, {2, 2, 5}}},
        {{"GRU", {input({2, 4, 3}), input({1, 15, 3}), input({1, 15, 5})}, {attr("layout", 1)}},
         {{2, 4, 1, 5}, {2, 1, 5}}},
    });
}

TEST_CASE("reshapes, slices and concatenations follow attributes of old and inputs of new versions", "[io]") {
    check_shapes({
        {{"Reshape", {input({2, 3, 4}), whole({0, -1})}}, {{2, 12}}},
        {{"Reshape", {input({2, 3, 4}), whole({-1})}}, {{24}}},
        {{"Reshape", {input({0, 3}), whole({0, 7})}, {attr("allowzero", 1)}}, {{0, 7}}},
        {{"Reshape", {input({2, 3})}, {attr("shape", extents{3, 2})}, 1, 4}, {{3, 2}}},
        {{"Flatten", {input({2, 3, 4})}}, {{2, 12}}},
        {{"Flatten", {input({2, 3, 4})}, {attr("axis", 0)}}, {{1, 24}}},
        {{"Squeeze", {input({1, 3, 1})}}, {{3}}},
        {{"Squeeze", {input({1, 3, 1})}, {attr("axes", extents{0})}, 1, 11}, {{3, 1}}},
        {{"Squeeze", {input({1, 3, 1}), whole({-1})}}, {{1, 3}}},
        {{"Unsqueeze", {input({3}), whole({0, -1})}}, {{1, 3, 1}}},
        {{"Unsqueeze", {input({3})}, {attr("axes", extents{1})}, 1, 11}, {{3, 1}}},
        {{"Transpose", {input({2, 3, 4})}}, {{4, 3, 2}}},
        {{"Transpose", {input({2, 3, 4})}, {attr("perm", extents{1, 0, 2})}}, {{3, 2, 4}}},
        {{"Concat", {input({2, 3}), input({2, 4}), input({2, 0})}, {attr("axis", -1)}}, {{2, 7}}},
        {{"Split", {input({7, 2})}}, {{4, 2}, {3, 2}}},
        {{"Split", {input({2, 7}), whole({1, 2, 4})}, {attr("axis", 1)}}, {{2, 1}, {2, 2}, {2, 4}}},
        {{"Split", {input({7})}, {attr("num_outputs", 3)}}, {{3}, {3}, {1}}},
        {{"Split", {input({6})}, {attr("split", extents{2, 4})}, 1, 11}, {{2}, {4}}},
        {{"Slice", {input({10, 10})}, {attr("starts", extents{1}), attr("ends", extents{-1})}, 1, 9}, {{8, 10}}},
        {{"Slice", {input({10, 10}), whole({0, 8}), whole({1000, -100}), whole({1, 0}), whole({3, -2})}}, {{5, 4}}},
        {{"Slice", {input({10}), whole({8}), whole({2})}}, {{0}}},
        {{"Pad", {input({2, 3}), whole({0, 1, 0, 2})}}, {{2, 6}}},
        {{"Pad", {input({2, 3}), whole({1, -1}), none(), whole({-1})}}, {{2, 3}}},
        {{"Pad", {input({2, 3})}, {attr("pads", extents{1, 1, 1, 1})}, 1, 10}, {{4, 5}}},
        {{"Expand", {input({3, 1}), whole({2, 1, 4})}}, {{2, 3, 4}}},
        {{"Tile", {input({2, 3}), whole({2, 1})}}, {{4, 3}}},
        {{"DepthToSpace", {input({1, 8, 2, 3})}, {attr("blocksize", 2)}}, {{1, 2, 4, 6}}},
        {{"SpaceToDepth", {input({1, 2, 4, 6})}, {attr("blocksize", 2)}}, {{1, 8, 2, 3}}},
        {{"CenterCropPad", {input({10, 7, 3}), whole({8, 9})}, {attr("axes", extents{0, 1})}}, {{8, 9, 3}}},
        {{"Resize", {input({1, 1, 5, 10}), none(), reals({1, 1, 0.5, 2})}}, {{1, 1, 2, 20}}},
        {{"Resize", {input({1, 1, 5, 10}), reals({1, 1, 2, 2})}, {}, 1, 10}, {{1, 1, 10, 20}}},
        {{"Resize", {input({1, 1, 5, 10}), none(), none(), whole({7, 8})}, {attr("axes", extents{2, 3})}},
         {{1, 1, 7, 8}}},
        {{"Resize",
          {input({1, 1, 10, 20}), none(), none(), whole({7, 8})},
          {attr("axes", extents{2, 3}), attr("keep_aspect_ratio_policy", "not_larger")}},
         {{1, 1, 4, 8}}},
        {{"Upsample", {input({1, 1, 2, 3})}, {attr("scales", std::vector<double>{1, 1, 2, 3})}, 1, 7}, {{1, 1, 4, 9}}},
        {{"GridSample", {input({2, 3, 8, 8}), input({2, 5, 6, 2})}}, {{2, 3, 5, 6}}},
        {{"AffineGrid", {input({2, 2, 3}), whole({2, 3, 5, 6})}}, {{2, 5, 6, 2}}},
        {{"RoiAlign",
          {input({1, 8, 20, 20}), input({6, 4}), input({6})},
          {attr("output_height", 7), attr("output_width", 5)}},
         {{6, 8, 7, 5}}},
    });
}

TEST_CASE("lookups, reductions and generators have the extents of indices, axes and contents", "[io]") {
    check_shapes({
        {{"Gather", {input({10, 4}), input({2, 3})}}, {{2, 3, 4}}},
        {{"Gather", {input({10, 4}), scalar(1)}, {attr("axis", 1)}}, {{10}}},
        {{"GatherElements", {input({3, 3}), input({2, 3})}}, {{2, 3}}},
        {{"GatherND", {input({2, 3, 4}), input({2, 5, 1})}, {attr("batch_dims", 1)}}, {{2, 5, 4}}},
        {{"ScatterND", {input({4, 4}), input({2, 1}), input({2, 4})}}, {{4, 4}}},
        {{"Compress", {input({3, 4}), whole({1, 0, 1}, {}, onnx_type::boolean)}, {attr("axis", 0)}}, {{2, 4}}},
        {{"NonZero", {whole({1, 0, 2, 3}, extents{2, 2})}}, {{2, 3}}},
        {{"OneHot", {input({2, 3}), scalar(7), input({2})}}, {{2, 3, 7}}},
        {{"TopK", {input({2, 9}), whole({4})}}, {{2, 4}, {2, 4}}},
        {{"TopK", {input({2, 9})}, {attr("k", 3)}, 1, 9}, {{2, 3}, {2, 3}}},
        {{"Shape", {input({2, 3, 4})}, {attr("start", 1), attr("end", -1)}}, {{1}}},
        {{"Size", {input({2, 3})}}, {{}}},
        {{"Range", {scalar(1), scalar(10), scalar(3)}}, {{3}}},
        {{"Range", {reals({0}, extents{}), reals({1}, extents{}), reals({0.3}, extents{})}}, {{4}}},
        {{"ConstantOfShape", {whole({2, 3})}}, {{2, 3}}},
        {{"EyeLike", {input({3, 4})}}, {{3, 4}}},
        {{"RandomNormal", {}, {attr("shape", extents{2, 2})}}, {{2, 2}}},
        {{"Multinomial", {input({2, 5})}, {attr("sample_size", 4)}}, {{2, 4}}},
        {{"ReduceMean", {input({2, 3, 4})}, {attr("axes", extents{1, -1}), attr("keepdims", 0)}, 1, 13}, {{2}}},
        {{"ReduceSum", {input({2, 3, 4}), whole({-1})}}, {{2, 3, 1}}},
        {{"ReduceMax", {input({2, 3})}}, {{1, 1}}},
        {{"ReduceMax", {input({2, 3})}, {attr("noop_with_empty_axes", 1)}}, {{2, 3}}},
        {{"ArgMax", {input({2, 3})}, {attr("axis", 1), attr("keepdims", 0)}}, {{2}}},
        {{"SoftmaxCrossEntropyLoss", {input({2, 5, 7}), input({2, 7})}, {attr("reduction", "none")}},
         {{2, 7}, {2, 5, 7}}},
        {{"NegativeLogLikelihoodLoss", {input({2, 5}), input({2})}}, {{}}},
        {{"DynamicQuantizeLinear", {input({2, 3})}}, {{2, 3}, {}, {}}},
        {{"DFT", {input({1, 10, 2}), none(), scalar(1)}, {attr("onesided", 1)}}, {{1, 6, 2}}},
        {{"STFT", {input({1, 128, 1}), scalar(8), none(), scalar(16)}}, {{1, 15, 9, 2}}},
        {{"HannWindow", {scalar(10)}}, {{10}}},
        {{"com.microsoft:EmbedLayerNormalization",
          {input({2, 5}), none(), input({30, 8}), input({9, 8}), none(), input({8}), input({8})}},
         {{2, 5, 8}, {2}}},
    });
}
