#ifndef REPEBBLE_RECOMPUTE_SEGMENTED_PLAN_HPP
#define REPEBBLE_RECOMPUTE_SEGMENTED_PLAN_HPP

// The result of strategies that cut the forward pass: segment_plan (segments) and chain_plan (stages); the base of
// lower_set_plan.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// A plan, and the number of segments or stages into which it cuts the forward pass.
template <class Vertex = operation_index>
struct segmented_plan : recompute_plan<Vertex> {
    std::size_t segments = 0;  ///< how many there are

    friend auto operator==(segmented_plan const&, segmented_plan const&) -> bool = default;
};

/// The same plan in terms of other vertices: f(vertex) for every vertex. O(steps).
template <class Vertex, class F>
[[nodiscard]] auto map_vertices(segmented_plan<Vertex> const& from, F&& f) {
    using target = std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>;
    recompute_plan<Vertex> const& base = from;
    return segmented_plan<target>{map_vertices(base, f), from.segments};
}

}  // namespace repebble::inline v0

#endif
