#ifndef REPEBBLE_TRACES_TRACED_DATAFLOW_HPP
#define REPEBBLE_TRACES_TRACED_DATAFLOW_HPP

// A trace as a dataflow: computations become operations, and what a variable holds between two writes becomes a value.
// Then all planners of dataflows take traces, and the judge of schedules judges what is planned in the simulator.
// Invariant: the computations in their order are a legal schedule, which takes as long as the iteration; its peak is
// at most that of the trace, as an output has memory from its write on.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/trace.hpp>

namespace repebble::inline v0 {

/// The number of no operation.
inline constexpr operation_index no_operation = no_value;

/// The dataflow of a trace, and where its rows are in it.
struct traced_dataflow {
    dataflow flow{};                             ///< operations and values
    std::vector<operation_index> operations{};   ///< of every computation
    std::vector<operation_index> idle{};         ///< of every computation: that of the idle time before it, if any
    std::vector<value_index> values{};           ///< of every row: what its variable holds after it, or until a free
    std::vector<variable_index> variables{};     ///< of every value
    operation_index idle_at_end = no_operation;  ///< that of the idle time behind all computations, if any

    friend auto operator==(traced_dataflow const&, traced_dataflow const&) -> bool = default;
};

namespace detail {

/// Builds the dataflow of a trace row by row.
class traced_dataflow_builder {
  public:
    explicit traced_dataflow_builder(swap_problem const& problem)
        : problem_(problem), rows_(problem.iteration().rows), holds_(problem.iteration().sizes.size(), no_value) {}

    [[nodiscard]] auto build() && -> traced_dataflow;

  private:
    /// What becomes of the memory of a malloc.
    enum class content : std::uint8_t {
        written,    // a computation writes it first
        unknown,    // it is read first, or nobody touches it, and no computation runs meanwhile, or several
        workspace,  // nobody touches it, and one computation runs meanwhile
    };

    void begin();
    /// For every malloc what becomes of it, and the workspace of every computation.
    void find_contents();
    /// The workspace of every computation: by how much what it touches and what nobody touches meanwhile, each while it
    /// has memory, is above all that it touches. In linear time: two computations look at the rows between them.
    void find_workspaces();
    [[nodiscard]] auto size_of(std::size_t r) const -> bytes { return problem_.iteration().sizes[rows_[r].variable]; }
    /// What nobody touches between a malloc and a free.
    [[nodiscard]] auto untouched(std::size_t malloc, std::size_t free) -> content;
    void add_row(std::size_t r);
    void begin_computation(computation_index c);
    void read(value_index value, operation_index by);
    void write(variable_index v, operation_index by);
    /// The operation of the idle time until then, behind a computation or before all.
    auto add_idle(std::int64_t until, operation_index before) -> operation_index;
    [[nodiscard]] auto add_value(operation_index by, variable_index v) -> value_index;
    void end(std::size_t r);
    [[nodiscard]] auto last_operation() const -> operation_index {
        return out_.operations.empty() ? no_operation : out_.operations.back();
    }

    swap_problem const& problem_;
    std::vector<trace_row> const& rows_;
    std::vector<value_index> holds_;                    // of every variable, now
    std::vector<content> contents_{};                   // of every malloc, and of a free where nobody touched it
    std::vector<bytes> workspaces_{};                   // of every computation
    std::vector<computation_index> beside_{};           // of a malloc and free: the computation meanwhile, if any
    std::vector<operation_index> writer_{}, reader_{};  // of every value: who wrote it, who read it last, so far
    std::int64_t now_ = 0;                              // end of the last computation
    dataflow_builder builder_{};
    traced_dataflow out_{};
};

}  // namespace detail

/// The dataflow of a trace. Each computation is an operation with its time, its workspace and what it reads and
/// writes; where it writes a variable that holds something, it mutates that. Variables with memory at the beginning are
/// inputs, those with memory at the end results. Memory that no computation touches is workspace of the computation
/// meanwhile; of several, it is a value that the last of them reads. Time between computations is an operation of its
/// own, which runs once between them.  O(rows · log rows).  Throws bad_weight where sums overflow.
[[nodiscard]] auto make_traced_dataflow(swap_problem const& problem) -> traced_dataflow;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/traced_dataflow.ipp>
#endif

#endif
