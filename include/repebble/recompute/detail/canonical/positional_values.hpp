#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_POSITIONAL_VALUES_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_POSITIONAL_VALUES_HPP

// The model of best_canonical: a planning graph with operations as positions in topological order and sets as bits, so
// that the readers of a value inside or outside a lower set are found fast. Immutable; shared by all threads of the
// search.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/positional_problem.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// A planning graph by positions: forward operations and gradients are numbered by their positions in topological
/// order. Every value has a home: the position of its operation, or of the operation whose gradient it is part of.
class positional_values {
  public:
    using word = position_bits::word;
    using position = std::uint32_t;
    using gradient = std::uint32_t;

    /// Whether the model applies: every gradient belongs to a vertex (not to a parameter), every value has one
    /// producer, and no views are left.
    [[nodiscard]] static auto applies(planning_graph const& graph) -> bool {
        auto const& flow = graph.flow();
        if (!graph.formulas_apply()) return false;
        for (value_index x = 0; x < flow.value_count(); ++x)
            if (flow.is_view(x) || flow.producers(x).size() != 1) return false;
        for (operation_index v = 0; v < flow.operation_count(); ++v)
            if (graph.number(v) == graph.none && (graph.gradient_of(v) == graph.none || graph.is_of_parameter(v)))
                return false;
        return true;
    }

    /// Refers to the graph. Once stop() has returned true, it is of no use.  Requires: `applies(graph)`.
    explicit positional_values(planning_graph const& graph, stop_test stop = never_stop{})
        : flow_(&graph.flow()),
          problem_(graph.problem(), order_rule(graph), stop),
          home_(flow_->value_count(), 0),
          is_forward_(flow_->value_count(), 0),
          readers_(flow_->value_count()),
          gradient_readers_(flow_->value_count()),
          gradients_(problem_.size()),
          feeds_(problem_.size(), 0) {
        std::vector<position> at(problem_.size());
        for (position p = 0; p < problem_.size(); ++p) {
            at[problem_.vertices()[p]] = p;
            operation_.push_back(graph.forward(problem_.vertices()[p]));
            time_ += problem_.time(p);
        }
        bytes total = 0;
        for (auto const v : flow_->order()) {
            bool const forward = graph.number(v) != graph.none;
            auto const p = at[forward ? graph.number(v) : graph.gradient_of(v)];
            if (!forward) {
                gradients_[p].push_back(static_cast<gradient>(gradient_operation_.size()));
                gradient_operation_.push_back(v);
            }
            for (auto const x : flow_->reads(v)) (forward ? readers_ : gradient_readers_)[x].push_back(p);
            for (auto const x : flow_->writes(v)) {
                home_[x] = p;
                is_forward_[x] = forward ? 1 : 0;
                total = checked_add(total, flow_->size(x), "bytes of all values");
            }
            static_cast<void>(checked_add(total, flow_->workspace(v), "bytes of all values and a workspace"));
        }
        for (value_index x = 0; x < flow_->value_count(); ++x)
            if (is_forward(x) && feeds_gradients_by(x)) feeds_[home_[x]] = 1;
    }

    [[nodiscard]] auto problem() const noexcept -> positional_problem const& { return problem_; }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return problem_.size(); }
    [[nodiscard]] auto words() const noexcept -> std::size_t { return problem_.words(); }
    [[nodiscard]] auto value_count() const noexcept -> std::size_t { return home_.size(); }

    [[nodiscard]] auto time(std::size_t p) const { return problem_.time(p); }
    /// T(V).
    [[nodiscard]] auto time() const { return time_; }
    [[nodiscard]] auto workspace(std::size_t p) const { return flow_->workspace(operation_[p]); }
    [[nodiscard]] auto reads(std::size_t p) const { return flow_->reads(operation_[p]); }
    [[nodiscard]] auto writes(std::size_t p) const { return flow_->writes(operation_[p]); }
    /// Gradients of p, in execution order.
    [[nodiscard]] auto gradients(std::size_t p) const -> std::vector<gradient> const& { return gradients_[p]; }
    [[nodiscard]] auto gradient_workspace(gradient g) const { return flow_->workspace(gradient_operation_[g]); }
    [[nodiscard]] auto gradient_reads(gradient g) const { return flow_->reads(gradient_operation_[g]); }
    [[nodiscard]] auto gradient_writes(gradient g) const { return flow_->writes(gradient_operation_[g]); }

    [[nodiscard]] auto bytes_of(value_index x) const { return flow_->size(x); }
    [[nodiscard]] auto home(value_index x) const { return home_[x]; }
    /// Whether a forward operation writes x.
    [[nodiscard]] auto is_forward(value_index x) const -> bool { return is_forward_[x] != 0; }
    /// Whether a gradient reads what the operation writes.
    [[nodiscard]] auto feeds_gradients(std::size_t p) const { return feeds_[p] != 0; }
    [[nodiscard]] auto feeds_gradients_by(value_index x) const -> bool { return !gradient_readers_[x].empty(); }
    /// Bytes of the outputs of p that gradients read: unless recomputed, they are resident when the first gradient
    /// runs.
    [[nodiscard]] auto bytes_for_gradients(std::size_t p) const -> bytes {
        bytes sum = 0;
        for (auto const x : writes(p))
            if (feeds_gradients_by(x)) sum += bytes_of(x);
        return sum;
    }
    /// Whether a gradient of a member of the set reads x.
    [[nodiscard]] auto gradient_reads_in(word const* set, value_index x) const -> bool {
        for (auto const p : gradient_readers_[x])
            if (position_bits::has(set, p)) return true;
        return false;
    }
    /// Whether an operation outside the set reads x.
    [[nodiscard]] auto is_read_beyond(value_index x, word const* set) const -> bool {
        for (auto const p : readers_[x])
            if (!position_bits::has(set, p)) return true;
        return false;
    }
    /// Whether an operation of `set` outside `lower` reads x.
    [[nodiscard]] auto is_read_in(value_index x, word const* set, word const* lower) const -> bool {
        for (auto const p : readers_[x])
            if (position_bits::has(set, p) && !position_bits::has(lower, p)) return true;
        return false;
    }
    /// Whether a segment that ends with the set keeps the outputs of its member p.
    [[nodiscard]] auto is_kept(std::size_t p, word const* set) const -> bool {
        if (problem_.pinned(p)) return true;
        for (auto const w : problem_.graph().successors(p))
            if (!position_bits::has(set, w)) return true;
        return false;
    }
    [[nodiscard]] auto is_full(word const* set) const -> bool {
        for (std::size_t p = size(); p-- > 0;)
            if (!position_bits::has(set, p)) return false;
        return true;
    }
    /// Calls f(x) for the values of a lower set that operations outside read and no gradient of the set reads.
    template <class F>
    void for_each_open(word const* set, F&& f) const {
        position_bits::for_each(set, words(), [&](std::size_t p) {
            if (position_bits::is_subset(problem_.successors(p), set, words())) return;
            for (auto const x : writes(p))
                if (is_read_beyond(x, set) && !gradient_reads_in(set, x)) f(x);
        });
    }
    /// Bytes of values outside a lower set that gradients of its members read.
    [[nodiscard]] auto beyond(word const* set) const -> bytes {
        bytes sum = 0;
        for (value_index x = 0; x < value_count(); ++x)
            if (!position_bits::has(set, home_[x]) && gradient_reads_in(set, x)) sum += bytes_of(x);
        return sum;
    }

  private:
    static auto order_rule(planning_graph const& graph) -> std::vector<csr_graph::vertex> {
        std::vector<csr_graph::vertex> order;
        for (auto const v : graph.flow().order())
            if (graph.number(v) != graph.none) order.push_back(graph.number(v));
        return order;
    }

    dataflow const* flow_;
    positional_problem problem_;
    std::int64_t time_{};
    std::vector<operation_index> operation_, gradient_operation_;
    std::vector<position> home_;
    std::vector<char> is_forward_;
    std::vector<std::vector<position>> readers_, gradient_readers_;  // per value: positions, also of gradients
    std::vector<std::vector<gradient>> gradients_;                   // per position
    std::vector<char> feeds_;                                        // per position
};

}  // namespace repebble::inline v0::detail

#endif
