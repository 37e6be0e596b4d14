#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_FIRST_RUN_CUT_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_FIRST_RUN_CUT_IPP

#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE first_run_cut::first_run_cut(planning_model const& m, operation_index at) : model_(&m), at_(at), before_(m.operation_count(), 0), after_(m.operation_count(), 0) {
    std::vector<operation_index> stack{at};
    auto const visit = [&](flags& side, operation_index v) {
        if (v == at || side[v] != 0 || !m.required[v]) return;
        side[v] = 1;
        stack.push_back(v);
    };
    while (!stack.empty()) {
        auto const v = stack.back();
        stack.pop_back();
        for (auto const x : m.reads[v])
            if (m.producers[x].size() == 1) visit(before_, m.producers[x].front());
    }
    stack.push_back(at);
    while (!stack.empty()) {
        auto const v = stack.back();
        stack.pop_back();
        for (auto const x : m.writes[v])
            if (m.producers[x].size() == 1)
                for (auto const w : m.readers[x]) visit(after_, w);
    }
    classify_values();
}

REPEBBLE_INLINE void first_run_cut::classify_values() {
    auto const& m = *model_;
    after_[at_] = 1;
    is_input_.assign(m.value_count(), 0);
    for (auto const x : m.reads[at_]) is_input_[x] = 1;
    produced_after_.assign(m.value_count(), 0);
    flags noted(m.value_count(), 0);
    for (operation_index w = 0; w < m.operation_count(); ++w)
        if (is_after(w))
            for (auto const x : m.writes[w]) produced_after_[x] = 1;
    for (operation_index w = 0; w < m.operation_count(); ++w)
        if (is_after(w))
            for (auto const x : m.reads[w]) {
                if (noted[x] != 0 || is_produced_after(x)) continue;
                noted[x] = 1;
                live_values_.push_back(x);
            }
}

}  // namespace repebble::inline v0::detail

#endif
