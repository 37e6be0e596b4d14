#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_IPP

#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE multi_cut_relaxation::multi_cut_relaxation(capacity_rows const& capacities, std::int64_t scale) : capacities_(capacities),
      decided_(capacities.decided()),
      m_(decided_.model()),
      scale_(scale),
      layers_(capacities.count()) {
    auto const& decided = decided_;
    auto const cuts = decided.cuts();
    for (auto& l : layers_) {
        l.operations.assign(m_.operation_count(), none);
        l.values.assign(m_.value_count(), none);
    }
    for (std::size_t i = cuts.size(); i-- > 0;)
        for (auto const x : cuts[i].live_values()) require(source, i, x);
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        if (i > 0)
            for (value_index x = 0; x < m_.value_count(); ++x)
                if (decided.is_kept(i, x)) require(source, i - 1, x);
        for (operation_index p = 0; p < m_.operation_count(); ++p)
            if (decided.certain_runs(i + 1)[p] && !cuts[i].is_after(p))
                arcs_.push_back({source, run(i, p), maximum_flow::unlimited});
    }
    while (!open_.empty()) {
        auto const [i, p] = open_.back();
        open_.pop_back();
        expand(i, p);
    }
}

REPEBBLE_INLINE auto multi_cut_relaxation::solve(std::span<std::int64_t const> multipliers) const -> answer {
    maximum_flow flow(nodes_, source, sink);
    for (auto const& a : arcs_) {
        auto capacity = a.capacity;
        if (a.checkpoint != none) capacity = multipliers[a.cut] * decided_.size(checkpoints_[a.checkpoint].value);
        flow.add_arc(a.from, a.to, capacity);
    }
    flow.build();
    answer out{.value = flow.maximise(), .used = std::vector<bytes>(capacities_.count(), 0)};
    out.feasible = out.value < maximum_flow::unlimited;
    if (!out.feasible) return out;
    out.side = flow.source_side();
    out.is_kept.assign(checkpoints_.size(), false);
    for (auto const& a : arcs_)
        if (a.checkpoint != none && out.side[a.from] && !out.side[a.to]) {
            out.used[a.cut] += decided_.size(checkpoints_[a.checkpoint].value);
            out.is_kept[a.checkpoint] = true;
        }
    return out;
}

REPEBBLE_INLINE auto multi_cut_relaxation::choices(answer const& chosen) const -> std::vector<checkpoint_choice> {
    std::vector<checkpoint_choice> all;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        auto const& cut = decided_.cuts()[i];
        all.push_back(choice_of(cut, [&](operation_index p) {
            return runs_after(chosen, i, p) && (m_.operations[p].recomputable || !cut.is_before(p));
        }));
    }
    return all;
}

REPEBBLE_INLINE void multi_cut_relaxation::require(node reader, std::size_t i, value_index x) {
    for (auto at = i + 1; at-- > 0;) {
        auto const& cut = decided_.cuts()[at];
        auto& l = layers_[at];
        if (cut.is_produced_after(x) || m_.producers[x].size() != 1) return;
        if (!decided_.has_node(at, x)) continue;
        bool const first = l.values[x] == none;
        if (first) l.values[x] = nodes_++;
        arcs_.push_back({reader, l.values[x], maximum_flow::unlimited});
        if (!first) return;
        auto const p = m_.producers[x].front();
        auto const producer = run(at, p);
        if (decided_.is_excluded(at, x)) {
            arcs_.push_back({l.values[x], producer, maximum_flow::unlimited});
        } else {
            arcs_.push_back({l.values[x], producer, 0, static_cast<std::uint32_t>(checkpoints_.size()),
                             static_cast<std::uint32_t>(at)});
            checkpoints_.push_back({at, x});
        }
        reader = l.values[x];
    }
}

REPEBBLE_INLINE auto multi_cut_relaxation::run(std::size_t i, operation_index p) -> node {
    auto& mine = layers_[i].operations[p];
    if (mine == none) {
        mine = nodes_++;
        open_.push_back({i, p});
    }
    return mine;
}

REPEBBLE_INLINE void multi_cut_relaxation::expand(std::size_t i, operation_index p) {
    auto const mine = layers_[i].operations[p];
    auto const& o = m_.operations[p];
    auto const cuts = decided_.cuts();
    if (!decided_.may_run_after(i, p) && cuts[i].is_before(p)) {
        arcs_.push_back({mine, sink, maximum_flow::unlimited});
        return;
    }
    bool const charged = decided_.is_charged(i, p);
    if (charged || (cuts[i].is_before(p) && !o.recomputable)) {
        arcs_.push_back({mine, sink, o.recomputable ? scale_ * o.again : maximum_flow::unlimited});
    }
    if (i > 0 && !cuts[i - 1].is_after(p)) arcs_.push_back({mine, run(i - 1, p), maximum_flow::unlimited});
    for (auto const x : m_.reads[p]) require(mine, i, x);
}

}  // namespace repebble::inline v0::detail

#endif
