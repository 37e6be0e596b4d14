#ifndef REPEBBLE_TRACES_TRACE_HPP
#define REPEBBLE_TRACES_TRACE_HPP

// Traces of one iteration: the sequence of malloc, free, read and write operations with their begin times, on which
// Chen, "GPU memory management for neural networks using deep Q-network" (sections 3 and 4.2), plans. Made by
// `trace_of` from schedules and executions, by `kmeans_trace`, or read from a file by io/trace_file.hpp.
// Invariant, checked by `check_trace`: rows ascend in time; a variable is touched only while it has memory; the rows of
// a computation follow one another, but for mallocs and frees.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// What a row of a trace does with its variable.
enum class trace_action : std::uint8_t {
    malloc,  ///< the variable takes memory
    free,    ///< the variable gives its memory back
    read,    ///< a computation reads the variable
    write,   ///< a computation writes the variable
};

/// The word of an action, as in files.  O(1).
[[nodiscard]] constexpr auto to_string(trace_action what) -> char const* {
    switch (what) {
        case trace_action::malloc:
            return "malloc";
        case trace_action::free:
            return "free";
        case trace_action::read:
            return "read";
        case trace_action::write:
            return "write";
    }
    return "unknown";
}

/// Variables of a trace are numbered from 0 on.
using variable_index = std::uint32_t;
/// Computations of a trace are numbered from 0 on, in the order in which they run.
using computation_index = std::uint32_t;
/// The computation of a row that belongs to none.
inline constexpr computation_index no_computation = std::numeric_limits<computation_index>::max();

/// One row of a trace (an operation o_i of section 3). It lasts until the next row begins.
struct trace_row {
    std::int64_t begin = 0;                          ///< time units since the iteration began
    trace_action what{};                             ///< what is done
    variable_index variable = 0;                     ///< which one
    computation_index computation = no_computation;  ///< of reads and writes: which computation they belong to
    friend constexpr auto operator==(trace_row const&, trace_row const&) -> bool = default;
};

/// What is known of a computation beside its rows. Its time is that from its first row to the row after its last.
struct trace_computation {
    bytes workspace = 0;       ///< needed beside inputs and outputs when it runs again
    bool recomputable = true;  ///< whether it may run again
    friend constexpr auto operator==(trace_computation const&, trace_computation const&) -> bool = default;
};

/// One iteration of a training or of another iterative algorithm. A variable whose first row is no malloc, or that has
/// no row, has memory when the iteration begins; one whose last is no free keeps it to the end.
struct trace {
    std::vector<trace_row> rows{};                  ///< in the order in which they begin
    std::vector<bytes> sizes{};                     ///< of every variable
    std::vector<trace_computation> computations{};  ///< in the order of their first rows
    std::int64_t duration = 0;                      ///< time units of the whole iteration
    friend auto operator==(trace const&, trace const&) -> bool = default;
};

/// Thrown where a trace breaks its invariant. The message names the row, the variable or the computation.
struct bad_trace : error {
    using error::error;
};

namespace detail {

/// The memory of variables before their first row: whether they have it when the iteration begins.
[[nodiscard]] auto present_at_begin(trace const& t) -> std::vector<bool>;

[[nodiscard]] inline auto is_touch(trace_action what) -> bool {
    return what == trace_action::read || what == trace_action::write;
}

class trace_check {
  public:
    explicit trace_check(trace const& t) : trace_(t) {}

    void run();

  private:
    [[noreturn]] static void fail(std::string const& what) { raise(bad_trace("trace: " + what)); }
    [[noreturn]] void fail_row(std::string const& what) const;
    void check_sizes() const;
    void check_names() {
        for (row_ = 0; row_ < trace_.rows.size(); ++row_)
            if (trace_.rows[row_].variable >= trace_.sizes.size()) fail_row("names no variable");
    }
    void check_row(trace_row const& row);

    trace const& trace_;
    std::vector<bool> has_memory_{};
    std::size_t row_ = 0;
    std::size_t running_ = 0;  // computations that have begun
    std::int64_t now_ = 0;
};

}  // namespace detail

/// Checks a trace.  O(rows + variables).  Throws bad_trace, naming the row, variable or computation, where rows are not
/// in the order of time, name what does not exist, use memory that is not there, or where the rows of a computation do
/// not follow one another; and bad_weight where the sum of all sizes overflows.
inline void check_trace(trace const& t) { detail::trace_check(t).run(); }

/// Bytes that have memory at every row, frees already carried out: m_i of section 3.  O(rows).  Requires: a valid
/// trace.
[[nodiscard]] auto memory_of(trace const& t) -> std::vector<bytes>;

/// The most bytes at any row; 0 for a trace without rows.  O(rows).  Requires: a valid trace.
[[nodiscard]] auto peak_of(trace const& t) -> bytes;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/trace.ipp>
#endif

#endif
