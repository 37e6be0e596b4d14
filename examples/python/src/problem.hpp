#ifndef REPEBBLE_PYTHON_PROBLEM_HPP
#define REPEBBLE_PYTHON_PROBLEM_HPP

// A Python graph as a dataflow, and schedules in terms of that graph. No Python here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/convention.hpp>
#include <repebble/graph/training/problem.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble_python {

using index_list = std::vector<std::int64_t>;

/// The columns of a graph. Indices are not checked yet.
struct described_graph {
    index_list sizes{};  ///< bytes of each value; a view's is not counted
    std::vector<int> results{};
    std::vector<int> donated{};         ///< of inputs that count: let go after their last use
    std::vector<index_list> view_of{};  ///< the values whose storages a value shares
    std::vector<std::string> value_names{};
    index_list times{}, workspaces{};  ///< of each operation
    std::vector<int> recomputable{};
    std::vector<index_list> reads{}, writes{}, after{}, mutates{};
    std::vector<std::string> operation_names{};
    std::vector<int> backward{};  ///< whether each operation is of the backward pass; empty where that is not known
    bool inputs = false;          ///< whether inputs are counted
};

/// Action of a step. The numbers are those of `ACTIONS` in _plan.py.
enum class graph_action : std::uint8_t { compute, discard, offload, prefetch, discard_host };

/// A step in terms of the graph.
struct graph_step {
    graph_action what = graph_action::compute;
    std::int64_t index = 0;  ///< of the operation, or of the value
};

/// A built operation of the backward pass, in terms of the graph: gradients are numbered on from its values.
struct gradient_operation {
    std::int64_t of = 0;                 ///< the operation of the graph
    std::optional<std::int64_t> adds{};  ///< of one that adds up gradients, which takes no time: which addition there
    index_list reads{}, writes{};
};
/// The backward pass of a forward graph.
struct gradient_pass {
    index_list sizes{};  ///< of the gradients
    std::vector<gradient_operation> operations{};
};

/// A graph as a dataflow. Operations keep their numbers; inputs that count, or that are mutated, follow.
///
/// What an operation mutates is a value of its own in a dataflow: operations that the list has later read that one.
/// A view that its operation writes beside what it views is the same value.
class problem {
  public:
    /// Throws bad_graph, not_a_dag or bad_weight, naming operations and values by number and name.
    explicit problem(described_graph of);

    [[nodiscard]] auto flow() const noexcept -> repebble::dataflow const& { return flow_; }
    /// The same as a training graph; null where passes are not known, or the forward pass reads the backward one.
    [[nodiscard]] auto training() const noexcept -> repebble::training_graph const* {
        return training_ ? &*training_ : nullptr;
    }
    /// What a strategy plans: the training graph where passes are known.
    [[nodiscard]] auto planned() const -> repebble::problem {
        return training_ ? repebble::problem(*training_) : repebble::problem(flow_);
    }
    /// Its gradients, which read those of the values that each operation lists in `needs`; `passes`: whether each value
    /// has one.  Throws bad_graph where an operation mutates values, lists what it neither reads nor writes, or shares
    /// a value with another that writes it.
    [[nodiscard]] auto gradients(std::vector<index_list> const& needs, std::vector<int> const& passes,
                                 repebble::convention how) const -> gradient_pass;
    [[nodiscard]] auto is_operation(std::size_t v) const noexcept -> bool { return v < of_.times.size(); }
    /// Steps without those of inputs.
    [[nodiscard]] auto steps_of(repebble::schedule<> const& plan) const -> std::vector<graph_step>;
    /// The schedule of such steps. Throws bad_graph where a step names nothing that is there.
    [[nodiscard]] auto schedule_of(std::vector<graph_step> const& steps) const -> repebble::schedule<>;
    /// Policies of values by number.  Throws bad_graph where there is no such value, or an input must be recomputed.
    [[nodiscard]] auto policies_of(index_list const& must_keep, index_list const& must_recompute) const
        -> repebble::value_policies;
    /// The number of steps of inputs, which come first.
    [[nodiscard]] auto input_steps() const noexcept -> std::size_t {
        return outputs_.size() > of_.times.size() ? outputs_.size() - of_.times.size() : 0;
    }
    /// The value of the graph that has the name of a value of the dataflow.
    [[nodiscard]] auto value_of(repebble::value_index value) const -> std::int64_t {
        return static_cast<std::int64_t>(graph_value_[value]);
    }
    /// "value 3 ('x')".
    [[nodiscard]] auto value_name(std::size_t value) const -> std::string;
    /// A message of the library in terms of the graph.
    [[nodiscard]] auto renamed(std::string const& message) const -> std::string;

  private:
    static constexpr repebble::value_index none = repebble::no_value;
    static constexpr std::size_t nothing = static_cast<std::size_t>(-1);

    void check() const;
    void find_roots();
    void run_mutations_once();
    void add_values();
    void add_reads();
    void add_results();
    void add_passes();
    [[nodiscard]] auto base(std::size_t value) -> repebble::value_index;
    [[nodiscard]] auto made(std::size_t value) -> repebble::value_index;
    [[nodiscard]] auto input(std::size_t value) -> repebble::value_index;
    [[nodiscard]] auto version(std::size_t value, std::size_t operation, bool strict = true) -> repebble::value_index;
    [[nodiscard]] auto mutated(std::size_t operation, std::size_t root) -> repebble::value_index;
    void record(repebble::value_index of, std::size_t operation, std::size_t value);
    [[nodiscard]] auto operation_name(std::size_t operation) const -> std::string;

    described_graph of_;
    std::vector<std::vector<std::size_t>> writers_;  // by value
    std::vector<std::size_t> root_;  // by value: the owner of its storage; nothing where there are several
    std::vector<std::vector<std::size_t>> mutators_;  // by value that owns a storage: operations, ascending
    std::vector<std::vector<std::pair<std::size_t, repebble::value_index>>> versions_;  // by root: what they write
    std::vector<std::optional<repebble::value_index>> base_;                            // by value
    std::vector<int> state_;  // by value: 1 while its base is made
    repebble::dataflow_builder builder_;
    repebble::dataflow flow_;
    std::optional<repebble::training_graph> training_;
    std::vector<std::size_t> graph_value_;                     // by value of the dataflow
    std::vector<std::vector<repebble::value_index>> outputs_;  // by operation of the dataflow
};

}  // namespace repebble_python

#endif
