#ifndef REPEBBLE_NETWORKS_RESIDUAL_BRANCHES_HPP
#define REPEBBLE_NETWORKS_RESIDUAL_BRANCHES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// The branches of a residual network, which stochastic depth drops (Huang et al. 2016): for each sum of two operands,
/// in the order of the model, the operations on which nothing but its first operand depends, ascending; none for a sum
/// without such. The builders of residual networks add the branch first. An inner sum, and what only that reads, is no
/// part of the outer branch; of other networks the answer means nothing.  O(operations).
[[nodiscard]] inline auto residual_branches(model const& m) -> std::vector<std::vector<std::uint32_t>> {
    constexpr auto unread = std::numeric_limits<std::uint32_t>::max(), shared = unread - 1;
    auto const all = m.operations();
    std::vector<std::uint32_t> only_for(all.size(), unread);  // the sum to which all that reads it leads
    std::vector<std::vector<std::uint32_t>> branches;
    std::vector<std::vector<std::uint32_t>> of_sum(all.size());
    for (auto v = static_cast<std::uint32_t>(all.size()); v-- > 0;) {
        if (only_for[v] == unread) only_for[v] = shared;
        auto const is_sum = std::holds_alternative<add>(all[v].what);
        if (only_for[v] < shared && !is_sum) of_sum[only_for[v]].push_back(v);
        for (std::size_t k = 0; k < all[v].inputs.size(); ++k) {
            auto const& x = all[v].inputs[k];
            if (x.from == operand::source::input) continue;
            auto const to = !is_sum ? only_for[v] : k == 0 ? v : shared;
            auto& leads_to = only_for[x.index];
            leads_to = leads_to == unread || leads_to == to ? to : shared;
        }
    }
    for (auto& branch : of_sum) {
        if (branch.empty()) continue;
        std::ranges::reverse(branch);
        branches.push_back(std::move(branch));
    }
    return branches;
}

}  // namespace repebble::networks

#endif
