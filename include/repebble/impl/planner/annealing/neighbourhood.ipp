#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_NEIGHBOURHOOD_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_NEIGHBOURHOOD_IPP

#include <repebble/planner/detail/annealing/neighbourhood.hpp>

#include <algorithm>
#include <cstddef>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto may_shift(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i,
                               mutable_sequence::step_id to) -> bool {
    if (to == i || s.next(i) == to) return false;
    auto const v = s.operation(i);
    bool const later = to == s.none || s.before(i, to);
    auto const is_passed = [&](auto k) { return to == s.none || s.before(k, to); };
    if (!later)
        for (auto const x : m.reads[v])
            if (!s.before(s.producers(x).front(), to)) return false;
    for (std::size_t j = 0; j < m.writes[v].size(); ++j) {
        auto const producers = s.producers(m.writes[v][j]);
        auto const own = std::ranges::find(producers, i);
        if (later) {
            if (std::ranges::any_of(s.readers(i, j), is_passed)) return false;
            if (own + 1 != producers.end() && is_passed(own[1])) return false;
        } else if (own != producers.begin()) {
            auto const p = own[-1];
            auto const last = s.last_use(p, s.output_number(s.operation(p), m.writes[v][j]));
            if (!is_passed(p) || !is_passed(last)) return false;
        }
    }
    return true;
}

REPEBBLE_INLINE auto first_reader(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id {
    auto first = s.none;
    for (std::size_t j = 0; j < m.writes[s.operation(i)].size(); ++j)
        for (auto const r : s.readers(i, j))
            if (first == s.none || s.before(r, first)) first = r;
    return first;
}

REPEBBLE_INLINE auto last_source(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id {
    auto last = s.none;
    for (std::size_t k = 0; k < m.reads[s.operation(i)].size(); ++k)
        if (auto const from = s.source(i, k); last == s.none || s.before(last, from)) last = from;
    return last;
}

REPEBBLE_INLINE neighbourhood::neighbourhood(planning_model const& m, std::span<operation_index const> start,
                                             bytes budget, std::uint64_t seed, move_rules const& rules)
    : model_(m), effort_(m.effort), rules_(rules), now_(m, start, budget), random_(seed) {
    rules_.brings_forward = rules_.brings_forward && !m.without.contains(technique::bring_forward);
    std::vector<std::uint8_t> seen(m.operation_count(), 0);
    for (auto i = now_.first(); i != none; i = now_.next(i)) {
        auto const v = now_.operation(i);
        if (seen[v] || has_alternative(v)) repeats_.put(i);
        seen[v] = 1;
    }
}

REPEBBLE_INLINE auto neighbourhood::make(bool at_peak, double most) -> bool {
    journal_.clear();
    waiting_.clear();
    most_time_ = most;
    too_slow_ = false;
    constexpr std::size_t sixteenths = 16;
    auto const dice = random_.below(sixteenths);
    auto const inserting = at_peak ? effort_.insert_sixteenths_beyond : effort_.insert_sixteenths;
    auto const removing = at_peak ? effort_.remove_sixteenths_beyond : effort_.remove_sixteenths;
    if (dice < inserting) {
        insert_recomputation(at_peak);
    } else if (dice < inserting + removing) {
        remove_recomputation();
    } else if (dice < sixteenths - effort_.shift_sixteenths) {
        remove_recomputation();
        insert_recomputation(now_.excess() > 0);
    } else {
        shift_step();
    }
    if (too_slow_) {
        undo();
        journal_.clear();
    }
    return !journal_.empty();
}

REPEBBLE_INLINE void neighbourhood::undo() {
    for (auto e = journal_.rbegin(); e != journal_.rend(); ++e) {
        switch (e->what) {
            case edit::kind::inserted:
                now_.remove(e->step);
                break;
            case edit::kind::removed:
                now_.insert(e->v, e->before);
                break;
            case edit::kind::shifted:
                now_.shift(e->step, e->before);
                break;
        }
    }
}

REPEBBLE_INLINE auto neighbourhood::random_step() -> step_id {
    for (;;) {
        auto const i = static_cast<step_id>(random_.below(now_.step_limit()));
        if (now_.contains(i)) return i;
    }
}

REPEBBLE_INLINE auto neighbourhood::insert(operation_index v, step_id before) -> step_id {
    auto const i = now_.insert(v, before);
    journal_.push_back({edit::kind::inserted, i, v, none});
    repeats_.put(i);
    return i;
}

REPEBBLE_INLINE void neighbourhood::remove(step_id i) {
    auto const after = now_.next(i);
    auto const v = now_.operation(i);
    now_.remove(i);
    journal_.push_back({edit::kind::removed, i, v, after});
}

REPEBBLE_INLINE void neighbourhood::insert_recomputation(bool at_peak) {
    auto const top = at_peak ? now_.peak_step() : none;
    for (std::size_t attempt = 0; attempt < effort_.insert_attempts; ++attempt) {
        auto const i = random_step();
        auto const reads = model_.reads[now_.operation(i)];
        if (reads.empty()) continue;
        auto const k = random_.below(reads.size());
        auto const source = now_.source(i, k);
        auto const v = any_producer(reads[k], now_.operation(source), i, rules_.with_inputs ? source : none);
        if (!may_recompute(v, reads[k]) || takes_too_much(v)) continue;
        auto const last = now_.previous_use(i, k);
        if (now_.next(last) == i && v == now_.operation(source)) continue;
        if (at_peak && attempt < effort_.aimed_attempts) {
            if (!(now_.before(last, top) && (now_.before(top, i) || top == i))) continue;
        }
        if (v != now_.operation(source)) compute_behind(v, i, source);
        if (rules_.brings_forward && random_.chance(effort_.remove_later_chance)) remove_next(i, k);
        recompute_before(v, i, 0);
        return;
    }
}

REPEBBLE_INLINE auto neighbourhood::any_producer(value_index x, operation_index usual, step_id i, step_id source) -> operation_index {
    auto const all = model_.producers[x];
    if (all.size() == 1) return usual;
    auto const v = all[random_.below(all.size())];
    auto const can_be = [&](value_index y) { return is_computed(y, i) || producer_behind(y, source); };
    return std::ranges::all_of(model_.reads[v], can_be) ? v : usual;
}

REPEBBLE_INLINE auto neighbourhood::producer_behind(value_index y, step_id source) const -> std::optional<operation_index> {
    if (source == none || now_.next(source) == none) return std::nullopt;
    for (auto const u : model_.producers[y])
        if (model_.operations[u].recomputable &&
            std::ranges::all_of(model_.reads[u], [&](auto z) { return is_computed(z, now_.next(source)); }))
            return u;
    return std::nullopt;
}

REPEBBLE_INLINE void neighbourhood::compute_behind(operation_index v, step_id i, step_id source) {
    for (auto const y : model_.reads[v]) {
        if (is_computed(y, i)) continue;
        auto const u = *producer_behind(y, source);
        too_slow_ = too_slow_ || takes_too_much(u);
        if (too_slow_) return;
        insert(u, now_.next(source));
    }
}

REPEBBLE_INLINE void neighbourhood::recompute_before(operation_index v, step_id i, std::size_t depth) {
    too_slow_ = too_slow_ || takes_too_much(v);
    if (too_slow_) return;
    auto const q = insert(v, i);
    if (!rules_.with_inputs) return;
    waiting_.push_back(q);
    recompute_inputs(v, q, depth);
    waiting_.pop_back();
}

REPEBBLE_INLINE void neighbourhood::recompute_inputs(operation_index v, step_id q, std::size_t depth) {
    auto const reads = model_.reads[v];
    for (std::size_t k = 0; k < reads.size(); ++k) {
        auto const source = now_.source(q, k);
        auto const u = any_producer(reads[k], now_.operation(source), q, none);
        if (!may_recompute(u, reads[k])) continue;
        if (depth > effort_.most_depth || now_.next(now_.previous_use(q, k)) == q) continue;
        if (!rules_.brings_forward || !remove_next(q, k)) {
            auto const j = now_.output_number(now_.operation(source), reads[k]);
            if (now_.last_use(source, j) != q && !random_.chance(effort_.discard_resident_chance))
                continue;  // it is resident until later, and is seldom discarded
            if (random_.chance(effort_.keep_longer_chance)) continue;
        }
        recompute_before(u, q, depth + 1);
    }
}

REPEBBLE_INLINE auto neighbourhood::remove_next(step_id i, std::size_t k) -> bool {
    auto const producers = now_.producers(model_.reads[now_.operation(i)][k]);
    auto const next = std::ranges::partition_point(producers, [&](step_id s) { return !now_.before(i, s); });
    if (next == producers.end() || !now_.is_removable(*next)) return false;
    if (std::ranges::find(waiting_, *next) != waiting_.end()) return false;  // in a circle of producers
    remove(*next);
    return true;
}

REPEBBLE_INLINE void neighbourhood::remove_recomputation() {
    for (std::size_t attempt = 0; attempt < effort_.remove_attempts; ++attempt) {
        auto const i = repeats_.draw(random_, effort_.bag_draws, [&](step_id k) { return now_.contains(k); });
        if (i == none) return;
        if (!now_.is_removable(i)) continue;
        remove_with_unused_inputs(i);
        return;
    }
}

REPEBBLE_INLINE void neighbourhood::remove_with_unused_inputs(step_id first) {
    unused_.assign(1, first);
    while (!unused_.empty()) {
        auto const i = unused_.back();
        unused_.pop_back();
        if (!now_.contains(i) || (i != first && !is_unused(i))) continue;  // it got readers from another step
        sources_.clear();
        auto const reads = model_.reads[now_.operation(i)];
        for (std::size_t k = 0; k < reads.size(); ++k) sources_.push_back(now_.source(i, k));
        remove(i);
        for (auto const s : sources_)
            if (is_unused(s)) unused_.push_back(s);
    }
}

REPEBBLE_INLINE auto neighbourhood::is_unused(step_id s) const -> bool {
    if (!now_.is_removable(s)) return false;
    for (std::size_t j = 0; j < model_.writes[now_.operation(s)].size(); ++j)
        if (!now_.readers(s, j).empty()) return false;
    return true;
}

REPEBBLE_INLINE void neighbourhood::shift_step() {
    auto const i = random_step();
    constexpr std::size_t eighths = 8;
    auto const dice = random_.below(eighths);
    auto const to_reader = effort_.to_reader_eighths, to_source = to_reader + effort_.to_source_eighths;
    if (dice < to_reader) {
        try_shift(i, first_reader(model_, now_, i));
    } else if (dice < to_source) {
        auto const source = last_source(model_, now_, i);
        try_shift(i, source == none ? now_.first() : now_.next(source));
    } else {
        auto to = i;
        auto const far = 1 + random_.below(random_.chance(effort_.far_chance) ? effort_.far_steps : effort_.near_steps);
        bool const later = dice < to_source + (eighths - to_source) / 2;
        for (std::size_t k = 0; k < far && to != none; ++k) to = later ? now_.next(to) : now_.previous(to);
        if (to != none && later) to = now_.next(to);
        if (!later && to == none) to = now_.first();
        try_shift(i, to);
    }
}

REPEBBLE_INLINE void neighbourhood::try_shift(step_id i, step_id to) {
    if (!may_shift(model_, now_, i, to)) return;
    auto const was = now_.next(i);
    now_.shift(i, to);
    journal_.push_back({edit::kind::shifted, i, 0, was});
}

}  // namespace repebble::inline v0::detail

#endif
