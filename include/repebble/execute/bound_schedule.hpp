#ifndef REPEBBLE_EXECUTE_BOUND_SCHEDULE_HPP
#define REPEBBLE_EXECUTE_BOUND_SCHEDULE_HPP

// Schedules bound to addresses, in a compact form that an executor walks without allocating. Made by bind_schedule.hpp
// only. Invariant: judged legal; no two live blocks of a pool overlap.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>

namespace repebble::inline v0 {

/// A block of a pool's memory.
struct block {
    bytes offset = 0;
    bytes size = 0;
    friend constexpr auto operator==(block const&, block const&) -> bool = default;
};

/// A value that a step reads or writes, with its block. A view of several owners is listed once for each.
struct placed_value {
    instance what{};
    value_index owner = 0;  ///< the owner of the storage: the value itself, or for a view one of its owners
    block where{};          ///< the owner's block
    friend constexpr auto operator==(placed_value const&, placed_value const&) -> bool = default;
};

/// One step of a schedule, with the blocks of all values that it reads and writes. The computation of an input reads
/// nothing: the backend places its values, in every run.
struct bound_step {
    action what = action::compute;
    pool from = pool::device;  ///< discard: the pool that loses the value
    bool in_place = false;
    operation_index operation = 0;
    std::uint32_t repetition = 0;           ///< compute: number of earlier runs of the operation
    std::span<placed_value const> reads{};  ///< compute: in the order of dataflow::reads; copies: the source
    /// compute: in the order of dataflow::operands, with repetitions; copies: the source
    std::span<placed_value const> operands{};
    /// compute: in the order of dataflow::writes; copies: the destination. The output of a mutation has the block of
    /// the value that it overwrites
    std::span<placed_value const> writes{};
    std::optional<block> workspace{};
    std::span<block const> begins{};     ///< storages in the device pool that begin with the step
    std::span<block const> ends{};       ///< storages in the device pool that end with it
    std::span<block const> host_ends{};  ///< copies in the host pool that end with it
};

/// Thrown where an arena was planned for another schedule, or lets two live buffers overlap.
struct bad_arena : error {
    using error::error;
};

namespace detail {
class schedule_binder;
}

/// A schedule that can be executed: it has been judged, and the addresses of all its steps have been checked.
/// Immutable.
class bound_schedule {
  public:
    [[nodiscard]] auto step_count() const noexcept -> std::size_t { return steps_.size(); }
    /// Step i; its spans are valid as long as the bound schedule.
    [[nodiscard]] auto operator[](std::size_t i) const -> bound_step {
        auto const& s = steps_[i];
        auto const& next = steps_.size() == i + 1 ? end_ : steps_[i + 1];
        auto bound = s.fixed;
        std::span const values(values_);
        bound.reads = values.subspan(s.reads, s.reads_end - s.reads);
        bound.operands = values.subspan(s.operands, s.writes - s.operands);
        bound.writes = values.subspan(s.writes, next.reads - s.writes);
        std::span const blocks(blocks_);
        bound.begins = blocks.subspan(s.begins, s.ends - s.begins);
        bound.ends = blocks.subspan(s.ends, s.host_ends - s.ends);
        bound.host_ends = blocks.subspan(s.host_ends, next.begins - s.host_ends);
        return bound;
    }
    /// The blocks in the device pool where the results of the dataflow lie after the last step, in the order of
    /// dataflow::results; a view once for each of its owners.
    [[nodiscard]] auto results() const noexcept -> std::span<placed_value const> {
        return std::span(values_).subspan(end_.reads);
    }
    /// Bytes of the memory needed in a pool.
    [[nodiscard]] auto size(pool where) const noexcept -> bytes { return size_[where == pool::host ? 1 : 0]; }
    /// Alignment of a pool: every offset in it is a multiple.
    [[nodiscard]] auto alignment(pool where) const noexcept -> bytes { return alignment_[where == pool::host ? 1 : 0]; }
    /// Peak of bytes in use in the device pool, by the replay.
    [[nodiscard]] auto peak() const noexcept -> bytes { return peak_; }

  private:
    friend class detail::schedule_binder;

    struct entry {
        bound_step fixed{};  // without its spans
        // Operands that are equal to the reads are not stored twice: then operands == reads, reads_end == writes.
        std::size_t reads = 0, reads_end = 0, operands = 0, writes = 0, begins = 0, ends = 0, host_ends = 0;
    };
    std::vector<entry> steps_{};
    entry end_{};
    std::vector<placed_value> values_{};
    std::vector<block> blocks_{};
    bytes size_[2]{};
    bytes alignment_[2]{1, 1};
    bytes peak_ = 0;
};

}  // namespace repebble::inline v0

#endif
