#ifndef REPEBBLE_IMPL_PLANNER_STARTS_FORWARD_REPAIR_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_FORWARD_REPAIR_IPP

#include <repebble/planner/detail/starts/forward_repair.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/sequences/demand_driven.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto resident_before(planning_model const& m, std::span<operation_index const> computations,
                                          std::size_t step) -> std::vector<bool> {
    std::vector<bool> resident(m.value_count(), false), noted(m.value_count(), false);
    auto const from = step > 0 ? step - 1 : 0;
    for (auto const v : computations.subspan(from)) {
        for (auto const x : m.reads[v]) {
            resident[x] = resident[x] || !noted[x];
            noted[x] = true;
        }
        for (auto const x : m.writes[v]) noted[x] = true;
    }
    if (step > 0)
        for (auto const x : m.writes[computations[from]]) resident[x] = true;
    for (auto const x : m.reads[computations[step]]) resident[x] = true;
    return resident;
}

REPEBBLE_INLINE auto forward_repair(planning_model const& m, std::vector<operation_index> computations,
                                         bytes budget, std::size_t limit, std::size_t& rounds, stop_test stop)
    -> std::optional<std::vector<operation_index>> {
    auto const& e = m.effort;
    std::size_t done = 0;
    for (std::size_t round = 0; round < e.most_forward_rounds && !stop(); ++round) {
        auto const loads = sequence_loads(m, computations);
        auto const over = std::ranges::find_if(loads, [&](bytes load) { return load > budget; });
        if (over == loads.end()) return computations;
        auto const step = static_cast<std::size_t>(over - loads.begin());
        if (step < done || rounds == 0)
            return std::nullopt;  // a value kept for it exceeds the budget at a step that fitted
        done = step + 1;
        --rounds;

        auto const at = computations[step];
        demand_driven made(m);
        for (std::size_t k = 0; k < step; ++k) made.run(computations[k]);
        first_run_cut const cut(m, at, made.ran());
        auto const resident = resident_before(m, computations, step);
        std::vector<cut_decision> given;
        std::vector<bool> is_given(m.value_count(), false);
        auto const decide = [&](value_index x, bool kept) {
            if (is_given[x] || cut.is_input(x) || cut.is_produced_after(x)) return;
            is_given[x] = true;
            given.push_back({x, kept});
        };
        for (value_index x = 0; x < m.value_count(); ++x)
            if (!resident[x]) decide(x, false);
        // Recomputations for the next operation of the order are not discarded before it.
        for (auto k = step; k + 1 < computations.size() && made.ran()[computations[k]]; ++k)
            for (auto const x : m.reads[computations[k + 1]]) decide(x, true);
        cut_search search(cut, budget, stop, std::move(given));
        search.branch(e.repair_subproblems, stop);
        if (!search.feasible() || !search.best()) return std::nullopt;

        made.run(at);
        for (value_index x = 0; x < m.value_count(); ++x) {
            auto const p = m.producers[x].front();
            made.set_resident(x,
                              p == at || (made.ran()[p] && (search.best()->kept[x] || !m.operations[p].recomputable)));
        }
        for (auto const v : m.order)
            if (!made.ran()[v] && !made.run_with_inputs(v, limit, [](operation_index) {})) return std::nullopt;
        computations = made.operations();
    }
    return std::nullopt;
}

}  // namespace repebble::inline v0::detail

#endif
