#ifndef REPEBBLE_RECOMPUTE_LOAD_PROFILE_HPP
#define REPEBBLE_RECOMPUTE_LOAD_PROFILE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::detail {

/// A list of steps in order, each with the bytes held while it runs, under change: steps come and go anywhere, bytes
/// are added to all steps of an interval, and the peak is known at any time. Blocks of steps with their greatest load,
/// a pending addition for each block: O(√n) for every change, and a few nanoseconds per thousand steps.
class load_profile {
  public:
    using node = std::uint32_t;
    static constexpr node none = std::numeric_limits<node>::max();

    explicit load_profile(bytes limit) : limit_(limit) {}

    /// Steps are called 0, 1, … below `count`.
    void reserve_nodes(std::size_t count) {
        if (count <= block_.size()) return;
        block_.resize(count, none);
        slot_.resize(count, 0);
    }

    [[nodiscard]] auto contains(node i) const -> bool { return block_[i] != none; }
    /// Grows from step to step.
    [[nodiscard]] auto position(node i) const -> std::uint64_t {
        return (std::uint64_t{rank_[block_[i]]} << 32U) | slot_[i];
    }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return size_; }
    [[nodiscard]] auto load(node i) const -> bytes {
        return blocks_[block_[i]].load[slot_[i]] + added_[rank_[block_[i]]];
    }
    [[nodiscard]] auto peak() const -> bytes {
        bytes most = 0;
        for (auto const m : most_) most = std::max(most, m);
        return most;
    }
    /// What lies beyond the limit, added up over all steps.
    [[nodiscard]] auto beyond_limit() const -> bytes {
        bytes all = 0;
        for (auto const b : beyond_) all += b;
        return all;
    }
    /// The first step with the peak; none where there is no step.
    [[nodiscard]] auto peak_step() const -> node {
        if (size_ == 0) return none;
        auto const rank = static_cast<std::size_t>(std::ranges::max_element(most_) - most_.begin());
        auto const& b = blocks_[order_[rank]];
        std::size_t at = 0;
        for (std::size_t k = 1; k < b.count; ++k)
            if (b.load[k] > b.load[at]) at = k;
        return b.steps[at];
    }
    [[nodiscard]] auto first() const -> node { return size_ == 0 ? none : blocks_[order_.front()].steps[0]; }
    [[nodiscard]] auto last() const -> node {
        if (size_ == 0) return none;
        auto const& b = blocks_[order_.back()];
        return b.steps[b.count - 1];
    }
    [[nodiscard]] auto next(node i) const -> node {
        auto const& b = blocks_[block_[i]];
        if (slot_[i] + 1U < b.count) return b.steps[slot_[i] + 1U];
        auto const rank = rank_[block_[i]] + 1U;
        return rank < order_.size() ? blocks_[order_[rank]].steps[0] : none;
    }
    [[nodiscard]] auto previous(node i) const -> node {
        if (slot_[i] > 0) return blocks_[block_[i]].steps[slot_[i] - 1U];
        auto const rank = rank_[block_[i]];
        if (rank == 0) return none;
        auto const& b = blocks_[order_[rank - 1U]];
        return b.steps[b.count - 1];
    }
    /// Puts step i before step `before` (none: at the end).
    void insert(node i, node before, bytes load) {
        if (before == none) {
            if (order_.empty()) new_block(0);
            place(i, order_.back(), blocks_[order_.back()].count, load);
        } else {
            place(i, block_[before], slot_[before], load);
        }
        ++size_;
    }
    void erase(node i) {
        auto const id = block_[i];
        auto& b = blocks_[id];
        for (std::size_t k = slot_[i] + 1U; k < b.count; ++k) put(b, k - 1, b.steps[k], b.load[k]);
        --b.count;
        block_[i] = none;
        --size_;
        if (b.count > 0) {
            refresh(id);
        } else {
            drop_block(id);
        }
    }
    /// Adds to the loads of all steps from `from` to `to`, both included.  Requires: from is not behind to.
    void add(node from, node to, bytes amount) {
        auto const a = block_[from];
        auto const z = block_[to];
        if (a == z) {
            add_within(a, slot_[from], slot_[to] + 1U, amount);
            return;
        }
        auto const first = rank_[a];
        auto const last = rank_[z];
        add_within(a, slot_[from], blocks_[a].count, amount);
        add_within(z, 0, slot_[to] + 1U, amount);
        for (std::size_t r = first + 1U; r < last; ++r) {
            added_[r] += amount;
            most_[r] += amount;
            if (most_[r] > limit_ || beyond_[r] > 0) beyond_[r] = beyond(blocks_[order_[r]], added_[r]);
        }
    }

  private:
    static constexpr std::size_t capacity = 64;

    struct block {
        std::uint32_t count = 0;
        std::array<node, capacity> steps;
        std::array<bytes, capacity> load;
    };

    void put(block& b, std::size_t at, node i, bytes load) {
        b.steps[at] = i;
        b.load[at] = load;
        slot_[i] = static_cast<std::uint32_t>(at);
    }
    void place(node i, std::uint32_t id, std::size_t at, bytes load) {
        if (blocks_[id].count == capacity) {
            auto const half = capacity / 2;
            auto const upper = new_block(rank_[id] + 1U);
            auto& lower = blocks_[id];
            auto& b = blocks_[upper];
            added_[rank_[upper]] = added_[rank_[id]];
            for (std::size_t k = half; k < capacity; ++k) {
                put(b, k - half, lower.steps[k], lower.load[k]);
                block_[lower.steps[k]] = upper;
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
        for (std::size_t k = b.count; k > at; --k) put(b, k, b.steps[k - 1], b.load[k - 1]);
        put(b, at, i, load - added_[rank_[id]]);
        block_[i] = id;
        ++b.count;
        most_[rank_[id]] = std::max(most_[rank_[id]], load);
        if (load > limit_) beyond_[rank_[id]] += load - limit_;
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
        added_.insert(added_.begin() + at, 0);
        most_.insert(most_.begin() + at, empty);
        beyond_.insert(beyond_.begin() + at, 0);
        for (std::size_t r = rank; r < order_.size(); ++r) rank_[order_[r]] = static_cast<std::uint32_t>(r);
        return id;
    }
    void drop_block(std::uint32_t id) {
        auto const rank = rank_[id];
        order_.erase(order_.begin() + rank);
        added_.erase(added_.begin() + rank);
        most_.erase(most_.begin() + rank);
        beyond_.erase(beyond_.begin() + rank);
        for (std::size_t r = rank; r < order_.size(); ++r) rank_[order_[r]] = static_cast<std::uint32_t>(r);
        free_.push_back(id);
    }
    void add_within(std::uint32_t id, std::size_t from, std::size_t to, bytes amount) {
        auto& b = blocks_[id];
        for (std::size_t k = from; k < to; ++k) b.load[k] += amount;
        refresh(id);
    }
    void refresh(std::uint32_t id) {
        auto const& b = blocks_[id];
        bytes most = empty;
        for (std::size_t k = 0; k < b.count; ++k) most = std::max(most, b.load[k]);
        auto const rank = rank_[id];
        most_[rank] = most + added_[rank];
        if (most_[rank] > limit_ || beyond_[rank] > 0) beyond_[rank] = beyond(b, added_[rank]);
    }
    [[nodiscard]] auto beyond(block const& b, bytes added) const -> bytes {
        bytes all = 0;
        bytes const least = limit_ - added;
        for (std::size_t k = 0; k < b.count; ++k) all += std::max<bytes>(0, b.load[k] - least);
        return all;
    }

    static constexpr bytes empty = std::numeric_limits<bytes>::min() / 2;

    std::vector<block> blocks_;
    std::vector<std::uint32_t> free_;           // blocks without steps
    std::vector<std::uint32_t> order_;          // blocks in order
    std::vector<bytes> added_, most_, beyond_;  // by rank: added to all loads of the block; the greatest of them; what
                                                // lies beyond the limit
    bytes limit_;
    std::vector<std::uint32_t> rank_;          // of every block
    std::vector<std::uint32_t> block_, slot_;  // of every step
    std::size_t size_ = 0;
};

}  // namespace repebble::detail

#endif
