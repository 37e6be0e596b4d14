#ifndef REPEBBLE_IMPL_PLANNER_STARTS_EVICTION_START_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_EVICTION_START_IPP

#include <repebble/planner/detail/starts/eviction_start.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/needed_until.hpp>
#include <repebble/detail/places_in.hpp>
#include <repebble/detail/run_with_inputs.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/planner/detail/model/tighten.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE eviction_start::eviction_start(planning_model const& m, bytes budget, std::size_t step_limit)
    : m_(m),
      budget_(budget),
      step_limit_(step_limit),
      position_(places_in(m.order, m.operation_count())),
      runs_until_(last_chances()),
      needed_until_(needed_until(
          m.value_count(), m.order, [&](auto v) { return m.reads[v]; }, [&](auto v) { return m.writes[v]; },
          [&](auto v, auto) { return m.operations[v].recomputable ? runs_until_[v] : 0; })),
      place_(m.value_count(), none),
      pins_(m.value_count(), 0),
      next_reader_(m.value_count(), 0),
      stamps_(m.operation_count(), 0),
      lent_until_(m.value_count(), 0) {
    std::vector<operation_index> row;
    for (value_index x = 0; x < m.value_count(); ++x) {
        row.assign(m.readers[x].begin(), m.readers[x].end());
        sort_numbers(row, [&](auto const a, auto const b) { return position_[a] < position_[b]; });
        readers_.append(row);
    }
}

REPEBBLE_INLINE auto eviction_start::last_chances() const -> std::vector<std::size_t> {
    std::vector<std::size_t> until(m_.operation_count(), m_.order.size());
    if (!overwrites_) return until;
    // In the order: the producers of what an operation reads come first.
    for (std::size_t k = 0; k < m_.order.size(); ++k) {
        auto const v = m_.order[k];
        for (auto const x : m_.ended[v]) {
            auto const p = m_.producers[x].front();
            if (m_.operations[p].recomputable && until[p] == m_.order.size()) continue;
            for (auto const r : m_.readers[x]) until[r] = std::min(until[r], k);
        }
    }
    return until;
}

REPEBBLE_INLINE auto eviction_start::play(stop_test stop) -> std::optional<std::vector<operation_index>> {
    for (now_ = 0; now_ < m_.order.size(); ++now_) {
        if (now_ % m_.effort.eviction_poll == 0 && stop()) return std::nullopt;
        for (auto const x : m_.reads[m_.order[now_]]) ++pins_[x];
        bool const ran = run_with_inputs(
            m_.order[now_], m_.operation_count(), pending_, [&](operation_index v) { return m_.reads[v]; },
            [&](value_index x) { return is_resident(x); }, [&](value_index x) { return recomputing(x); },
            [&](operation_index v) { return run(v); });
        if (!ran) return std::nullopt;
    }
    return std::move(operations_);
}

REPEBBLE_INLINE auto eviction_start::producer_of(value_index x) const -> operation_index {
    auto const all = m_.producers[x];
    auto best = all.front();
    auto const comes = [&](operation_index v) { return m_.operations[v].recomputable && position_[v] < now_; };
    for (auto const v : all.subspan(1))
        if (comes(v) && (!comes(best) || m_.operations[v].time < m_.operations[best].time)) best = v;
    return best;
}

REPEBBLE_INLINE auto eviction_start::recomputing(value_index x) -> std::optional<operation_index> {
    auto const p = producer_of(x);
    if (!m_.operations[p].recomputable && position_[p] < now_) return std::nullopt;
    if (operations_.size() + pending_.size() > step_limit_) return std::nullopt;
    for (auto const y : m_.reads[p]) ++pins_[y];
    return p;
}

REPEBBLE_INLINE auto eviction_start::run(operation_index v) -> bool {
    for (auto const x : m_.writes[v])
        if (is_resident(x)) discard(x);
    while (kept_ + m_.operations[v].own > budget_)
        if (!evict_one()) return false;
    if (operations_.size() >= step_limit_) return false;
    operations_.push_back(v);
    for (auto const x : m_.writes[v]) {
        place_[x] = static_cast<std::uint32_t>(resident_.size());
        resident_.push_back(x);
        kept_ += m_.sizes[x];
    }
    for (auto const x : m_.reads[v]) --pins_[x];
    if (overwrites_)
        for (auto const x : m_.ended[v]) {
            if (pins_[x] > 0) return false;
            discard(x);
        }
    for (auto const x : m_.reads[v])
        if (is_useless(x)) discard(x);
    return true;
}

REPEBBLE_INLINE void eviction_start::discard(value_index x) {
    kept_ -= m_.sizes[x];
    auto const moved = resident_.back();
    resident_[place_[x]] = moved;
    place_[moved] = place_[x];
    resident_.pop_back();
    place_[x] = none;
}

REPEBBLE_INLINE auto eviction_start::evict_one() -> bool {
    auto const sample = m_.effort.evicted_sample;
    auto const count = resident_.size();
    auto victim = none;
    double least = 0;
    auto const expand = [&](value_index x) {
        if (pins_[x] > 0 || m_.sizes[x] == 0) return;
        auto const h = eviction_cost(x);
        if (victim != none && h >= least) return;
        if (needed_until_[x] > now_ && !can_return(x)) return;
        least = h;
        victim = x;
    };
    if (count > 2 * sample)
        for (std::size_t k = 0; k < sample; ++k) expand(resident_[random_.below(count)]);
    if (victim == none)
        for (auto const x : resident_) expand(x);
    if (victim == none) return false;
    lend_for(victim);
    discard(victim);
    return true;
}

REPEBBLE_INLINE auto eviction_start::needed_at(value_index x) -> std::size_t {
    auto const next = next_read(x);
    return std::max({lent_until_[x], now_, next == none ? 0 : next});
}

REPEBBLE_INLINE void eviction_start::find_evicted_ancestors(value_index x, std::size_t most) {
    ancestors_.assign(1, producer_of(x));
    ++stamp_;
    stamps_[ancestors_.front()] = stamp_;
    for (std::size_t head = 0; head < ancestors_.size(); ++head)
        for (auto const y : m_.reads[ancestors_[head]]) {
            if (is_resident(y) || ancestors_.size() >= most) continue;
            if (auto const p = producer_of(y); std::exchange(stamps_[p], stamp_) != stamp_) ancestors_.push_back(p);
        }
}

REPEBBLE_INLINE auto eviction_start::can_return(value_index x) -> bool {
    if (!m_.operations[producer_of(x)].recomputable) return false;
    if (!overwrites_) return true;
    find_evicted_ancestors(x, m_.operation_count());
    auto const until = needed_at(x);
    return std::ranges::all_of(
        ancestors_, [&](operation_index p) { return m_.operations[p].recomputable && runs_until_[p] >= until; });
}

REPEBBLE_INLINE void eviction_start::lend_for(value_index x) {
    if (!overwrites_) return;
    find_evicted_ancestors(x, m_.operation_count());
    auto const until = needed_at(x);
    for (auto const p : ancestors_)
        for (auto const y : m_.reads[p]) lent_until_[y] = std::max(lent_until_[y], until);
}

REPEBBLE_INLINE auto eviction_start::next_read(value_index x) -> std::size_t {
    auto const readers = readers_[x];
    auto& k = next_reader_[x];
    while (k < readers.size() && position_[readers[k]] < now_) ++k;
    return k < readers.size() ? position_[readers[k]] : none;
}

REPEBBLE_INLINE auto eviction_start::recompute_time(value_index x) -> double {
    find_evicted_ancestors(x, m_.effort.most_ancestors);
    double all = 0;
    for (auto const p : ancestors_) all += static_cast<double>(m_.operations[p].time);
    return all;
}

REPEBBLE_INLINE auto best_eviction_start(planning_model const& m, bytes budget, std::size_t step_limit,
                                              function_ref<bool(bool)> stop)
    -> std::optional<std::vector<operation_index>> {
    std::optional<std::vector<operation_index>> best;
    std::int64_t best_time = 0;
    bool again = false;
    auto const play = [&](bytes within) -> std::optional<bytes> {
        auto found = eviction_start(m, within, step_limit).play([&] { return stop(again); });
        again = true;
        if (!found) return std::nullopt;
        bytes const peak = std::ranges::max(sequence_loads(m, *found));
        auto const time = sequence_time(m, *found);
        if (peak <= budget && (!best || time < best_time)) {
            best = std::move(found);
            best_time = time;
        }
        return peak;
    };
    tighten(budget, {.attempts = m.effort.eviction_rounds, .tolerance = budget / m.effort.eviction_slack_part}, play,
            [&] { return stop(true); });
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
