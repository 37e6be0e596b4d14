#ifndef REPEBBLE_NETWORKS_KIND_HPP
#define REPEBBLE_NETWORKS_KIND_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/quantity.hpp>
#include <repebble/networks/tensor.hpp>

namespace repebble::networks {

/// What an operation's gradient reads, beside the gradients of its outputs.
struct gradient_needs {
    bool inputs = false;
    bool output = false;  ///< of several outputs, all but the first
    friend auto operator==(gradient_needs const&, gradient_needs const&) -> bool = default;
};

/// A tensor that lies in memory whatever the schedule.
struct parameter {
    std::string name{};
    networks::tensor tensor{};
    bool trained = true;  ///< false: a mask, a running statistic
    friend auto operator==(parameter const&, parameter const&) -> bool = default;
};

/// How many operands an operation has.
struct operand_count {
    std::size_t fewest = 1;
    std::size_t most = 1;
    friend auto operator==(operand_count const&, operand_count const&) -> bool = default;
};
inline constexpr operand_count two_operands{2, 2};
inline constexpr operand_count any_operands{1, std::numeric_limits<std::size_t>::max()};

/// A kind of operation: a regular type that holds its attributes and knows what follows from the shapes it reads. The
/// kinds that a model takes are listed in `any_kind`.
/// Required:
///   name                    what it is called in a graph file ("conv", "relu", …)
///   outputs(inputs)         the tensors that it writes.  Throws bad_graph where it cannot read those inputs, or has
///                           attributes that cannot be.  Requires: as many inputs as `operands` says
/// Optional:
///   operands                how many inputs; one where absent
///   parameters(inputs)      the parameters that it reads, in order; none where absent
///   flops(inputs, outputs)  its arithmetic as far as it is counted: 2 per multiply-add; 0 where absent
///   traffic(inputs, outputs) bytes that it reads and writes; where absent, those of all inputs, outputs and parameters
///   needs                   what its gradient reads; nothing where absent
///   may_overwrite           true: for all that its own gradient cares, its first output may lie over its first input
///   is_view                 true: its outputs refer to the storage of its input
///   attributes()            what an executor has to know beside the shapes
template <class Kind>
concept operation_kind = std::regular<Kind> && requires(Kind const& k, std::span<tensor const> in) {
    { Kind::name } -> std::convertible_to<std::string_view>;
    { k.outputs(in) } -> std::same_as<std::vector<tensor>>;
};

template <operation_kind Kind>
[[nodiscard]] constexpr auto operands_of([[maybe_unused]] Kind const& k) -> operand_count {
    if constexpr (requires { Kind::operands; })
        return Kind::operands;
    else
        return {};
}

template <operation_kind Kind>
[[nodiscard]] auto parameters_of(Kind const& k, std::span<tensor const> in) -> std::vector<parameter> {
    if constexpr (requires { k.parameters(in); })
        return k.parameters(in);
    else
        return {};
}

template <operation_kind Kind>
[[nodiscard]] auto flops_of(Kind const& k, std::span<tensor const> in, std::span<tensor const> out) -> std::int64_t {
    if constexpr (requires { k.flops(in, out); })
        return k.flops(in, out);
    else
        return 0;
}

/// Throws bad_weight where a tensor or all together do not fit in 64 bits.
[[nodiscard]] inline auto total_size(std::span<tensor const> all) -> bytes {
    bytes sum = 0;
    for (auto const& t : all) sum = checked_add(sum, t.size());
    return sum;
}

template <operation_kind Kind>
[[nodiscard]] constexpr auto is_view_of([[maybe_unused]] Kind const& k) -> bool {
    if constexpr (requires { Kind::is_view; })
        return Kind::is_view;
    else
        return false;
}

/// Bytes that it reads and writes, given those of its parameters.
template <operation_kind Kind>
[[nodiscard]] auto traffic_of(Kind const& k, std::span<tensor const> in, std::span<tensor const> out, bytes parameters)
    -> bytes {
    if constexpr (requires { k.traffic(in, out); })
        return k.traffic(in, out);
    else
        return is_view_of(k) ? 0 : checked_add(parameters, checked_add(total_size(in), total_size(out)));
}

template <operation_kind Kind>
[[nodiscard]] constexpr auto gradient_needs_of([[maybe_unused]] Kind const& k) -> gradient_needs {
    if constexpr (requires { Kind::needs; })
        return Kind::needs;
    else
        return {};
}

template <operation_kind Kind>
[[nodiscard]] constexpr auto may_overwrite_input([[maybe_unused]] Kind const& k) -> bool {
    if constexpr (requires { Kind::may_overwrite; })
        return Kind::may_overwrite;
    else
        return false;
}

template <operation_kind Kind>
[[nodiscard]] auto attributes_of([[maybe_unused]] Kind const& k) -> nlohmann::json {
    if constexpr (requires { k.attributes(); })
        return k.attributes();
    else
        return nlohmann::json::object();
}

}  // namespace repebble::networks

#endif
