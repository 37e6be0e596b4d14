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
    [[nodiscard]] auto peak_step() const -> node;
    [[nodiscard]] auto first() const -> node { return size_ == 0 ? none : blocks_[order_.front()].steps[0]; }
    [[nodiscard]] auto last() const -> node {
        if (size_ == 0) return none;
        auto const& b = blocks_[order_.back()];
        return b.steps[b.count - 1];
    }
    [[nodiscard]] auto next(node i) const -> node;
    [[nodiscard]] auto previous(node i) const -> node;
    /// Inserts step i before step `before` (none: at the end).
    void insert(node i, node before, bytes resident);
    void erase(node i);
    /// Adds `amount` to the resident bytes of all steps from `from` to `to`, both included.  Requires: from is not
    /// behind to.
    void add(node from, node to, bytes amount);

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
    void place(node i, std::uint32_t id, std::size_t at, bytes resident);
    auto new_block(std::size_t rank) -> std::uint32_t;
    void release_block(std::uint32_t id);
    /// Requires: from < to.
    void add_within(std::uint32_t id, std::size_t from, std::size_t to, bytes amount);
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
    [[nodiscard]] auto excess_of(block const& b, bytes added) const -> bytes;

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

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/sequences/memory_profile.ipp>
#endif

#endif
