#ifndef REPEBBLE_ONNX_DETAIL_ONNX_CALL_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_CALL_HPP

// One node during inference: attributes, what is known of its inputs, what is found of its outputs, errors that name
// it. All rules of shapes and all folds of contents take it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/detail/shortened.hpp>
#include <repebble/onnx/onnx_known.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

using onnx_shape = std::vector<std::int64_t>;

/// An extent that depends on data. Inference asks the declared shape and the caller for it.
inline constexpr auto open_extent = std::numeric_limits<std::int64_t>::min();

/// Contents of more elements than this are not kept.
inline constexpr std::int64_t folded_elements = 4096;

[[nodiscard]] inline auto shape_text(onnx_shape const& shape) -> std::string {
    constexpr std::size_t most = 120;  // letters
    std::string text = "[";
    for (auto const extent : shape) {
        if (text.size() > 1) text += ", ";
        if (text.size() > most) return text + "…]";
        text += extent == open_extent ? "?" : std::to_string(extent);
    }
    return text + "]";
}

/// The first output of a node that is not left out; null where all are.
[[nodiscard]] inline auto first_output(onnx_node const& node) -> std::string const* {
    auto const found = std::ranges::find_if(node.outputs, [](auto const& name) { return !name.empty(); });
    return found != node.outputs.end() ? &*found : nullptr;
}

/// A node in messages: its name, or else its first output; its operator.
[[nodiscard]] inline auto onnx_node_text(onnx_node const& node) -> std::string {
    std::string text = "node '" + shortened(node.name) + "'";
    if (auto const* const made = first_output(node); made != nullptr && node.name.empty())
        text = "node that makes '" + shortened(*made) + "'";
    return text + " (" + (node.domain.empty() ? "" : node.domain + ".") + node.op_type + ")";
}

/// Integers from an attribute or an input: unknown where the input's contents are; null where neither is given.
struct onnx_list {
    bool known = true;
    onnx_shape const* values = nullptr;
};

class onnx_call {
  public:
    onnx_call(onnx_node const& called, std::int64_t version)
        : node(called), opset(version), outputs(called.outputs.size()) {
        inputs.reserve(called.inputs.size());
    }

    onnx_node const& node;
    std::int64_t opset;
    std::vector<onnx_known const*> inputs{};  ///< null: left out
    std::vector<onnx_known> outputs;

    [[noreturn]] void fail(std::string const& why) const {
        repebble::detail::raise(bad_graph(onnx_node_text(node) + ": " + why));
    }

    // ---- attributes ----

    [[nodiscard]] auto has(std::string_view name) const -> bool { return find(name) != nullptr; }
    [[nodiscard]] auto number(std::string_view name, std::int64_t otherwise) const -> std::int64_t {
        auto const* value = get<std::int64_t>(name);
        return value ? *value : otherwise;
    }
    [[nodiscard]] auto real(std::string_view name, double otherwise) const -> double {
        auto const* value = get<double>(name);
        return value ? *value : otherwise;
    }
    [[nodiscard]] auto text(std::string_view name, std::string_view otherwise) const -> std::string_view {
        auto const* value = get<std::string>(name);
        return value ? std::string_view(*value) : otherwise;
    }
    /// Null where the attribute is not given.
    [[nodiscard]] auto numbers(std::string_view name) const -> onnx_shape const* { return get<onnx_shape>(name); }
    [[nodiscard]] auto reals_of(std::string_view name) const -> std::vector<double> const* {
        return get<std::vector<double>>(name);
    }
    [[nodiscard]] auto texts(std::string_view name) const -> std::vector<std::string> const* {
        return get<std::vector<std::string>>(name);
    }
    [[nodiscard]] auto tensor(std::string_view name) const -> onnx_tensor const* { return get<onnx_tensor>(name); }
    [[nodiscard]] auto required(std::string_view name) const -> std::int64_t {
        if (!has(name)) fail("has no attribute '" + std::string(name) + "'");
        return number(name, 0);
    }
    [[nodiscard]] auto type_of(std::string_view name, onnx_type otherwise) const -> onnx_type {
        return static_cast<onnx_type>(number(name, static_cast<std::int64_t>(otherwise)));
    }

    // ---- inputs ----

    [[nodiscard]] auto given(std::size_t i) const -> bool { return i < inputs.size() && inputs[i]; }
    [[nodiscard]] auto known(std::size_t i) const -> bool { return given(i) && inputs[i]->shape; }
    [[nodiscard]] auto input(std::size_t i) const -> onnx_known const& {
        if (!given(i)) fail("input " + std::to_string(i) + " is missing");
        return *inputs[i];
    }
    /// The shape of an input. Requires: known(i).
    [[nodiscard]] auto shape(std::size_t i) const -> onnx_shape const& {
        auto const& of = input(i);
        REPEBBLE_ASSERT(of.shape);
        return *of.shape;
    }
    /// The same, where the input must have at least so many axes.
    [[nodiscard]] auto shape(std::size_t i, std::size_t rank) const -> onnx_shape const& {
        auto const& of = shape(i);
        if (of.size() < rank)
            fail("input " + std::to_string(i) + " has shape " + shape_text(of) + ", but at least " +
                 std::to_string(rank) + " axes are needed");
        return of;
    }
    [[nodiscard]] auto type(std::size_t i) const -> onnx_type {
        return given(i) ? inputs[i]->type : onnx_type::undefined;
    }
    /// Contents of an input; null where it is left out or they are unknown.
    [[nodiscard]] auto integers(std::size_t i) const -> onnx_shape const* {
        return given(i) && inputs[i]->integers ? &*inputs[i]->integers : nullptr;
    }
    [[nodiscard]] auto reals(std::size_t i) const -> std::vector<double> const* {
        return given(i) && inputs[i]->reals ? &*inputs[i]->reals : nullptr;
    }
    /// One integer of an input; nothing where it is left out or unknown.
    [[nodiscard]] auto integer(std::size_t i) const -> std::optional<std::int64_t> {
        auto const* values = integers(i);
        return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
    }
    /// What older versions say by an attribute and newer ones by an input.
    [[nodiscard]] auto list(std::string_view name, std::size_t i) const -> onnx_list {
        if (auto const* values = numbers(name)) return {true, values};
        return {!given(i) || integers(i) != nullptr, integers(i)};
    }

    // ---- outputs ----

    /// Sets type and shape of an output, where it is wanted.
    void set(std::size_t k, onnx_shape shape, onnx_type type) {
        if (k >= outputs.size()) return;
        outputs[k].type = type;
        outputs[k].shape = std::move(shape);
    }
    /// The same, of the type of the first input.
    void set(std::size_t k, onnx_shape shape) { set(k, std::move(shape), type(0)); }

    // ---- arithmetic of axes and extents ----

    /// The position of an axis that may count from the end.
    [[nodiscard]] auto axis(std::int64_t a, std::size_t rank) const -> std::size_t {
        auto const n = static_cast<std::int64_t>(rank);
        if (a < -n || a >= n) fail("axis " + std::to_string(a) + " is out of range: there are " + std::to_string(n));
        return static_cast<std::size_t>(a < 0 ? a + n : a);
    }
    /// For each axis, whether it is among those of the list.
    [[nodiscard]] auto axes(onnx_shape const& list, std::size_t rank) const -> std::vector<bool> {
        std::vector<bool> chosen(rank, false);
        for (auto const a : list) {
            auto const at = axis(a, rank);
            if (chosen[at]) fail("axis " + std::to_string(a) + " is given twice");
            chosen[at] = true;
        }
        return chosen;
    }
    [[nodiscard]] auto add(std::int64_t a, std::int64_t b) const -> std::int64_t {
        std::int64_t sum = 0;
        if (__builtin_add_overflow(a, b, &sum)) fail(overflow(a, '+', b));
        return sum;
    }
    [[nodiscard]] auto multiply(std::int64_t a, std::int64_t b) const -> std::int64_t {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(a, b, &product)) fail(overflow(a, '*', b));
        return product;
    }
    [[nodiscard]] auto elements(std::span<std::int64_t const> extents) const -> std::int64_t {
        std::int64_t product = 1;
        for (auto const extent : extents) product = multiply(product, extent);
        return product;
    }
    /// The extent that a real number says, rounded down.
    [[nodiscard]] auto whole(double x) const -> std::int64_t {
        if (!(x >= 0 && x < 0x1p62)) fail("an extent would be " + std::to_string(x));
        return static_cast<std::int64_t>(x);
    }
    void expect_equal(std::int64_t a, std::int64_t b, char const* what) const {
        if (a != b) fail(std::string(what) + " differ: " + std::to_string(a) + " and " + std::to_string(b));
    }
    void expect_count(onnx_shape const& list, std::size_t count, char const* what) const {
        if (list.size() != count)
            fail(std::string(what) + " has " + std::to_string(list.size()) + " numbers, not " + std::to_string(count));
    }
    /// The shape to which both are broadcast, axes aligned at the end.
    [[nodiscard]] auto broadcast(onnx_shape const& a, onnx_shape const& b) const -> onnx_shape {
        auto const& longer = a.size() < b.size() ? b : a;
        auto const& shorter = a.size() < b.size() ? a : b;
        auto result = longer;
        auto const shift = longer.size() - shorter.size();
        for (std::size_t i = 0; i < shorter.size(); ++i) {
            auto& extent = result[shift + i];
            if (extent == 1)
                extent = shorter[i];
            else if (shorter[i] != 1 && shorter[i] != extent)
                fail("shapes " + shape_text(a) + " and " + shape_text(b) + " cannot be broadcast");
        }
        return result;
    }

  private:
    [[nodiscard]] static auto overflow(std::int64_t a, char op, std::int64_t b) -> std::string {
        return "an extent overflows 64 bits: " + std::to_string(a) + " " + op + " " + std::to_string(b);
    }
    [[nodiscard]] auto find(std::string_view name) const -> onnx_attribute const* {
        for (auto const& attribute : node.attributes)
            if (attribute.name == name && !std::holds_alternative<std::monostate>(attribute.value)) return &attribute;
        return nullptr;
    }
    template <class T>
    [[nodiscard]] auto get(std::string_view name) const -> T const* {
        auto const* attribute = find(name);
        if (!attribute) return nullptr;
        auto const* value = std::get_if<T>(&attribute->value);
        if (!value) fail("attribute '" + std::string(name) + "' is of another kind than its operator asks for");
        return value;
    }
};

/// The rule of an operator: it sets types and shapes of outputs. It is asked where the shapes of the first `needs`
/// inputs are known.
struct onnx_rule {
    std::string_view op;
    std::size_t needs;
    void (*infer)(onnx_call&);
};

}  // namespace repebble::inline v0::io::detail

#endif
