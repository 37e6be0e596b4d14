#ifndef REPEBBLE_PLANNER_FIND_LARGEST_SIZE_HPP
#define REPEBBLE_PLANNER_FIND_LARGEST_SIZE_HPP

// The largest member of a family that has a plan: the largest batch, or the longest sequence.

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

/// Which sizes are asked about, and which plans count.
struct size_options {
    std::uint64_t least = 1;                                         ///< from 1 on
    std::uint64_t most = std::numeric_limits<std::uint32_t>::max();  ///< from `least` on
    /// A plan counts where it takes at most so much more time than keeping everything, as a share of that; none:
    /// always.
    std::optional<double> overhead{};
};

/// Two sizes of a family: the largest with a plan, and the least that is proven to have none.
template <class Vertex = operation_index>
struct largest_size {
    std::uint64_t found = 0;  ///< the largest size for which a plan was found; 0: none
    /// The least size that was proven to have no plan within the budget, or none that counts; nothing where all up to
    /// `size_options::most` may have one. `found + 1`: `found` is proven the largest.
    std::optional<std::uint64_t> impossible{};
    automatic_plan<Vertex> plan{};  ///< of `found`; without a plan where there is none

    friend auto operator==(largest_size const&, largest_size const&) -> bool = default;
};

namespace detail {

[[nodiscard]] auto largest_size_of(std::function<problem(std::uint64_t)> const& family, bytes budget,
                                   plan_options const& options, size_options const& sizes, listener const& hears)
    -> largest_size<>;

struct find_largest_size_fn {
    template <std::invocable<std::uint64_t> Family, planning_observer Observer = no_progress>
        requires std::convertible_to<std::invoke_result_t<Family&, std::uint64_t>, problem>
    [[nodiscard]] auto operator()(Family&& family, bytes budget, plan_options const& options = {},
                                  size_options const& sizes = {}, Observer&& observer = {}) const {
        static_assert(
            !requires { observer.cancelled(); }, "plan_options::limits.stop ends a search");
        auto largest = largest_size_of(std::ref(family), budget, options, sizes, listener(observer));
        using member = std::remove_cvref_t<std::invoke_result_t<Family&, std::uint64_t>>;
        if constexpr (requires(member const& p) { p.names(); }) {
            using vertex = typename decltype(std::declval<member const&>().names())::value_type;
            largest_size<vertex> named{.found = largest.found, .impossible = largest.impossible};
            if (largest.found > 0) named.plan = in_names(std::move(largest.plan), family(largest.found));
            return named;
        } else {
            return largest;
        }
    }
};

}  // namespace detail

/// The largest size with a plan within the budget, of a family of problems: `family(n)` is the problem of size n, such
/// as a network at batch n, and no smaller than those before: what is said of sizes that were not tried rests on that.
/// First by the memory floor, doubling and halving, O(log most) problems; below that by halving, with as little work
/// for each as `find_least_budget`; then with all work for the largest that was found, and for the next ones while
/// there is a plan. `limits.seconds` are of all together. Observers, costs and errors as of `plan`; throws bad_option
/// for sizes or an overhead without a meaning.
inline constexpr detail::find_largest_size_fn find_largest_size{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/find_largest_size.ipp>
#endif

#endif
