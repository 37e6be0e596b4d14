#ifndef REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_GAPS_HPP
#define REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_GAPS_HPP

// The decisions of a plan that swaps: every value has gaps between its uses in the base order, and in each gap it is
// held, lies on the host, or is computed again at the next use. `swap_decoder` makes a list of them and times it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// What becomes of a value between two uses.
enum class gap_choice : std::uint8_t {
    hold,    ///< it stays on the device
    host,    ///< it is copied out before, and in for the next use
    remake,  ///< it is discarded, and computed again for the next use
};

/// The decision for each gap.
struct swap_decisions {
    std::vector<gap_choice> choice{};
    std::vector<std::uint8_t> stays{};  ///< whether the value stays after a use in the gap, by a recomputation

    friend auto operator==(swap_decisions const&, swap_decisions const&) -> bool = default;
};

/// The gaps of all values in the base order, the link, and the budgets. Gap k of a value lies after its k-th use, the
/// production being the first; the last lies after the last, where only recomputations may use the value.
class swap_gaps {
  public:
    /// Refers to the model. `movable`: by value, whether it may be anything but held between its uses.  Requires: each
    /// value has one producer; `via` is checked.  The first `inputs` of the order run before all copies.  O(n + m).
    swap_gaps(planning_model const& m, host_link const& via, bytes budget, std::optional<bytes> host_budget,
              std::vector<bool> movable, std::size_t inputs);

    [[nodiscard]] auto model() const noexcept -> planning_model const& { return m_; }
    [[nodiscard]] auto via() const noexcept -> host_link const& { return via_; }
    [[nodiscard]] auto budget() const noexcept -> bytes { return budget_; }
    [[nodiscard]] auto host_budget() const noexcept -> std::optional<bytes> { return host_budget_; }
    /// The required operations, each once, in the base order.
    [[nodiscard]] auto order() const noexcept -> std::vector<operation_index> const& { return order_; }
    /// Number of inputs: the first of the order.
    [[nodiscard]] auto inputs() const noexcept -> std::size_t { return inputs_; }
    /// Whether the value may be anything but held between its uses.
    [[nodiscard]] auto is_movable(value_index x) const -> bool { return movable_[x]; }
    /// Values over which the operation may write where it uses them last, the largest first.
    [[nodiscard]] auto overwritable(operation_index v) const { return overwritable_[v]; }
    /// Bytes of an operation with its inputs, outputs and workspace.
    [[nodiscard]] auto need(operation_index v) const -> bytes { return need_[v]; }
    [[nodiscard]] auto copy_time(value_index x) const -> std::int64_t { return copy_time_[x]; }

    [[nodiscard]] auto gap_count() const noexcept -> std::size_t { return begin_.size(); }
    [[nodiscard]] auto first_gap(value_index x) const -> std::uint32_t { return first_gap_[x]; }
    [[nodiscard]] auto value_of(std::size_t gap) const -> value_index { return value_of_[gap]; }
    /// Whether this is the gap after the last use.
    [[nodiscard]] auto is_last(std::size_t gap) const -> bool {
        return gap + 1 == gap_count() || value_of_[gap + 1] != value_of_[gap];
    }
    /// The position in the base order after which the gap lies.
    [[nodiscard]] auto begin_of(std::size_t gap) const -> std::uint32_t { return begin_[gap]; }
    /// The position of the use that ends the gap.  Requires: it is not the last.
    [[nodiscard]] auto end_of(std::size_t gap) const -> std::uint32_t { return begin_[gap + 1]; }
    /// Whether the choice can be made in this gap.
    [[nodiscard]] auto allows(std::size_t gap, gap_choice c) const -> bool;
    /// Everything is held; values without further use in the base order are let go.
    [[nodiscard]] auto keep_all() const -> swap_decisions;

    /// The decisions of a sequence without copies, as far as they can be said: what it recomputes between two uses is
    /// recomputed.  O(steps · values per step + gaps).
    [[nodiscard]] auto decisions_of(std::vector<operation_index> const& sequence) const -> swap_decisions;

  private:
    planning_model const& m_;
    host_link via_;
    bytes budget_;
    std::optional<bytes> host_budget_;
    std::vector<bool> movable_;  // by value
    std::size_t inputs_;
    std::vector<operation_index> order_;
    std::vector<std::uint32_t> first_gap_;    // by value
    std::vector<std::uint32_t> begin_;        // by gap: the position in the base order
    std::vector<value_index> value_of_;       // by gap
    std::vector<bytes> need_;                 // by operation
    std::vector<std::int64_t> copy_time_;     // by value
    jagged_array<value_index> overwritable_;  // by operation: movable ones, of which no view keeps the storage alive
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/swapping/swap_gaps.ipp>
#endif

#endif
