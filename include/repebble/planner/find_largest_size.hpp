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
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

/// Which sizes are asked about, and which plans count.
struct size_options {
    std::uint64_t least = 1;                                         ///< from 1 on
    std::uint64_t most = std::numeric_limits<std::uint32_t>::max();  ///< from `least` to 2^64 - 2
    /// A plan counts where its overhead is at most this share of the time of computing everything once; none: always.
    std::optional<double> overhead{};
    /// Bytes that lie beside the values of a size whatever the plan, and are in the budget, too: parameters, their
    /// gradients, states of an optimizer, inputs. From 0 on, and no fewer for a larger size; empty: 0.
    std::function<bytes(std::uint64_t)> beside{};
};

/// Sizes of a family: the largest with a plan, the largest that needs none, and the least that is proven to have none.
template <class Vertex = operation_index>
struct largest_size {
    std::uint64_t found = 0;  ///< the largest size for which a plan that counts was found; 0: none
    std::uint64_t kept = 0;   ///< the largest size that keeps everything within the budget; 0: none was found
    /// The least size that was proven to have no schedule within the budget; nothing where all up to
    /// `size_options::most` may have one. Where every plan counts, `found + 1` says that `found` is the largest.
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
        if constexpr (requires(member const& p) { in_names(automatic_plan<>{}, p); }) {
            using named_plan = decltype(in_names(automatic_plan<>{}, std::declval<member const&>()));
            using vertex = std::remove_cvref_t<decltype(named_plan{}.floor.vertex)>;
            largest_size<vertex> named{.found = largest.found, .kept = largest.kept, .impossible = largest.impossible};
            if (largest.found > 0) named.plan = in_names(std::move(largest.plan), family(largest.found));
            return named;
        } else {
            return largest;
        }
    }
};

}  // namespace detail

/// The largest size with a plan within the budget, of a family of problems: `family(n)` is the problem of size n, such
/// as a network at batch n, and needs no less memory than those before: what is said of sizes that were not tried rests
/// on that. First by keeping everything and by the memory floor, each by doubling and halving, O(log most) problems;
/// then plans by halving between the two, with as little work for each as `find_least_budget`; then with all work for
/// the largest that was found, and for the next ones while there is a plan that counts: of overheads, which may rise
/// and fall with the size, a larger size that counts may be missed. `limits.seconds` are of all together; there is a
/// plan where `plan` finds one for the least size. Observers, costs and errors as of `plan`, and what the family
/// and `beside` throw; bad_option for sizes or an overhead without a meaning, bad_weight for negative bytes beside.
inline constexpr detail::find_largest_size_fn find_largest_size{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/find_largest_size.ipp>
#endif

#endif
