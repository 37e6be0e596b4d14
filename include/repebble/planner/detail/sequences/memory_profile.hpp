#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_MEMORY_PROFILE_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_MEMORY_PROFILE_HPP

// The memory profile of a sequence under change: resident bytes by step, with insertion, removal, range addition, peak
// and excess over a limit. Method: square-root decomposition into blocks of steps with lazy additions.
// `mutable_sequence` keeps its profile here. Invariant: peaks_ and excess_ of each block agree with its steps after
// every operation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// An ordered list of steps with resident bytes. O(√n) for each change; a few nanoseconds for a thousand steps.
class memory_profile {
  public:
    using node = std::uint32_t;
    static constexpr node none = std::numeric_limits<node>::max();

    explicit memory_profile(bytes limit) : limit_(limit) {}

    /// Makes room for steps numbered 0, 1, … below `count`.
    void reserve_nodes(std::size_t count) {
        if (count > places_.size()) places_.resize(count);
    }

    [[nodiscard]] auto contains(node i) const -> bool { return places_[i].block != none; }
    /// A number that increases along the sequence.
    [[nodiscard]] auto position(node i) const -> std::uint64_t {
        auto const [id, slot] = places_[i];
        return (std::uint64_t{rank_[id]} << 32U) | slot;
    }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return size_; }
    [[nodiscard]] auto resident_bytes(node i) const -> bytes {
        auto const [id, slot] = places_[i];
        return blocks_[id].resident[slot] + pending_[rank_[id]];
    }
    [[nodiscard]] auto peak() const -> bytes {
        bytes most = 0;
        for (auto const m : peaks_) most = std::max(most, m);
        return most;
    }
    /// Sum over all steps of the bytes beyond the limit.
    [[nodiscard]] auto excess() const noexcept -> bytes { return total_excess_; }
    /// The first step at which resident bytes are the peak; none where there is no step.
    [[nodiscard]] auto peak_step() const -> node {
        if (size_ == 0) return none;
        auto const rank = static_cast<std::size_t>(std::ranges::max_element(peaks_) - peaks_.begin());
        auto const& b = blocks_[order_[rank]];
        std::size_t at = 0;
        for (std::size_t k = 1; k < b.count; ++k)
            if (b.resident[k] > b.resident[at]) at = k;
        return b.steps[at];
    }
    [[nodiscard]] auto first() const -> node { return size_ == 0 ? none : blocks_[order_.front()].steps[0]; }
    [[nodiscard]] auto last() const -> node {
        if (size_ == 0) return none;
        auto const& b = blocks_[order_.back()];
        return b.steps[b.count - 1];
    }
    [[nodiscard]] auto next(node i) const -> node {
        auto const [id, slot] = places_[i];
        auto const& b = blocks_[id];
        if (slot + 1U < b.count) return b.steps[slot + 1U];
        auto const rank = rank_[id] + 1U;
        return rank < order_.size() ? blocks_[order_[rank]].steps[0] : none;
    }
    [[nodiscard]] auto previous(node i) const -> node {
        auto const [id, slot] = places_[i];
        if (slot > 0) return blocks_[id].steps[slot - 1U];
        auto const rank = rank_[id];
        if (rank == 0) return none;
        auto const& b = blocks_[order_[rank - 1U]];
        return b.steps[b.count - 1];
    }
    /// Inserts step i before step `before` (none: at the end).
    void insert(node i, node before, bytes resident) {
        if (before == none) {
            if (order_.empty()) new_block(0);
            place(i, order_.back(), blocks_[order_.back()].count, resident);
        } else {
            place(i, places_[before].block, places_[before].slot, resident);
        }
        ++size_;
    }
    void erase(node i) {
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
    /// Adds `amount` to the resident bytes of all steps from `from` to `to`, both included.  Requires: from is not
    /// behind to.
    void add(node from, node to, bytes amount) {
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

  private:
    static constexpr std::size_t capacity = 32;

    struct step_place {
        std::uint32_t block = none, slot = 0;
    };
    struct block {
        std::uint32_t count = 0;
        std::array<node, capacity> steps;
        std::array<bytes, capacity> resident;
    };

    void put(block& b, std::size_t at, node i, bytes resident) {
        b.steps[at] = i;
        b.resident[at] = resident;
        places_[i].slot = static_cast<std::uint32_t>(at);
    }
    void place(node i, std::uint32_t id, std::size_t at, bytes resident) {
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
    auto new_block(std::size_t rank) -> std::uint32_t {
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
    void release_block(std::uint32_t id) {
        auto const rank = rank_[id];
        order_.erase(order_.begin() + rank);
        pending_.erase(pending_.begin() + rank);
        peaks_.erase(peaks_.begin() + rank);
        excess_.erase(excess_.begin() + rank);
        for (std::size_t r = rank; r < order_.size(); ++r) rank_[order_[r]] = static_cast<std::uint32_t>(r);
        free_.push_back(id);
    }
    /// Requires: from < to.
    void add_within(std::uint32_t id, std::size_t from, std::size_t to, bytes amount) {
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
    void refresh(std::uint32_t id) {
        auto const rank = rank_[id];
        peaks_[rank] = peak_of(blocks_[id]) + pending_[rank];
        change_excess(rank, excess_of(blocks_[id], pending_[rank]) - excess_[rank]);
    }
    void change_excess(std::size_t rank, bytes change) {
        excess_[rank] += change;
        total_excess_ += change;
    }
    [[nodiscard]] static auto peak_of(block const& b) -> bytes {
        bytes most = empty;
        for (std::size_t k = 0; k < b.count; ++k) most = std::max(most, b.resident[k]);
        return most;
    }
    [[nodiscard]] auto excess_of(block const& b, bytes added) const -> bytes {
        bytes all = 0;
        bytes const least = limit_ - added;
        for (std::size_t k = 0; k < b.count; ++k) all += std::max<bytes>(0, b.resident[k] - least);
        return all;
    }

    static constexpr bytes empty = std::numeric_limits<bytes>::min() / 2;

    std::vector<block> blocks_;
    std::vector<std::uint32_t> free_;   // blocks without steps, to be reused
    std::vector<std::uint32_t> order_;  // blocks in order
    std::vector<bytes> pending_, peaks_,
        excess_;  // by rank: pending addition to all steps of the block; their peak; their excess over the limit
    bytes limit_;
    bytes total_excess_ = 0;
    std::vector<std::uint32_t> rank_;  // by block
    std::vector<step_place> places_;   // by step
    std::size_t size_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
