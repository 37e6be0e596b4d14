#ifndef REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_CURVE_HPP
#define REPEBBLE_CHAINS_DETAIL_FRONTIER_PARETO_CURVE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// From so many bytes on, so little overhead.
template <quantity Time>
struct pareto_point {
    bytes memory = 0;
    Time overhead{};

    friend auto operator==(pareto_point const&, pareto_point const&) -> bool = default;
};

/// Points of ascending memory and descending overhead: what a part of a chain costs, for all budgets.
template <quantity Time>
using chain_curve = std::vector<pareto_point<Time>>;

/// Nothing where so few bytes allow nothing.
template <quantity Time>
[[nodiscard]] auto overhead_within(chain_curve<Time> const& curve, bytes budget) -> std::optional<Time> {
    auto const after =
        std::partition_point(curve.begin(), curve.end(), [&](auto const& p) { return p.memory <= budget; });
    if (after == curve.begin()) return std::nullopt;
    return std::prev(after)->overhead;
}

/// A curve, roughly: for cells of memory of equal width, from `first` on, no more than the least overhead there; after
/// the last cell `after`. In units of the grid; before the first cell nothing is possible.
struct cell_row {
    std::vector<std::int32_t> least{};
    std::uint32_t first = 0;
    std::int32_t after = 0;

    [[nodiscard]] auto end() const -> std::uint32_t { return first + static_cast<std::uint32_t>(least.size()); }
};

/// A curve and its cells, which short chains do without.
template <quantity Time>
struct pareto_curve {
    chain_curve<Time> points{};
    cell_row cells{};
};

/// A way to solve a part of a chain by two smaller ones: overhead of `first` with the bytes that `held` leaves, and of
/// `second` with all, and `added`; from `least` bytes on.
template <quantity Time>
struct chain_split {
    pareto_curve<Time> const* first = nullptr;
    bytes held = 0;
    pareto_curve<Time> const* second = nullptr;  ///< none: costs nothing
    Time added{};
    bytes least = 0;
};

}  // namespace repebble::inline v0::detail

#endif
