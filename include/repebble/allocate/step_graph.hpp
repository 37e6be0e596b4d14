#ifndef REPEBBLE_ALLOCATE_STEP_GRAPH_HPP
#define REPEBBLE_ALLOCATE_STEP_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble {

using step_index = csr_graph::vertex;

/// What a schedule asks of those who run its steps in parallel: which step waits for which, whatever lies where, and
/// which steps use the memory of which buffer.
/// Invariant: every edge goes from an earlier step to a later one; the first step that touches a buffer writes it, and
/// all others that touch it come after that one along edges.
struct step_graph {
    csr_graph dependencies{};                        ///< a vertex for every step; discards have no edges
    std::vector<std::vector<step_index>> touches{};  ///< of each buffer of `lifetimes`: its steps, ascending
    friend auto operator==(step_graph const&, step_graph const&) -> bool = default;
};

namespace detail {

/// Walks through a legal schedule and follows every value to the buffer in which it lies.
template <quantity Time>
class step_tracer {
  public:
    step_tracer(dataflow<Time> const& flow, schedule<> const& plan)
        : flow_(flow),
          plan_(plan),
          written_(flow.value_count(), 0),
          host_written_(flow.value_count(), 0),
          held_(flow.owner_slots(), 0) {}

    [[nodiscard]] auto trace() && -> step_graph {
        for (now_ = 0; now_ < plan_.steps.size(); ++now_) {
            auto const& s = plan_.steps[now_];
            if (s.what == action::compute) {
                compute(s);
                continue;
            }
            auto const value = flow_.writes(s.vertex)[s.output];
            if (s.what == action::offload) {
                read(value);
                host_written_[value] = now_;
            } else if (s.what == action::prefetch) {
                wait_for(host_written_[value]);
                held_[flow_.owner_start(value)] = new_buffer();
                written_[value] = now_;
            }
        }
        sort_unique(edges_);
        return {{plan_.steps.size(), edges_}, std::move(touches_)};
    }

  private:
    using buffer_index = std::size_t;

    void compute(step<> const& s) {
        auto const v = s.vertex;
        auto const outputs = flow_.writes(v);
        for (auto const value : flow_.reads(v)) read(value);
        // New buffers have numbers in the order of `lifetimes`: first the outputs, then the workspace.
        fresh_.clear();
        for (std::uint32_t j = 0; j < outputs.size(); ++j)
            if (!flow_.is_view(outputs[j])) fresh_.push_back(s.in_place && j == s.output ? overwrite(s) : new_buffer());
        if (flow_.workspace(v) > 0) static_cast<void>(new_buffer());
        auto next = fresh_.begin();
        for (auto const value : outputs) {
            if (flow_.is_view(value))
                look_at_owners(value, v);
            else
                held_[flow_.owner_start(value)] = *next++;
            written_[value] = now_;
        }
    }

    void read(value_index value) {
        wait_for(written_[value]);
        for (auto const b : buffers_of(value)) touch(b);
    }
    /// Writes over a buffer after all that used what was in it.
    [[nodiscard]] auto overwrite(step<> const& s) -> buffer_index {
        auto const b = held_[flow_.owner_start(flow_.writes(s.over)[s.over_output])];
        for (auto k = last_write_[b]; k < touches_[b].size(); ++k) wait_for(touches_[b][k]);
        touch(b);
        last_write_[b] = touches_[b].size() - 1;
        return b;
    }
    [[nodiscard]] auto new_buffer() -> buffer_index {
        touches_.push_back({static_cast<step_index>(now_)});
        last_write_.push_back(0);
        return touches_.size() - 1;
    }
    /// A view lies where its owners lie for the operation that makes it.
    void look_at_owners(value_index view, operation_index v) {
        std::vector<buffer_index> seen;
        for (auto const owner : flow_.owners(view)) seen.push_back(find_buffer(owner, v));
        for (std::size_t k = 0; k < seen.size(); ++k) held_[flow_.owner_start(view) + k] = seen[k];
    }
    [[nodiscard]] auto find_buffer(value_index owner, operation_index v) const -> buffer_index {
        for (auto const value : flow_.reads(v)) {
            auto const owners = flow_.owners(value);
            for (std::size_t k = 0; k < owners.size(); ++k)
                if (owners[k] == owner) return held_[flow_.owner_start(value) + k];
        }
        return 0;  // cannot be: the schedule is legal
    }

    [[nodiscard]] auto buffers_of(value_index value) const -> std::span<buffer_index const> {
        return std::span(held_).subspan(flow_.owner_start(value), flow_.owners(value).size());
    }
    void touch(buffer_index b) {
        if (touches_[b].back() != now_) touches_[b].push_back(static_cast<step_index>(now_));
    }
    void wait_for(std::size_t before) {
        if (before != now_) edges_.emplace_back(static_cast<step_index>(before), static_cast<step_index>(now_));
    }

    dataflow<Time> const& flow_;
    schedule<> const& plan_;
    std::size_t now_ = 0;
    std::vector<std::size_t> written_, host_written_;  // per value: the step that brought it to that pool
    std::vector<buffer_index> held_;                   // per (value, owner)
    std::vector<buffer_index> fresh_{};
    std::vector<std::size_t> last_write_{};  // per buffer: position in its touches
    std::vector<csr_graph::edge> edges_{};
    std::vector<std::vector<step_index>> touches_{};
};

struct make_step_graph_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan) const -> step_graph {
        static_cast<void>(replay(flow, plan));
        return step_tracer<Time>(flow, plan).trace();
    }
};

}  // namespace detail

/// The steps of a schedule as a graph of what must wait for what: a reader for the step that computed or fetched what
/// it reads, a prefetch for its offload, a computation in place for all that used what it writes over, also through
/// views. Who runs the steps in any order that the graph allows computes the same, as long as every buffer of
/// `lifetimes` and every copy in the host pool has memory of its own; what sharing adds is said by
/// `sharing_dependencies`. Reading a view touches the storages of its owners, and so does making it; a workspace is
/// touched by its step only.  O(steps · values per step · log).  Throws illegal_schedule where the schedule breaks a
/// rule.
inline constexpr detail::make_step_graph_fn make_step_graph{};

}  // namespace repebble

#endif
