#ifndef REPEBBLE_VIEWS_STEPS_HPP
#define REPEBBLE_VIEWS_STEPS_HPP

// The steps of a schedule as views of range-v3: those with one action, their vertices, and the steps in terms of other
// vertices. The adaptors take every range of steps, such as a part of a schedule.

#include <cstddef>
#include <utility>

#include <range/v3/view/all.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/view.hpp>

#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::views {

namespace detail {

struct steps_fn {
    template <class Vertex>
    [[nodiscard]] auto operator()(schedule<Vertex> const& plan) const {
        return ranges::views::all(plan.steps);
    }
    template <class Vertex>
    void operator()(schedule<Vertex> const&&) const = delete;
};

/// Whether a step has an action.
template <action What>
struct has_action {
    template <class Vertex>
    [[nodiscard]] constexpr auto operator()(step<Vertex> const& s) const -> bool {
        return s.what == What;
    }
};

/// Whether a step runs an operation that has run before.
struct is_recomputation {
    template <class Vertex>
    [[nodiscard]] constexpr auto operator()(step<Vertex> const& s) const -> bool {
        return s.what == action::compute && s.repetition > 0;
    }
};

/// The steps with a property.
template <class Property>
struct steps_with {
    template <ranges::viewable_range Steps>
    [[nodiscard]] constexpr auto operator()(Steps&& steps) const {
        return ranges::views::filter(std::forward<Steps>(steps), Property{});
    }
};

/// The vertex of each step.
struct vertices_fn {
    template <ranges::viewable_range Steps>
    [[nodiscard]] constexpr auto operator()(Steps&& steps) const {
        return ranges::views::transform(std::forward<Steps>(steps), [](auto const& s) { return s.vertex; });
    }
};

struct map_vertices_fn {
    template <class F>
    [[nodiscard]] constexpr auto operator()(F f) const {
        return ranges::views::transform([f = std::move(f)](auto const& s) { return repebble::map_vertices(s, f); });
    }
};

}  // namespace detail

/// The steps of a schedule, as a random-access view. The schedule must outlive it.  O(1).
inline constexpr detail::steps_fn steps{};

/// The steps of a range that run an operation: `steps(plan) | computes`.
inline constexpr ranges::views::view_closure<detail::steps_with<detail::has_action<action::compute>>> computes{};
/// The steps of a range that run an operation again.
inline constexpr ranges::views::view_closure<detail::steps_with<detail::is_recomputation>> recomputes{};
/// The steps of a range that remove a value from a pool.
inline constexpr ranges::views::view_closure<detail::steps_with<detail::has_action<action::discard>>> discards{};
/// The steps of a range that copy a value from the device pool to the host pool.
inline constexpr ranges::views::view_closure<detail::steps_with<detail::has_action<action::offload>>> offloads{};
/// The steps of a range that copy a value from the host pool to the device pool.
inline constexpr ranges::views::view_closure<detail::steps_with<detail::has_action<action::prefetch>>> prefetches{};

/// The vertex of each step of a range: the operation that runs, or the producer of the value.
inline constexpr ranges::views::view_closure<detail::vertices_fn> vertices{};

/// Each step of a range in terms of other vertices, as `repebble::map_vertices` does it for a whole schedule:
/// `steps(plan) | map_vertices(f)`, with f(vertex) for every vertex.
inline constexpr detail::map_vertices_fn map_vertices{};

}  // namespace repebble::inline v0::views

#endif
