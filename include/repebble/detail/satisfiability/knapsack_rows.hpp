#ifndef REPEBBLE_DETAIL_SATISFIABILITY_KNAPSACK_ROWS_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_KNAPSACK_ROWS_HPP

// Knapsack constraints (pseudo-Boolean "at most" rows) for the conflict-driven search, propagated by counters; reasons
// are built only when conflict analysis asks for them.  Invariant: `left` of a row is its capacity less the weight of
// its literals that were counted.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/assignment.hpp>
#include <repebble/detail/satisfiability/literal.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

/// A literal and its weight where it is true.
struct weighted_literal {
    std::int64_t weight = 0;
    literal lit{};
};

/// Knapsack rows: the true literals of a row weigh no more than its capacity. A literal heavier than the remaining
/// capacity must be false.
class knapsack_rows {
  public:
    void add_variable() { entries_.resize(entries_.size() + 2); }
    /// Adds a row without counting any of its literals; returns its index.  Requires: weights ≥ 0, whose sum fits in 64
    /// bits; no literal twice.
    auto add(std::vector<weighted_literal> items, std::int64_t capacity) -> std::uint32_t {
        sort_by(items, [](auto const& a, auto const& b) { return a.weight > b.weight; });
        auto const index = static_cast<std::uint32_t>(rows_.size());
        for (auto const& i : items) entries_[i.lit.code()].push_back({index, i.weight});
        rows_.push_back({capacity, std::move(items)});
        return index;
    }

    /// Counts a literal that became true, and, below, takes it back.  O(rows with the literal).
    void count(literal l) {
        for (auto const& e : entries_[l.code()]) rows_[e.row].left -= e.weight;
    }
    void discount(literal l) {
        for (auto const& e : entries_[l.code()]) rows_[e.row].left += e.weight;
    }
    /// Calls f(row) for each row with the literal, until one returns false.  Returns whether all returned true.
    template <class Function>
    auto every_row_of(literal l, Function&& f) const -> bool {
        return std::ranges::all_of(entries_[l.code()], [&](entry const& e) { return f(e.row); });
    }
    [[nodiscard]] auto is_exceeded(std::uint32_t row) const -> bool { return rows_[row].left < 0; }
    /// Calls f(literal) for every literal heavier than the remaining capacity.  O(their number + 1).
    template <class Function>
    void for_each_too_heavy(std::uint32_t row, Function&& f) const {
        for (auto const& i : rows_[row].items) {
            if (i.weight <= rows_[row].left) break;
            f(i.lit);
        }
    }
    /// Appends a reason why the row makes `too_heavy` false: the negations of the heaviest literals that were true
    /// before it and leave too little capacity for it.  O(items).
    void explain(std::uint32_t row, literal too_heavy, assignment const& now, std::vector<literal>& why) const {
        auto const& entries = entries_[too_heavy.code()];
        auto const mine = std::ranges::find(entries, row, &entry::row);
        explain(row, mine->weight, now.position_of(too_heavy), now, why);
    }
    /// Appends a reason why the row's capacity is exceeded.
    void explain(std::uint32_t row, assignment const& now, std::vector<literal>& why) const {
        explain(row, 0, now.trail().size(), now, why);
    }

  private:
    struct knapsack {
        std::int64_t left;  // of its capacity
        std::vector<weighted_literal> items;
        std::int64_t capacity = left;
    };
    struct entry {
        std::uint32_t row;
        std::int64_t weight;
    };
    void explain(std::uint32_t row, std::int64_t weight, std::size_t before, assignment const& now,
                 std::vector<literal>& why) const {
        auto left = rows_[row].capacity - weight;
        for (auto const& i : rows_[row].items) {
            if (left < 0) return;
            if (!now.is_true(i.lit) || now.position_of(i.lit) >= before) continue;
            why.push_back(!i.lit);
            left -= i.weight;
        }
    }

    std::vector<knapsack> rows_;
    std::vector<std::vector<entry>> entries_;  // of every literal
};

}  // namespace repebble::inline v0::detail

#endif
