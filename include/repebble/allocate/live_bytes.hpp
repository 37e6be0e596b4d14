#ifndef REPEBBLE_ALLOCATE_LIVE_BYTES_HPP
#define REPEBBLE_ALLOCATE_LIVE_BYTES_HPP

// The greatest number of live bytes of a set of buffers, by a sweep over the begins and ends of their pieces. It is the
// basic lower bound on the height of every plan of offsets; `make_arena` reports it as the peak.

#include <cstdint>
#include <span>

#include <repebble/allocate/buffer.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A greatest number of live bytes, and the first time at which it occurs.
struct live_bytes {
    bytes most = 0;         ///< gaps respected, aliases counted once
    std::int64_t when = 0;  ///< in the unit of the lifetimes
    friend constexpr auto operator==(live_bytes const&, live_bytes const&) -> bool = default;
};

/// The greatest number of bytes that buffers need at any time; no plan of offsets has a lower height.  O(n log n).
/// Throws bad_buffer if a buffer is invalid, bad_weight if a sum does not fit in 64 bits.
[[nodiscard]] auto find_live_bytes(std::span<buffer const> buffers) -> live_bytes;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/live_bytes.ipp>
#endif

#endif
