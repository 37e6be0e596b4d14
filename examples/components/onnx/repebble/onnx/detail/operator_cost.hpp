#ifndef REPEBBLE_ONNX_DETAIL_OPERATOR_COST_HPP
#define REPEBBLE_ONNX_DETAIL_OPERATOR_COST_HPP

// Arithmetic of ONNX's operators as far as it is counted: 2 for each multiply-add of convolutions, matrix products,
// recurrent layers and attention; everything else counts none. As the builders of networks by name count.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/onnx/detail/element_size.hpp>
#include <repebble/onnx/detail/onnx_call.hpp>

namespace repebble::inline v0::io::detail {

/// Counts the arithmetic of one node, of which the shapes of operands and outputs are known.
class operator_cost {
  public:
    explicit operator_cost(onnx_call const& call) : call_(call) {}

    /// Throws bad_weight where the number does not fit in 64 bits.
    [[nodiscard]] auto flops() const -> std::int64_t {
        std::string_view const op = call_.node.op_type;
        if (op == "Conv" || op == "FusedConv" || op == "NhwcFusedConv" || op == "ConvInteger" || op == "DeformConv")
            return convolution(output(0), 1);
        if (op == "QLinearConv") return convolution(output(0), 3);
        if (op == "ConvTranspose") return convolution(input(0), 1);
        if (op == "MatMul" || op == "FusedMatMul" || op == "MatMulInteger" || op == "QLinearMatMul" ||
            op == "MatMulIntegerToFloat" || op == "DynamicQuantizeMatMul" || op == "MatMulNBits")
            return product(input(0), call_.node.op_type == "FusedMatMul" && call_.number("transA", 0) != 0);
        if (op == "Gemm" || op == "FusedGemm" || op == "QGemm")
            return product(input(0), call_.number("transA", 0) != 0);
        if (op == "Einsum") return einsum();
        if (op == "LSTM" || op == "GRU" || op == "RNN") return recurrence();
        if (op == "Attention") return call_.node.domain == "com.microsoft" ? packed_attention() : attention();
        if (op == "MultiHeadAttention" || op == "GroupQueryAttention") return attention();
        return 0;
    }

  private:
    [[nodiscard]] auto input(std::size_t k) const -> onnx_shape const* {
        return call_.known(k) ? &call_.shape(k) : nullptr;
    }
    [[nodiscard]] auto output(std::size_t k) const -> onnx_shape const* {
        return k < call_.outputs.size() && call_.outputs[k].shape ? &*call_.outputs[k].shape : nullptr;
    }
    [[nodiscard]] static auto times(std::int64_t a, std::int64_t b) -> std::int64_t {
        return checked_multiply(a, b, "operations");
    }
    /// Two for each weight that every position of `spread` meets: all but those of other output (input) channels.
    [[nodiscard]] auto convolution(onnx_shape const* spread, std::size_t weight) const -> std::int64_t {
        auto const* const filter = input(weight);
        if (spread == nullptr || filter == nullptr || filter->empty() || filter->front() == 0) return 0;
        return times(2 * (volume_of(*filter) / filter->front()), volume_of(*spread));
    }
    /// Two for each element of the result and each element of a row.
    [[nodiscard]] auto product(onnx_shape const* rows, bool transposed) const -> std::int64_t {
        if (rows == nullptr || rows->empty() || output(0) == nullptr) return 0;
        auto const inner = transposed && rows->size() > 1 ? (*rows)[rows->size() - 2] : rows->back();
        return times(times(2, inner), volume_of(*output(0)));
    }
    /// Two for each combination of all indices, where two operands or more are multiplied.
    [[nodiscard]] auto einsum() const -> std::int64_t {
        auto const equation = call_.text("equation", "");
        std::map<char, std::int64_t> extents;
        onnx_shape shared;  // of the ellipsis, from the last axis on
        std::size_t begin = 0, k = 0;
        for (auto const end = equation.find("->"); begin <= std::min(end, equation.size()); ++k) {
            auto const comma = std::min({equation.find(',', begin), end, equation.size()});
            auto const term = equation.substr(begin, comma - begin);
            begin = comma + 1;
            auto const* const shape = input(k);
            if (shape == nullptr) return 0;
            std::vector<char> letters;
            for (char const c : term)
                if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters.push_back(c);
            auto const dots = term.find("...");
            auto const hidden = shape->size() - std::min(shape->size(), letters.size());
            std::size_t axis = 0;
            for (std::size_t i = 0; i < term.size() && axis < shape->size(); ++i) {
                if (i == dots) {
                    if (shared.size() < hidden) shared.resize(hidden, 1);
                    for (std::size_t h = 0; h < hidden; ++h, ++axis) {
                        auto& extent = shared[hidden - 1 - h];
                        extent = std::max(extent, (*shape)[axis]);
                    }
                } else if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
                    auto& extent = extents[term[i]];
                    extent = std::max(extent, (*shape)[axis++]);
                }
            }
            if (comma >= std::min(end, equation.size())) break;
        }
        if (k == 0) return 0;
        auto all = times(2, volume_of(shared));
        for (auto const& [letter, extent] : extents) all = times(all, extent);
        return all;
    }
    /// Each step of each sequence meets all weights of both products.
    [[nodiscard]] auto recurrence() const -> std::int64_t {
        if (input(0) == nullptr || input(1) == nullptr || input(2) == nullptr || input(0)->size() < 2) return 0;
        auto const weights = checked_add(volume_of(*input(1)), volume_of(*input(2)), "weights");
        return times(times(2, weights), times((*input(0))[0], (*input(0))[1]));
    }
    /// Scores of all queries and keys, and sums of values by them.
    [[nodiscard]] auto attention() const -> std::int64_t {
        auto const *q = input(0), *k = input(1), *v = input(2);
        if (q == nullptr || output(0) == nullptr) return 0;
        if (k == nullptr) k = q;
        if (v == nullptr) v = k;
        if (q->size() < 3 || k->size() < 3) return 0;
        auto const keys = (*k)[k->size() - 2];
        return times(times(2, keys), checked_add(volume_of(*q), volume_of(*output(0)), "operations"));
    }
    /// The three projections, and attention among the rows.
    [[nodiscard]] auto packed_attention() const -> std::int64_t {
        auto const *x = input(0), *w = input(1);
        if (x == nullptr || w == nullptr || x->size() != 3 || w->size() != 2 || output(0) == nullptr) return 0;
        auto const projections = times(times(2, volume_of(*x)), (*w)[1]);
        return checked_add(projections, times(times(4, (*x)[1]), volume_of(*output(0))), "operations");
    }

    onnx_call const& call_;
};

}  // namespace repebble::inline v0::io::detail

#endif
