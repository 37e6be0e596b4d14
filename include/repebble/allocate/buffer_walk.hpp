#ifndef REPEBBLE_ALLOCATE_BUFFER_WALK_HPP
#define REPEBBLE_ALLOCATE_BUFFER_WALK_HPP

// Maps values to buffers along a legal schedule, with the numbering of `find_lifetimes`. `make_step_graph` and the
// executors use it to know which buffers a step touches. Invariant: buffers are numbered in the order in which they
// begin; of one computation the outputs come before the workspace.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// The buffers of every resident value while the steps of a legal schedule are played one after the other.  O(values
/// per step) per step.
class buffer_walk {
  public:
    /// Buffers are numbered from 0 on.
    using buffer_index = std::size_t;
    /// The number of no buffer.
    static constexpr buffer_index none = std::numeric_limits<buffer_index>::max();

    /// The buffers that a computation begins and overwrites.
    struct computation {
        buffer_index first_new = 0;     ///< it begins the buffers [first_new, buffer_count())
        buffer_index workspace = none;  ///< among those; or none
        /// Those of the values that it writes over, in place or by mutations, in the order of its outputs; valid until
        /// the next call.
        std::span<buffer_index const> overwritten{};
    };

    /// Begins before the first step.
    explicit buffer_walk(dataflow const& flow) : flow_(flow), buffer_at_(flow.owner_slots(), none) {}

    /// The buffers of a resident value: one for each of its owners.
    [[nodiscard]] auto buffers_of(value_index value) const -> std::span<buffer_index const> {
        return std::span(buffer_at_).subspan(flow_.owner_start(value), flow_.owners(value).size());
    }
    /// The number of buffers so far.
    [[nodiscard]] auto buffer_count() const noexcept -> std::size_t { return count_; }

    /// Follows one computation.
    auto compute(step<> const& s) -> computation;
    /// Returns the buffer that the prefetch begins.
    auto prefetch(value_index value) -> buffer_index { return buffer_at_[flow_.owner_start(value)] = count_++; }

  private:
    /// A view lies in the storages in which the operation that makes it sees its owners.
    void make_view(value_index view, operation_index v);

    dataflow const& flow_;
    std::vector<buffer_index> buffer_at_;  // per (value, owner)
    std::vector<value_index> over_{};      // per output of a computation: what it is written over, or no_value
    std::vector<buffer_index> fresh_{}, overwritten_{}, owners_seen_{};
    std::size_t count_ = 0;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/buffer_walk.ipp>
#endif

#endif
