#ifndef REPEBBLE_DETAIL_SATISFIABILITY_KNAPSACK_ROWS_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_KNAPSACK_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/assignment.hpp>
#include <repebble/detail/satisfiability/literal.hpp>

namespace repebble::inline v0::detail {

/// A literal and what it weighs where it is true.
struct weighted_literal {
    std::int64_t weight = 0;
    literal what{};
};

/// Knapsacks: of the literals of a row, those that are true weigh no more than its capacity. Rows keep count of what is
/// true; what does not fit beside it has to be false, for reasons that are found when they are asked for.
class knapsack_rows {
  public:
    void add_variable() { entries_.resize(entries_.size() + 2); }
    /// Returns its index; nothing of it is counted yet.  Requires: weights ≥ 0, whose sum fits in 64 bits, and no
    /// literal twice.
    auto add(std::vector<weighted_literal> items, std::int64_t capacity) -> std::uint32_t {
        std::ranges::stable_sort(items, std::greater<>{}, &weighted_literal::weight);
        auto const index = static_cast<std::uint32_t>(rows_.size());
        for (auto const& i : items) entries_[i.what.code()].push_back({index, i.weight});
        rows_.push_back({capacity, std::move(items)});
        return index;
    }

    /// The literal is true now; again, it is not.  O(rows that have it).
    void count(literal l) {
        for (auto const& e : entries_[l.code()]) rows_[e.row].left -= e.weight;
    }
    void discount(literal l) {
        for (auto const& e : entries_[l.code()]) rows_[e.row].left += e.weight;
    }
    /// f(row) of each that has the literal, until one returns false.
    template <class Function>
    auto every_row_of(literal l, Function&& f) const -> bool {
        return std::ranges::all_of(entries_[l.code()], [&](entry const& e) { return f(e.row); });
    }
    [[nodiscard]] auto is_exceeded(std::uint32_t row) const -> bool { return rows_[row].left < 0; }
    /// f(literal) of all that are too heavy for what is left.  O(those + 1).
    template <class Function>
    void for_each_too_heavy(std::uint32_t row, Function&& f) const {
        for (auto const& i : rows_[row].items) {
            if (i.weight <= rows_[row].left) break;
            f(i.what);
        }
    }
    /// Of what was true in the row before that place, the heaviest, negated, which leave too little for the literal of
    /// the row: why it is false.  O(items).
    void explain(std::uint32_t row, literal too_heavy, assignment const& now, std::vector<literal>& why) const {
        auto const& entries = entries_[too_heavy.code()];
        auto const mine = std::ranges::find(entries, row, &entry::row);
        explain(row, mine->weight, now.place_of(too_heavy), now, why);
    }
    /// Why the row is exceeded.
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
            if (!now.is_true(i.what) || now.place_of(i.what) >= before) continue;
            why.push_back(!i.what);
            left -= i.weight;
        }
    }

    std::vector<knapsack> rows_;
    std::vector<std::vector<entry>> entries_;  // of every literal
};

}  // namespace repebble::inline v0::detail

#endif
