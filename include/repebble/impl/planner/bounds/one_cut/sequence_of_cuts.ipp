#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_SEQUENCE_OF_CUTS_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_SEQUENCE_OF_CUTS_IPP

#include <repebble/planner/detail/bounds/one_cut/sequence_of_cuts.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/sequences/demand_driven.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto runs_early(first_run_cut const& cut, checkpoint_choice const& choice) -> std::vector<bool> {
    auto const& m = cut.model();
    std::vector<bool> early(m.operation_count(), false);
    bool passed = false;  // the cut, in the model's order
    for (auto const v : m.order) {
        passed = passed || v == cut.at();
        if (cut.is_after(v)) continue;
        bool kept = false;
        for (auto const x : m.writes[v]) kept = kept || choice.kept[x] != 0;
        early[v] = cut.is_before(v) || kept || (!passed && choice.recomputed[v] == 0);
    }
    for (auto v = m.order.rbegin(); v != m.order.rend(); ++v)
        if (early[*v])
            for (auto const x : m.reads[*v]) early[m.producers[x].front()] = true;
    return early;
}

REPEBBLE_INLINE auto sequence_of_cuts(std::span<first_run_cut const> cuts,
                                           std::span<checkpoint_choice const> choices,
                                           recomputed_until until,
                                           std::size_t limit)
    -> std::optional<std::vector<operation_index>> {
    auto const& m = cuts.front().model();
    demand_driven made(m);
    std::vector<operation_index> repeated;    // recomputed for the current operation
    checkpoint_choice const* last = nullptr;  // of the last cut passed
    auto const is_permanent = [&](value_index x) { return !m.operations[m.producers[x].front()].recomputable; };
    auto const run = [&](operation_index v) {
        auto const note = [&](operation_index w) {
            if (last != nullptr && last->recomputed[w] != 0) repeated.push_back(w);
        };
        if (!made.run_with_inputs(v, limit, note)) return false;
        if (until == recomputed_until::next_use)
            for (auto const w : repeated)
                for (auto const x : m.writes[w]) made.set_resident(x, is_permanent(x));
        repeated.clear();
        return true;
    };
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        auto const early = runs_early(cuts[i], choices[i]);
        for (auto const v : m.order)
            if (early[v] && !made.ran()[v] && !run(v)) return std::nullopt;
        for (value_index x = 0; x < m.value_count(); ++x)
            if (choices[i].kept[x] != 0 && !made.is_resident(x) && !run(m.producers[x].front())) return std::nullopt;
        for (value_index x = 0; x < m.value_count(); ++x)
            if (made.is_resident(x)) made.set_resident(x, choices[i].kept[x] != 0 || is_permanent(x));
        last = &choices[i];
        // It may have run already, for an input that several operations can compute.
        if (!made.ran()[cuts[i].at()] && !run(cuts[i].at())) return std::nullopt;
    }
    for (auto const v : m.order)
        if (!made.ran()[v] && !run(v)) return std::nullopt;
    return made.operations();
}

}  // namespace repebble::inline v0::detail

#endif
