#ifndef REPEBBLE_GRAPH_TRAINING_PROBLEM_HPP
#define REPEBBLE_GRAPH_TRAINING_PROBLEM_HPP

// What is planned: a dataflow as it is, or one with its gradients; and the names of its operations.

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/training/training_graph.hpp>

namespace repebble::inline v0 {

/// What a strategy plans: a dataflow and, where it has gradients, the passes to which its operations belong. Dataflows
/// and training graphs convert to it. Copies share their graph.
class problem {
  public:
    /// A dataflow as it is: inference, the joint graph of a framework, or any other.  O(1) for an rvalue.
    problem(dataflow flow) : flow_(std::make_shared<dataflow const>(std::move(flow))) {}
    /// A forward graph with its gradients.  O(1) for an rvalue.
    problem(training_graph training)
        : training_(std::make_shared<training_graph const>(std::move(training))), flow_(training_, &training_->flow) {}

    /// All operations, gradients included.
    [[nodiscard]] auto flow() const noexcept -> dataflow const& { return *flow_; }
    /// The passes of the operations; null where there are no gradients.
    [[nodiscard]] auto training() const noexcept -> training_graph const* { return training_.get(); }

  private:
    std::shared_ptr<training_graph const> training_{};
    std::shared_ptr<dataflow const> flow_;
};

/// A problem whose operations have names: the vertices of a caller's graph. Plans are in terms of them.
template <class Vertex>
class named_problem : public problem {
  public:
    /// The name of each operation of the problem, by index.  Requires: as many as operations.
    named_problem(problem of, std::vector<Vertex> names) : problem(std::move(of)), names_(std::move(names)) {
        REPEBBLE_ASSERT(names_.size() == flow().operation_count());
    }

    /// The name of an operation.
    [[nodiscard]] auto operator()(operation_index v) const -> Vertex const& { return names_[v]; }
    /// The names of all operations.
    [[nodiscard]] auto names() const noexcept -> std::span<Vertex const> { return names_; }

  private:
    std::vector<Vertex> names_;
};

namespace detail {

/// The training graph of a problem.  Throws bad_graph where it has no gradients.
[[nodiscard]] auto training_of(problem const& p) -> training_graph const&;

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/training/problem.ipp>
#endif

#endif
