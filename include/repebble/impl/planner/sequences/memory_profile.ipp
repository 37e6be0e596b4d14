#ifndef REPEBBLE_IMPL_PLANNER_SEQUENCES_MEMORY_PROFILE_IPP
#define REPEBBLE_IMPL_PLANNER_SEQUENCES_MEMORY_PROFILE_IPP

#include <repebble/planner/detail/sequences/memory_profile.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto memory_profile::peak_step() const -> node {
    if (size_ == 0) return none;
    auto const rank = static_cast<std::size_t>(std::ranges::max_element(peaks_) - peaks_.begin());
    auto const& b = blocks_[order_[rank]];
    std::size_t at = 0;
    for (std::size_t k = 1; k < b.count; ++k)
        if (b.resident[k] > b.resident[at]) at = k;
    return b.steps[at];
}

REPEBBLE_INLINE auto memory_profile::next(node i) const -> node {
    auto const [id, slot] = places_[i];
    auto const& b = blocks_[id];
    if (slot + 1U < b.count) return b.steps[slot + 1U];
    auto const rank = rank_[id] + 1U;
    return rank < order_.size() ? blocks_[order_[rank]].steps[0] : none;
}

REPEBBLE_INLINE auto memory_profile::previous(node i) const -> node {
    auto const [id, slot] = places_[i];
    if (slot > 0) return blocks_[id].steps[slot - 1U];
    auto const rank = rank_[id];
    if (rank == 0) return none;
    auto const& b = blocks_[order_[rank - 1U]];
    return b.steps[b.count - 1];
}

REPEBBLE_INLINE void memory_profile::insert(node i, node before, bytes resident) {
    if (before == none) {
        if (order_.empty()) new_block(0);
        place(i, order_.back(), blocks_[order_.back()].count, resident);
    } else {
        place(i, places_[before].block, places_[before].slot, resident);
    }
    ++size_;
}

REPEBBLE_INLINE void memory_profile::erase(node i) {
    auto const [id, slot] = places_[i];
    auto& b = blocks_[id];
    auto const rank = rank_[id];
    auto const resident = b.resident[slot] + pending_[rank];
    for (std::size_t k = slot + 1U; k < b.count; ++k) put(b, k - 1, b.steps[k], b.resident[k]);
    --b.count;
    places_[i].block = none;
    --size_;
    change_excess(rank, -std::max<bytes>(0, resident - limit_));
    if (resident == peaks_[rank]) peaks_[rank] = peak_of(b) + pending_[rank];
    if (b.count == 0) release_block(id);
}

REPEBBLE_INLINE void memory_profile::add(node from, node to, bytes amount) {
    auto const a = places_[from];
    auto const z = places_[to];
    if (a.block == z.block) {
        add_within(a.block, a.slot, z.slot + 1U, amount);
        return;
    }
    auto const first = rank_[a.block];
    auto const last = rank_[z.block];
    add_within(a.block, a.slot, blocks_[a.block].count, amount);
    add_within(z.block, 0, z.slot + 1U, amount);
    for (std::size_t r = first + 1U; r < last; ++r) {
        pending_[r] += amount;
        peaks_[r] += amount;
        if (peaks_[r] > limit_ || excess_[r] > 0)
            change_excess(r, excess_of(blocks_[order_[r]], pending_[r]) - excess_[r]);
    }
}

REPEBBLE_INLINE void memory_profile::place(node i, std::uint32_t id, std::size_t at, bytes resident) {
    if (blocks_[id].count == capacity) {
        auto const half = capacity / 2;
        auto const upper = new_block(rank_[id] + 1U);
        auto& lower = blocks_[id];
        auto& b = blocks_[upper];
        pending_[rank_[upper]] = pending_[rank_[id]];
        for (std::size_t k = half; k < capacity; ++k) {
            put(b, k - half, lower.steps[k], lower.resident[k]);
            places_[lower.steps[k]].block = upper;
        }
        b.count = capacity - half;
        lower.count = half;
        refresh(id);
        refresh(upper);
        if (at > half) {
            id = upper;
            at -= half;
        }
    }
    auto& b = blocks_[id];
    for (std::size_t k = b.count; k > at; --k) put(b, k, b.steps[k - 1], b.resident[k - 1]);
    put(b, at, i, resident - pending_[rank_[id]]);
    places_[i].block = id;
    ++b.count;
    peaks_[rank_[id]] = std::max(peaks_[rank_[id]], resident);
    change_excess(rank_[id], std::max<bytes>(0, resident - limit_));
}

REPEBBLE_INLINE auto memory_profile::new_block(std::size_t rank) -> std::uint32_t {
    std::uint32_t id = 0;
    if (free_.empty()) {
        id = static_cast<std::uint32_t>(blocks_.size());
        blocks_.emplace_back();
        rank_.push_back(0);
    } else {
        id = free_.back();
        free_.pop_back();
        blocks_[id].count = 0;
    }
    auto const at = static_cast<std::ptrdiff_t>(rank);
    order_.insert(order_.begin() + at, id);
    pending_.insert(pending_.begin() + at, 0);
    peaks_.insert(peaks_.begin() + at, empty);
    excess_.insert(excess_.begin() + at, 0);
    for (std::size_t r = rank; r < order_.size(); ++r) rank_[order_[r]] = static_cast<std::uint32_t>(r);
    return id;
}

REPEBBLE_INLINE void memory_profile::release_block(std::uint32_t id) {
    auto const rank = rank_[id];
    order_.erase(order_.begin() + rank);
    pending_.erase(pending_.begin() + rank);
    peaks_.erase(peaks_.begin() + rank);
    excess_.erase(excess_.begin() + rank);
    for (std::size_t r = rank; r < order_.size(); ++r) rank_[order_[r]] = static_cast<std::uint32_t>(r);
    free_.push_back(id);
}

REPEBBLE_INLINE void memory_profile::add_within(std::uint32_t id, std::size_t from, std::size_t to, bytes amount) {
    auto& b = blocks_[id];
    auto const rank = rank_[id];
    bytes most = empty;  // peak of the changed steps
    if (peaks_[rank] + std::max<bytes>(0, amount) > limit_) {
        bytes const least = limit_ - pending_[rank];
        bytes change = 0;
        for (std::size_t k = from; k < to; ++k) {
            change -= std::max<bytes>(0, b.resident[k] - least);
            b.resident[k] += amount;
            change += std::max<bytes>(0, b.resident[k] - least);
            most = std::max(most, b.resident[k]);
        }
        change_excess(rank, change);
    } else {
        for (std::size_t k = from; k < to; ++k) {
            b.resident[k] += amount;
            most = std::max(most, b.resident[k]);
        }
    }
    most += pending_[rank];
    bool const peak_drops = amount < 0 && most - amount == peaks_[rank];
    peaks_[rank] = peak_drops ? peak_of(b) + pending_[rank] : std::max(peaks_[rank], most);
}

REPEBBLE_INLINE auto memory_profile::excess_of(block const& b, bytes added) const -> bytes {
    bytes all = 0;
    bytes const least = limit_ - added;
    for (std::size_t k = 0; k < b.count; ++k) all += std::max<bytes>(0, b.resident[k] - least);
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
