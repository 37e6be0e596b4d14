#ifndef REPEBBLE_IMPL_EXECUTE_FIND_LANE_WAITS_IPP
#define REPEBBLE_IMPL_EXECUTE_FIND_LANE_WAITS_IPP

#include <repebble/execute/find_lane_waits.hpp>

#include <algorithm>
#include <iterator>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void byte_accesses::add_dependences(block const& b, bool writes, lane_counts& needed) {
    if (b.size == 0) return;
    auto const last = split(b.offset + b.size);
    for (auto at = split(b.offset); at != last; ++at) {
        raise(needed, at->second.written);
        if (!writes) continue;
        for (auto const read : at->second.read) raise(needed, read);
    }
}

REPEBBLE_INLINE void byte_accesses::access(block const& b, bool writes, std::size_t i) {
    if (b.size == 0) return;
    auto const last = split(b.offset + b.size);
    auto const first = split(b.offset);
    if (writes) {
        first->second = {.written = i + 1};
        pieces_.erase(std::next(first), last);
    } else {
        for (auto at = first; at != last; ++at) at->second.read[index_of(i)] = i + 1;
    }
}

REPEBBLE_INLINE auto byte_accesses::split(bytes offset) -> std::map<bytes, piece>::iterator {
    auto const after = pieces_.upper_bound(offset);
    auto const before = std::prev(after);
    return before->first == offset ? before : pieces_.emplace_hint(after, offset, before->second);
}

REPEBBLE_INLINE void byte_accesses::raise(lane_counts& needed, std::size_t count) const {
    if (count == 0) return;
    auto& known = needed[index_of(count - 1)];
    known = std::max(known, count);
}

REPEBBLE_INLINE auto lane_walk::run() && -> lane_program {
    lane_counts last{};
    for (std::size_t i = 0; i < plan_.step_count(); ++i) {
        auto const s = plan_[i];
        if (s.what == action::discard && !options_.poison) continue;
        lane_counts needed{};
        for_each_access(s, [&](pool where, block const& b, bool writes) {
            accesses_[static_cast<std::size_t>(where)].add_dependences(b, writes, needed);
        });
        auto& mine = made_.steps[i];
        mine.on = lane_of(s, needed);
        auto const l = static_cast<std::size_t>(mine.on);
        mine.waits = wait_for(l, needed);
        known_[l][l] = last[l] = i + 1;
        clocks_[i] = known_[l];
        for_each_access(s, [&](pool where, block const& b, bool writes) {
            accesses_[static_cast<std::size_t>(where)].access(b, writes, i);
        });
    }
    made_.at_end = wait_for(static_cast<std::size_t>(lane::compute), last);
    return std::move(made_);
}

REPEBBLE_INLINE auto lane_walk::lane_of(bound_step const& s, lane_counts const& needed) const -> lane {
    if (s.what == action::compute) return lane::compute;
    if (s.what == action::offload) return lane::offload;
    if (s.what == action::prefetch) return options_.half_duplex ? lane::offload : lane::prefetch;
    return static_cast<lane>(std::ranges::max_element(needed) - needed.begin());
}

REPEBBLE_INLINE auto lane_walk::wait_for(std::size_t l, lane_counts const& needed) -> wait_list {
    auto const is_new = [&](std::size_t k) { return k != l && needed[k] > known_[l][k]; };
    wait_list waits;
    for (std::size_t k = 0; k < needed.size(); ++k) {
        if (!is_new(k)) continue;
        auto const other = 3 - l - k;
        if (is_new(other) && clocks_[needed[other] - 1][k] >= needed[k]) continue;
        waits.push_back(needed[k] - 1);
    }
    for (auto const w : waits) {
        made_.steps[w].signals = true;
        for (std::size_t k = 0; k < needed.size(); ++k) known_[l][k] = std::max(known_[l][k], clocks_[w][k]);
    }
    return waits;
}

}  // namespace repebble::inline v0::detail

#endif
