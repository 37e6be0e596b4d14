#ifndef REPEBBLE_TRACES_SIMULATE_SWAPS_HPP
#define REPEBBLE_TRACES_SIMULATE_SWAPS_HPP

// The simulator of Chen, sections 4.5 to 4.8: an iteration under a plan and a memory limit, with copies out, copies in
// and computations beside one another. Judges the plans of the environment and of all baselines alike.
// Invariant: where the plan fits, no moment has more bytes than the limit.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/pebbling/host_link.hpp>

namespace repebble::inline v0 {

/// The machine, and what the paper leaves open.
struct swap_options {
    bytes limit = 0;   ///< bytes that may have memory at any time
    host_link link{};  ///< between device and host
    /// When a copy out begins, though never before the end of the computation that writes the variable.
    enum class copy_start : std::uint8_t {
        last_use,  ///< with the last use before the interval (the letter)
        written,   ///< as soon as the variable has been written
    };
    copy_start copy_out = copy_start::last_use;  ///< when copies out begin
    /// Until when there must be memory at every row before a copy in begins.
    enum class room : std::uint8_t {
        until_use,  ///< until the variable's next use
        until_end,  ///< until the iteration ends (the letter), which lets little in before its use
    };
    room copy_in = room::until_use;  ///< when copies in begin
    /// Whether removed variables are computed again early while computing waits for a copy in.
    bool run_early = true;
    /// TFLMS, vDNN: a copy in begins at most so many computations before that which uses it; 0: as early as there is
    /// room.
    std::size_t lookahead = 0;
    /// vDNN: computing waits after each last use until the copy out has ended.
    bool wait_after_use = false;
    bool timeline = false;  ///< whether the result has the events
};

/// Work on a lane, or the end of a variable's memory.
struct swap_event {
    /// What is done. gone: the memory of a variable that was offloaded or removed is free. next_row: that which the row
    /// frees is, and what was computed again for the row before, but it may wait for more.
    enum class kind : std::uint8_t { row, copy_out, copy_in, run, gone, next_row };
    kind what = kind::row;        ///< the kind of work
    std::size_t index = 0;        ///< row, next_row: of the row; copies, gone: of the interval; run: of the computation
    std::int64_t begin = 0;       ///< when it begins
    std::int64_t end = 0;         ///< when it ends
    variable_index variable = 0;  ///< run: for which variable
    friend constexpr auto operator==(swap_event const&, swap_event const&) -> bool = default;
};

/// The iteration under a plan.
struct swap_result {
    bool feasible = false;                ///< whether it fits the limit at every row
    std::int64_t overhead = 0;            ///< time above that of the trace; of a plan that does not fit a mere estimate
    bytes peak = 0;                       ///< most bytes at any time
    bytes least_limit = 0;                ///< the plan fits every limit from here on
    std::size_t first_overfull = no_row;  ///< the first row at which it does not fit, or the returns before it
    std::size_t fullest_row = no_row;     ///< the first row at which `least_limit` is needed, or before it
    std::int64_t run_again = 0;           ///< time of computing again
    std::int64_t waited = 0;              ///< time during which computing waits for copies or memory
    bytes moved = 0;                      ///< bytes copied, out and in
    std::vector<std::int64_t> row_begin{};   ///< when each row begins
    std::vector<std::int64_t> copied_out{};  ///< of each interval: the end of its copy out; -1 where it has none
    std::vector<swap_event> timeline{};      ///< on request: in this order memory suffices
    friend auto operator==(swap_result const&, swap_result const&) -> bool = default;
};

/// An iteration under a plan, within a memory limit, with copies over a link; a half duplex link copies in one lane.
/// Offloaded variables are copied out with their last read, in that order, and come back strictly in the order of next
/// use as soon as there is memory for them until then; computing waits for what it uses and for the memory that it
/// takes; removed variables are computed again just before their use, or while computing waits for a copy. Overheads
/// are whole time units, exactly. A plan that does not fit has an estimate as overhead and the first row that is too
/// full.  O(rows + steps), times the rows that each copy looks ahead.  Throws bad_option where the plan does not belong
/// to the problem or removes what cannot be computed again, bad_weight where the limit or the link is none.
[[nodiscard]] auto simulate_swaps(swap_problem const& problem, swap_plan const& plan, swap_options const& options)
    -> swap_result;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/simulate_swaps.ipp>
#endif

#endif
