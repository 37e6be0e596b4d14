#ifndef REPEBBLE_IMPL_PEBBLING_DROP_UNREAD_IPP
#define REPEBBLE_IMPL_PEBBLING_DROP_UNREAD_IPP

#include <repebble/pebbling/detail/drop_unread.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// No schedule needs a run of v itself, but for what reads its values.
inline auto runs_for_readers_alone(dataflow const& flow, operation_index v) -> bool {
    return !flow.is_input(v) && !flow.writes(v).empty() &&
           std::ranges::none_of(flow.writes(v), [&](value_index x) { return flow.readers(x).empty(); }) &&
           std::ranges::none_of(flow.graph().successors(v), [&](operation_index w) {
               return std::ranges::binary_search(flow.control_predecessors(w), v);
           });
}

REPEBBLE_INLINE auto unread(dataflow const& flow, schedule<> const& given) -> std::vector<bool> {
    auto const value = [&](step<> const& s) { return flow.writes(s.vertex)[s.output]; };
    std::vector<bool> may_go(given.steps.size(), false);
    vertex_set resident(flow.value_count());
    for (std::size_t i = 0; i < given.steps.size(); ++i) {
        auto const& s = given.steps[i];
        if (s.what == action::discard && s.from == pool::device) resident.erase(value(s));
        if (s.what == action::prefetch) resident.insert(value(s));
        if (s.what != action::compute) continue;
        if (s.in_place) resident.erase(flow.writes(s.over)[s.over_output]);
        for (auto const& m : flow.mutations(s.vertex)) resident.erase(m.over);
        // Beside alternatives first runs may be superfluous, too.
        may_go[i] = !s.in_place && flow.mutations(s.vertex).empty() &&
                    (s.repetition > 0 || runs_for_readers_alone(flow, s.vertex));
        for (auto const x : flow.writes(s.vertex)) {
            may_go[i] = may_go[i] && !resident.contains(x);
            resident.insert(x);
        }
    }
    // Backwards; what is resident in the end may be wanted.
    vertex_set read(flow.value_count()), fetched(flow.value_count()), runs_later(flow.operation_count());
    for (value_index x = 0; x < flow.value_count(); ++x) read.insert(x);
    for (std::size_t i = given.steps.size(); i-- > 0;) {
        auto const& s = given.steps[i];
        if (s.what == action::prefetch) fetched.insert(value(s));
        if (s.what == action::discard && s.from == pool::host) fetched.erase(value(s));
        if (s.what == action::offload) {
            may_go[i] = !fetched.contains(value(s));
            fetched.erase(value(s));
            if (!may_go[i]) read.insert(value(s));
        }
        if (s.what == action::prefetch || (s.what == action::discard && s.from == pool::device)) read.erase(value(s));
        if (s.what != action::compute) continue;
        may_go[i] = may_go[i] && (s.repetition > 0 || !runs_later.contains(s.vertex)) &&
                    std::ranges::none_of(flow.writes(s.vertex), [&](auto x) { return read.contains(x); });
        if (may_go[i]) continue;
        runs_later.insert(s.vertex);
        for (auto const x : flow.writes(s.vertex)) read.erase(x);
        for (auto const x : flow.reads(s.vertex)) read.insert(x);
        // Storage that is taken over must be there, whoever reads it.
        if (s.in_place) read.insert(flow.writes(s.over)[s.over_output]);
        for (auto const& m : flow.mutations(s.vertex)) read.insert(m.over);
    }
    return may_go;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0::detail {

/// A discard from the device that waits only for dropped computations, and the last step of those left that uses the
/// value before it.
struct late_discard {
    std::size_t last_use, discard;
    friend auto operator<=>(late_discard const&, late_discard const&) = default;
};

/// Returns all such discards by last use; none beside copies, whose end an earlier discard would wait for.
[[nodiscard]] inline auto late_discards(dataflow const& flow, schedule<> const& given, std::vector<bool> const& dropped)
    -> std::vector<late_discard> {
    std::vector<std::size_t> last_use(flow.value_count(), 0);
    vertex_set made(flow.value_count()), waits(flow.value_count());
    std::size_t last_input = 0;  // nothing is discarded before all inputs are present
    std::vector<late_discard> late;
    for (std::size_t i = 0; i < given.steps.size(); ++i) {
        auto const& s = given.steps[i];
        auto const use = [&](value_index x) {
            last_use[x] = i;
            waits.erase(x);
        };
        switch (s.what) {
            case action::compute:
                if (flow.is_input(s.vertex) && s.repetition == 0) last_input = i;
                for (auto const x : flow.reads(s.vertex)) dropped[i] ? waits.insert(x) : use(x);
                for (auto const x : flow.writes(s.vertex)) {
                    use(x);
                    dropped[i] ? made.erase(x) : made.insert(x);
                }
                break;
            case action::discard:
                if (auto const x = flow.writes(s.vertex)[s.output]; waits.contains(x) && made.contains(x))
                    late.push_back({std::max(last_use[x], last_input), i});
                break;
            case action::offload:
            case action::prefetch:
                return {};
        }
    }
    std::ranges::sort(late);
    return late;
}

REPEBBLE_INLINE auto drop_unread(dataflow const& flow, schedule<> given) -> schedule<> {
    auto const dropped = unread(flow, given);
    if (std::ranges::find(dropped, true) == dropped.end()) return given;
    auto const late = late_discards(flow, given, dropped);
    std::vector<bool> is_late(given.steps.size(), false);
    for (auto const& l : late) is_late[l.discard] = true;
    auto next_late = late.begin();
    schedule_builder out(flow);
    vertex_set gone(flow.value_count());      // values that were not recomputed
    vertex_set not_sent(flow.value_count());  // values that were not copied out
    vertex_set on_host(flow.value_count());   // values that were
    for (std::size_t i = 0; i < given.steps.size(); ++i) {
        auto const& s = given.steps[i];
        auto const value = [&] { return flow.writes(s.vertex)[s.output]; };
        switch (s.what) {
            case action::compute:
                for (auto const x : flow.writes(s.vertex)) {
                    dropped[i] ? gone.insert(x) : gone.erase(x);
                    // A computation ends the copy on the host.
                    if (dropped[i] && on_host.contains(x)) out.discard(x, pool::host);
                    on_host.erase(x);
                }
                if (dropped[i]) break;
                if (s.in_place)
                    out.compute_in_place(s.vertex, s.output, flow.writes(s.over)[s.over_output]);
                else
                    out.compute(s.vertex);
                break;
            case action::discard:
                if (!is_late[i] && !(s.from == pool::host ? not_sent : gone).contains(value()))
                    out.discard(value(), s.from);
                if (s.from == pool::host) on_host.erase(value());
                break;
            case action::offload:
                dropped[i] ? not_sent.insert(value()) : not_sent.erase(value());
                if (dropped[i]) break;
                on_host.insert(value());
                out.offload(value());
                break;
            case action::prefetch:
                gone.erase(value());
                out.prefetch(value());
                break;
        }
        for (; next_late != late.end() && next_late->last_use == i; ++next_late) {
            auto const& discard = given.steps[next_late->discard];
            out.discard(flow.writes(discard.vertex)[discard.output]);
        }
    }
    return std::move(out).finish();
}

}  // namespace repebble::inline v0::detail

#endif
