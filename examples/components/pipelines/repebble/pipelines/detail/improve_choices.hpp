#ifndef REPEBBLE_PIPELINES_DETAIL_IMPROVE_CHOICES_HPP
#define REPEBBLE_PIPELINES_DETAIL_IMPROVE_CHOICES_HPP

// Local search for the choices of a given order: what is computed again on the longest path is computed again
// elsewhere, in idle time where there is some.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::detail {

/// Choices of an order, and its makespan by them.
struct timed_choices {
    std::vector<std::uint32_t> choices;
    std::int64_t makespan{};
};

/// Choices within the budgets for this order, or nothing where there are none. From what `fit_rank` finds, passes on
/// the longest path get a faster choice one after the other, and others of their rank, where they have slack, a slower
/// one, as long as the makespan gets less or, where it stays, the time that is computed again. Requires:
/// `verify_pipeline` accepts the order.  O(`tries` · passes · microbatches in flight).
[[nodiscard]] auto find_choices(pipeline const& p, pass_orders const& orders, std::span<bytes const> budgets,
                                std::size_t tries, function_ref<bool()> stop) -> std::optional<timed_choices>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/improve_choices.ipp>
#endif

#endif
