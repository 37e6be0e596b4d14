#ifndef REPEBBLE_ALLOCATE_DETAIL_SHAPES_BUFFER_SHAPES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SHAPES_BUFFER_SHAPES_HPP

// The first step of every offset planner: merges each buffer with its aliases into one shape, and cuts overlapping
// pieces of aliases into disjoint rectangles by a sweep over time. `compact` continues from here; `live_bytes` and
// `verify_offsets` use the shapes directly.
// Invariant: the pieces of a shape are disjoint and come in the order of time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Shapes, the units of placement: each is a buffer together with its aliases, as disjoint rectangles of time and
/// bytes.
struct buffer_shapes {
    struct shape {
        bytes size = 0;  ///< the end of its highest buffer
        bytes alignment = 1;
        std::optional<bytes> pinned{};
    };
    std::vector<shape> shapes{};
    jagged_array<buffer_piece> pieces{};    ///< of each shape, in the order of time
    std::vector<std::uint32_t> shape_of{};  ///< of each buffer
};

/// Cuts overlapping pieces of a shape into disjoint ones.  O(k² log k) for k pieces.
[[nodiscard]] inline auto disjoint_pieces(std::vector<buffer_piece> const& pieces) -> std::vector<buffer_piece> {
    std::vector<std::int64_t> times;
    for (auto const& p : pieces) times.push_back(p.lifetime.lower), times.push_back(p.lifetime.upper);
    sort_unique(times);
    std::vector<buffer_piece> cut;
    std::vector<interval> live;
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
        interval const now{times[k], times[k + 1]};
        live.clear();
        for (auto const& p : pieces)
            if (p.lifetime.overlaps(now)) live.push_back(p.bytes);
        sort_by(live, [](auto const& a, auto const& b) { return a.lower < b.lower; });
        for (std::size_t i = 0; i < live.size();) {
            auto joined = live[i++];
            for (; i < live.size() && live[i].lower <= joined.upper; ++i)
                joined.upper = std::max(joined.upper, live[i].upper);
            auto const before = std::find_if(cut.rbegin(), cut.rend(), [&](buffer_piece const& p) {
                return p.lifetime.upper == now.lower && p.bytes == joined;
            });
            if (before != cut.rend())
                before->lifetime.upper = now.upper;
            else
                cut.push_back({now, joined});
        }
    }
    return cut;
}

/// Throws bad_buffer if there are more buffers or pieces than 32-bit numbers can index.
inline void require_few(std::size_t count, char const* kind) {
    if (count > std::numeric_limits<std::uint32_t>::max() / 2)
        detail::raise(bad_buffer("no plan is made for more than 2147483647 " + std::string(kind) + ", not for " +
                                 std::to_string(count)));
}

/// The shapes of buffers.  O(n + pieces), and k² log k for every shape of k pieces with aliases.
/// Throws bad_buffer if a buffer is invalid, if alignments or pins of aliases contradict each other, or if there are
/// too many.
[[nodiscard]] inline auto shapes_of(std::span<buffer const> buffers) -> buffer_shapes {
    require_few(buffers.size(), "buffers");
    require_valid_buffers(buffers);
    buffer_shapes found;
    found.shape_of.resize(buffers.size());
    std::vector<std::pair<std::uint32_t, buffer_piece>> pieces;
    std::vector<std::vector<buffer_piece>> shared;  // of the shapes with aliases
    std::vector<std::uint32_t> shared_at;           // per shape: 1 + its index in `shared`; 0: no alias
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].alias_of) continue;
        found.shape_of[i] = static_cast<std::uint32_t>(found.shapes.size());
        found.shapes.push_back({buffers[i].size, buffers[i].alignment, buffers[i].pinned});
    }
    shared_at.resize(found.shapes.size(), 0);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        auto const& b = buffers[i];
        if (!b.alias_of) continue;
        auto const root = found.shape_of[i] = found.shape_of[*b.alias_of];
        auto& s = found.shapes[root];
        s.size = std::max(s.size, b.size);
        if (__builtin_mul_overflow(s.alignment / std::gcd(s.alignment, b.alignment), b.alignment, &s.alignment) ||
            (s.pinned && *s.pinned % s.alignment != 0))
            detail::raise(bad_buffer("buffer " + std::to_string(i) + ": its alignment " + std::to_string(b.alignment) +
                                     " cannot be had together with that of buffer " + std::to_string(*b.alias_of)));
        if (shared_at[root] == 0) {
            shared.emplace_back();
            shared_at[root] = static_cast<std::uint32_t>(shared.size());
        }
    }
    for (std::size_t i = 0; i < buffers.size(); ++i)
        buffers[i].for_each_piece([&](buffer_piece const& p) {
            auto const shape = found.shape_of[i];
            if (shared_at[shape] == 0)
                pieces.emplace_back(shape, p);
            else
                shared[shared_at[shape] - 1].push_back(p);
        });
    for (std::uint32_t s = 0; s < found.shapes.size(); ++s)
        if (shared_at[s] != 0)
            for (auto const& p : disjoint_pieces(shared[shared_at[s] - 1])) pieces.emplace_back(s, p);
    require_few(pieces.size(), "pieces of buffers");
    found.pieces = {found.shapes.size(), pieces};
    return found;
}

}  // namespace repebble::inline v0::detail

#endif
