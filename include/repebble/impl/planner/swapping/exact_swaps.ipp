#ifndef REPEBBLE_IMPL_PLANNER_SWAPPING_EXACT_SWAPS_IPP
#define REPEBBLE_IMPL_PLANNER_SWAPPING_EXACT_SWAPS_IPP

#include <repebble/planner/detail/swapping/exact_swaps.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto exact_swaps::is_small(swap_gaps const& p) -> bool {
    constexpr std::size_t most_values = 64;
    auto const& m = p.model();
    auto const& e = m.effort;
    for (value_index x = 0; x < m.value_count(); ++x)
        if (!p.is_movable(x)) return false;
    return m.operation_count() <= e.exact_swap_operations && m.value_count() <= most_values &&
           copied_values(m).size() <= e.exact_swap_values;
}

REPEBBLE_INLINE auto exact_swaps::copied_values(planning_model const& m) -> std::vector<value_index> {
    std::vector<bool> copied(m.value_count(), false);
    for (value_index x = 0; x < m.value_count(); ++x) copied[x] = m.sizes[x] > 0;
    for (operation_index v = 0; v < m.operation_count(); ++v)
        for (auto const x : m.ended[v]) copied[x] = true;
    std::vector<value_index> all;
    for (value_index x = 0; x < m.value_count(); ++x)
        if (copied[x]) all.push_back(x);
    return all;
}

REPEBBLE_INLINE exact_swaps::exact_swaps(swap_gaps const& p)
    : p_(p), m_(p.model()), slot_(m_.value_count(), 0), by_size_(copied_values(m_)), copied_(set_of(by_size_)) {
    for (std::size_t k = 0; k < by_size_.size(); ++k) slot_[by_size_[k]] = k;
    std::ranges::stable_sort(by_size_, std::greater<>{}, [&](auto const x) { return m_.sizes[x]; });
    for (operation_index v = 0; v < m_.operation_count(); ++v) {
        reads_.push_back(set_of(m_.reads[v]));
        writes_.push_back(set_of(m_.writes[v]));
        ended_.push_back(set_of(m_.ended[v]));
    }
}

REPEBBLE_INLINE auto exact_swaps::search(std::optional<std::int64_t> below, std::size_t most_work, function_ref<bool()> stop)
    -> answer {
    below_ = below;
    most_work_ = most_work;
    label first;
    first.times.resize(by_size_.size());
    enter(std::move(first));
    while (!open_.empty()) {
        auto const [negated, computed, at] = open_.top();
        open_.pop();
        if (labels_[at].is_dominated) continue;
        if (labels_[at].runs == p_.order().size()) return {.list = list_of(at), .bound = -negated};
        expand(at);
        if (work_ > most_work || stop()) return {.list = {}, .bound = -negated};
    }
    return {.list = {}, .bound = below};
}

REPEBBLE_INLINE auto exact_swaps::bytes_of(set s) const -> bytes {
    bytes sum = 0;
    for (auto const x : by_size_)
        if (has(s, x)) sum += m_.sizes[x];
    return sum;
}

REPEBBLE_INLINE void exact_swaps::expand(std::size_t at) {
    for (std::size_t k = 0; k < p_.order().size(); ++k) {
        if (k >= p_.inputs() && labels_[at].runs < p_.inputs()) return;
        compute_next(at, p_.order()[k]);
        for (auto const over : p_.overwritable(p_.order()[k])) compute_next(at, p_.order()[k], over);
    }
    for (auto const x : by_size_) {
        if (!has(labels_[at].useful, x)) continue;
        bool const on_device = has(labels_[at].device, x), on_host = has(labels_[at].host, x);
        if (on_device && !on_host) copy_out_next(at, x);
        if (on_host && !on_device) copy_in_next(at, x);
    }
}

REPEBBLE_INLINE void exact_swaps::compute_next(std::size_t at, operation_index v, value_index over) {
    auto const from = labels_[at];  // a copy: labels move
    if ((reads_[v] & ~from.device) != 0) return;
    if (has(from.ran, v) && (!m_.operations[v].recomputable || (writes_[v] & from.useful) == 0)) return;
    auto const ended = ended_by(v, over);
    auto const own = m_.operations[v].own - (over == no_value ? 0 : m_.sizes[over]);
    // An older output that is still there may be discarded before.
    auto const old = from.device & writes_[v] & ~reads_[v] & copied_;
    for (set gone = old;; gone = (gone - 1) & old) {
        auto const stays = from.device & ~gone;
        for_each_least(stays & ~reads_[v] & ~old & ~from.unused,
                       bytes_of(stays) + own - p_.budget(), [&](set more) {
                           if ((from.leaving & ~(gone | more | ended)) != 0) return;
                           auto next = after(at);
                           discard(next, pool::device, gone | more);
                           discard(next, pool::host, next.host & writes_[v]);
                           for (auto const x : m_.writes[v])  // older ones that are never copied would be waited for
                               if (has(from.device & ~reads_[v] & ~copied_, x))
                                   next.steps.push_back({action::discard, pool::device, x});
                           compute(next, v, over);
                           enter(std::move(next));
                       });
        if (gone == 0) break;
    }
}

REPEBBLE_INLINE void exact_swaps::copy_out_next(std::size_t at, value_index x) {
    auto const host = labels_[at].host;
    bytes const above = p_.host_budget() ? bytes_of(host) + m_.sizes[x] - *p_.host_budget() : 0;
    for_each_least(host, above, [&](set gone) {
        auto next = after(at);
        discard(next, pool::host, gone);
        auto& t = next.times[slot_[x]];
        next.out = std::max({next.out, t.ready, m_.sizes[x] > 0 ? next.host_free : 0}) + p_.copy_time(x);
        t.used = std::max(t.used, next.out);
        t.host_ready = t.host_used = next.out;
        next.host |= bit(x);
        next.leaving = bit(x);
        next.steps.push_back({action::offload, pool::device, x});
        enter(std::move(next));
    });
}

REPEBBLE_INLINE void exact_swaps::copy_in_next(std::size_t at, value_index x) {
    auto const from = labels_[at];  // a copy: labels move
    for_each_least(from.device & ~from.unused, bytes_of(from.device) + m_.sizes[x] - p_.budget(), [&](set gone) {
        // On one lane, copies out and in have an order.
        if ((from.leaving & ~gone) != 0 && !p_.via().half_duplex) return;
        auto next = after(at);
        discard(next, pool::device, gone);
        auto& t = next.times[slot_[x]];
        auto& lane = p_.via().half_duplex ? next.out : next.in;
        lane = std::max({lane, t.host_ready, m_.sizes[x] > 0 ? next.free : 0}) + p_.copy_time(x);
        t.host_used = std::max(t.host_used, lane);
        t.ready = t.used = lane;
        next.device |= bit(x);
        next.unused |= bit(x);
        next.steps.push_back({action::prefetch, pool::host, x});
        enter(std::move(next));
    });
}

REPEBBLE_INLINE auto exact_swaps::after(std::size_t at) const -> label {
    auto next = labels_[at];
    next.before = at;
    next.leaving = 0;
    next.is_dominated = false;  // a step from the same label may have dominated that one by now
    next.steps.clear();
    return next;
}

REPEBBLE_INLINE void exact_swaps::discard(label& l, pool from, set gone) const {
    bool const on_device = from == pool::device;
    auto& free = on_device ? l.free : l.host_free;
    for (auto const x : by_size_) {
        if (!has(gone, x)) continue;
        auto const& t = l.times[slot_[x]];
        free = std::max(free, on_device ? t.used : t.host_used);
        l.steps.push_back({action::discard, from, x});
    }
    (on_device ? l.device : l.host) &= ~gone;
}

REPEBBLE_INLINE void exact_swaps::compute(label& l, operation_index v, value_index over) const {
    auto const& o = m_.operations[v];
    time start = l.computed;
    for (auto const x : m_.reads[v])
        if (has(copied_, x)) start = std::max(start, l.times[slot_[x]].ready);
    auto const has_bytes = [&](value_index x) { return m_.sizes[x] > 0; };
    if (o.own > 0 || std::ranges::any_of(m_.writes[v], has_bytes)) start = std::max(start, l.free);
    bytes outputs = 0;  // in storages of their own
    for (auto const x : m_.ended[v]) {
        if (has(copied_, x)) start = std::max(start, l.times[slot_[x]].used);
        outputs -= m_.sizes[x];
    }
    if (over != no_value) start = std::max(start, l.times[slot_[over]].used);
    l.computed = start + o.time;
    for (auto const x : m_.reads[v])
        if (has(copied_, x)) l.times[slot_[x]].used = std::max(l.times[slot_[x]].used, l.computed);
    for (auto const x : m_.writes[v]) {
        outputs += m_.sizes[x];
        if (!has(copied_, x)) continue;
        auto& t = l.times[slot_[x]];
        if (has(l.device, x)) l.free = std::max({l.free, t.used, l.computed});
        t = {.ready = l.computed, .used = l.computed};
    }
    if (o.own > outputs) l.free = std::max(l.free, l.computed);  // its workspace
    l.device = (l.device & ~ended_by(v, over)) | writes_[v];
    l.unused &= ~(reads_[v] | writes_[v]);
    l.runs += has(l.ran, v) ? 0 : 1;
    l.ran |= bit(v);
    l.steps.push_back({action::compute, pool::device, v, over});
}

REPEBBLE_INLINE auto exact_swaps::least_end(label const& l) const -> time {
    auto end = l.computed;
    for (auto const v : p_.order())
        if (!has(l.ran, v)) end += m_.operations[v].time;
    return std::max({end, l.out, l.in});
}

REPEBBLE_INLINE void exact_swaps::drop_useless(label& l) const {
    l.useful = 0;
    for (auto v = p_.order().rbegin(); v != p_.order().rend(); ++v)
        if (!has(l.ran, *v) || (m_.operations[*v].recomputable && (writes_[*v] & l.useful) != 0))
            l.useful |= reads_[*v];
    auto const in = earliest_in(l);
    for (auto const x : by_size_) {
        if (has(l.useful, x)) continue;
        auto const t = l.times[slot_[x]];
        if (has(l.device, x) && t.used <= std::max(l.free, std::min(l.computed, in)))
            discard(l, pool::device, bit(x));
        if (has(l.host, x) && t.host_used <= std::max(l.host_free, l.out)) discard(l, pool::host, bit(x));
    }
}

REPEBBLE_INLINE auto exact_swaps::earliest_in(label const& l) const -> time {
    auto earliest = std::numeric_limits<time>::max();
    for (auto const x : by_size_) {
        auto const& t = l.times[slot_[x]];
        auto const written = has(l.device, x) ? t.ready : l.computed;
        earliest = std::min(earliest, has(l.host, x) ? t.host_ready : std::max(l.out, written) + p_.copy_time(x));
    }
    return std::max(earliest, p_.via().half_duplex ? l.out : l.in);
}

REPEBBLE_INLINE void exact_swaps::normalise(label& l) const {
    auto const in = earliest_in(l);
    l.free = std::max(l.free, std::min(l.computed, in));
    l.host_free = std::max(l.host_free, l.out);
    for (auto const x : by_size_) {
        auto& t = l.times[slot_[x]];
        bool const on_device = has(l.device, x), on_host = has(l.host, x);
        t.ready = on_device ? std::max(t.ready, on_host ? l.computed : std::min(l.computed, l.out)) : 0;
        t.used = on_device ? std::max(t.used, std::min(l.computed, in)) : 0;
        t.host_ready = on_host ? std::max(t.host_ready, in) : 0;
        t.host_used = on_host ? std::max(t.host_used, l.out) : 0;
    }
}

REPEBBLE_INLINE auto exact_swaps::dominates(label const& a, label const& b) -> bool {
    if ((a.unused & ~b.unused) != 0 || (a.leaving & ~b.leaving) != 0) return false;
    if (a.computed > b.computed || a.out > b.out || a.in > b.in || a.free > b.free || a.host_free > b.host_free)
        return false;
    return std::ranges::equal(a.times, b.times, [](value_times const& s, value_times const& t) {
        return s.ready <= t.ready && s.used <= t.used && s.host_ready <= t.host_ready && s.host_used <= t.host_used;
    });
}

REPEBBLE_INLINE void exact_swaps::enter(label l) {
    auto const end = least_end(l);
    if (below_ && end >= *below_) return;
    drop_useless(l);
    normalise(l);
    auto& same = with_sets_[{l.device, l.host, l.ran}];
    for (auto const k : same)
        if (dominates(labels_[k], l)) return;
    std::erase_if(same, [&](std::size_t k) { return labels_[k].is_dominated = dominates(l, labels_[k]); });
    same.push_back(labels_.size());
    open_.emplace(-end, l.computed, labels_.size());
    labels_.push_back(std::move(l));
}

REPEBBLE_INLINE auto exact_swaps::list_of(std::size_t at) const -> std::vector<list_step> {
    std::vector<list_step> list;
    for (; at != 0; at = labels_[at].before)
        list.insert(list.end(), labels_[at].steps.rbegin(), labels_[at].steps.rend());
    std::ranges::reverse(list);
    return list;
}

}  // namespace repebble::inline v0::detail

#endif
