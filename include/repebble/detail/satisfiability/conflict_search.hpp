#ifndef REPEBBLE_DETAIL_SATISFIABILITY_CONFLICT_SEARCH_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_CONFLICT_SEARCH_HPP

// Conflict-driven clause learning over clauses and knapsack rows, under assumptions (Marques-Silva, Sakallah 1999; Eén,
// Sörensson 2003): restarts after a fixed number of conflicts, phase saving, deletion of learned clauses. Knows nothing
// of schedules; deterministic. The core-guided search is built on it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/assignment.hpp>
#include <repebble/detail/satisfiability/branching_heap.hpp>
#include <repebble/detail/satisfiability/clause_store.hpp>
#include <repebble/detail/satisfiability/conflict_analysis.hpp>
#include <repebble/detail/satisfiability/knapsack_rows.hpp>
#include <repebble/detail/satisfiability/literal.hpp>

namespace repebble::inline v0::detail {

/// The answer of a search; `limit`: the limit on conflicts was reached first.
enum class satisfaction : std::uint8_t { satisfiable, unsatisfiable, limit };

/// Decides whether all clauses and knapsack rows can be satisfied together, and learns a clause from every conflict.
class conflict_search {
  public:
    /// Adds a variable and returns its positive literal.
    auto add_variable() -> literal {
        order_.add_variable();
        clauses_.add_variable();
        rows_.add_variable();
        analysis_.add_variable();
        was_true_.push_back(false);
        return literal(now_.add_variable());
    }
    /// Adds a clause: at least one of the literals is true.
    void add_clause(std::span<literal const> literals) {
        given_.clear();
        for (auto const l : literals) {
            bool const is_satisfied = now_.is_true(l) || std::ranges::find(given_, !l) != given_.end();
            if (is_satisfied) return;
            if (now_.is_open(l) && std::ranges::find(given_, l) == given_.end()) given_.push_back(l);
        }
        if (given_.size() > 1) {
            static_cast<void>(clauses_.add(given_, 0));
        } else if (given_.empty()) {
            is_contradictory_ = true;
        } else {
            assign_permanently(given_.front());
        }
    }
    /// Adds a knapsack row: the true literals weigh at most `capacity`.  Requires: weights ≥ 0, whose sum fits in 64
    /// bits; no literal twice.
    void add_row(std::vector<weighted_literal> items, std::int64_t capacity) {
        std::erase_if(items, [&](weighted_literal const& i) {
            if (now_.is_true(i.lit)) capacity -= i.weight;
            return !now_.is_open(i.lit);
        });
        auto const row = rows_.add(std::move(items), capacity);
        if (rows_.is_exceeded(row)) {
            is_contradictory_ = true;
        } else {
            drop_too_heavy(row);
            if (!propagate()) is_contradictory_ = true;
        }
    }

    /// Whether all constraints can be satisfied together with the assumptions; `limit` after that number of conflicts.
    auto solve(std::span<literal const> assumptions, std::size_t conflicts) -> satisfaction {
        core_.clear();
        auto end = is_contradictory_ ? satisfaction::unsatisfiable : search(assumptions, conflicts);
        return_to(0);
        return end;
    }
    /// After the answer `unsatisfiable`: assumptions that cannot be true together; empty where the constraints alone
    /// are contradictory.
    [[nodiscard]] auto core() const noexcept -> std::vector<literal> const& { return core_; }
    /// Whether the constraints alone are contradictory.
    [[nodiscard]] auto is_contradictory() const noexcept -> bool { return is_contradictory_; }
    /// After the answer `satisfiable`: the literal's value in the solution.
    [[nodiscard]] auto is_true(literal l) const -> bool { return was_true_[l.variable()] == l.is_positive(); }
    /// Number of literals propagated so far: the measure of work.
    [[nodiscard]] auto work() const noexcept -> std::size_t { return work_; }

  private:
    static constexpr std::size_t between_restarts = 250;  // conflicts

    [[nodiscard]] auto because_list(literal l) -> std::span<literal const> {
        auto const [type, index] = now_.reason_of(l);
        if (type == literal_reason::kind::clause) return clauses_.literals_of(index).subspan(1);
        why_.clear();
        if (type == literal_reason::kind::knapsack) rows_.explain(index, !l, now_, why_);
        return why_;
    }
    [[nodiscard]] auto because() {
        return [this](literal l) { return because_list(l); };
    }

    auto search(std::span<literal const> assumptions, std::size_t conflicts) -> satisfaction {
        if (clauses_.learned_count() > most_learned_) forget();
        bool assumed = false;
        for (std::size_t met = 0;;) {
            if (!assumed) {
                if (!assume(assumptions)) return satisfaction::unsatisfiable;
                assumed = true;
            }
            if (!propagate()) {
                if (now_.level() <= 1) return refuted();
                if (met++ >= conflicts) return satisfaction::limit;
                assumed = learn() > 0;
                if (is_contradictory_) return satisfaction::unsatisfiable;
                if (met % between_restarts == 0 && assumed) {
                    bool const full = clauses_.learned_count() > most_learned_;
                    return_to(full ? 0 : 1);
                    if (full) forget();
                    assumed = !full;
                }
            } else if (!decide()) {
                for (auto const l : now_.trail()) was_true_[l.variable()] = l.is_positive();
                return satisfaction::satisfiable;
            }
        }
    }
    /// Assigns all assumptions at level 1. Returns false, with the core, where they contradict each other.
    auto assume(std::span<literal const> assumptions) -> bool {
        now_.open_level();
        for (auto const l : assumptions) {
            if (now_.is_true(l)) continue;
            if (now_.is_false(l)) {
                core_.assign(1, l);
                analysis_.trace(std::span(&l, 1), now_, because(), core_);
                return false;
            }
            now_.make_true(l, {});
            if (!propagate()) {
                refuted();
                return false;
            }
        }
        return true;
    }
    /// Derives the core from a conflict at level 1 or 0.
    auto refuted() -> satisfaction {
        if (now_.level() == 0) is_contradictory_ = true;
        analysis_.trace(conflict_, now_, because(), core_);
        return satisfaction::unsatisfiable;
    }
    /// Learns a clause from the conflict, and returns the level to which the search has backtracked.
    auto learn() -> std::size_t {
        auto const& learned =
            analysis_.learn(conflict_, now_, because(), [&](std::uint32_t variable) { order_.bump(variable); });
        order_.decay();
        if (learned.size() == 1) {
            auto const l = learned.front();
            return_to(0);
            assign_permanently(l);
            return 0;
        }
        auto const spread = analysis_.spread_of(learned, now_);
        return_to(now_.level_of(learned[1]));
        auto const clause = clauses_.add(learned, spread);
        now_.make_true(learned.front(), {literal_reason::kind::clause, clause});
        return now_.level();
    }
    /// Decides the next unassigned variable. Returns false where there is none.
    auto decide() -> bool {
        while (!order_.is_empty()) {
            auto const v = order_.pop();
            literal const l(v, was_true_[v]);
            if (!now_.is_open(l)) continue;
            now_.open_level();
            now_.make_true(l, {});
            return true;
        }
        return false;
    }
    /// Assigns a literal at level 0.
    void assign_permanently(literal l) {
        if (now_.is_open(l)) now_.make_true(l, {});
        if (now_.is_false(l) || !propagate()) is_contradictory_ = true;
    }
    void forget() {
        clauses_.forget(now_);
        most_learned_ = std::max(clauses_.learned_count() + 2000, most_learned_ + 300);
    }
    void drop_too_heavy(std::uint32_t row) {
        rows_.for_each_too_heavy(row, [&](literal l) {
            if (now_.is_open(l)) now_.make_true(!l, {literal_reason::kind::knapsack, row});
        });
    }
    /// Propagates all pending literals. Returns false where there is a conflict, which `conflict_` keeps.
    auto propagate() -> bool {
        while (head_ < now_.trail().size()) {
            auto const l = now_.trail()[head_++];
            ++work_;
            rows_.count(l);
            bool const fit = rows_.every_row_of(l, [&](std::uint32_t row) {
                if (rows_.is_exceeded(row)) {
                    conflict_.clear();
                    rows_.explain(row, now_, conflict_);
                    return false;
                }
                drop_too_heavy(row);
                return true;
            });
            if (!fit) return false;
            auto const clause = clauses_.propagate(l, now_);
            if (clause == clause_store::none) continue;
            auto const all = clauses_.literals_of(clause);
            conflict_.assign(all.begin(), all.end());
            return false;
        }
        return true;
    }
    void return_to(std::size_t level) {
        now_.return_to(level, [&](literal l, std::size_t place) {
            if (place < head_) rows_.discount(l);
            was_true_[l.variable()] = l.is_positive();
            order_.insert(l.variable());
        });
        head_ = std::min(head_, now_.trail().size());
    }

    assignment now_;
    clause_store clauses_;
    knapsack_rows rows_;
    conflict_analysis analysis_;
    branching_heap order_;
    std::vector<bool> was_true_;  // of every variable: its last value (phase saving)
    std::vector<literal> given_, conflict_, why_, core_;
    std::size_t head_ = 0, work_ = 0, most_learned_ = 4000;
    bool is_contradictory_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
