#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_CLAUSES_SCHEDULE_ENCODING_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_CLAUSES_SCHEDULE_ENCODING_IPP

#include <repebble/planner/detail/bounds/clauses/schedule_encoding.hpp>

#include <utility>

#include <repebble/detail/satisfiability/knapsack_rows.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE schedule_encoding::schedule_encoding(planning_model const& m, std::vector<first_run_cut> const& chain, bytes budget,
                  conflict_search& search) : m_(m), chain_(chain), true_(search.add_variable()) {
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

REPEBBLE_INLINE void schedule_encoding::compute_windows() {
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

REPEBBLE_INLINE void schedule_encoding::add_run_variables(conflict_search& search) {
    runs_.assign(chain_.size() + 1, std::vector<literal>(m_.operation_count(), !true_));
    for (operation_index v = 0; v < m_.operation_count(); ++v) {
        auto const& o = m_.operations[v];
        bool const varies = m_.required[v] && first_[v] < last_[v];
        auto const end = m_.required[v] && !o.recomputable ? last_[v] + 1 : useful_[v];
        std::vector<literal> first_runs;
        for (auto i = first_[v]; i < end; ++i) {
            if (m_.required[v] && !varies && i == first_[v]) {
                runs_[i][v] = true_;
                continue;
            }
            runs_[i][v] = search.add_variable();
            recomputations_.push_back({runs_[i][v], o.again});
            if (varies && i <= last_[v]) first_runs.push_back(runs_[i][v]);
        }
        if (!varies) continue;
        search.add_clause(first_runs);
        if (!o.recomputable) {
            std::vector<weighted_literal> once;
            for (auto const l : first_runs) once.push_back({1, l});
            search.add_row(std::move(once), 1);
        }
        objective_offset_ += o.again;
    }
}

REPEBBLE_INLINE void schedule_encoding::add_kept_variables(conflict_search& search) {
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

REPEBBLE_INLINE void schedule_encoding::add_support(std::size_t i, literal reader, value_index x, conflict_search& search) {
    if (reader == !true_ || m_.producers[x].size() != 1) return;
    auto const p = m_.producers[x].front();
    auto const computed = is_at(i, p) ? !true_ : runs_[i][p];
    auto const kept = i == 0 ? !true_ : is_at(i - 1, p) ? true_ : kept_[i - 1][x];
    search.add_clause(std::vector{!reader, computed, kept});
}

}  // namespace repebble::inline v0::detail

#endif
