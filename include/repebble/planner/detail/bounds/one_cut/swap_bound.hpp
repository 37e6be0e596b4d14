#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_SWAP_BOUND_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_SWAP_BOUND_HPP

// A lower bound on the overhead of schedules that keep, recompute and copy: a Lagrangian relaxation at one cut. Each
// value that is live across the first run of an operation is held on the device, lies on the host, or is recomputed
// later. What lies on the host was copied out between its first run and the cut, and is copied in between the cut and
// its next reader: for each threshold, all copies whose windows are that short take no longer than the longest of these
// windows and what the schedule spends there above everything once. One multiplier for the memory and one for each
// window: for fixed multipliers a value that is not recomputed takes the cheaper of holding and copying, and the best
// choice is a minimum cut in the closure network of `cut_relaxation`. Multipliers are integers over a scale, so every
// bound is exact; they are improved by subgradients (Held, Karp 1971).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/planner/detail/bounds/one_cut/closure_network.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// Of which schedules a bound holds.
enum class order_of_runs : std::uint8_t {
    any,  ///< of all schedules
    base  ///< of those whose first runs are in the model's order
};

/// For each operation, the time of those that run no later than it, and no earlier, itself among them; without views,
/// which may run apart from their owners.
struct run_times {
    std::vector<std::int64_t> earlier, later;
};
/// Returns those of an order.  O(n + m) for the base order; O(n · (n + m)) for any, where `n` is at most
/// `most_operations`, else of each operation alone.
[[nodiscard]] auto run_times_of(planning_model const& m, order_of_runs order, std::size_t most_operations) -> run_times;

/// Returns up to `most` required operations with bytes of their own, by descending load beside them in the model's
/// order above the bytes that can have been copied out before, and can be copied in after.  O(n log n + sum of reads
/// and writes).
[[nodiscard]] auto tight_for_copies(planning_model const& m, host_link const& via, std::size_t most)
    -> std::vector<operation_index>;

/// The relaxation at one cut.
class swap_bound {
  public:
    /// `times`: of that order.  O(n + m).  Requires: `at` is required and has bytes of its own; each value has one
    /// producer.
    swap_bound(planning_model const& m, operation_index at, bytes budget, host_link const& via, order_of_runs order,
               run_times const& times);
    swap_bound(swap_bound const&) = delete;  // its network refers to its cut
    auto operator=(swap_bound const&) -> swap_bound& = delete;

    /// Whether `at` itself is within the budget.
    [[nodiscard]] auto feasible() const noexcept -> bool { return capacity_ >= 0; }
    /// The best bound so far on the overhead.
    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }

    /// A choice: what lies across the cut on the device, what on the host, and which operations run again.
    struct choice {
        std::vector<std::uint8_t> held, copied;  ///< by value
        std::vector<std::uint8_t> again;         ///< by operation
    };
    /// That of the best multipliers; where a limit came before any were tried, that of no multipliers.
    /// O(maximum flow).  Requires: `feasible()`.
    [[nodiscard]] auto best_choice() -> choice const& {
        static_cast<void>(evaluate(best_.empty() ? with_longest(0, 0, 0) : best_));
        return choice_;
    }
    /// That where holding what the budget has room for costs so much time, and a copy the time that it takes.
    /// O(maximum flow).
    [[nodiscard]] auto choice_at(double memory) -> choice const& {
        static_cast<void>(evaluate(with_longest(memory, static_cast<double>(m_.time_once), 0)));
        return choice_;
    }
    /// The operation of the cut.
    [[nodiscard]] auto at() const noexcept -> operation_index { return cut_.at(); }
    /// The Lagrangian value of the best multipliers, which may be negative.
    [[nodiscard]] auto value() const noexcept -> double { return value_; }

    /// So many steps of subgradients towards `target`, an overhead that is possible; fewer where the bound reaches it
    /// or `stop()` returns true.  O(steps · maximum flow).
    void improve(std::size_t steps, std::int64_t target, function_ref<bool()> stop);

  private:
    /// Multipliers in time units: of the memory for its capacity, of windows for the time of everything once.
    using multipliers = std::vector<double>;

    /// Multipliers of the memory, and of the longest windows such that copying costs about as much as holding.
    void scan(std::int64_t target, function_ref<bool()> stop);
    /// Those of the memory and of the longest windows out and in; all others are 0.
    [[nodiscard]] auto with_longest(double memory, double out, double in) const -> multipliers;

    /// Copies in one direction: the k-th window has the values with rank <= k, and lasts limits[k] and more.
    struct windows {
        std::vector<std::int64_t> limits{};
        std::vector<std::uint32_t> rank{};  // by value
        std::size_t first = 1;              // among the multipliers
    };

    [[nodiscard]] static auto before(planning_model const& m, operation_index at) -> std::vector<bool>;

    // --- Windows ---------------------------------------------------------------------------------------------------

    void find_windows(run_times const& times);
    /// At most `effort.swap_windows` thresholds, each with about as many bytes more.
    [[nodiscard]] auto windows_of(std::vector<std::int64_t> const& lengths) const -> windows;
    /// Where a copy would take too long to be summed, less is a bound, too.
    [[nodiscard]] auto copy_time(value_index x) const -> std::int64_t {
        return via_.copy_time_up_to(m_.sizes[x], most_time);
    }

    // --- Multipliers -----------------------------------------------------------------------------------------------

    void choose_scale();
    [[nodiscard]] auto room() const -> double { return static_cast<double>(std::max<bytes>(1, capacity_)); }
    /// Prices of a copy per time, by rank: the sums of the multipliers of its windows.
    [[nodiscard]] auto prices(multipliers const& at, windows const& w) const -> std::vector<std::int64_t>;

    /// The Lagrangian value of these multipliers. Leaves the subgradient and the choice, and notes the best.
    [[nodiscard]] auto evaluate(multipliers const& at) -> double;
    /// Onto multipliers that sum to `most` at most.
    static void project(std::span<double> some, double most);

    planning_model const& m_;
    host_link via_;
    first_run_cut cut_;
    bytes capacity_;
    double once_ = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
    std::array<windows, 2> windows_;  // out, in
    closure_network network_;
    std::int64_t scale_ = 1, most_multiplier_ = 1;
    multipliers best_;
    double value_ = -std::numeric_limits<double>::infinity();  // the Lagrangian value, which may be negative
    std::vector<double> gradient_;
    std::int64_t bound_ = 0;
    choice choice_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/one_cut/swap_bound.ipp>
#endif

#endif
