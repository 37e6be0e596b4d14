#ifndef REPEBBLE_IMPL_ALLOCATE_FIND_RACE_IPP
#define REPEBBLE_IMPL_ALLOCATE_FIND_RACE_IPP

#include <repebble/allocate/find_race.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/parallel/last_users.hpp>
#include <repebble/allocate/detail/parallel/step_order.hpp>
#include <repebble/allocate/detail/parallel/touched_buffers.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>

namespace repebble::inline v0::detail {

/// A pair of steps that touch i and j such that the former need not end before the latter starts.
[[nodiscard]] inline auto not_before(step_graph const& steps, step_order const& order, std::size_t i, std::size_t j)
    -> std::optional<csr_graph::edge> {
    for (auto const t : steps.touches[j]) {
        auto const precedes = [&](step_index u) { return order.before(u, t); };
        if (std::ranges::any_of(steps.touches[j], precedes)) continue;  // its ancestors are ancestors of t
        for (auto const s : steps.touches[i])
            if (!order.before(s, t)) return csr_graph::edge{s, t};
    }
    return std::nullopt;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_race(step_graph const& steps, std::span<buffer const> buffers, std::span<bytes const> offsets,
                               std::span<csr_graph::edge const> more) -> std::optional<race> {
    detail::require_touches(steps, buffers);
    if (auto const fault = detail::overlap_in_time(buffers, offsets)) {
        auto [i, j] = std::pair(fault->first, *fault->second);
        if (buffers[j].lifetime.lower < buffers[i].lifetime.lower) std::swap(i, j);
        return detail::describe(i, j, steps.touches[i].back(), steps.touches[j].front(),
                                "in the schedule itself, " + fault->message);
    }
    auto const order = detail::order_of(steps, more);
    detail::last_users users;
    std::vector<std::size_t> former;
    for (auto const j : detail::in_order_of_begin(buffers)) {
        former.clear();
        users.take({offsets[j], offsets[j] + buffers[j].size}, j, [&](std::size_t i) { former.push_back(i); });
        detail::sort_unique(former);
        for (auto const i : former)
            if (auto const wrong = not_before(steps, order, i, j)) {
                auto const [s, t] = *wrong;
                return detail::describe(i, j, s, t,
                                        "step " + std::to_string(s) +
                                            ", which touches the first, need not end before step " + std::to_string(t) +
                                            ", which touches the second, starts");
            }
    }
    return std::nullopt;
}

}  // namespace repebble::inline v0

#endif
