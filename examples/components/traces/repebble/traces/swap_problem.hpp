#ifndef REPEBBLE_TRACES_SWAP_PROBLEM_HPP
#define REPEBBLE_TRACES_SWAP_PROBLEM_HPP

// A trace prepared for planning: its reuse intervals, in each of which a variable may stay, be offloaded to the host or
// be removed and computed again (the sets H⁰ and H¹ of Chen, section 4.3), and what each computation reads and writes.
// Plans choose for each interval; `simulate_swaps` judges them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/traces/trace.hpp>

namespace repebble::inline v0 {

/// The number of no row.
inline constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();

/// What becomes of a variable between two uses.
enum class swap_choice : std::uint8_t {
    keep,     ///< it stays
    offload,  ///< it is copied to the host, and back before its next use
    remove,   ///< it is discarded, and computed again before its next use
};

/// One choice for each reuse interval of a `swap_problem`, under the same number.
using swap_plan = std::vector<swap_choice>;

/// A time between two successive uses of a variable, by two computations, with a row between them.
struct reuse_interval {
    variable_index variable = 0;   ///< the variable that is used
    std::size_t last_use = 0;      ///< the last row before it that touches the variable
    std::size_t next_use = 0;      ///< the first row after it; of the next iteration where it wraps
    std::size_t leaves = 0;        ///< the row after the computation of `last_use`: from there on it may be absent
    bool wraps = false;            ///< it goes from the end of an iteration into the next one
    bool is_written = false;       ///< the computation of `last_use` writes it, so that a copy waits for its end
    std::size_t written = no_row;  ///< the last row of the computation that wrote it last; no_row where none did
    bool is_removable = false;     ///< the variable can be computed again before `next_use`
    computation_index producer = no_computation;  ///< the computation that wrote it; where `is_removable`

    /// Whether a row lies between its uses: the variable has been used for the last time before, and is used later.
    [[nodiscard]] constexpr auto holds(std::size_t row) const -> bool {
        return wraps ? row >= last_use || row < next_use : row >= last_use && row < next_use;
    }
    /// Whether the variable may be absent at a row.
    [[nodiscard]] constexpr auto may_be_absent(std::size_t row) const -> bool {
        return wraps ? row >= leaves || row < next_use : row >= leaves && row < next_use;
    }
    friend constexpr auto operator==(reuse_interval const&, reuse_interval const&) -> bool = default;
};

/// A trace with its computations and reuse intervals. Immutable.
class swap_problem {
  public:
    /// A computation of the trace: its rows, its time, and its variables, each once.
    struct computation {
        std::size_t first_row = 0;  ///< that touches a variable
        std::size_t last_row = 0;   ///< the same
        std::int64_t time = 0;  ///< from its first row to the row after its last one (point 5: of the producer)
    };

    /// O(rows · log rows + variables).  Throws as `check_trace`.
    explicit swap_problem(trace of);

    /// The trace.
    [[nodiscard]] auto iteration() const noexcept -> trace const& { return trace_; }
    /// The number of rows.
    [[nodiscard]] auto row_count() const noexcept -> std::size_t { return trace_.rows.size(); }
    /// The intervals, in the order of their last uses.
    [[nodiscard]] auto intervals() const noexcept -> std::vector<reuse_interval> const& { return intervals_; }
    /// The rows and the time of a computation.
    [[nodiscard]] auto at(computation_index c) const -> computation const& { return computations_[c]; }
    /// The variables that a computation reads, each once, ascending.
    [[nodiscard]] auto reads(computation_index c) const { return reads_[c]; }
    /// The variables that a computation writes, each once, ascending.
    [[nodiscard]] auto writes(computation_index c) const { return writes_[c]; }
    /// Bytes with memory at a row where all is kept.
    [[nodiscard]] auto memory(std::size_t row) const -> bytes { return memory_[row]; }
    /// The most bytes at any row where all is kept.
    [[nodiscard]] auto peak() const -> bytes { return memory_.empty() ? 0 : std::ranges::max(memory_); }
    /// Bytes of the variables that have memory during the whole iteration (parameters and other inputs).
    [[nodiscard]] auto persistent() const noexcept -> bytes { return persistent_; }
    /// Time until the next row begins.
    [[nodiscard]] auto duration(std::size_t row) const -> std::int64_t {
        auto const end = row + 1 == row_count() ? trace_.duration : trace_.rows[row + 1].begin;
        return end - trace_.rows[row].begin;
    }
    /// Bytes of an interval's variable.
    [[nodiscard]] auto size(reuse_interval const& i) const -> bytes { return trace_.sizes[i.variable]; }
    /// The computation that wrote the variable as computation c reads it; `no_computation` where none did, or several.
    [[nodiscard]] auto source(computation_index c, variable_index variable) const -> computation_index {
        return only_writer(variable, computations_[c].first_row);
    }
    /// The plan that keeps all.
    [[nodiscard]] auto keep_all() const -> swap_plan { return swap_plan(intervals_.size(), swap_choice::keep); }

  private:
    /// A row that is no read, and what is known of its variable after it.
    struct change {
        std::size_t row = 0;
        std::size_t written = no_row;               // the last row that wrote it
        computation_index writer = no_computation;  // which alone has written it since its malloc
    };

    void find_computations();
    /// The rows that are no reads: the only ones at which the content of a variable changes.
    void find_changes();
    /// Until which row each computation can run again: what it reads is unchanged, or was freed and can itself be
    /// computed again (point 17), by a computation that came earlier.
    void find_ends_of_running();
    void find_intervals();
    void add_interval(variable_index v, std::size_t last_use, std::size_t next_use, bool wraps);
    /// The changes of a variable from a row on.
    [[nodiscard]] auto changes_from(variable_index v, std::size_t row) const -> std::span<change const> {
        auto const all = changes_[v];
        return {std::ranges::lower_bound(all, row, {}, &change::row), all.end()};
    }
    /// The last change of a variable before a row; nullptr where there is none.
    [[nodiscard]] auto last_change(variable_index v, std::size_t before) const -> change const* {
        auto const later = changes_from(v, before);
        return later.size() == changes_[v].size() ? nullptr : later.data() - 1;
    }
    /// The computation that alone has written the variable since its malloc, before a row; if there is one.
    [[nodiscard]] auto only_writer(variable_index v, std::size_t before) const -> computation_index {
        auto const* last = last_change(v, before);
        return last ? last->writer : no_computation;
    }

    trace trace_;
    std::vector<bytes> memory_;
    std::vector<computation> computations_{};
    detail::jagged_array<variable_index> reads_{}, writes_{};
    detail::jagged_array<change> changes_{};    // per variable
    std::vector<std::size_t> can_run_until_{};  // per computation; 0: it cannot run again
    std::vector<reuse_interval> intervals_{};
    bytes persistent_ = 0;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/swap_problem.ipp>
#endif

#endif
