#ifndef REPEBBLE_EXECUTE_BIND_SCHEDULE_HPP
#define REPEBBLE_EXECUTE_BIND_SCHEDULE_HPP

// From a schedule and its arenas to a bound schedule: judges the schedule, checks the arenas, and gives every step its
// addresses.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/buffer_walk.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

/// The alignment of an arena: `lifetimes` gives all buffers the same.
[[nodiscard]] inline auto alignment_of(arena const& a) -> bytes {
    return a.lifetimes.buffers.empty() ? 1 : a.lifetimes.buffers.front().alignment;
}

/// Throws bad_arena unless the arena was planned for these lifetimes and lets no two live buffers overlap.
inline void require_arena_of(schedule_lifetimes const& lifetimes, arena const& a) {
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

/// Walks a schedule and its buffers together, and records the addresses of each step.
template <quantity Time>
class schedule_binder {
  public:
    /// Throws bad_arena unless the arenas are of the replay's lifetimes.
    schedule_binder(dataflow<Time> const& flow, schedule<> const& plan, replayed_lifetimes const& replayed,
                    arena const& device, arena const& host)
        : flow_(flow),
          plan_(plan),
          replayed_(replayed),
          device_(device),
          host_(host),
          walk_(flow),
          computations_(flow.value_count(), 0),
          host_copy_(flow.value_count(), 0) {
        require_arena_of(replayed.device, device);
        require_arena_of(replayed.host, host);
    }

    [[nodiscard]] auto bind() && -> bound_schedule {
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

  private:
    using walk = buffer_walk<Time>;

    void set_pool(std::size_t which, arena const& a) {
        out_.size_[which] = a.size;
        out_.alignment_[which] = alignment_of(a);
    }
    [[nodiscard]] static auto block_of(arena const& a, std::size_t buffer) -> block {
        return {a.offsets[buffer], a.lifetimes.buffers[buffer].size};
    }
    void place(value_index value) {
        auto const buffers = walk_.buffers_of(value);
        auto const owners = flow_.owners(value);
        for (std::size_t k = 0; k < buffers.size(); ++k)
            out_.values_.push_back(
                {{value, computations_[value] - 1}, owners[k], {device_.offsets[buffers[k]], flow_.size(owners[k])}});
    }
    void place_in_host(value_index value) {
        auto const offset = host_.offsets[host_copy_[value]];
        out_.values_.push_back({{value, computations_[value] - 1}, value, {offset, flow_.size(value)}});
    }

    void compute(step<> const& s) {
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
    void copy_or_discard(step<> const& s) {
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

    dataflow<Time> const& flow_;
    schedule<> const& plan_;
    replayed_lifetimes const& replayed_;
    arena const& device_;
    arena const& host_;
    walk walk_;
    std::vector<std::uint32_t> computations_;  // per value
    std::vector<std::size_t> host_copy_;       // per value: buffer of its last copy in the host pool
    std::size_t copies_ = 0;
    bound_schedule out_{};
};

/// Judges the schedule once. Arenas that are not given are planned from the lifetimes of that replay.
struct bind_schedule_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan, arena const& device,
                                  arena const& host) const -> bound_schedule {
        auto const replayed = replay_lifetimes(flow, plan, alignment_of(device), alignment_of(host));
        return schedule_binder<Time>(flow, plan, replayed, device, host).bind();
    }
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan, arena const& device) const
        -> bound_schedule {
        auto const replayed = replay_lifetimes(flow, plan, alignment_of(device), alignment_of(device));
        return schedule_binder<Time>(flow, plan, replayed, device, plan_arena(replayed.host)).bind();
    }
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan,
                                  arena_options const& options = {}) const -> bound_schedule {
        REPEBBLE_ASSERT(options.where == pool::device);
        auto const replayed = replay_lifetimes(flow, plan, options.alignment, options.alignment);
        auto const device = plan_arena(replayed.device, options.offsets);
        return schedule_binder<Time>(flow, plan, replayed, device, plan_arena(replayed.host)).bind();
    }
};

}  // namespace detail

/// Binds a schedule to memory: an address for every value, workspace and copy of its steps, from the arenas `device`
/// and `host`; a missing arena is planned by `plan_arena`. The schedule keeps all results, and its steps of inputs are
/// bound like others.  O(steps · values per step), plus planning. Throws
/// illegal_schedule where the schedule breaks a rule of the pebble game, bad_arena where an arena was planned for
/// another schedule or lets two live buffers overlap.  Requires: options.where is the device pool.
inline constexpr detail::bind_schedule_fn bind_schedule{};

}  // namespace repebble::inline v0

#endif
