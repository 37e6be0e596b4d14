#ifndef REPEBBLE_NETWORKS_LAYOUT_OPERATIONS_HPP
#define REPEBBLE_NETWORKS_LAYOUT_OPERATIONS_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/quantity.hpp>
#include <repebble/networks/kind.hpp>
#include <repebble/networks/tensor.hpp>

/// Views, which compute nothing, and copies, which move elements together.
namespace repebble::networks {

/// The same elements in the same order, in another shape.
struct reshape {
    static constexpr std::string_view name = "view";
    static constexpr bool is_view = true;
    std::vector<extent> shape{};

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        tensor out{shape, in[0].type};
        require_input(out.volume() == in[0].volume(), "reshape", "as many elements as " + to_string(out) + " has",
                      in[0]);
        return {std::move(out)};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"what", "reshape"}}; }
    friend auto operator==(reshape const&, reshape const&) -> bool = default;
};

/// Two dimensions exchanged.
struct transpose {
    static constexpr std::string_view name = "view";
    static constexpr bool is_view = true;
    std::size_t first = 0;
    std::size_t second = 1;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(std::max(first, second) < in[0].rank(), "transpose", "more dimensions", in[0]);
        auto out = in[0];
        std::swap(out.shape[first], out.shape[second]);
        return {std::move(out)};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json {
        return {{"what", "transpose"}, {"first", first}, {"second", second}};
    }
    friend auto operator==(transpose const&, transpose const&) -> bool = default;
};

/// Equal parts along the last dimension, each an output.
struct split {
    static constexpr std::string_view name = "view";
    static constexpr bool is_view = true;
    extent parts = 1;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        bool const even = in[0].rank() > 0 && parts > 0 && in[0].shape.back() % parts == 0;
        require_input(even, "split", "a last dimension of " + std::to_string(parts) + " equal parts", in[0]);
        auto part = in[0];
        part.shape.back() /= parts;
        return std::vector<tensor>(static_cast<std::size_t>(parts), part);
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"what", "split"}}; }
    friend auto operator==(split const&, split const&) -> bool = default;
};

/// One index of the second dimension.
struct slice {
    static constexpr std::string_view name = "view";
    static constexpr bool is_view = true;
    extent index = 0;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() >= 2 && 0 <= index && index < in[0].shape[1], "slice",
                      "a second dimension with index " + std::to_string(index), in[0]);
        auto out = in[0];
        out.shape.erase(out.shape.begin() + 1);
        return {std::move(out)};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"what", "slice"}, {"index", index}}; }
    friend auto operator==(slice const&, slice const&) -> bool = default;
};

/// The elements of a view, copied into the order of its shape.
struct contiguous {
    static constexpr std::string_view name = "copy";

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> { return {in[0]}; }
    friend auto operator==(contiguous const&, contiguous const&) -> bool = default;
};

/// One after the other along the second dimension.
struct concat {
    static constexpr std::string_view name = "concat";
    static constexpr operand_count operands = any_operands;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() >= 2, name, "at least two dimensions", in[0]);
        auto out = in[0];
        for (auto const& more : in.subspan(1)) {
            auto same = more.shape;
            if (same.size() >= 2) same[1] = in[0].shape[1];
            require_input(same == in[0].shape && more.type == in[0].type, name, "tensors like " + to_string(in[0]),
                          more);
            out.shape[1] = checked_add(out.shape[1], more.shape[1], "channels");
        }
        return {std::move(out)};
    }
    friend auto operator==(concat const&, concat const&) -> bool = default;
};

/// Tensors of one shape, along a new second dimension.
struct stack {
    static constexpr std::string_view name = "stack";
    static constexpr operand_count operands = any_operands;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        require_input(in[0].rank() >= 1, name, "at least one dimension", in[0]);
        for (auto const& more : in) require_input(more == in[0], name, "tensors like " + to_string(in[0]), more);
        auto out = in[0];
        out.shape.insert(out.shape.begin() + 1, static_cast<extent>(in.size()));
        return {std::move(out)};
    }
    friend auto operator==(stack const&, stack const&) -> bool = default;
};

}  // namespace repebble::networks

#endif
