#ifndef REPEBBLE_TRAINING_INDEX_BOUND_HPP
#define REPEBBLE_TRAINING_INDEX_BOUND_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include <repebble/networks/model.hpp>

namespace repebble::training {

/// From how many an integer input of a model chooses: the rows of the smallest table in which it looks, the classes of
/// the scores whose labels it gives. Nothing where no operation takes it for indices.
[[nodiscard]] inline auto index_bound(networks::model const& m, std::uint32_t input) -> std::optional<std::int64_t> {
    std::optional<std::int64_t> least;
    auto const chooses = [&](networks::operand const& x, std::int64_t from) {
        if (x.from == networks::operand::source::input && x.index == input)
            least = std::min(least.value_or(from), from);
    };
    for (auto const& v : m.operations()) {
        if (auto const* const table = std::get_if<networks::embedding>(&v.what)) chooses(v.inputs[0], table->rows);
        if (std::holds_alternative<networks::nll_loss>(v.what)) chooses(v.inputs[1], m.tensor_of(v.inputs[0]).shape[1]);
    }
    return least;
}

}  // namespace repebble::training

#endif
