#ifndef REPEBBLE_DETAIL_SATISFIABILITY_CONFLICT_SEARCH_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_CONFLICT_SEARCH_HPP

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

/// What a search answers.
enum class satisfaction : std::uint8_t { satisfiable, unsatisfiable, limit };

/// Whether clauses and knapsacks can hold together: conflict-driven search (Marques-Silva, Sakallah 1999; Eén,
/// Sörensson 2003), which learns a clause from every conflict, and does the same every time.
class conflict_search {
  public:
    /// Returns it, positive.
    auto add_variable() -> literal {
        order_.add_variable();
        clauses_.add_variable();
        rows_.add_variable();
        analysis_.add_variable();
        was_true_.push_back(false);
        return literal(now_.add_variable());
    }
    /// One of them is true at least.
    void add_clause(std::span<literal const> literals) {
        given_.clear();
        for (auto const l : literals) {
            bool const holds = now_.is_true(l) || std::ranges::find(given_, !l) != given_.end();
            if (holds) return;
            if (now_.is_open(l) && std::ranges::find(given_, l) == given_.end()) given_.push_back(l);
        }
        if (given_.size() > 1) {
            static_cast<void>(clauses_.add(given_, 0));
        } else if (given_.empty()) {
            is_contradictory_ = true;
        } else {
            hold_for_good(given_.front());
        }
    }
    /// Those that are true weigh no more than that.  Requires: weights ≥ 0, whose sum fits in 64 bits; no literal
    /// twice.
    void add_row(std::vector<weighted_literal> items, std::int64_t capacity) {
        std::erase_if(items, [&](weighted_literal const& i) {
            if (now_.is_true(i.what)) capacity -= i.weight;
            return !now_.is_open(i.what);
        });
        auto const row = rows_.add(std::move(items), capacity);
        if (rows_.is_exceeded(row)) {
            is_contradictory_ = true;
        } else {
            drop_too_heavy(row);
            if (!propagate()) is_contradictory_ = true;
        }
    }

    /// Whether all can hold while these are true, too; gives up after so many conflicts.
    auto solve(std::span<literal const> assumptions, std::size_t conflicts) -> satisfaction {
        core_.clear();
        auto end = is_contradictory_ ? satisfaction::unsatisfiable : search(assumptions, conflicts);
        return_to(0);
        return end;
    }
    /// After an answer `unsatisfiable`: assumptions that cannot be true together; none where nothing holds at all.
    [[nodiscard]] auto core() const noexcept -> std::vector<literal> const& { return core_; }
    /// Whether nothing holds, whatever is assumed.
    [[nodiscard]] auto is_contradictory() const noexcept -> bool { return is_contradictory_; }
    /// After an answer `satisfiable`: whether it is true then.
    [[nodiscard]] auto is_true(literal l) const -> bool { return was_true_[l.variable()] == l.is_positive(); }
    /// Literals that became true so far.
    [[nodiscard]] auto work() const noexcept -> std::size_t { return work_; }

  private:
    static constexpr std::size_t between_restarts = 250;  // conflicts

    [[nodiscard]] auto because_list(literal l) -> std::span<literal const> {
        auto const [what, index] = now_.reason_of(l);
        if (what == literal_reason::kind::clause) return clauses_.literals_of(index).subspan(1);
        why_.clear();
        if (what == literal_reason::kind::knapsack) rows_.explain(index, !l, now_, why_);
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
    /// All at level 1; false where they cannot hold together.
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
    /// At level 1 or below.
    auto refuted() -> satisfaction {
        if (now_.level() == 0) is_contradictory_ = true;
        analysis_.trace(conflict_, now_, because(), core_);
        return satisfaction::unsatisfiable;
    }
    /// From the conflict; returns the level to which it went back.
    auto learn() -> std::size_t {
        auto const& learned =
            analysis_.learn(conflict_, now_, because(), [&](std::uint32_t variable) { order_.bump(variable); });
        order_.decay();
        if (learned.size() == 1) {
            auto const l = learned.front();
            return_to(0);
            hold_for_good(l);
            return 0;
        }
        auto const spread = analysis_.spread_of(learned, now_);
        return_to(now_.level_of(learned[1]));
        auto const clause = clauses_.add(learned, spread);
        now_.make_true(learned.front(), {literal_reason::kind::clause, clause});
        return now_.level();
    }
    /// False where nothing is open.
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
    /// At level 0.
    void hold_for_good(literal l) {
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
    /// False where there is a conflict, which is noted.
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
    std::vector<bool> was_true_;  // of every variable: when it was assigned last
    std::vector<literal> given_, conflict_, why_, core_;
    std::size_t head_ = 0, work_ = 0, most_learned_ = 4000;
    bool is_contradictory_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
