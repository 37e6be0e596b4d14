#ifndef REPEBBLE_ALLOCATE_VERIFY_OFFSETS_HPP
#define REPEBBLE_ALLOCATE_VERIFY_OFFSETS_HPP

// The checker of plans of offsets: a sweep over time that keeps the live pieces in a map ordered by their first byte.
// `assign_offsets`, tests and fuzzers use it; it shares no code with the planners except the cutting of buffers into
// pieces.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A fault of a plan of offsets: buffer `first` alone, or two buffers together.
struct offset_fault {
    std::size_t first = 0;                ///< the buffer at fault
    std::optional<std::size_t> second{};  ///< the buffer with which it overlaps
    std::string message{};                ///< the whole fault in one sentence
    friend auto operator==(offset_fault const&, offset_fault const&) -> bool = default;
};

/// Result of a check.
struct offset_verdict {
    bytes height = 0;                     ///< the end of the highest buffer
    std::optional<offset_fault> fault{};  ///< nullopt: the plan is valid
    friend auto operator==(offset_verdict const&, offset_verdict const&) -> bool = default;
};

namespace detail {
struct verify_offsets_fn {
    [[nodiscard]] auto operator()(std::span<buffer const> buffers, std::span<bytes const> offsets) const
        -> offset_verdict {
        require_valid_buffers(buffers);
        REPEBBLE_ASSERT(buffers.size() == offsets.size());
        offset_verdict verdict;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            auto why = own_fault(buffers[i], offsets[i]);
            if (auto const root = buffers[i].alias_of; why.empty() && root && offsets[i] != offsets[*root])
                why = "its offset " + std::to_string(offsets[i]) + " is not the " + std::to_string(offsets[*root]) +
                      " of buffer " + std::to_string(*root) + ", whose alias it is";
            if (!why.empty()) {
                verdict.fault = offset_fault{i, {}, "buffer " + std::to_string(i) + ": " + why};
                return verdict;
            }
            verdict.height = std::max(verdict.height, offsets[i] + buffers[i].size);
        }
        verdict.fault = find_overlap(buffers, offsets);
        return verdict;
    }

  private:
    [[nodiscard]] static auto own_fault(buffer const& b, bytes offset) -> std::string {
        auto const at = "its offset " + std::to_string(offset);
        bytes end = 0;
        if (offset < 0) return at + " is negative";
        if (__builtin_add_overflow(offset, b.size, &end)) return at + " and its size do not fit in 64 bits";
        if (offset % b.alignment != 0) return at + " is no multiple of its alignment " + std::to_string(b.alignment);
        if (b.pinned && offset != *b.pinned)
            return at + " is not the " + std::to_string(*b.pinned) + " that it must have";
        return {};
    }

    /// The earliest overlap. Up to it the live pieces are disjoint, so that only neighbours in the map are compared.
    [[nodiscard]] static auto find_overlap(std::span<buffer const> buffers, std::span<bytes const> offsets)
        -> std::optional<offset_fault> {
        struct change {
            std::int64_t when;
            bool begins;  // ends come first
            bytes from, to;
            std::size_t buffer;
        };
        auto const shapes = shapes_of(buffers);
        std::vector<change> changes;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].alias_of) continue;
            for (auto const& p : shapes.pieces[shapes.shape_of[i]]) {
                bytes const from = offsets[i] + p.bytes.lower;
                bytes const to = offsets[i] + p.bytes.upper;
                changes.push_back({p.lifetime.lower, true, from, to, i});
                changes.push_back({p.lifetime.upper, false, from, to, i});
            }
        }
        auto const key = [](change const& c) { return std::tuple(c.when, c.begins, c.buffer); };
        sort_by(changes, [&](change const& a, change const& b) { return key(a) < key(b); });
        struct piece {
            bytes to;
            std::size_t buffer;
        };
        std::map<bytes, piece> live;  // by first byte
        for (auto const& c : changes) {
            if (!c.begins) {
                live.erase(c.from);
                continue;
            }
            auto const after = live.lower_bound(c.from);
            if (after != live.end() && after->first < c.to) return overlap(after->second.buffer, c.buffer, c.when);
            if (after != live.begin() && std::prev(after)->second.to > c.from)
                return overlap(std::prev(after)->second.buffer, c.buffer, c.when);
            live.emplace_hint(after, c.from, piece{c.to, c.buffer});
        }
        return std::nullopt;
    }

    [[nodiscard]] static auto overlap(std::size_t a, std::size_t b, std::int64_t when) -> offset_fault {
        auto const [first, second] = std::minmax(a, b);
        return {first, second,
                "buffers " + std::to_string(first) + " and " + std::to_string(second) + " overlap at time " +
                    std::to_string(when)};
    }
};
}  // namespace detail

/// Checks a plan of offsets, one per buffer: none is negative or breaks an alignment or a pin, every alias has the
/// offset of its buffer, and no two other buffers have the same byte at the same time, gaps respected. Returns the
/// height and, if the plan is invalid, a fault; of overlaps the earliest.
/// O(n log n).  Throws bad_buffer if a buffer is invalid.  Requires: as many offsets as buffers.
inline constexpr detail::verify_offsets_fn verify_offsets{};

}  // namespace repebble::inline v0

#endif
