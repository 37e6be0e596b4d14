#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FIRST_RUN_CUT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_FIRST_RUN_CUT_HPP

#include <cstdint>
#include <span>
#include <vector>

#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// Only schedules are looked at in which `first` runs for the first time before `second` does.
struct first_run_order {
    operation_index first = 0, second = 0;
};

/// Bytes that the operation leaves of the budget for what is kept while it runs; negative where it does not fit at all.
[[nodiscard]] inline auto capacity_beside(planning_model const& m, operation_index v, bytes budget) -> bytes {
    auto left = budget - m.operations[v].own;
    for (auto const x : m.reads[v]) left -= m.sizes[x];
    return left;
}

/// What one cut of every schedule says about its time: when operation `at` runs for the first time. All that it
/// needs has run by then, and nothing that needs it. What the latter read is kept at that cut, within the budget, or
/// computed later: once more, where it comes before `at`, and then what it reads is kept or computed later in turn.
/// What to hold is thus a knapsack over a closure, and its optimum bounds the time of every schedule, whatever its
/// order.
class first_run_cut {
  public:
    /// Of schedules with these orders, if any are given.  O(n · orders + m).  Requires: `at`, and who has an order,
    /// runs in every schedule.
    first_run_cut(planning_model const& m, operation_index at, std::span<first_run_order const> orders = {})
        : model_(&m), at_(at), before_(m.operation_count(), 0), after_(m.operation_count(), 0) {
        std::vector<operation_index> stack{at};
        auto const visit = [&](flags& side, operation_index v) {
            if (v == at || side[v] != 0 || !m.required[v]) return;
            side[v] = 1;
            stack.push_back(v);
        };
        while (!stack.empty()) {
            auto const v = stack.back();
            stack.pop_back();
            for (auto const x : m.reads[v])
                if (m.producers[x].size() == 1) visit(before_, m.producers[x].front());
            for (auto const& o : orders)
                if (o.second == v) visit(before_, o.first);
        }
        stack.push_back(at);
        while (!stack.empty()) {
            auto const v = stack.back();
            stack.pop_back();
            for (auto const x : m.writes[v])
                if (m.producers[x].size() == 1)
                    for (auto const w : m.readers[x]) visit(after_, w);
            for (auto const& o : orders)
                if (o.first == v) visit(after_, o.second);
        }
        classify_values();
    }
    /// A cut of a sequence that is fixed until then: `ran` says what has run by then; everything else runs later.
    /// O(n + m).
    first_run_cut(planning_model const& m, operation_index at, std::vector<bool> const& ran)
        : model_(&m), at_(at), before_(ran.begin(), ran.end()) {
        for (auto const flag : before_) after_.push_back(flag == 0);
        before_[at] = 0;
        classify_values();
    }

    [[nodiscard]] auto model() const noexcept -> planning_model const& { return *model_; }
    [[nodiscard]] auto at() const noexcept -> operation_index { return at_; }
    /// Whether the operation has run by that cut in every schedule.
    [[nodiscard]] auto is_before(operation_index v) const -> bool { return before_[v] != 0; }
    /// Whether it is `at`, or runs after it only.
    [[nodiscard]] auto is_after(operation_index v) const -> bool { return after_[v] != 0; }
    /// Whether `at` reads the value, so that it is there in any case.
    [[nodiscard]] auto is_input(value_index x) const -> bool { return is_input_[x] != 0; }
    /// Whether the value is there after the cut without being kept: nobody pays for that.
    [[nodiscard]] auto is_produced_after(value_index x) const -> bool { return produced_after_[x] != 0; }
    /// All other values that are read by what runs after the cut only.
    [[nodiscard]] auto live_values() const noexcept -> std::vector<value_index> const& { return live_values_; }
    /// Bytes that are left for what is kept while `at` runs; negative where it does not fit at all.
    [[nodiscard]] auto capacity(bytes budget) const -> bytes { return capacity_beside(*model_, at_, budget); }

  private:
    using flags = std::vector<std::uint8_t>;  // bits would be slower to read

    void classify_values() {
        auto const& m = *model_;
        after_[at_] = 1;
        is_input_.assign(m.value_count(), 0);
        for (auto const x : m.reads[at_]) is_input_[x] = 1;
        produced_after_.assign(m.value_count(), 0);
        flags noted(m.value_count(), 0);
        for (operation_index w = 0; w < m.operation_count(); ++w)
            if (is_after(w))
                for (auto const x : m.writes[w]) produced_after_[x] = 1;
        for (operation_index w = 0; w < m.operation_count(); ++w)
            if (is_after(w))
                for (auto const x : m.reads[w]) {
                    if (noted[x] != 0 || is_produced_after(x)) continue;
                    noted[x] = 1;
                    live_values_.push_back(x);
                }
    }

    planning_model const* model_;
    operation_index at_;
    flags before_, after_;             // of every operation
    flags is_input_, produced_after_;  // of every value
    std::vector<value_index> live_values_;
};

/// What to hold at such a cut, and what to compute later instead.
struct checkpoint_choice {
    std::vector<std::uint8_t> kept{};        ///< of every value: read later, and kept
    std::vector<std::uint8_t> recomputed{};  ///< of every operation: not after the cut, and runs later
    bytes size = 0;                          ///< of what is kept, beside what `at` reads
    std::int64_t time = 0;                   ///< of what must run again

    friend auto operator==(checkpoint_choice const&, checkpoint_choice const&) -> bool = default;
};

/// The choice in which what `may_again(operation)` says runs later, as far as it is wanted, and what is read otherwise
/// is kept.  O(n + m).
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

#endif
