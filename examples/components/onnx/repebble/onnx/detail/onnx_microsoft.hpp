#ifndef REPEBBLE_ONNX_DETAIL_ONNX_MICROSOFT_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_MICROSOFT_HPP

// Shapes of operators of the domain com.microsoft, which ONNX Runtime's optimizers write: fused and quantized ones.
// What is not here is looked up among ONNX's own.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_elementwise.hpp>
#include <repebble/onnx/detail/onnx_matrices.hpp>
#include <repebble/onnx/detail/onnx_reductions.hpp>
#include <repebble/onnx/detail/onnx_windows.hpp>

namespace repebble::inline v0::io::detail {

/// transA and transB swap the last two axes; transBatchA and transBatchB take the first axis behind the second last.
[[nodiscard]] inline auto fused_factor(onnx_call const& call, std::size_t i, char const* swap, char const* batch)
    -> onnx_shape {
    auto shape = call.shape(i);
    if (shape.size() < 2) return shape;
    if (call.number(batch, 0) != 0) std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
    if (call.number(swap, 0) != 0) std::swap(shape.back(), shape[shape.size() - 2]);
    return shape;
}
inline void fused_product(onnx_call& call) {
    call.set(0, matrix_product(call, fused_factor(call, 0, "transA", "transBatchA"),
                               fused_factor(call, 1, "transB", "transBatchB")));
}

inline void float_product(onnx_call& call) {
    call.set(0, matrix_product(call, call.shape(0), call.shape(1)), onnx_type::float32);
}

/// B is packed; its extents are attributes.
inline void packed_product(onnx_call& call) {
    auto shape = call.shape(0, 1);
    call.expect_equal(shape.back(), call.required("K"), "inner extents");
    shape.back() = call.required("N");
    call.set(0, std::move(shape));
}

inline void quantized_general_product(onnx_call& call) {
    call.set(0, general_product(call, call.shape(0), call.shape(3)), call.given(8) ? call.type(8) : onnx_type::float32);
}

/// input, skip, gamma, …: output, mean, inverse deviation, sum of input, skip and bias.
inline void skip_normalization(onnx_call& call) {
    call.set(0, call.shape(0));
    call.set(1, statistics_shape(call), onnx_type::float32);
    call.set(2, statistics_shape(call), onnx_type::float32);
    call.set(3, call.shape(0));
}

/// input_ids [batch, sequence], segment_ids, word_embedding [words, hidden], …: output, mask_index, embedding_sum.
inline void embed_normalization(onnx_call& call) {
    auto const &ids = call.shape(0, 2), &words = call.shape(2, 2);
    call.set(0, {ids[0], ids[1], words[1]}, call.type(2));
    call.set(1, {ids[0]}, onnx_type::int32);
    call.set(2, {ids[0], ids[1], words[1]}, call.type(2));
}

/// input [batch, sequence, in], weights [in, q + k + v], bias, mask, past [2, batch, heads, sequence, size].
inline void packed_attention(onnx_call& call) {
    auto const &in = call.shape(0, 3), &weights = call.shape(1, 2);
    auto const* sizes = call.numbers("qkv_hidden_sizes");
    auto const hidden = sizes && sizes->size() == 3 ? (*sizes)[2] : weights[1] / 3;
    call.set(0, {in[0], in[1], hidden});
    auto const heads = call.required("num_heads");
    if (heads < 1) call.fail("num_heads is " + std::to_string(heads));
    if (call.given(4) && !call.known(4)) return;
    auto const past = call.known(4) ? call.shape(4, 5)[3] : 0;
    call.set(1, {2, in[0], heads, call.add(past, in[1]), hidden / heads});
}

/// query [batch, sequence, hidden] or packed [batch, sequence, heads, 3, size]; key and value of three or four axes,
/// or key packed [batch, sequence, heads, 2, size]; bias, masks; past key and value [batch, heads, sequence, size].
inline void multi_head_attention(onnx_call& call) {
    auto const& q = call.shape(0, 3);
    auto const heads = call.required("num_heads");
    if (heads < 1) call.fail("num_heads is " + std::to_string(heads));
    auto const packed = q.size() == 5;
    auto const hidden = packed ? call.multiply(heads, q[4]) : q[2];
    auto sequence = q[1], value_size = hidden / heads;
    if (!packed && call.given(1)) {
        if (!call.known(1) || (call.given(2) && !call.known(2))) return;
        auto const& key = call.shape(1, 3);
        sequence = key[key.size() == 4 ? 2 : 1];
        if (call.given(2)) value_size = split_heads(call, 2, heads).size;
    }
    call.set(0, {q[0], q[1], call.multiply(heads, value_size)});
    if ((call.given(6) && !call.known(6)) || (call.given(7) && !call.known(7))) return;
    auto const total = call.add(sequence, call.known(6) ? call.shape(6, 4)[2] : 0);
    call.set(1, {q[0], heads, total, hidden / heads});
    call.set(2, {q[0], heads, total, value_size});
    call.set(3, {q[0], heads, q[1], total});
}

/// query [batch, sequence, hidden] or all three packed; key, value; past key and value [batch, heads, sequence, size],
/// which may be buffers that have room already; seqlens_k, total_sequence_length.
inline void group_query_attention(onnx_call& call) {
    auto const& q = call.shape(0, 3);
    auto const heads = call.required("num_heads"), kv_heads = call.required("kv_num_heads");
    if (heads < 1 || kv_heads < 1) call.fail("has no heads");
    auto const packed = !call.given(1);
    auto const size = packed ? q[2] / call.add(heads, call.multiply(2, kv_heads)) : q[2] / heads;
    call.set(0, {q[0], q[1], call.multiply(heads, size)});
    if (call.given(3) && !call.known(3)) return;
    auto const past = call.known(3) ? call.shape(3, 4)[2] : 0;
    auto const total = call.integer(6);
    onnx_shape const present{q[0], kv_heads, total ? std::max(*total, past) : call.add(past, q[1]), size};
    call.set(1, present);
    call.set(2, present);
}

/// The halves of the last axis, one of which gates the other.
inline void halve_last(onnx_call& call) {
    auto shape = call.shape(0, 1);
    shape.back() /= 2;
    call.set(0, std::move(shape));
}

/// A, its scale, its zero point, B, ….
inline void quantized_broadcast(onnx_call& call) { call.set(0, call.broadcast(call.shape(0), call.shape(3))); }

/// Scale and zero point of the result, then three inputs for each part.
inline void quantized_concat(onnx_call& call) {
    auto shape = call.shape(2, 1);
    auto const at = call.axis(call.required("axis"), shape.size());
    for (std::size_t i = 5; i < call.inputs.size(); i += 3) {
        if (!call.known(i)) return;
        shape[at] = call.add(shape[at], call.shape(i, shape.size())[at]);
    }
    call.set(0, std::move(shape), call.type(2));
}

/// condition, X, its scale, its zero point, Y, ….
inline void quantized_where(onnx_call& call) {
    call.set(0, call.broadcast(call.broadcast(call.shape(0), call.shape(1)), call.shape(4)), call.type(1));
}

/// X [N, C, H, W], regions [R, 4], their images, the size of a crop.
inline void crop_and_resize(onnx_call& call) {
    auto const* size = call.integers(3);
    if (!size) return;
    call.expect_count(*size, 2, "size of a crop");
    call.set(0, {call.shape(1, 1)[0], call.shape(0, 2)[1], (*size)[0], (*size)[1]});
}

inline void expand_dimensions(onnx_call& call) {
    auto const at = call.integer(1);
    if (!at) return;
    auto shape = call.shape(0);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(call.axis(*at, shape.size() + 1)), 1);
    call.set(0, std::move(shape));
}

/// Rows of a quantized table; numbers of four bits stand by two in a byte.
inline void gather_quantized(onnx_call& call) {
    auto data = call.shape(0, 1);
    auto const packed = call.type(0) == onnx_type::uint8 ? 8 / std::max<std::int64_t>(1, call.number("bits", 4)) : 1;
    data.back() = call.multiply(data.back(), packed);
    auto const at = data.begin() + static_cast<std::ptrdiff_t>(call.axis(call.number("gather_axis", 0), data.size()));
    data.insert(data.erase(at), call.shape(1).begin(), call.shape(1).end());
    call.set(0, std::move(data), call.type(2));
}

inline constexpr auto microsoft_rules = std::to_array<onnx_rule>({
    {"Attention", 2, packed_attention},
    {"BiasAdd", 1, like_first},
    {"BiasDropout", 1, dropout},
    {"BiasGelu", 2, broadcast_all},
    {"BiasSoftmax", 1, like_first},
    {"BiasSplitGelu", 1, halve_last},
    {"CDist", 2,
     [](onnx_call& call) {
         call.set(0, {call.shape(0, 2)[0], call.shape(1, 2)[0]});
     }},
    {"CropAndResize", 2, crop_and_resize},
    {"DynamicQuantizeLSTM", 3, recurrent},
    {"DynamicQuantizeMatMul", 2, float_product},
    {"EmbedLayerNormalization", 3, embed_normalization},
    {"ExpandDims", 1, expand_dimensions},
    {"FastGelu", 1, like_first},
    {"FusedConv", 2, convolution},
    {"FusedGemm", 2, general_matrix_product},
    {"FusedMatMul", 2, fused_product},
    {"GatherBlockQuantized", 2, gather_quantized},
    {"GemmFastGelu", 2, multiply_matrices},
    {"GroupNorm", 1, like_first},
    {"GroupQueryAttention", 1, group_query_attention},
    {"Inverse", 1, like_first},
    {"MatMulBnb4", 1, packed_product},
    {"MatMulFpQ4", 1, packed_product},
    {"MatMulIntegerToFloat", 2, float_product},
    {"MatMulNBits", 1, packed_product},
    {"MoE", 1, like_first},
    {"MultiHeadAttention", 1, multi_head_attention},
    {"NhwcConv", 2, convolution},
    {"NhwcFusedConv", 2, convolution},
    {"NhwcMaxPool", 1, pool_window},
    {"QGemm", 4, quantized_general_product},
    {"QLinearAdd", 4, quantized_broadcast},
    {"QLinearAveragePool", 1, pool_window},
    {"QLinearConcat", 3, quantized_concat},
    {"QLinearGlobalAveragePool", 1, global_pool},
    {"QLinearLeakyRelu", 1, like_first},
    {"QLinearMul", 4, quantized_broadcast},
    {"QLinearReduceMean", 1, reduce},
    {"QLinearSigmoid", 1, like_first},
    {"QLinearSoftmax", 1, like_first},
    {"QLinearWhere", 5, quantized_where},
    {"QMoE", 1, like_first},
    {"QuickGelu", 1, like_first},
    {"SkipGroupNorm", 1, like_first},
    {"SkipLayerNormalization", 2, skip_normalization},
    {"SkipSimplifiedLayerNormalization", 2, skip_normalization},
    {"TransposeMatMul", 2, fused_product},
});

}  // namespace repebble::inline v0::io::detail

#endif
