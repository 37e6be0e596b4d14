#ifndef REPEBBLE_IMPL_TRACES_WITH_VIEWS_IPP
#define REPEBBLE_IMPL_TRACES_WITH_VIEWS_IPP

#include <repebble/traces/with_views.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE view_writer::view_writer(dataflow const& flow)
    : flow_(flow), resident_(flow.value_count(), false), steps_(flow) {
    std::vector<std::pair<value_index, value_index>> views;
    for (value_index value = 0; value < flow.value_count(); ++value)
        if (flow.is_view(value))
            for (auto const owner : flow.owners(value)) views.emplace_back(owner, value);
    std::ranges::sort(views);
    views_ = {flow.value_count(), views};
}

REPEBBLE_INLINE auto view_writer::write(schedule<> const& plan) && -> schedule<> {
    for (auto const& s : plan.steps) play(s);
    for (auto const value : flow_.results()) make_view(value);
    return std::move(steps_).finish();
}

REPEBBLE_INLINE void view_writer::play(step<> const& s) {
    if (s.what == action::compute) return compute(s.vertex);
    auto const value = flow_.writes(s.vertex)[s.output];
    if (s.what == action::offload) return steps_.offload(value);
    if (s.what == action::prefetch) {
        steps_.prefetch(value);
        resident_[value] = true;
        return;
    }
    if (s.from == pool::host) return steps_.discard(value, pool::host);
    drop_views(value);
    steps_.discard(value);
    resident_[value] = false;
}

REPEBBLE_INLINE auto view_writer::makes_views_only(operation_index v) const -> bool {
    auto const refers = [&](value_index value) { return flow_.is_view(value); };
    return !flow_.writes(v).empty() && std::ranges::all_of(flow_.writes(v), refers);
}

REPEBBLE_INLINE void view_writer::compute(operation_index v) {
    if (makes_views_only(v)) return make_view(flow_.writes(v).front());
    for (auto const value : flow_.reads(v)) make_view(value);
    for (auto const value : flow_.writes(v)) drop_views(value);
    for (auto const& m : flow_.mutations(v))
        for (auto const owner : flow_.owners(m.over)) drop_views(owner, flow_.reads(v));
    steps_.compute(v);
    for (auto const value : flow_.ended(v)) resident_[value] = false;
    for (auto const value : flow_.writes(v)) resident_[value] = true;
}

REPEBBLE_INLINE void view_writer::make_view(value_index value) {
    if (!flow_.is_view(value) || resident_[value]) return;
    auto const by = flow_.producers(value).front();
    for (auto const read : flow_.reads(by)) make_view(read);
    steps_.compute(by);
    for (auto const written : flow_.writes(by)) resident_[written] = true;
}

REPEBBLE_INLINE void view_writer::drop_views(value_index owner, std::span<value_index const> but) {
    for (auto const view : views_[owner]) {
        if (!resident_[view] || std::ranges::binary_search(but, view)) continue;
        steps_.discard(view);
        resident_[view] = false;
    }
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto with_views(dataflow const& flow, schedule<> const& plan) -> schedule<> {
    return detail::view_writer(flow).write(plan);
}

}  // namespace repebble::inline v0

#endif
