#ifndef REPEBBLE_IMPL_PLANNER_POLICIES_TWO_PASS_GRAPH_IPP
#define REPEBBLE_IMPL_PLANNER_POLICIES_TWO_PASS_GRAPH_IPP

#include <repebble/planner/detail/policies/two_pass_graph.hpp>

#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/places_in.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/describe.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE two_pass_graph::two_pass_graph(dataflow const& flow, policy_marks const& marks, std::span<operation_index const> again) : flow_(flow),
      marks_(marks),
      place_(places_in(flow.order(), flow.operation_count())),
      gone_(marks.recomputed),
      number_(flow.operation_count(), none),
      copied_(flow.operation_count(), false),
      first_(flow.value_count(), no_value),
      again_(flow.value_count(), no_value) {
    std::vector<bool> ends(flow.value_count(), false);
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const& m : flow.mutations(v))
            if (!marks.backward[v]) ends[flow.owners(m.over).front()] = true;
    for (auto const v : again)
        for (auto const x : flow.writes(v)) ends[x] = true;
    for (value_index x = 0; x < flow.value_count(); ++x) {
        has_alternatives_ = has_alternatives_ || flow.producers(x).size() > 1;
        gone_[x] = gone_[x] || ends[x];
        for (auto const owner : flow.owners(x)) gone_[x] = gone_[x] || ends[owner];
    }
    find_copies();
    // Operations are added in the order in which the planner tries them first: copies as late as possible.
    for (auto const v : flow.order())
        if (!marks.backward[v]) add(v, false);
    add_boundary();
    for (auto const v : flow.order()) {
        if (!marks.backward[v]) continue;
        for (auto const x : flow.reads(v)) remake(x);
        add(v, false);
    }
    for (auto const x : flow.results()) {
        remake(x);
        builder_.add_result(late(x));
    }
    made_ = std::move(builder_).build();
}

REPEBBLE_INLINE auto two_pass_graph::translated(schedule<> const& plan) const -> std::optional<translation> {
    translation out;
    std::vector<operation_index> pending;
    std::vector<bool> ran(flow_.operation_count(), false), there(flow_.value_count(), false);
    for (auto const& s : plan.steps) {
        if (s.what != action::compute) continue;
        if (s.vertex == boundary_)
            for (value_index x = 0; x < flow_.value_count(); ++x) there[x] = there[x] && !marks_.recomputed[x];
        if (original_[s.vertex] == none) continue;
        pending.assign(1, original_[s.vertex]);
        while (!pending.empty()) {
            auto const v = pending.back();
            auto const depth = pending.size();
            for (auto const x : flow_.reads(v))
                if (!there[x]) pending.push_back(producer_again(x, place_[v]));
            if (pending.size() > depth) {
                if (depth == 1) out.completed.push_back(v);
                continue;
            }
            pending.pop_back();
            bool const is_inserted = !pending.empty();
            if (is_inserted && std::ranges::all_of(flow_.writes(v), [&](auto x) { return there[x]; })) continue;
            if (is_inserted && !flow_.mutations(v).empty()) return std::nullopt;
            if (ran[v] && !flow_.recomputable(v)) return std::nullopt;
            out.sequence.push_back(v);
            ran[v] = true;
            for (auto const x : flow_.ended(v)) there[x] = false;
            for (auto const x : flow_.writes(v)) there[x] = true;
        }
    }
    return out;
}

REPEBBLE_INLINE void two_pass_graph::add(operation_index v, bool is_copy) {
    bool const is_late = is_copy || marks_.backward[v];
    auto const n = builder_.add_copy(flow_, v);
    original_.push_back(v);
    auto const seen = [&](value_index x) { return is_late ? late(x) : first_[x]; };
    for (auto const x : flow_.writes(v)) {
        auto& value = is_copy ? again_[x] : first_[x];
        if (value != no_value) {
            builder_.add_producer(n, value);
        } else if (flow_.is_view(x)) {
            std::vector<value_index> owners;
            for (auto const owner : flow_.owners(x)) owners.push_back(seen(owner));
            value = builder_.add_view(n, owners);
        } else {
            value = builder_.add_value(n, flow_.size(x));
        }
    }
    for (auto const x : flow_.operands(v)) builder_.add_read(n, seen(x));
    for (auto const& m : flow_.mutations(v)) builder_.add_mutation(n, m.output, seen(m.over));
    for (auto const& o : flow_.allowed_overwrites(v)) builder_.allow_overwrite(n, o.output, seen(o.over));
    for (auto const u : flow_.control_predecessors(v)) builder_.add_control_edge(number_[u], n);
    bool const is_first = std::ranges::none_of(flow_.graph().predecessors(v),
                                               [&](auto u) { return static_cast<bool>(marks_.backward[u]); });
    if (is_late && is_first) builder_.add_control_edge(*boundary_, n);
    if (!is_copy) number_[v] = n;
}

REPEBBLE_INLINE void two_pass_graph::add_boundary() {
    std::vector<operation_index> before;
    auto const is_forward = [&](operation_index v) { return !marks_.backward[v]; };
    auto const is_needed = [&](operation_index v) {
        return is_forward(v) &&
               std::ranges::all_of(flow_.writes(v), [&](auto x) { return flow_.producers(x).size() == 1; });
    };
    for (operation_index v = 0; v < flow_.operation_count(); ++v)
        if (is_needed(v) && std::ranges::none_of(flow_.graph().successors(v), is_needed))
            before.push_back(number_[v]);
    for (value_index x = 0; x < flow_.value_count(); ++x) {
        if (flow_.producers(x).size() == 1 || !std::ranges::all_of(flow_.producers(x), is_forward)) continue;
        before.push_back(builder_.add_operation(0));
        original_.push_back(none);
        builder_.add_read(before.back(), first_[x]);
    }
    boundary_ = builder_.add_operation(0);
    original_.push_back(none);
    for (auto const n : before) builder_.add_control_edge(n, *boundary_);
}

REPEBBLE_INLINE void two_pass_graph::find_copies() {
    std::vector<std::pair<value_index, bool>> pending;  // and whether it is surely made again
    for (auto const x : flow_.results()) pending.emplace_back(x, true);
    for (operation_index v = 0; v < flow_.operation_count(); ++v)
        for (auto const x : flow_.reads(v))
            if (marks_.backward[v]) pending.emplace_back(x, true);
    std::vector<bool> copied(flow_.operation_count(), false), counted(copied), runs_late(copied);
    std::vector<bool> has_view(flow_.value_count(), false);
    while (!pending.empty()) {
        auto const [x, is_sure] = pending.back();
        pending.pop_back();
        if (!gone_[x]) continue;
        auto const v = producer_of_copy(x, flow_.operation_count());
        if (is_sure && !counted[v]) copy_time_ = checked_add(copy_time_, flow_.time(v), "times of recomputations");
        counted[v] = counted[v] || is_sure;
        bool const is_late = is_sure && marks_.recomputed[x];
        if (copied[v] && (runs_late[v] || !is_late)) continue;
        copied[v] = true;
        runs_late[v] = runs_late[v] || is_late;
        for (auto const read : flow_.reads(v)) pending.emplace_back(read, is_late);
    }
    for (value_index x = 0; x < flow_.value_count(); ++x)
        for (auto const owner : flow_.owners(x)) has_view[owner] = has_view[owner] || owner != x;
    for (value_index x = 0; x < flow_.value_count(); ++x)
        if (flow_.producers(x).size() == 1 && copied[flow_.producers(x).front()] && !has_view[x]) gone_[x] = true;
}

REPEBBLE_INLINE void two_pass_graph::remake(value_index x) {
    if (!gone_[x] || again_[x] != no_value) return;
    std::vector<operation_index> pending{producer_of_copy(x, flow_.operation_count())};
    while (!pending.empty()) {
        auto const v = pending.back();
        auto const depth = pending.size();
        for (auto const read : flow_.reads(v))
            if (gone_[read] && again_[read] == no_value) pending.push_back(producer_of_copy(read, place_[v]));
        if (pending.size() > depth) continue;
        pending.pop_back();
        if (!copied_[v]) add(v, true);
        copied_[v] = true;
    }
}

REPEBBLE_INLINE auto two_pass_graph::producer_of_copy(value_index x, std::size_t place) const -> operation_index {
    auto const u = producer_again(x, place);
    if (!flow_.recomputable(u))
        detail::raise(bad_graph(describe(flow_, x) +
                                (marks_.recomputed[x]
                                     ? " must be recomputed"
                                     : ", which the forward pass overwrites, is read by what must be recomputed") +
                                (flow_.is_input(u) ? ", and is an input" : ", and its operation runs once")));
    return u;
}

}  // namespace repebble::inline v0::detail

#endif
