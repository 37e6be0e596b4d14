#ifndef REPEBBLE_ALLOCATE_VERIFY_OFFSETS_HPP
#define REPEBBLE_ALLOCATE_VERIFY_OFFSETS_HPP

// The checker of plans of offsets: a sweep over time that keeps the live pieces in a map ordered by their first byte.
// `assign_offsets`, tests and fuzzers use it; it shares no code with the planners except the cutting of buffers into
// pieces.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <repebble/allocate/buffer.hpp>
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

    /// Whether the plan is valid.
    [[nodiscard]] explicit operator bool() const noexcept { return !fault; }
    /// The fault in one sentence; empty where there is none.
    [[nodiscard]] auto message() const -> std::string { return fault ? fault->message : std::string(); }
    friend auto operator==(offset_verdict const&, offset_verdict const&) -> bool = default;
};

/// Checks a plan of offsets, one per buffer: none is negative or breaks an alignment or a pin, every alias has the
/// offset of its buffer, and no two other buffers have the same byte at the same time, gaps respected. Returns the
/// height and, if the plan is invalid, a fault; of overlaps the earliest.
/// O(n log n).  Throws bad_buffer if a buffer is invalid.  Requires: as many offsets as buffers.
[[nodiscard]] auto verify_offsets(std::span<buffer const> buffers, std::span<bytes const> offsets) -> offset_verdict;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/verify_offsets.ipp>
#endif

#endif
