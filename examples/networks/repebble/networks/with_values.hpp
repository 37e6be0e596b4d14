#ifndef REPEBBLE_NETWORKS_WITH_VALUES_HPP
#define REPEBBLE_NETWORKS_WITH_VALUES_HPP

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <repebble/graph/error.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/tensor.hpp>

namespace repebble::networks {

/// The same network with another element type for its floating-point values: inputs, what operations make of them, and
/// so all gradients of these. Parameters, the statistics of norms and losses stay float32; masks, positions, labels and
/// tokens are what they were.  Throws bad_graph where the type is no floating-point one.
[[nodiscard]] inline auto with_values(model const& m, element type) -> model {
    if (!is_floating(type)) throw bad_graph(m.name() + ": its values cannot be " + std::string(to_string(type)));
    model made(m.name());
    for (auto const& input : m.inputs()) {
        auto t = input.tensor;
        if (is_floating(t.type)) t.type = type;
        made.add_input(input.name, std::move(t));
    }
    for (auto const& v : m.operations())
        std::visit(
            [&](auto kind) {
                if constexpr (requires { kind.values; }) kind.values = type;
                bool const own = v.parameters.empty() || v.parameters.front() == made.parameters().size();
                if (own)
                    made.append(v.name, std::move(kind), v.inputs);
                else
                    made.append(v.name, std::move(kind), v.inputs, v.parameters);
            },
            v.what);
    return made;
}

/// Whether an operation makes values of that type.
[[nodiscard]] inline auto has_values_of(model const& m, element type) -> bool {
    return std::ranges::any_of(m.operations(), [type](operation const& v) {
        return std::ranges::any_of(v.outputs, [type](tensor const& t) { return t.type == type; });
    });
}

}  // namespace repebble::networks

#endif
