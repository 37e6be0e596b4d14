#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_SHIFT_MOVE_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_SHIFT_MOVE_HPP

// Legality and limits of the shift move: where a step may be moved so that no other step changes the computation that
// it reads.

#include <algorithm>
#include <cstddef>

#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/sequences/mutable_sequence.hpp>

namespace repebble::inline v0::detail {

/// Whether step i may be moved before step `to` without a change of the computation that any other step reads.  O(uses
/// of its inputs and outputs).
[[nodiscard]] inline auto may_shift(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i,
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

/// Returns the first reader of the outputs of step i; none where no step reads them.
[[nodiscard]] inline auto first_reader(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id {
    auto first = s.none;
    for (std::size_t j = 0; j < m.writes[s.operation(i)].size(); ++j)
        for (auto const r : s.readers(i, j))
            if (first == s.none || s.before(r, first)) first = r;
    return first;
}

/// Returns the last step that computes an input of step i; none where it has no inputs.
[[nodiscard]] inline auto last_source(planning_model const& m, mutable_sequence const& s, mutable_sequence::step_id i)
    -> mutable_sequence::step_id {
    auto last = s.none;
    for (std::size_t k = 0; k < m.reads[s.operation(i)].size(); ++k)
        if (auto const from = s.source(i, k); last == s.none || s.before(last, from)) last = from;
    return last;
}

}  // namespace repebble::inline v0::detail

#endif
