#ifndef REPEBBLE_IMPL_PLANNER_STARTS_FORWARD_REPAIR_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_FORWARD_REPAIR_IPP

#include <repebble/planner/detail/starts/forward_repair.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/sequences/demand_driven.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto violated_recomputation(planning_model const& m, std::span<operation_index const> computations,
                                            bytes budget) -> std::optional<operation_index> {
    auto const loads = sequence_loads(m, computations);
    auto const most = std::ranges::max_element(loads);
    if (most == loads.end() || *most <= budget) return std::nullopt;
    auto const step = computations.begin() + (most - loads.begin());
    if (std::find(computations.begin(), step, *step) == step) return std::nullopt;
    return *step;
}

REPEBBLE_INLINE auto repair_by_forcing(first_run_cut const& cut, bytes budget, bytes share, std::size_t limit,
                                       std::size_t& rounds,
                                       function_ref<void(std::vector<operation_index> const&)> first, stop_test stop)
    -> std::optional<std::vector<operation_index>> {
    auto const& m = cut.model();
    auto const& e = m.effort;
    std::optional<std::vector<operation_index>> made;
    std::vector<cut_decision> decisions;
    for (std::size_t round = 0; round < e.most_forcing_rounds && rounds > 0 && !stop(); ++round) {
        cut_search search(cut, share, stop, decisions);
        search.branch(e.repair_subproblems, stop);
        if (!search.feasible() || !search.best()) break;
        auto next = sequence_of_cuts(cut, *search.best(), recomputed_until::last_use, limit);
        if (!next) break;
        --rounds;
        if (round == 0) first(*next);
        made = std::move(next);
        auto const again = violated_recomputation(m, *made, budget);
        if (!again) break;
        auto const before = decisions.size();
        for (auto const x : m.writes[*again]) {
            bool const known = std::ranges::any_of(decisions, [&](auto const& d) { return d.value == x; });
            if (!known && !m.readers[x].empty() && m.sizes[x] > 0 && !cut.is_input(x) && !cut.is_produced_after(x))
                decisions.push_back({x, true});
        }
        if (decisions.size() == before) break;
    }
    return made;
}

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

REPEBBLE_INLINE void forward_repair_starts(planning_model const& m, bytes budget, std::span<operation_index const> cuts,
                                           std::size_t rounds,
                                           function_ref<void(std::vector<operation_index> const&)> visit,
                                           function_ref<void(std::vector<operation_index>)> offer, stop_test stop) {
    auto const& e = m.effort;
    constexpr bytes all = 100;  // %
    std::array const shares{all,
                            e.repair_percent_1,
                            e.repair_percent_2,
                            e.repair_percent_3,
                            e.repair_percent_4,
                            e.repair_percent_5,
                            e.repair_percent_6,
                            e.repair_percent_7,
                            e.repair_percent_8,
                            e.repair_percent_9};
    auto const most_steps = step_limit(m);
    for (auto const at : cuts) {
        first_run_cut const cut(m, at);
        for (auto const share : shares) {
            if (rounds == 0 || stop()) return;
            std::optional<std::vector<operation_index>> plain;
            auto made = repair_by_forcing(
                cut, budget, budget / all * share + budget % all * share / all, most_steps, rounds,
                [&](std::vector<operation_index> const& computations) { plain = computations; }, stop);
            if (!made) break;
            visit(*plain);
            if (*made == *plain) plain.reset();
            for (auto* start : {&made, &plain})
                if (*start)
                    if (auto repaired = forward_repair(m, std::move(**start), budget, most_steps, rounds, stop))
                        offer(std::move(*repaired));
        }
    }
}

}  // namespace repebble::inline v0::detail

#endif
