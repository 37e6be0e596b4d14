#ifndef REPEBBLE_IMPL_REPORT_FIND_REASONS_IPP
#define REPEBBLE_IMPL_REPORT_FIND_REASONS_IPP

#include <repebble/report/find_reasons.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/replay_clock.hpp>

namespace repebble::inline v0::report::detail {

REPEBBLE_INLINE void departures::allocate(std::size_t, instance i, pool where, bytes) {
    if (where == pool::host) return;
    latest_[i.value] = i.computation;
    held_by_[i] = i;
}

REPEBBLE_INLINE void departures::overwrite(std::size_t step, instance now, instance before) {
    leave(step, held_by_[before]);
    latest_[now.value] = now.computation;
    held_by_[before] = now;
}

REPEBBLE_INLINE auto find_reasons_fn::operator()(dataflow const& flow, schedule<> const& plan, bytes budget) const
    -> plan_reasons {
    plan_reasons found;
    departures gone(flow.value_count());
    found.profile = replay(flow, plan, {.profile = true}, serial_clock{}, gone).profile;
    auto const needed = first_readers(flow, plan);
    std::vector<std::optional<std::size_t>> gone_from(flow.value_count());
    auto departure = gone.all.begin();
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        auto const& s = plan.steps[i];
        auto const written = flow.writes(s.vertex);
        auto const values = s.what == action::compute ? written : written.subspan(s.output, 1);
        if ((s.what == action::compute && s.repetition > 0) || s.what == action::prefetch)
            found.reasons.push_back(reason_of(flow, found.profile, budget, i, s, values, gone_from, needed[i]));
        if (s.what == action::compute || s.what == action::prefetch)
            for (auto const value : values) gone_from[value].reset();
        if (s.what == action::discard && s.from == pool::device && flow.is_view(values.front()))
            gone_from[values.front()] = i;
        for (; departure != gone.all.end() && departure->first == i; ++departure) gone_from[departure->second] = i;
    }
    return found;
}

REPEBBLE_INLINE auto find_reasons_fn::first_readers(dataflow const& flow, schedule<> const& plan)
    -> std::vector<std::optional<std::size_t>> {
    std::vector<std::optional<std::size_t>> needed(plan.steps.size()), next(flow.value_count());
    for (std::size_t i = plan.steps.size(); i-- > 0;) {
        auto const& s = plan.steps[i];
        auto const written = flow.writes(s.vertex);
        if (s.what == action::compute || s.what == action::prefetch)
            for (auto const value : s.what == action::compute ? written : written.subspan(s.output, 1)) {
                if (next[value]) needed[i] = std::min(needed[i].value_or(*next[value]), *next[value]);
                if (s.what == action::compute) next[value].reset();
            }
        if (s.what == action::compute)
            for (auto const value : flow.reads(s.vertex)) next[value] = i;
    }
    return needed;
}

}  // namespace repebble::inline v0::report::detail

#endif
