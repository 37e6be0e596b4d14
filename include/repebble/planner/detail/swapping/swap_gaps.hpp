#ifndef REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_GAPS_HPP
#define REPEBBLE_PLANNER_DETAIL_SWAPPING_SWAP_GAPS_HPP

// The decisions of a plan that swaps: every value has gaps between its uses in the base order, and in each gap it is
// held, lies on the host, or is computed again at the next use. `swap_decoder` makes a list of them and times it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

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
    swap_gaps(planning_model const& m, host_link<std::int64_t> const& via, bytes budget,
              std::optional<bytes> host_budget, std::vector<bool> movable, std::size_t inputs)
        : m_(m), via_(via), budget_(budget), host_budget_(host_budget), movable_(std::move(movable)), inputs_(inputs) {
        std::vector<std::vector<std::uint32_t>> uses(m.value_count());
        for (auto const v : m.order) {
            if (!m.required[v]) continue;
            auto const at = static_cast<std::uint32_t>(order_.size());
            for (auto const x : m.reads[v]) uses[x].push_back(at);
            for (auto const x : m.writes[v]) uses[x].push_back(at);
            order_.push_back(v);
        }
        for (value_index x = 0; x < m.value_count(); ++x) {
            first_gap_.push_back(static_cast<std::uint32_t>(begin_.size()));
            begin_.insert(begin_.end(), uses[x].begin(), uses[x].end());
            value_of_.resize(begin_.size(), x);
            copy_time_.push_back(movable_[x] ? via.copy_time(m.sizes[x]) : 0);
        }
        for (operation_index v = 0; v < m.operation_count(); ++v) {
            bytes beside = m.operations[v].own;
            for (auto const x : m.reads[v]) beside += m.sizes[x];
            need_.push_back(beside);
        }
    }

    [[nodiscard]] auto model() const noexcept -> planning_model const& { return m_; }
    [[nodiscard]] auto via() const noexcept -> host_link<std::int64_t> const& { return via_; }
    [[nodiscard]] auto budget() const noexcept -> bytes { return budget_; }
    [[nodiscard]] auto host_budget() const noexcept -> std::optional<bytes> { return host_budget_; }
    /// The required operations, each once, in the base order.
    [[nodiscard]] auto order() const noexcept -> std::vector<operation_index> const& { return order_; }
    /// Number of inputs: the first of the order.
    [[nodiscard]] auto inputs() const noexcept -> std::size_t { return inputs_; }
    /// Whether the value may be anything but held between its uses.
    [[nodiscard]] auto is_movable(value_index x) const -> bool { return movable_[x]; }
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
    [[nodiscard]] auto allows(std::size_t gap, gap_choice c) const -> bool {
        auto const x = value_of_[gap];
        if (c == gap_choice::hold) return true;
        if (!is_last(gap) && (!movable_[x] || end_of(gap) < inputs_)) return false;
        if (c == gap_choice::host) return m_.sizes[x] > 0 && movable_[x];
        return m_.operations[m_.producers[x].front()].recomputable;
    }
    /// Everything is held; values without further use in the base order are let go.
    [[nodiscard]] auto keep_all() const -> swap_decisions {
        swap_decisions d{std::vector(gap_count(), gap_choice::hold), std::vector<std::uint8_t>(gap_count(), 1)};
        for (std::size_t gap = 0; gap < gap_count(); ++gap)
            if (is_last(gap) && allows(gap, gap_choice::remake)) d.choice[gap] = gap_choice::remake;
        return d;
    }

    /// The decisions of a sequence without copies, as far as they can be said: what it recomputes between two uses is
    /// recomputed.  O(steps · values per step + gaps).
    [[nodiscard]] auto decisions_of(std::vector<operation_index> const& sequence) const -> swap_decisions {
        auto d = keep_all();
        auto next = first_gap_;  // by value: the gap that begins with its next use
        std::vector<bool> ran(m_.operation_count(), false), remade(m_.value_count(), false);
        for (auto const v : sequence) {
            if (!m_.required[v]) continue;
            bool const first = !ran[v];
            ran[v] = true;
            for (auto const x : m_.reads[v]) {
                auto const now = next[x] - 1;  // it ends here, or a recomputation reads in it
                if (allows(now, gap_choice::remake)) d.choice[now] = remade[x] ? gap_choice::remake : gap_choice::hold;
                if (!first) continue;
                ++next[x];
                remade[x] = false;
            }
            for (auto const x : m_.writes[v]) {
                if (first)
                    ++next[x];
                else
                    remade[x] = true;
            }
        }
        return d;
    }

  private:
    planning_model const& m_;
    host_link<std::int64_t> via_;
    bytes budget_;
    std::optional<bytes> host_budget_;
    std::vector<bool> movable_;  // by value
    std::size_t inputs_;
    std::vector<operation_index> order_;
    std::vector<std::uint32_t> first_gap_;  // by value
    std::vector<std::uint32_t> begin_;      // by gap: the position in the base order
    std::vector<value_index> value_of_;     // by gap
    std::vector<bytes> need_;               // by operation
    std::vector<std::int64_t> copy_time_;   // by value
};

}  // namespace repebble::inline v0::detail

#endif
