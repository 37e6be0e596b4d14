#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_SCHEDULE_ENCODING_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_SCHEDULE_ENCODING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/knapsack_rows.hpp>
#include <repebble/detail/satisfiability/literal.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// What every schedule within a budget obeys, in clauses and knapsacks: which operations run between two moments of a
/// chain, and which values are held at each. Who runs, reads what was held at the moment before or is computed between
/// the two, and so does what is held; what is held at a moment fits beside its operation. The stages of Checkmate (Jain
/// et al. 2020, section 4), but between moments that are sure, and without any order within a stage. A value that
/// several operations may compute is there for nothing.
class schedule_encoding {
  public:
    /// An operation that runs between two moments again, and the least time that this takes.
    struct run_again {
        literal runs{};
        std::int64_t time = 0;
    };
    /// Adds them to the search.  O(moments · (n + m)).  Requires: each moment comes after the one before in every
    /// schedule; the sizes of all values add up.
    schedule_encoding(planning_model const& m, std::vector<first_run_cut> const& chain, bytes budget,
                      conflict_search& search)
        : m_(m), chain_(chain), yes_(search.add_variable()) {
        search.add_clause(std::vector{yes_});
        note_windows();
        decide_what_runs(search);
        decide_what_is_held(search);
        for (std::size_t i = 0; i <= chain.size(); ++i) {
            for (operation_index v = 0; v < m.operation_count(); ++v)
                if (!is_at(i, v))
                    for (auto const x : m.reads[v]) want(i, runs_[i][v], x, search);
            if (i == chain.size()) break;
            std::vector<weighted_literal> held;
            for (value_index x = 0; x < m.value_count(); ++x) {
                want(i, held_[i][x], x, search);
                if (!is_sure(held_[i][x])) held.push_back({m.sizes[x], held_[i][x]});
            }
            search.add_row(std::move(held), chain[i].room(budget));
        }
    }

    /// What takes time above everything once: the sum, less `counted_once()`.
    [[nodiscard]] auto again() const noexcept -> std::vector<run_again> const& { return again_; }
    /// Of operations that run once between two of several moments.
    [[nodiscard]] auto counted_once() const noexcept -> std::int64_t { return counted_once_; }

  private:
    [[nodiscard]] auto is_at(std::size_t i, operation_index v) const -> bool {
        return i < chain_.size() && chain_[i].at() == v;
    }
    [[nodiscard]] auto is_sure(literal l) const -> bool { return l.variable() == yes_.variable(); }

    /// Of every operation: the interval before which moment it runs first, at the earliest and at the latest, and in
    /// how many of the first ones it can be of use.
    void note_windows() {
        auto const n = m_.operation_count();
        first_.assign(n, 0);
        last_.assign(n, chain_.size());
        useful_.assign(n, 0);
        for (operation_index v = 0; v < n; ++v) {
            if (!m_.required[v]) continue;
            auto const is_later = [&](first_run_cut const& cut) { return cut.at() != v && cut.is_after(v); };
            first_[v] = static_cast<std::size_t>(std::ranges::count_if(chain_, is_later));
            auto const ran = std::ranges::find_if(
                chain_, [&](first_run_cut const& cut) { return cut.at() == v || cut.is_before(v); });
            last_[v] = static_cast<std::size_t>(ran - chain_.begin());
        }
        for (auto at = m_.order.rbegin(); at != m_.order.rend(); ++at) {
            useful_[*at] = m_.required[*at] ? last_[*at] + 1 : 0;
            for (auto const x : m_.writes[*at]) useful_[*at] = std::max(useful_[*at], wanted_until(x));
        }
    }
    [[nodiscard]] auto wanted_until(value_index x) const -> std::size_t {
        std::size_t most = 0;
        for (auto const r : m_.readers[x]) most = std::max(most, useful_[r]);
        return most;
    }
    void decide_what_runs(conflict_search& search) {
        runs_.assign(chain_.size() + 1, std::vector<literal>(m_.operation_count(), !yes_));
        for (operation_index v = 0; v < m_.operation_count(); ++v) {
            auto const& o = m_.operations[v];
            bool const varies = m_.required[v] && first_[v] < last_[v];
            auto const end = m_.required[v] && !o.recomputable ? last_[v] + 1 : useful_[v];
            std::vector<literal> once;
            for (auto i = first_[v]; i < end; ++i) {
                if (m_.required[v] && !varies && i == first_[v]) {
                    runs_[i][v] = yes_;
                    continue;
                }
                runs_[i][v] = search.add_variable();
                again_.push_back({runs_[i][v], o.again});
                if (varies && i <= last_[v]) once.push_back(runs_[i][v]);
            }
            if (!varies) continue;
            search.add_clause(once);
            counted_once_ += o.again;
        }
    }
    void decide_what_is_held(conflict_search& search) {
        held_.assign(chain_.size(), std::vector<literal>(m_.value_count(), !yes_));
        for (value_index x = 0; x < m_.value_count(); ++x) {
            if (m_.producers[x].size() != 1) continue;
            auto const p = m_.producers[x].front();
            auto const until = wanted_until(x);
            for (auto i = first_[p]; i < chain_.size(); ++i) {
                if (chain_[i].at() == p) continue;
                if (chain_[i].is_read_here(x)) {
                    held_[i][x] = yes_;
                } else if (i + 1 < until) {
                    held_[i][x] = search.add_variable();
                }
            }
        }
    }
    /// Where that is true, the value was held at the moment before, or is computed since.
    void want(std::size_t i, literal reader, value_index x, conflict_search& search) {
        if (reader == !yes_ || m_.producers[x].size() != 1) return;
        auto const p = m_.producers[x].front();
        auto const computed = is_at(i, p) ? !yes_ : runs_[i][p];
        auto const held = i == 0 ? !yes_ : is_at(i - 1, p) ? yes_ : held_[i - 1][x];
        search.add_clause(std::vector{!reader, computed, held});
    }

    planning_model const& m_;
    std::vector<first_run_cut> const& chain_;
    literal yes_;
    std::vector<std::size_t> first_, last_, useful_;
    std::vector<std::vector<literal>> runs_, held_;
    std::vector<run_again> again_;
    std::int64_t counted_once_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
