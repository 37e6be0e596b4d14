#ifndef REPEBBLE_ALLOCATE_STEP_GRAPH_HPP
#define REPEBBLE_ALLOCATE_STEP_GRAPH_HPP

// The task graph of a schedule: steps as vertices, true dependencies as edges, and the buffers that every step touches.
// The planners of this folder take it; executors may run steps in any order that it allows.
// Invariant: every edge leads from an earlier step to a later one; the first step that touches a buffer writes it, and
// all others that touch it are its descendants.

#include <cstddef>
#include <vector>

#include <repebble/allocate/buffer_walk.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// A step of a schedule, as a vertex of its step graph.
using step_index = csr_graph::vertex;

/// Dependencies between the steps of a schedule, whatever the placement of buffers, and the steps that touch each
/// buffer.
struct step_graph {
    csr_graph dependencies{};  ///< a vertex for every step; discards have no edges
    std::vector<std::vector<step_index>>
        touches{};  ///< of each buffer of `find_lifetimes`: the steps that read or write it, ascending
    friend auto operator==(step_graph const&, step_graph const&) -> bool = default;
};

namespace detail {

/// Traces a legal schedule: follows every value to its buffers, and records dependencies and touches.
class step_tracer {
  public:
    step_tracer(dataflow const& flow, schedule<> const& plan)
        : flow_(flow),
          plan_(plan),
          written_(flow.value_count(), 0),
          host_written_(flow.value_count(), 0),
          first_run_(flow.operation_count(), 0),
          walk_(flow) {}

    [[nodiscard]] auto trace() && -> step_graph;

  private:
    using buffer_index = typename buffer_walk::buffer_index;

    void compute(step<> const& s);
    void read(value_index value) {
        wait_for(written_[value]);
        for (auto const b : walk_.buffers_of(value)) touch(b);
    }
    /// Writes over a buffer after every step that touched it since its last write.
    void overwrite(buffer_index b);
    /// The current step is the first to touch the buffers that the walk has just begun.
    void begin_buffers() {
        touches_.resize(walk_.buffer_count(), {static_cast<step_index>(now_)});
        last_write_.resize(walk_.buffer_count(), 0);
    }
    void touch(buffer_index b) {
        if (touches_[b].back() != now_) touches_[b].push_back(static_cast<step_index>(now_));
    }
    void wait_for(std::size_t before) {
        if (before != now_) edges_.emplace_back(static_cast<step_index>(before), static_cast<step_index>(now_));
    }

    dataflow const& flow_;
    schedule<> const& plan_;
    std::size_t now_ = 0;
    std::vector<std::size_t> written_, host_written_;  // per value: the step that wrote it to that pool
    std::vector<std::size_t> first_run_;               // per operation: its step
    buffer_walk walk_;
    std::vector<std::size_t> last_write_{};  // per buffer: position in its touches
    std::vector<csr_graph::edge> edges_{};
    std::vector<std::vector<step_index>> touches_{};
};

}  // namespace detail

/// The step graph of a schedule: a reader waits for the step that computed or prefetched the value, a prefetch for its
/// offload, a computation in place or with a mutation for every step that used the storage it overwrites, also through
/// views, and an operation for the first runs of those from which a control edge leads to it. Every order that the
/// graph allows computes the same values, as long as each buffer of `find_lifetimes` and each copy in the host pool has
/// memory of its own; `find_sharing_dependencies` gives the edges that sharing adds. Reading or making a view touches
/// the storages of its owners; a workspace is touched by its step only. O(steps · values per step · log).  Throws
/// illegal_schedule if the schedule breaks a rule.
[[nodiscard]] inline auto make_step_graph(dataflow const& flow, schedule<> const& plan) -> step_graph {
    static_cast<void>(replay(flow, plan));
    return detail::step_tracer(flow, plan).trace();
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/step_graph.ipp>
#endif

#endif
