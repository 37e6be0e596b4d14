#ifndef REPEBBLE_IMPL_PLANNER_SWAPPING_SWAP_GAPS_IPP
#define REPEBBLE_IMPL_PLANNER_SWAPPING_SWAP_GAPS_IPP

#include <repebble/planner/detail/swapping/swap_gaps.hpp>

#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE swap_gaps::swap_gaps(planning_model const& m, host_link const& via, bytes budget, std::optional<bytes> host_budget,
          std::vector<bool> movable, std::size_t inputs) : m_(m), via_(via), budget_(budget), host_budget_(host_budget), movable_(std::move(movable)), inputs_(inputs) {
    std::vector<std::vector<std::uint32_t>> uses(m.value_count());
    for (auto const v : m.order) {
        if (!m.required[v]) continue;
        auto const at = static_cast<std::uint32_t>(order_.size());
        for (auto const x : m.reads[v]) uses[x].push_back(at);
        for (auto const x : m.writes[v]) uses[x].push_back(at);
        order_.push_back(v);
    }
    for (value_index x = 0; x < m.value_count(); ++x) {
        first_gap_.push_back(static_cast<std::uint32_t>(begin_.size()));
        begin_.insert(begin_.end(), uses[x].begin(), uses[x].end());
        value_of_.resize(begin_.size(), x);
        copy_time_.push_back(movable_[x] ? via.copy_time(m.sizes[x]) : 0);
    }
    for (operation_index v = 0; v < m.operation_count(); ++v) {
        std::vector<value_index> over(m.overwritable[v].begin(), m.overwritable[v].end());
        std::erase_if(over, [&](value_index x) { return !movable_[x]; });
        overwritable_.append(over);
        bytes beside = m.operations[v].own;
        for (auto const x : m.reads[v]) beside += m.sizes[x];
        need_.push_back(beside);
    }
}

REPEBBLE_INLINE auto swap_gaps::allows(std::size_t gap, gap_choice c) const -> bool {
    auto const x = value_of_[gap];
    if (c == gap_choice::hold) return true;
    if (!is_last(gap) && (!movable_[x] || end_of(gap) < inputs_)) return false;
    if (c == gap_choice::host) return m_.sizes[x] > 0 && movable_[x];
    return m_.operations[m_.producers[x].front()].recomputable;
}

REPEBBLE_INLINE auto swap_gaps::keep_all() const -> swap_decisions {
    swap_decisions d{std::vector(gap_count(), gap_choice::hold), std::vector<std::uint8_t>(gap_count(), 1)};
    for (std::size_t gap = 0; gap < gap_count(); ++gap)
        if (is_last(gap) && allows(gap, gap_choice::remake)) d.choice[gap] = gap_choice::remake;
    return d;
}

REPEBBLE_INLINE auto swap_gaps::decisions_of(std::vector<operation_index> const& sequence) const -> swap_decisions {
    auto d = keep_all();
    auto next = first_gap_;  // by value: the gap that begins with its next use
    std::vector<bool> ran(m_.operation_count(), false), remade(m_.value_count(), false);
    for (auto const v : sequence) {
        if (!m_.required[v]) continue;
        bool const first = !ran[v];
        ran[v] = true;
        for (auto const x : m_.reads[v]) {
            if (next[x] == first_gap_[x]) {  // another producer of it ran, which the model has not
                next[x] += first ? 1 : 0;
                continue;
            }
            auto const now = next[x] - 1;  // it ends here, or a recomputation reads in it
            if (allows(now, gap_choice::remake)) d.choice[now] = remade[x] ? gap_choice::remake : gap_choice::hold;
            if (!first) continue;
            ++next[x];
            remade[x] = false;
        }
        for (auto const x : m_.writes[v]) {
            if (first)
                ++next[x];
            else
                remade[x] = true;
        }
    }
    return d;
}

}  // namespace repebble::inline v0::detail

#endif
