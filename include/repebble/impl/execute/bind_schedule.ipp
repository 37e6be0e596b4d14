#ifndef REPEBBLE_IMPL_EXECUTE_BIND_SCHEDULE_IPP
#define REPEBBLE_IMPL_EXECUTE_BIND_SCHEDULE_IPP

#include <repebble/execute/bind_schedule.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void require_arena_of(schedule_lifetimes const& lifetimes, arena const& a) {
    auto const count = lifetimes.buffers.size();
    if (a.offsets.size() != count || a.lifetimes.buffers.size() != count)
        detail::raise(bad_arena("the arena has addresses for " + std::to_string(a.offsets.size()) +
                                " buffers, and the schedule has " + std::to_string(count)));
    for (std::size_t i = 0; i < count; ++i)
        if (a.lifetimes.buffers[i] != lifetimes.buffers[i] || a.lifetimes.uses[i] != lifetimes.uses[i])
            detail::raise(bad_arena("the arena was planned for another schedule: its buffer " + std::to_string(i) +
                                    " is another one"));
    auto const check = verify_offsets(lifetimes.buffers, a.offsets);
    if (check.fault) detail::raise(bad_arena("the arena is no plan: " + check.fault->message));
    if (check.height > a.size)
        detail::raise(bad_arena("the arena says that it has " + std::to_string(a.size) +
                                " bytes, and its buffers reach to " + std::to_string(check.height)));
}

REPEBBLE_INLINE auto schedule_binder::bind() && -> bound_schedule {
    out_.peak_ = replayed_.peak;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        auto const& s = plan_.steps[i];
        out_.steps_.push_back({.fixed = {.what = s.what,
                                         .from = s.from,
                                         .in_place = s.in_place,
                                         .operation = s.vertex,
                                         .repetition = s.repetition},
                               .reads = out_.values_.size(),
                               .operands = out_.values_.size(),
                               .begins = out_.blocks_.size()});
        if (s.what == action::compute)
            compute(s);
        else
            copy_or_discard(s);
        out_.steps_.back().ends = out_.blocks_.size();
        for (auto const b : replayed_.ends[i]) out_.blocks_.push_back(block_of(device_, b));
        out_.steps_.back().host_ends = out_.blocks_.size();
        for (auto const b : replayed_.host_ends[i]) out_.blocks_.push_back(block_of(host_, b));
    }
    out_.end_ = {.reads = out_.values_.size(), .begins = out_.blocks_.size()};
    for (auto const value : flow_.results()) place(value);
    set_pool(0, device_);
    set_pool(1, host_);
    return std::move(out_);
}

REPEBBLE_INLINE void schedule_binder::place(value_index value) {
    auto const buffers = walk_.buffers_of(value);
    auto const owners = flow_.owners(value);
    for (std::size_t k = 0; k < buffers.size(); ++k)
        out_.values_.push_back(
            {{value, computations_[value] - 1}, owners[k], {device_.offsets[buffers[k]], flow_.size(owners[k])}});
}

REPEBBLE_INLINE void schedule_binder::compute(step<> const& s) {
    auto& entry = out_.steps_.back();
    for (auto const value : flow_.reads(s.vertex)) place(value);
    entry.reads_end = out_.values_.size();
    if (!std::ranges::equal(flow_.reads(s.vertex), flow_.operands(s.vertex))) {
        entry.operands = out_.values_.size();
        for (auto const value : flow_.operands(s.vertex)) place(value);
    }
    auto const done = walk_.compute(s);
    entry.writes = out_.values_.size();
    for (auto b = done.first_new; b < walk_.buffer_count(); ++b)
        if (b == done.workspace)
            entry.fixed.workspace = block_of(device_, b);
        else
            out_.blocks_.push_back(block_of(device_, b));
    for (auto const value : flow_.writes(s.vertex)) {
        ++computations_[value];
        place(value);
    }
}

REPEBBLE_INLINE void schedule_binder::copy_or_discard(step<> const& s) {
    auto const value = flow_.writes(s.vertex)[s.output];
    if (s.what == action::offload) {
        place(value);
        host_copy_[value] = copies_++;
    } else if (s.what == action::prefetch) {
        place_in_host(value);
        out_.blocks_.push_back(block_of(device_, walk_.prefetch(value)));
    }
    out_.steps_.back().reads_end = out_.steps_.back().writes = out_.values_.size();
    if (s.what == action::offload) place_in_host(value);
    if (s.what == action::prefetch) place(value);
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto bind_schedule(dataflow const& flow, schedule<> const& plan, arena const& device,
                                        arena const& host) -> bound_schedule {
    auto const replayed =
        detail::replay_lifetimes(flow, plan, detail::alignment_of(device), detail::alignment_of(host));
    return detail::schedule_binder(flow, plan, replayed, device, host).bind();
}

REPEBBLE_INLINE auto bind_schedule(dataflow const& flow, schedule<> const& plan, arena const& device)
    -> bound_schedule {
    auto const replayed =
        detail::replay_lifetimes(flow, plan, detail::alignment_of(device), detail::alignment_of(device));
    return detail::schedule_binder(flow, plan, replayed, device, make_arena(replayed.host)).bind();
}

REPEBBLE_INLINE auto bind_schedule(dataflow const& flow, schedule<> const& plan, arena_options const& options)
    -> bound_schedule {
    REPEBBLE_ASSERT(options.where == pool::device);
    auto const replayed = detail::replay_lifetimes(flow, plan, options.alignment, options.alignment);
    auto const device = make_arena(replayed.device, options.offsets);
    return detail::schedule_binder(flow, plan, replayed, device, make_arena(replayed.host)).bind();
}

}  // namespace repebble::inline v0

#endif
