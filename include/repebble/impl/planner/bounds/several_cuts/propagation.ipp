#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_PROPAGATION_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_PROPAGATION_IPP

#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE propagation::propagation(std::span<first_run_cut const> cuts, bytes budget, bytes unit, branching_decisions const& decisions) : cuts_(cuts),
      unit_(unit),
      layers_(cuts.size()),
      certain_(cuts.size() + 1),
      never_(cuts.size() + 1),
      forced_(cuts.size() + 1) {
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        auto& l = layers_[i];
        l.left = cuts[i].capacity(budget);
        l.capacity = l.left < 0 ? -1 : l.left / unit;
        l.decided.assign(model().value_count(), decision::none);
    }
    for (auto const& d : decisions.checkpoints) {
        if (d.kept) {
            keep(d.cut, d.value);
        } else {
            layers_[d.cut].decided[d.value] = decision::excluded;
        }
    }
    for (auto const& d : decisions.runs) {
        if (d.runs) {
            forced_[d.interval].push_back(d.operation);
        } else {
            never(d.interval, d.operation);
        }
    }
    for (bool changed_any = true; changed_any;) {
        for (std::size_t i = 0; i < cuts.size(); ++i) note_too_large(i);
        for (std::size_t i = 1; i <= cuts.size(); ++i) note_certain(i);
        changed_any = false;
        if (!decisions.runs.empty())
            for (std::size_t i = 1; i <= cuts.size(); ++i) changed_any = note_never(i) || changed_any;
    }
}

REPEBBLE_INLINE auto propagation::is_charged(std::size_t cut, operation_index p) const -> bool {
    if (is_certain(cut, p)) return true;
    if (!cuts_[cut].is_before(p)) return false;
    for (std::size_t i = 0; i < cut; ++i)
        if (cuts_[i].is_before(p) || is_certain(i, p)) return false;
    return true;
}

REPEBBLE_INLINE void propagation::keep(std::size_t i, value_index x) {
    auto& l = layers_[i];
    l.decided[x] = decision::kept;
    l.left -= model().sizes[x];
    l.capacity -= size(x);
}

REPEBBLE_INLINE void propagation::note_too_large(std::size_t i) {
    auto& l = layers_[i];
    if (l.left < 0) l.capacity = -1;
    if (l.capacity < 0) return;
    for (value_index x = 0; x < model().value_count(); ++x)
        if (l.decided[x] == decision::none && !cuts_[i].is_input(x) &&
            (model().sizes[x] > l.left || size(x) > l.capacity))
            l.decided[x] = decision::excluded;
}

REPEBBLE_INLINE void propagation::note_certain(std::size_t interval) {
    std::vector<bool> ran(model().operation_count(), false);
    auto const is_missing = [&](value_index y) { return is_excluded(interval - 1, y); };
    auto const make = [&](value_index x) { run_for(interval, x, ran, is_missing, [](operation_index) {}); };
    for_each_required(interval, make);
    for (auto const p : forced_[interval]) {
        if (ran[p]) continue;
        ran[p] = true;
        std::ranges::for_each(model().reads[p], make);
    }
    certain_[interval] = std::move(ran);
}

REPEBBLE_INLINE auto propagation::note_never(std::size_t interval) -> bool {
    if (never_[interval].empty()) return false;
    auto const i = interval - 1;
    bool changed = false;
    auto const contradict = [&] { layers_[i].capacity = layers_[i].left = -1; };
    for (operation_index p = 0; p < model().operation_count(); ++p)
        if (is_never(interval, p) && is_certain(interval, p)) contradict();
    for_each_required(interval, [&](value_index x) {
        if (layers_[i].capacity < 0 || !may_be_held(i, x) || is_kept(i, x)) return;
        if (!is_never(interval, model().producers[x].front())) return;
        if (is_excluded(i, x)) return contradict();
        keep(i, x);
        changed = true;
    });
    if (layers_[i].capacity < 0) return false;
    std::vector<operation_index> open;
    for (operation_index p = 0; p < model().operation_count(); ++p)
        if (is_never(interval, p)) open.push_back(p);
    while (!open.empty()) {
        auto const p = open.back();
        open.pop_back();
        for (auto const x : model().writes[p]) {
            if (!is_excluded(i, x) || !may_be_held(i, x)) continue;
            if (interval < cuts_.size() && is_open(interval, x)) {
                layers_[interval].decided[x] = decision::excluded;
                changed = true;
            }
            for (auto const q : model().readers[x]) {
                if (is_never(interval, q)) continue;
                never(interval, q);
                open.push_back(q);
                changed = true;
            }
        }
    }
    return changed;
}

}  // namespace repebble::inline v0::detail

#endif
