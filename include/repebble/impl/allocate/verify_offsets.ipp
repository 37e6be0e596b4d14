#ifndef REPEBBLE_IMPL_ALLOCATE_VERIFY_OFFSETS_IPP
#define REPEBBLE_IMPL_ALLOCATE_VERIFY_OFFSETS_IPP

#include <repebble/allocate/verify_offsets.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

[[nodiscard]] inline auto own_fault(buffer const& b, bytes offset) -> std::string {
    auto const at = "its offset " + std::to_string(offset);
    bytes end = 0;
    if (offset < 0) return at + " is negative";
    if (__builtin_add_overflow(offset, b.size, &end)) return at + " and its size do not fit in 64 bits";
    if (offset % b.alignment != 0) return at + " is no multiple of its alignment " + std::to_string(b.alignment);
    if (b.pinned && offset != *b.pinned)
        return at + " is not the " + std::to_string(*b.pinned) + " that it must have";
    return {};
}

[[nodiscard]] inline auto overlap(std::size_t a, std::size_t b, std::int64_t when) -> offset_fault {
    auto const [first, second] = std::minmax(a, b);
    return {first, second,
            "buffers " + std::to_string(first) + " and " + std::to_string(second) + " overlap at time " +
                std::to_string(when)};
}

/// The earliest overlap. Up to it the live pieces are disjoint, so that only neighbours in the map are compared.
[[nodiscard]] inline auto find_overlap(std::span<buffer const> buffers, std::span<bytes const> offsets)
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

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto verify_offsets(std::span<buffer const> buffers, std::span<bytes const> offsets) -> offset_verdict {
    detail::require_valid_buffers(buffers);
    REPEBBLE_ASSERT(buffers.size() == offsets.size());
    offset_verdict verdict;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        auto why = detail::own_fault(buffers[i], offsets[i]);
        if (auto const root = buffers[i].alias_of; why.empty() && root && offsets[i] != offsets[*root])
            why = "its offset " + std::to_string(offsets[i]) + " is not the " + std::to_string(offsets[*root]) +
                  " of buffer " + std::to_string(*root) + ", whose alias it is";
        if (!why.empty()) {
            verdict.fault = offset_fault{i, {}, "buffer " + std::to_string(i) + ": " + why};
            return verdict;
        }
        verdict.height = std::max(verdict.height, offsets[i] + buffers[i].size);
    }
    verdict.fault = detail::find_overlap(buffers, offsets);
    return verdict;
}

}  // namespace repebble::inline v0

#endif
