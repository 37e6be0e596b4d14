#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_SHIFT_MOVE_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_SHIFT_MOVE_IPP

#include <repebble/planner/detail/annealing/shift_move.hpp>

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

}  // namespace repebble::inline v0::detail

#endif
