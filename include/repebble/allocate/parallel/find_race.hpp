#ifndef REPEBBLE_ALLOCATE_PARALLEL_FIND_RACE_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_FIND_RACE_HPP

// The checker of plans for parallel steps: it proves by ancestor sets that every two users of a byte are ordered. It
// takes nothing from the planners, neither how blocks were shared nor which edges were added. Tests and
// `sharing_dependencies`' users call it.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/parallel/detail/last_users.hpp>
#include <repebble/allocate/parallel/detail/step_order.hpp>
#include <repebble/allocate/parallel/detail/touched_buffers.hpp>
#include <repebble/allocate/parallel/step_graph.hpp>
#include <repebble/allocate/sharing.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>

namespace repebble::inline v0 {

/// A data race of a plan of offsets under parallel execution: two buffers share bytes, and a step that touches the
/// first need not end before one that touches the second starts.
struct race {
    std::size_t first = 0;        ///< the buffer that begins first
    std::size_t second = 0;       ///< the other buffer
    std::size_t first_step = 0;   ///< touches `first`
    std::size_t second_step = 0;  ///< touches `second`
    std::string message{};        ///< the whole race in one sentence
    friend auto operator==(race const&, race const&) -> bool = default;
};

namespace detail {

struct find_race_fn {
    [[nodiscard]] auto operator()(step_graph const& steps, std::span<buffer const> buffers,
                                  std::span<bytes const> offsets, std::span<csr_graph::edge const> more = {}) const
        -> std::optional<race> {
        require_touches(steps, buffers);
        if (auto const fault = overlap_in_time(buffers, offsets)) {
            auto [i, j] = std::pair(fault->first, *fault->second);
            if (buffers[j].lifetime.lower < buffers[i].lifetime.lower) std::swap(i, j);
            return describe(i, j, steps.touches[i].back(), steps.touches[j].front(),
                            "in the schedule itself, " + fault->message);
        }
        auto const order = order_of(steps, more);
        last_users users;
        std::vector<std::size_t> former;
        for (auto const j : in_order_of_begin(buffers)) {
            former.clear();
            users.take({offsets[j], offsets[j] + buffers[j].size}, j, [&](std::size_t i) { former.push_back(i); });
            sort_unique(former);
            for (auto const i : former)
                if (auto const wrong = not_before(steps, order, i, j)) {
                    auto const [s, t] = *wrong;
                    return describe(i, j, s, t,
                                    "step " + std::to_string(s) +
                                        ", which touches the first, need not end before step " + std::to_string(t) +
                                        ", which touches the second, starts");
                }
        }
        return std::nullopt;
    }

  private:
    /// A pair of steps that touch i and j such that the former need not end before the latter starts.
    [[nodiscard]] static auto not_before(step_graph const& steps, step_order const& order, std::size_t i, std::size_t j)
        -> std::optional<csr_graph::edge> {
        for (auto const t : steps.touches[j]) {
            auto const precedes = [&](step_index u) { return order.before(u, t); };
            if (std::ranges::any_of(steps.touches[j], precedes)) continue;  // its ancestors are ancestors of t
            for (auto const s : steps.touches[i])
                if (!order.before(s, t)) return csr_graph::edge{s, t};
        }
        return std::nullopt;
    }

    [[nodiscard]] static auto describe(std::size_t i, std::size_t j, std::size_t s, std::size_t t,
                                       std::string const& why) -> race {
        return {i, j, s, t, "buffers " + std::to_string(i) + " and " + std::to_string(j) + " share bytes: " + why};
    }
};

}  // namespace detail

/// Proves that a plan of offsets is safe in every order, parallel ones included, that a step graph with more edges
/// allows, or returns the first race in the schedule. A plan is safe if for any two buffers with a common byte every
/// step that touches the one that begins first is an ancestor of every step that touches the other. The edges may be
/// those of `sharing_dependencies` or any others. An overlap in the schedule itself is returned as a race; gaps count
/// as live.
/// O(m n / 64 + n log n + handovers of bytes · touches) time, n²/8 bytes for n steps other than discards.
/// Requires: an offset for each buffer.  Throws bad_buffer if a buffer is not touched or touched outside its lifetime,
/// or its offset is invalid by itself; bad_graph if an edge names no step; not_a_dag if the edges have a cycle.
inline constexpr detail::find_race_fn find_race{};

}  // namespace repebble::inline v0

#endif
