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

/// Bytes that the operation leaves of the budget for what is held while it runs; negative where it does not fit at all.
[[nodiscard]] inline auto capacity_beside(planning_model const& m, operation_index v, bytes budget) -> bytes {
    auto left = budget - m.operations[v].own;
    for (auto const x : m.reads[v]) left -= m.sizes[x];
    return left;
}

/// What one moment of every schedule says about its time: when operation `at` runs for the first time. All that it
/// needs has run by then, and nothing that needs it. What the latter read is held at that moment, within the budget, or
/// computed later: once more, where it comes before `at`, and then what it reads is held or computed later in turn.
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
        note_values();
    }
    /// A moment of a sequence that is fixed until then: `ran` says what has run by then; everything else runs later.
    /// O(n + m).
    first_run_cut(planning_model const& m, operation_index at, std::vector<bool> const& ran)
        : model_(&m), at_(at), before_(ran.begin(), ran.end()) {
        for (auto const flag : before_) after_.push_back(flag == 0);
        before_[at] = 0;
        note_values();
    }

    [[nodiscard]] auto model() const noexcept -> planning_model const& { return *model_; }
    [[nodiscard]] auto at() const noexcept -> operation_index { return at_; }
    /// Whether the operation has run by that moment in every schedule.
    [[nodiscard]] auto is_before(operation_index v) const -> bool { return before_[v] != 0; }
    /// Whether it is `at`, or runs after it only.
    [[nodiscard]] auto is_after(operation_index v) const -> bool { return after_[v] != 0; }
    /// Whether `at` reads the value, so that it is there in any case.
    [[nodiscard]] auto is_read_here(value_index x) const -> bool { return read_here_[x] != 0; }
    /// Whether the value is there after the moment without being held: nobody pays for that.
    [[nodiscard]] auto comes_after(value_index x) const -> bool { return comes_after_[x] != 0; }
    /// All other values that are read by what runs after the moment only.
    [[nodiscard]] auto wanted() const noexcept -> std::vector<value_index> const& { return wanted_; }
    /// Bytes that are left for what is held while `at` runs; negative where it does not fit at all.
    [[nodiscard]] auto room(bytes budget) const -> bytes { return capacity_beside(*model_, at_, budget); }

  private:
    using flags = std::vector<std::uint8_t>;  // bits would be slower to read

    void note_values() {
        auto const& m = *model_;
        after_[at_] = 1;
        read_here_.assign(m.value_count(), 0);
        for (auto const x : m.reads[at_]) read_here_[x] = 1;
        comes_after_.assign(m.value_count(), 0);
        flags noted(m.value_count(), 0);
        for (operation_index w = 0; w < m.operation_count(); ++w)
            if (is_after(w))
                for (auto const x : m.writes[w]) comes_after_[x] = 1;
        for (operation_index w = 0; w < m.operation_count(); ++w)
            if (is_after(w))
                for (auto const x : m.reads[w]) {
                    if (noted[x] != 0 || comes_after(x)) continue;
                    noted[x] = 1;
                    wanted_.push_back(x);
                }
    }

    planning_model const* model_;
    operation_index at_;
    flags before_, after_;           // of every operation
    flags read_here_, comes_after_;  // of every value
    std::vector<value_index> wanted_;
};

/// What to hold at such a moment, and what to compute later instead.
struct checkpoint_choice {
    std::vector<std::uint8_t> held{};   ///< of every value: read later, and held
    std::vector<std::uint8_t> again{};  ///< of every operation: not after the moment, and runs later
    bytes size = 0;                     ///< of what is held, beside what `at` reads
    std::int64_t time = 0;              ///< of what must run again

    friend auto operator==(checkpoint_choice const&, checkpoint_choice const&) -> bool = default;
};

/// The choice in which what `may_again(operation)` says runs later, as far as it is wanted, and what is read otherwise
/// is held.  O(n + m).
template <class MayAgain>
[[nodiscard]] auto choice_of(first_run_cut const& cut, MayAgain&& may_again) -> checkpoint_choice {
    auto const& m = cut.model();
    checkpoint_choice c{std::vector<std::uint8_t>(m.value_count(), 0),
                        std::vector<std::uint8_t>(m.operation_count(), 0)};
    std::vector<std::uint8_t> needed(m.value_count(), 0);
    std::vector<operation_index> running;
    auto const need = [&](value_index x) {
        if (needed[x] != 0 || cut.comes_after(x)) return;
        needed[x] = 1;
        auto const p = m.producers[x].front();
        bool const held = cut.is_read_here(x) || !may_again(p);
        c.held[x] = held ? 1 : 0;
        if (held) {
            if (!cut.is_read_here(x)) c.size += m.sizes[x];
            return;
        }
        if (c.again[p] != 0) return;
        c.again[p] = 1;
        if (cut.is_before(p)) c.time += m.operations[p].again;
        running.push_back(p);
    };
    for (auto const x : cut.wanted()) need(x);
    while (!running.empty()) {
        auto const w = running.back();
        running.pop_back();
        for (auto const x : m.reads[w]) need(x);
    }
    return c;
}

}  // namespace repebble::inline v0::detail

#endif
