#ifndef REPEBBLE_ONNX_DETAIL_ONNX_MATRICES_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_MATRICES_HPP

// Shapes of products of matrices, sums by Einstein's convention, attention, recurrent layers.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

/// The product as NumPy's matmul: vectors are rows or columns whose axis vanishes, other axes are broadcast.
[[nodiscard]] inline auto matrix_product(onnx_call const& call, onnx_shape a, onnx_shape b) -> onnx_shape {
    if (a.empty() || b.empty()) call.fail("a factor of a product of matrices is a scalar");
    auto const row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    call.expect_equal(a.back(), b[b.size() - 2], "inner extents");
    auto shape = call.broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (!row) shape.push_back(a[a.size() - 2]);
    if (!column) shape.push_back(b.back());
    return shape;
}

inline void multiply_matrices(onnx_call& call) { call.set(0, matrix_product(call, call.shape(0), call.shape(1))); }
inline void multiply_integer_matrices(onnx_call& call) {
    call.set(0, matrix_product(call, call.shape(0), call.shape(1)), onnx_type::int32);
}
inline void multiply_quantized_matrices(onnx_call& call) {
    call.set(0, matrix_product(call, call.shape(0), call.shape(3)), call.type(7));
}

/// op(A) · op(B) of two matrices.
[[nodiscard]] inline auto general_product(onnx_call const& call, onnx_shape a, onnx_shape b) -> onnx_shape {
    call.expect_count(a, 2, "shape of the first factor");
    call.expect_count(b, 2, "shape of the second factor");
    if (call.number("transA", 0) != 0) std::ranges::reverse(a);
    if (call.number("transB", 0) != 0) std::ranges::reverse(b);
    return matrix_product(call, std::move(a), std::move(b));
}
inline void general_matrix_product(onnx_call& call) {
    call.set(0, general_product(call, call.shape(0), call.shape(1)));
}

inline void determinant(onnx_call& call) {
    auto shape = call.shape(0, 2);
    call.expect_equal(shape.back(), shape[shape.size() - 2], "extents of a square matrix");
    shape.resize(shape.size() - 2);
    call.set(0, std::move(shape));
}

/// Letters of one operand of an equation; `before` letters stand in front of the ellipsis, where there is one.
struct einsum_term {
    std::string letters{};
    std::size_t before = 0;
    bool ellipsis = false;
};

[[nodiscard]] inline auto einsum_terms(onnx_call const& call, std::string_view text) -> std::vector<einsum_term> {
    std::vector<einsum_term> terms(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ',') {
            terms.emplace_back();
        } else if (text.substr(i).starts_with("...") && !terms.back().ellipsis) {
            terms.back().ellipsis = true;
            terms.back().before = terms.back().letters.size();
            i += 2;
        } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
            terms.back().letters += text[i];
        } else {
            call.fail("equation has '" + std::string(1, text[i]) + "'");
        }
    }
    return terms;
}

inline void einsum(onnx_call& call) {
    std::string equation(call.text("equation", ""));
    std::erase(equation, ' ');
    auto const arrow = equation.find("->");
    auto const terms = einsum_terms(call, std::string_view(equation).substr(0, arrow));
    if (terms.size() != call.inputs.size())
        call.fail("equation '" + equation + "' is not of " + std::to_string(call.inputs.size()) + " inputs");
    std::map<char, std::int64_t> extents;
    std::map<char, int> uses;
    onnx_shape between;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        auto const& term = terms[i];
        if (!call.known(i)) return;
        auto const& shape = call.shape(i, term.letters.size());
        auto const dots = shape.size() - term.letters.size();
        if (dots > 0 && !term.ellipsis)
            call.fail("equation '" + equation + "' does not fit input " + std::to_string(i) + " of shape " +
                      shape_text(shape));
        for (std::size_t k = 0; k < term.letters.size(); ++k) {
            auto const extent = shape[term.ellipsis && k >= term.before ? k + dots : k];
            auto& known = extents.try_emplace(term.letters[k], extent).first->second;
            if (known == 1) known = extent;
            if (extent != 1) call.expect_equal(known, extent, "extents of one letter");
            ++uses[term.letters[k]];
        }
        auto const begin = shape.begin() + static_cast<std::ptrdiff_t>(term.before);
        if (term.ellipsis) between = call.broadcast(between, {begin, begin + static_cast<std::ptrdiff_t>(dots)});
    }
    einsum_term result{.ellipsis = true};
    if (arrow != equation.npos) {
        auto const given = einsum_terms(call, std::string_view(equation).substr(arrow + 2));
        if (given.size() != 1) call.fail("equation '" + equation + "' has several results");
        result = given.front();
    } else {
        for (auto const& [letter, count] : uses)
            if (count == 1) result.letters += letter;
    }
    onnx_shape shape;
    for (std::size_t k = 0; k <= result.letters.size(); ++k) {
        if (result.ellipsis && k == result.before) shape.insert(shape.end(), between.begin(), between.end());
        if (k == result.letters.size()) break;
        auto const found = extents.find(result.letters[k]);
        if (found == extents.end()) call.fail("equation '" + equation + "' has a letter in its result only");
        shape.push_back(found->second);
    }
    call.set(0, std::move(shape));
}

/// Heads, sequence and size of a head: of [batch, heads, sequence, size], or of [batch, sequence, heads · size].
struct attention_extents {
    std::int64_t batch, heads, sequence, size;
};

[[nodiscard]] inline auto split_heads(onnx_call const& call, std::size_t i, std::int64_t heads) -> attention_extents {
    auto const& shape = call.shape(i, 3);
    if (shape.size() == 4) return {shape[0], shape[1], shape[2], shape[3]};
    call.expect_count(shape, 3, "shape of a three-dimensional input");
    if (heads < 1 || shape[2] % heads != 0)
        call.fail(std::to_string(shape[2]) + " columns of input " + std::to_string(i) + " are not of " +
                  std::to_string(heads) + " heads");
    return {shape[0], heads, shape[1], shape[2] / heads};
}

/// Attention of opset 23: outputs are Y, present key, present value, product of queries and keys.
inline void attention(onnx_call& call) {
    auto const q_heads = call.number("q_num_heads", 0), kv_heads = call.number("kv_num_heads", 0);
    auto const q = split_heads(call, 0, q_heads), k = split_heads(call, 1, kv_heads),
               v = split_heads(call, 2, kv_heads);
    if (call.shape(0).size() == 4)
        call.set(0, {q.batch, q.heads, q.sequence, v.size});
    else
        call.set(0, {q.batch, q.sequence, call.multiply(q.heads, v.size)});
    if (call.given(4) && !call.known(4)) return;
    auto const past = call.known(4) ? call.shape(4, 4)[2] : 0;
    auto const total = call.add(past, k.sequence);
    call.set(1, {k.batch, k.heads, total, k.size}, call.type(1));
    call.set(2, {v.batch, v.heads, total, v.size}, call.type(2));
    call.set(3, {q.batch, q.heads, q.sequence, total});
}

/// Attention of four-dimensional queries, keys and values.
inline void flexible_attention(onnx_call& call) {
    auto const &q = call.shape(0, 4), &v = call.shape(2, 4);
    call.set(0, {q[0], q[1], q[2], v[3]});
}

/// Linear attention of packed [batch, sequence, heads · size]: the output, and the state of all keys and values.
inline void linear_attention(onnx_call& call) {
    auto const kv_heads = call.required("kv_num_heads"), q_heads = call.required("q_num_heads");
    auto const q = split_heads(call, 0, q_heads), k = split_heads(call, 1, kv_heads),
               v = split_heads(call, 2, kv_heads);
    call.set(0, {q.batch, q.sequence, call.multiply(q_heads, v.size)});
    call.set(1, {q.batch, kv_heads, k.size, v.size}, call.given(3) ? call.type(3) : call.type(0));
}

/// A convolution over time, of each channel alone: input [batch, channels, length], weights [channels, 1, kernel].
inline void causal_convolution(onnx_call& call) {
    auto const& in = call.shape(0, 3);
    call.set(0, in);
    call.set(1, {in[0], in[1], call.add(call.shape(1, 3)[2], -1)});
}

/// LSTM, GRU, RNN: X [sequence, batch, …], or [batch, sequence, …] with layout 1; R [directions, …, hidden].
inline void recurrent(onnx_call& call) {
    auto const& x = call.shape(0, 3);
    auto const& r = call.shape(2, 3);
    auto const batch_first = call.number("layout", 0) != 0;
    auto const sequence = x[batch_first ? 1 : 0], batch = x[batch_first ? 0 : 1];
    auto const hidden = call.number("hidden_size", r[2]);
    auto const directions = call.text("direction", "forward") == "bidirectional" ? 2 : 1;
    auto const state = batch_first ? onnx_shape{batch, directions, hidden} : onnx_shape{directions, batch, hidden};
    call.set(0, batch_first ? onnx_shape{batch, sequence, directions, hidden}
                            : onnx_shape{sequence, directions, batch, hidden});
    call.set(1, state);
    call.set(2, state);
}

inline constexpr auto matrix_rules = std::to_array<onnx_rule>({
    {"Attention", 3, attention},
    {"CausalConvWithState", 2, causal_convolution},
    {"Det", 1, determinant},
    {"Einsum", 0, einsum},
    {"FlexAttention", 3, flexible_attention},
    {"GRU", 3, recurrent},
    {"Gemm", 2, general_matrix_product},
    {"LSTM", 3, recurrent},
    {"LinearAttention", 3, linear_attention},
    {"MatMul", 2, multiply_matrices},
    {"MatMulInteger", 2, multiply_integer_matrices},
    {"QLinearMatMul", 4, multiply_quantized_matrices},
    {"RNN", 3, recurrent},
    {"RotaryEmbedding", 1, [](onnx_call& call) { call.set(0, call.shape(0)); }},
});

}  // namespace repebble::inline v0::io::detail

#endif
