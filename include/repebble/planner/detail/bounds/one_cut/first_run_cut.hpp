#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FIRST_RUN_CUT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FIRST_RUN_CUT_HPP

// The cut of all schedules at the first run of one operation. Operations that it depends on have run, those that depend
// on it have not: so in every schedule, whatever its order, each value that is read later is kept across the cut within
// the budget, or recomputed after it. The choice is a knapsack whose items form a closure; its least time is a lower
// bound on the overhead of every schedule. All bounds of the planner are built on such cuts.

#include <cstdint>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Returns the bytes of the budget that are left for checkpoints while the operation runs; negative where it does not
/// fit at all.
[[nodiscard]] inline auto capacity_beside(planning_model const& m, operation_index v, bytes budget) -> bytes {
    auto left = budget - m.operations[v].own;
    for (auto const x : m.reads[v]) left -= m.sizes[x];
    return left;
}

/// The operations before and after the first run of `at` in every schedule, and the values that are live across it. A
/// live value is kept, or its producer runs after the cut; where the producer is before `at`, that is a recomputation,
/// and its inputs are kept or recomputed in turn.
class first_run_cut {
  public:
    /// The cut of all schedules.  O(n + m).  Requires: `at` is required.
    first_run_cut(planning_model const& m, operation_index at);
    /// The cut of schedules with a fixed prefix: `ran` are the operations of the prefix, by operation; all others run
    /// after the cut.  O(n + m).
    first_run_cut(planning_model const& m, operation_index at, std::vector<bool> const& ran)
        : model_(&m), at_(at), before_(ran.begin(), ran.end()) {
        for (auto const flag : before_) after_.push_back(flag == 0);
        before_[at] = 0;
        classify_values();
    }

    [[nodiscard]] auto model() const noexcept -> planning_model const& { return *model_; }
    [[nodiscard]] auto at() const noexcept -> operation_index { return at_; }
    /// Whether the operation runs before `at` in every schedule.
    [[nodiscard]] auto is_before(operation_index v) const -> bool { return before_[v] != 0; }
    /// Whether the operation is `at`, or first runs after it in every schedule.
    [[nodiscard]] auto is_after(operation_index v) const -> bool { return after_[v] != 0; }
    /// Whether `at` reads the value, so that it is resident at the cut in any case.
    [[nodiscard]] auto is_input(value_index x) const -> bool { return is_input_[x] != 0; }
    /// Whether an operation after the cut produces the value: it need not be kept.
    [[nodiscard]] auto is_produced_after(value_index x) const -> bool { return produced_after_[x] != 0; }
    /// Whether the value is kept across the cut only by choice: its one producer could run again.
    [[nodiscard]] auto can_be_made_after(value_index x) const -> bool {
        return model_->producers[x].size() == 1 && !is_input(x) && !is_produced_after(x);
    }
    /// The values that operations after the cut read and none of them produces.
    [[nodiscard]] auto live_values() const noexcept -> std::vector<value_index> const& { return live_values_; }
    /// Bytes that are left for checkpoints while `at` runs; negative where it does not fit at all.
    [[nodiscard]] auto capacity(bytes budget) const -> bytes { return capacity_beside(*model_, at_, budget); }

  private:
    using flags = std::vector<std::uint8_t>;  // bytes are faster to read than bits

    void classify_values();

    planning_model const* model_;
    operation_index at_;
    flags before_, after_;             // by operation
    flags is_input_, produced_after_;  // by value
    std::vector<value_index> live_values_;
};

/// A solution at one cut: the checkpoints and the recomputations.
struct checkpoint_choice {
    std::vector<std::uint8_t> kept{};  ///< by value: read after the cut, and kept
    std::vector<std::uint8_t>
        recomputed{};       ///< by operation: not after the cut in every schedule, but run after it under this choice
    bytes size = 0;         ///< of the checkpoints, without the inputs of `at`
    std::int64_t time = 0;  ///< of the recomputations

    friend auto operator==(checkpoint_choice const&, checkpoint_choice const&) -> bool = default;
};

/// Returns the choice in which operations with may_again(operation) run after the cut, as far as their outputs are
/// needed, and all other values that are needed are kept.  O(n + m).
template <class MayAgain>
[[nodiscard]] auto choice_of(first_run_cut const& cut, MayAgain&& may_again) -> checkpoint_choice {
    auto const& m = cut.model();
    checkpoint_choice c{std::vector<std::uint8_t>(m.value_count(), 0),
                        std::vector<std::uint8_t>(m.operation_count(), 0)};
    std::vector<std::uint8_t> needed(m.value_count(), 0);
    std::vector<operation_index> running;
    auto const need = [&](value_index x) {
        if (needed[x] != 0 || cut.is_produced_after(x)) return;
        needed[x] = 1;
        auto const p = m.producers[x].front();
        bool const kept = cut.is_input(x) || !may_again(p);
        c.kept[x] = kept ? 1 : 0;
        if (kept) {
            if (!cut.is_input(x)) c.size += m.sizes[x];
            return;
        }
        if (c.recomputed[p] != 0) return;
        c.recomputed[p] = 1;
        if (cut.is_before(p)) c.time += m.operations[p].again;
        running.push_back(p);
    };
    for (auto const x : cut.live_values()) need(x);
    while (!running.empty()) {
        auto const w = running.back();
        running.pop_back();
        for (auto const x : m.reads[w]) need(x);
    }
    return c;
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/one_cut/first_run_cut.ipp>
#endif

#endif
