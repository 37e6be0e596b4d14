#ifndef REPEBBLE_RECOMPUTE_SAVE_SET_HPP
#define REPEBBLE_RECOMPUTE_SAVE_SET_HPP

// Chooses a set of saved forward values and recomputes the others once: the form of plan that partitioners of joint
// graphs make (PyTorch's, by a greedy choice). Invariant: a dropped value is recomputed at most once, so each value
// more that is dropped only adds time.

#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/recompute/budget_options.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

namespace detail {

struct save_set_fn : on_forward_graphs<save_set_fn, budget_options> {
    using on_forward_graphs<save_set_fn, budget_options>::operator();

    [[nodiscard]] auto operator()(training_graph const& training, budget_options const& options = {}) const
        -> std::optional<recompute_plan<>> {
        return (*this)(planning_graph(training), options);
    }
    /// On a graph that is contracted already. Returns nothing where stop(), asked before each plan, returns true.
    [[nodiscard]] auto operator()(planning_graph const& graph, budget_options const& options = {},
                                  stop_test stop = never_stop{}) const -> std::optional<recompute_plan<>>;

  private:
    static constexpr std::size_t most_numbers = 2000, numbers_at_once = 32;

    /// Returns the forward operations whose values can be dropped, in ascending order of time per byte.
    static auto cheapest_first(planning_graph const& graph) -> std::vector<operation_index>;

    /// Returns the forward pass, then the backward pass with each dropped value recomputed before its first reader.
    static auto computations(planning_graph const& graph,
                             std::vector<std::optional<operation_index>> const& recomputed_by,
                             vertex_set const& dropped) -> std::vector<operation_index>;
};

}  // namespace detail

/// Plan that saves some forward values for the backward pass and recomputes each other one once, directly before the
/// first gradient that reads it. Values are dropped in ascending order of time per byte: as few as the budget needs,
/// or, without a budget, the number with the least peak. Takes a training graph and options, or any forward graph with
/// a budget. Returns nothing where none fits. Of more than 2000 values some numbers are tried, then more around the
/// best: another one may fit, or have a peak that is some per cent lower.
///
/// O(n) plans of O(n log n + m), of more than 2000 values some 150 plans.
inline constexpr detail::save_set_fn save_set{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/save_set.ipp>
#endif

#endif
