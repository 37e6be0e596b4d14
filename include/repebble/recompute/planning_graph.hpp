#ifndef REPEBBLE_RECOMPUTE_PLANNING_GRAPH_HPP
#define REPEBBLE_RECOMPUTE_PLANNING_GRAPH_HPP

// The input that strategies work on: a training graph with its views contracted and its forward part numbered. Every
// strategy makes one first; `expand` turns a schedule of it into one of the training graph.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/pebbling/detail/drop_unread.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A training graph prepared for planning: views are contracted into their owners, and forward operations are numbered
/// from 0 (forward numbers). Refers to the training graph, which must outlive it.
class planning_graph {
  public:
    /// The number of nothing.
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    /// O((n + m) log n).  Throws bad_graph where a forward operation reads what only gradients write.
    explicit planning_graph(training_graph const& training);

    /// The graph that was prepared.
    [[nodiscard]] auto training() const noexcept -> training_graph const& { return *training_; }
    /// The dataflow that strategies plan on.
    [[nodiscard]] auto flow() const noexcept -> dataflow const& { return contracted_.flow(); }
    /// The forward part as input of formulas (1) and (2); its vertices are forward numbers.
    [[nodiscard]] auto problem() const noexcept -> lower_set_problem const& { return problem_; }
    /// Converts a forward number to its operation, and back (`none` for an operation of the backward pass).
    [[nodiscard]] auto forward(std::size_t number) const { return forward_[number]; }
    /// The forward number of an operation; `none` in the backward pass.
    [[nodiscard]] auto number(std::size_t operation) const { return number_[operation]; }
    /// The operations of the training graph that an operation represents: the owner, then its views.
    [[nodiscard]] auto members(std::size_t operation) const { return contracted_.members[operation]; }
    /// The first of its members.
    [[nodiscard]] auto owner(std::size_t operation) const -> operation_index { return members(operation).front(); }
    /// Forward number of the vertex whose gradient the operation computes or sums; `none` in joint graphs.
    [[nodiscard]] auto gradient_of(std::size_t operation) const { return gradient_of_[operation]; }
    /// Whether the operation computes the gradient of a parameter, or a sum of them.
    [[nodiscard]] auto is_of_parameter(std::size_t operation) const -> bool {
        return training_->origin[owner(operation)].pass == pass::parameter;
    }
    /// Whether formulas (1) and (2) apply: gradients belong to vertices, as in all but joint graphs.
    [[nodiscard]] auto formulas_apply() const noexcept -> bool { return training_->made_by != convention::joint; }
    /// The time of the forward views that are contracted: that much of the time of schedules that run each forward
    /// operation again at most once is not in what `expand` makes of them, at most.
    [[nodiscard]] auto views_time() const -> std::int64_t;
    /// Converts a schedule of `flow()` to one of the training graph, without views that are made again for nobody.
    [[nodiscard]] auto expand(schedule<> contracted) const -> schedule<> {
        return detail::drop_unread(training_->flow,
                                   detail::expand_views(training_->flow, contracted_, std::move(contracted)));
    }

  private:
    void make_problem();

    training_graph const* training_;
    detail::contracted_dataflow contracted_;
    std::vector<operation_index> forward_;
    std::vector<std::uint32_t> number_, gradient_of_;
    lower_set_problem problem_;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/planning_graph.ipp>
#endif

#endif
