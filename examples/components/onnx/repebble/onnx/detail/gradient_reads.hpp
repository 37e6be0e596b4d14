#ifndef REPEBBLE_ONNX_DETAIL_GRADIENT_READS_HPP
#define REPEBBLE_ONNX_DETAIL_GRADIENT_READS_HPP

// What the gradients of ONNX's operators read of the forward pass, operand by operand, as automatic differentiation in
// frameworks saves it (checked against PyTorch's, offline: tests/data/onnx/gradient_reads.json).

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include <repebble/onnx/detail/operator_domain.hpp>

namespace repebble::inline v0::io::detail {

/// A row of the table: operators, and a word for each of their operands. A word has the operands (digits; `^` is all
/// others) and outputs (letters from a) that the gradient with respect to that operand reads; `_`: nothing; `x`: no
/// gradient arrives there. The last word counts for all further operands where `*` follows it; else none arrives at
/// these.
struct gradient_row {
    std::string_view operators;
    std::string_view reads;
};

inline constexpr std::array gradient_rows{
    gradient_row{"Conv ConvTranspose Gemm MatMul Mul FusedMatMul", "1 0 _"},
    gradient_row{"FusedConv FusedGemm", "1a 0a a a"},
    gradient_row{"DeformConv", "124 024 0124 _ 012"},
    gradient_row{"Einsum", "^ *"},
    gradient_row{"Max Min", "0123456789 *"},
    gradient_row{"Add Sub Sum Mean Concat", "_ *"},
    gradient_row{"Div", "1 01"},
    gradient_row{"Mod", "_ 01"},
    gradient_row{"Pow", "01 0a"},
    gradient_row{"Neg Identity Reshape Flatten Squeeze Unsqueeze Transpose Split Slice Pad Expand Tile Cast CastLike "
                 "ReduceSum ReduceMean AveragePool GlobalAveragePool DepthToSpace SpaceToDepth CumSum Resize Upsample "
                 "Trilu Col2Im CenterCropPad DFT AffineGrid",
                 "_"},
    gradient_row{"Log Erf Gelu Swish HardSwish HardSigmoid Softplus Mish Abs Sin Cos Asin Acos Atan Sinh Cosh Asinh "
                 "Acosh Atanh Softsign LeakyRelu ThresholdedRelu Celu Shrink QuickGelu ReduceSumSquare ReduceL1 "
                 "MeanVarianceNormalization",
                 "0"},
    gradient_row{"Relu Sigmoid Tanh Softmax LogSoftmax Exp Sqrt Reciprocal Elu Selu Tan", "a"},
    gradient_row{"ReduceProd ReduceL2 ReduceMax ReduceMin ReduceLogSum ReduceLogSumExp LpNormalization LRN CumProd Det "
                 "Inverse LpPool GlobalLpPool GlobalMaxPool",
                 "0a"},
    gradient_row{"Clip", "012 *"},
    gradient_row{"BiasGelu FastGelu", "01 01"},
    gradient_row{"ReverseSequence", "1"},
    gradient_row{"STFT", "2 x 0"},
    gradient_row{"PRelu", "01 0"},
    gradient_row{"Where", "x 0 0"},
    gradient_row{"Gather GatherElements GatherND Compress MaxUnpool MaxRoiPool", "1"},
    gradient_row{"ScatterElements ScatterND Scatter", "1 x 1"},
    gradient_row{"TensorScatter", "2 2 x"},
    gradient_row{"MaxPool TopK", "b"},
    gradient_row{"RoiAlign", "12"},
    gradient_row{"Dropout", "b"},
    gradient_row{"BatchNormalization InstanceNormalization GroupNormalization", "01 0 _"},
    gradient_row{"LayerNormalization", "01bc 0bc _"},
    gradient_row{"RMSNormalization SimplifiedLayerNormalization", "01b 0b"},
    gradient_row{"SoftmaxCrossEntropyLoss", "12b"},
    gradient_row{"NegativeLogLikelihoodLoss", "12"},
    gradient_row{"LSTM GRU", "12 02 25a 2 x 2 26 2"},
    gradient_row{"RNN", "12a 02a 25a 2a x 2a"},
    gradient_row{"Attention", "0123a 0123a 013 0123a"},
    gradient_row{"RotaryEmbedding", "123 03 03"},
    gradient_row{"GridSample", "1 01"},
    // No gradient: of integers and truth values, or zero almost everywhere.
    gradient_row{
        "Floor Ceil Round Sign Shape Size NonZero ArgMax ArgMin Hardmax OneHot EyeLike Range ConstantOfShape "
        "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Multinomial Bernoulli IsNaN IsInf Equal "
        "Less LessOrEqual Greater GreaterOrEqual And Or Xor Not Unique NonMaxSuppression QuantizeLinear "
        "DynamicQuantizeLinear DequantizeLinear ConvInteger MatMulInteger QLinearConv QLinearMatMul",
        "x"},
};

/// What the gradients of one operator read.
class gradient_reads {
  public:
    /// The row of an operator of ai.onnx, or of one of com.microsoft that has its operands. Of one that is not in the
    /// table, every gradient reads all operands and all outputs.
    explicit gradient_reads(std::string_view op, std::string_view domain = {}) {
        static auto const rows = by_operator();
        auto const found = rows.find(op);
        bool const own = is_onnx_domain(domain);
        bool const same = domain == "com.microsoft" && op != "Attention" && op != "RotaryEmbedding";
        if (found != rows.end()) row_ = &found->second;
        known_ = found != rows.end() && (own || same);
    }
    /// Whether the operator is in the table.
    [[nodiscard]] auto is_known() const noexcept -> bool { return known_; }
    /// Whether a gradient arrives at operand j, if one arrives at the operator.
    [[nodiscard]] auto passes(std::size_t j) const -> bool { return !known_ || word(j).find('x') == word(j).npos; }
    /// Whether the gradient with respect to operand j reads operand k.  Requires: passes(j).
    [[nodiscard]] auto reads_operand(std::size_t j, std::size_t k) const -> bool {
        return !known_ || has(j, static_cast<char>('0' + std::min<std::size_t>(k, 9))) || (k != j && has(j, '^'));
    }
    /// Whether the gradient with respect to operand j reads output k.  Requires: passes(j).
    [[nodiscard]] auto reads_output(std::size_t j, std::size_t k) const -> bool {
        return !known_ || (k < 8 && has(j, static_cast<char>('a' + k)));
    }

    /// The word of operand j.
    [[nodiscard]] auto word(std::size_t j) const -> std::string_view {
        if (row_ != nullptr && j < row_->words.size()) return row_->words[j];
        return row_ != nullptr && row_->goes_on ? row_->words.back() : "x";
    }

  private:
    struct words_of_row {
        std::vector<std::string_view> words{};  // of the first operands
        bool goes_on = false;                   // the last word counts for all further ones
    };
    static auto by_operator() -> std::map<std::string_view, words_of_row> {
        std::map<std::string_view, words_of_row> rows;
        for (auto const& row : gradient_rows) {
            words_of_row made;
            each_word(row.reads, [&](std::string_view word) { made.words.push_back(word); });
            made.goes_on = made.words.back() == "*";
            if (made.goes_on) made.words.pop_back();
            each_word(row.operators, [&](std::string_view name) { rows[name] = made; });
        }
        return rows;
    }
    template <class F>
    static void each_word(std::string_view text, F const& f) {
        while (!text.empty()) {
            auto const end = std::min(text.find(' '), text.size());
            if (end > 0) f(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    [[nodiscard]] auto has(std::size_t j, char what) const -> bool {
        return word(j).find(what) != std::string_view::npos;
    }

    words_of_row const* row_ = nullptr;
    bool known_ = false;
};

/// Values that the gradients with respect to some operands of one operator read together.
class gradient_union {
  public:
    /// Adds operand j.  Requires: table.passes(j).
    void add(gradient_reads const& table, std::size_t j) {
        reads_all_ = reads_all_ || !table.is_known();
        for (char const c : table.word(j)) {
            read_.set(static_cast<unsigned char>(c) % read_.size());
            if (c == '^' && ++others_ == 1) other_than_ = j;
        }
    }
    [[nodiscard]] auto reads_operand(std::size_t k) const -> bool {
        return reads_all_ || has('0' + static_cast<int>(std::min<std::size_t>(k, 9))) || others_ > 1 ||
               (others_ == 1 && k != other_than_);
    }
    [[nodiscard]] auto reads_output(std::size_t k) const -> bool {
        return reads_all_ || (k < 8 && has('a' + static_cast<int>(k)));
    }

  private:
    [[nodiscard]] auto has(int letter) const -> bool { return read_.test(static_cast<std::size_t>(letter)); }

    std::bitset<128> read_;                    // letters of the words
    std::size_t others_ = 0, other_than_ = 0;  // words with ^, and the operand of the first
    bool reads_all_ = false;
};

}  // namespace repebble::inline v0::io::detail

#endif
