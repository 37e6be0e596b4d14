#ifndef SWAPS_SHORTENED_ITERATIONS_HPP
#define SWAPS_SHORTENED_ITERATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/residual_branches.hpp>

namespace swaps {

/// Twenty iterations of stochastic depth, of each the computations that are dropped: of L blocks the l-th is with
/// probability l / (2 L), forward and backward (Huang et al. 2016). `operations` are those of the computations.
[[nodiscard]] inline auto shortened_iterations(repebble::networks::model const& model,
                                               repebble::training_graph const& training,
                                               std::vector<repebble::operation_index> const& operations,
                                               std::uint64_t seed) -> std::vector<std::vector<bool>> {
    auto const branches = repebble::networks::residual_branches(model);
    repebble::detail::split_mix random(seed);
    std::vector<std::vector<bool>> all;
    for (int k = 0; k < 20; ++k) {
        std::vector<bool> of_model(model.operations().size(), false), dropped;
        for (std::size_t l = 1; l <= branches.size(); ++l) {
            bool const is_dropped = random.chance(0.5 * static_cast<double>(l) / static_cast<double>(branches.size()));
            for (auto const v : branches[l - 1]) of_model[v] = is_dropped;
        }
        for (auto const v : operations) dropped.push_back(of_model[training.origin[v].vertex]);
        all.push_back(std::move(dropped));
    }
    return all;
}

}  // namespace swaps

#endif
