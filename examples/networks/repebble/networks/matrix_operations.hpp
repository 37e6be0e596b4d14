#ifndef REPEBBLE_NETWORKS_MATRIX_OPERATIONS_HPP
#define REPEBBLE_NETWORKS_MATRIX_OPERATIONS_HPP

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/quantity.hpp>
#include <repebble/networks/kind.hpp>
#include <repebble/networks/tensor.hpp>

/// Products of matrices, and what goes with them in networks for text.
namespace repebble::networks {

/// Rows times the transpose of a weight matrix.
struct linear {
    static constexpr std::string_view name = "matmul";
    static constexpr gradient_needs needs{.inputs = true};
    extent features = 1;
    bool bias = true;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() == 2 && is_floating(in[0].type), "linear", "rows of features", in[0]);
        return {{{in[0].shape[0], features}, in[0].type}};
    }
    [[nodiscard]] auto parameters(std::span<tensor const> in) const -> std::vector<parameter> {
        std::vector<parameter> all{{"weight", {{features, in[0].shape[1]}}}};
        if (bias) all.push_back({"bias", {{features}}});
        return all;
    }
    /// A bias is not counted.
    [[nodiscard]] auto flops(std::span<tensor const> in, std::span<tensor const>) const -> std::int64_t {
        return checked_multiply(in[0].volume(), checked_multiply(features, extent{2}, "operations"), "operations");
    }
    friend auto operator==(linear const&, linear const&) -> bool = default;
};

/// The product of each of a batch of matrices with its partner.
struct batched_product {
    static constexpr std::string_view name = "matmul";
    static constexpr operand_count operands = two_operands;
    static constexpr gradient_needs needs{.inputs = true};

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() == 3, "batched_product", "batches of matrices", in[0]);
        bool const fits = in[1].rank() == 3 && in[1].shape[0] == in[0].shape[0] && in[1].shape[1] == in[0].shape[2] &&
                          in[1].type == in[0].type;
        require_input(fits, "batched_product", "a partner for each matrix of " + to_string(in[0]), in[1]);
        return {{{in[0].shape[0], in[0].shape[1], in[1].shape[2]}, in[0].type}};
    }
    [[nodiscard]] auto flops(std::span<tensor const> in, std::span<tensor const>) const -> std::int64_t {
        return checked_multiply(in[0].volume(), checked_multiply(in[1].shape[2], extent{2}, "operations"),
                                "operations");
    }
    friend auto operator==(batched_product const&, batched_product const&) -> bool = default;
};

/// Over the last dimension. Its further outputs are the mean and the inverse deviation of each row.
struct layer_norm {
    static constexpr std::string_view name = "layer_norm";
    static constexpr gradient_needs needs{.inputs = true};
    double epsilon = 1e-5;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() >= 1, name, "rows of features", in[0]);
        tensor statistics{in[0].shape};
        statistics.shape.back() = 1;
        return {in[0], statistics, statistics};
    }
    [[nodiscard]] auto parameters(std::span<tensor const> in) const -> std::vector<parameter> {
        tensor const per_feature{{in[0].shape.back()}};
        return {{"weight", per_feature}, {"bias", per_feature}};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"epsilon", epsilon}}; }
    friend auto operator==(layer_norm const&, layer_norm const&) -> bool = default;
};

/// Over the last dimension, without a mean (Zhang, Sennrich 2019). Its second output is the inverse root of the mean
/// square of each row.
struct rms_norm {
    static constexpr std::string_view name = "rms_norm";
    static constexpr gradient_needs needs{.inputs = true, .output = true};
    double epsilon = 1e-5;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() >= 1, name, "rows of features", in[0]);
        tensor scales{in[0].shape};
        scales.shape.back() = 1;
        return {in[0], scales};
    }
    [[nodiscard]] auto parameters(std::span<tensor const> in) const -> std::vector<parameter> {
        return {{"weight", {{in[0].shape.back()}}}};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"epsilon", epsilon}}; }
    friend auto operator==(rms_norm const&, rms_norm const&) -> bool = default;
};

/// Rotates the pairs k, k + size/2 of each row by its position times base^(-2k/size) (Su et al. 2021): of a tensor
/// … x length x size. A row of its table has the cosines of a position, then the sines.
struct rotary_embedding {
    static constexpr std::string_view name = "rotary";
    double base = 10'000;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() >= 2 && in[0].shape.back() % 2 == 0, name, "rows of pairs", in[0]);
        return {in[0]};
    }
    [[nodiscard]] auto parameters(std::span<tensor const> in) const -> std::vector<parameter> {
        return {{"angles", {{in[0].shape.rbegin()[1], in[0].shape.back()}}, false}};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"base", base}}; }
    friend auto operator==(rotary_embedding const&, rotary_embedding const&) -> bool = default;
};

/// For each index, that row of a table.
struct embedding {
    static constexpr std::string_view name = "embedding";
    extent rows = 1;
    extent features = 1;
    element values = element::float32;  ///< of what it writes; the table is float32

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].type == element::int64, name, "indices", in[0]);
        auto shape = in[0].shape;
        shape.push_back(features);
        return {{std::move(shape), values}};
    }
    [[nodiscard]] auto parameters(std::span<tensor const>) const -> std::vector<parameter> {
        return {{"weight", {{rows, features}}}};
    }
    /// Only the rows that are asked for.
    [[nodiscard]] auto traffic(std::span<tensor const>, std::span<tensor const> out) const -> bytes {
        return checked_multiply(out[0].size(), bytes{2});
    }
    friend auto operator==(embedding const&, embedding const&) -> bool = default;
};

/// A row for each position 0, 1, … of a sequence; it reads nothing but parameters.
struct position_embedding {
    static constexpr std::string_view name = "embedding";
    static constexpr operand_count operands{0, 0};
    extent length = 1;
    extent features = 1;
    element values = element::float32;  ///< of what it writes; the table is float32

    [[nodiscard]] auto outputs(std::span<tensor const>) const -> std::vector<tensor> {
        return {{{length, features}, values}};
    }
    [[nodiscard]] auto parameters(std::span<tensor const>) const -> std::vector<parameter> {
        return {{"weight", {{length, features}}}, {"positions", {{length}, element::int64}, false}};
    }
    /// The table and its copy.
    [[nodiscard]] auto traffic(std::span<tensor const>, std::span<tensor const> out) const -> bytes {
        return checked_multiply(out[0].size(), bytes{2});
    }
    friend auto operator==(position_embedding const&, position_embedding const&) -> bool = default;
};

}  // namespace repebble::networks

#endif
