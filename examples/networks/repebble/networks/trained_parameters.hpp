#ifndef REPEBBLE_NETWORKS_TRAINED_PARAMETERS_HPP
#define REPEBBLE_NETWORKS_TRAINED_PARAMETERS_HPP

#include <cstdint>
#include <vector>

#include <repebble/graph/training/trained_parameter.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// The parameters of a model that are trained, in its order, and the operations that have them: for the training graph
/// of its network.  O(operations and their parameters).
[[nodiscard]] inline auto parameters_of(model const& m) -> std::vector<trained_parameter> {
    std::vector<std::vector<std::uint32_t>> users(m.parameters().size());
    for (std::uint32_t v = 0; v < m.operations().size(); ++v)
        for (auto const p : m.operations()[v].parameters) users[p].push_back(v);
    std::vector<trained_parameter> all;
    for (std::size_t p = 0; p < users.size(); ++p)
        if (auto const& own = m.parameters()[p]; own.trained) all.push_back({own.tensor.size(), users[p]});
    return all;
}

}  // namespace repebble::networks

#endif
