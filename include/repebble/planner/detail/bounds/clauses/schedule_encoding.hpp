#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_SCHEDULE_ENCODING_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_CLAUSES_SCHEDULE_ENCODING_HPP

// Every schedule within a budget as clauses and knapsack rows: which operations run between two neighbouring cuts, and
// which values are kept at each cut. These are the stages of Checkmate (Jain et al. 2020, section 4), but between cuts
// that exist in every schedule, and without an order within a stage. `max_sat_bound` solves it.

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

/// The encoding. An operation that runs in an interval, and a value kept at its end, need each input kept at its
/// beginning or computed in it; the values kept at a cut fit beside its operation. Values that several operations may
/// compute are free.
class schedule_encoding {
  public:
    /// A soft clause: an operation runs between two cuts once more, which takes at least this time.
    struct recomputation {
        literal runs{};
        std::int64_t time = 0;
    };
    /// Adds the encoding to the solver.  O(cuts · (n + m)).  Requires: each cut comes after the one before in every
    /// schedule; the sizes of all values add up.
    schedule_encoding(planning_model const& m, std::vector<first_run_cut> const& chain, bytes budget,
                      conflict_search& search)
        : m_(m), chain_(chain), true_(search.add_variable()) {
        search.add_clause(std::vector{true_});
        compute_windows();
        add_run_variables(search);
        add_kept_variables(search);
        for (std::size_t i = 0; i <= chain.size(); ++i) {
            for (operation_index v = 0; v < m.operation_count(); ++v)
                if (!is_at(i, v))
                    for (auto const x : m.reads[v]) add_support(i, runs_[i][v], x, search);
            if (i == chain.size()) break;
            std::vector<weighted_literal> kept;
            for (value_index x = 0; x < m.value_count(); ++x) {
                add_support(i, kept_[i][x], x, search);
                if (!is_constant(kept_[i][x])) kept.push_back({m.sizes[x], kept_[i][x]});
            }
            search.add_row(std::move(kept), chain[i].capacity(budget));
        }
    }

    /// The costs: their sum, less `objective_offset()`, is the overhead.
    [[nodiscard]] auto recomputations() const noexcept -> std::vector<recomputation> const& { return recomputations_; }
    /// Time of the first runs of operations whose interval is not fixed.
    [[nodiscard]] auto objective_offset() const noexcept -> std::int64_t { return objective_offset_; }

  private:
    [[nodiscard]] auto is_at(std::size_t i, operation_index v) const -> bool {
        return i < chain_.size() && chain_[i].at() == v;
    }
    [[nodiscard]] auto is_constant(literal l) const -> bool { return l.variable() == true_.variable(); }

    /// Computes, by operation, the first and last interval in which its first run may be, and the number of intervals,
    /// from the first, in which a run may be of use.
    void compute_windows() {
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
            for (auto const x : m_.writes[*at]) useful_[*at] = std::max(useful_[*at], useful_until(x));
        }
    }
    [[nodiscard]] auto useful_until(value_index x) const -> std::size_t {
        std::size_t most = 0;
        for (auto const r : m_.readers[x]) most = std::max(most, useful_[r]);
        return most;
    }
    void add_run_variables(conflict_search& search) {
        runs_.assign(chain_.size() + 1, std::vector<literal>(m_.operation_count(), !true_));
        for (operation_index v = 0; v < m_.operation_count(); ++v) {
            auto const& o = m_.operations[v];
            bool const varies = m_.required[v] && first_[v] < last_[v];
            auto const end = m_.required[v] && !o.recomputable ? last_[v] + 1 : useful_[v];
            std::vector<literal> once;
            for (auto i = first_[v]; i < end; ++i) {
                if (m_.required[v] && !varies && i == first_[v]) {
                    runs_[i][v] = true_;
                    continue;
                }
                runs_[i][v] = search.add_variable();
                recomputations_.push_back({runs_[i][v], o.again});
                if (varies && i <= last_[v]) once.push_back(runs_[i][v]);
            }
            if (!varies) continue;
            search.add_clause(once);
            objective_offset_ += o.again;
        }
    }
    void add_kept_variables(conflict_search& search) {
        kept_.assign(chain_.size(), std::vector<literal>(m_.value_count(), !true_));
        for (value_index x = 0; x < m_.value_count(); ++x) {
            if (m_.producers[x].size() != 1) continue;
            auto const p = m_.producers[x].front();
            auto const until = useful_until(x);
            for (auto i = first_[p]; i < chain_.size(); ++i) {
                if (chain_[i].at() == p) continue;
                if (chain_[i].is_input(x)) {
                    kept_[i][x] = true_;
                } else if (i + 1 < until) {
                    kept_[i][x] = search.add_variable();
                }
            }
        }
    }
    /// Adds the clause: the reader implies that the value is kept at the cut before or computed in interval i.
    void add_support(std::size_t i, literal reader, value_index x, conflict_search& search) {
        if (reader == !true_ || m_.producers[x].size() != 1) return;
        auto const p = m_.producers[x].front();
        auto const computed = is_at(i, p) ? !true_ : runs_[i][p];
        auto const kept = i == 0 ? !true_ : is_at(i - 1, p) ? true_ : kept_[i - 1][x];
        search.add_clause(std::vector{!reader, computed, kept});
    }

    planning_model const& m_;
    std::vector<first_run_cut> const& chain_;
    literal true_;
    std::vector<std::size_t> first_, last_, useful_;
    std::vector<std::vector<literal>> runs_, kept_;
    std::vector<recomputation> recomputations_;
    std::int64_t objective_offset_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
