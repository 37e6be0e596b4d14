#ifndef REPEBBLE_ALLOCATE_ASSIGN_OFFSETS_HPP
#define REPEBBLE_ALLOCATE_ASSIGN_OFFSETS_HPP

// The main planner of offsets (dynamic storage allocation, NP-hard). It validates and compresses the buffers, runs the
// portfolio of `detail/search` (greedy placement, best fit on a skyline, search for an order, ejection search, exact
// search) and checks the result with `verify_offsets`. `make_arena` and `assign_pools` call it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Options of `assign_offsets`.
struct offset_options {
    static constexpr std::size_t default_work = 1000;  ///< of the limits, where they name none

    std::optional<bytes> capacity{};     ///< bytes to fit into; nullopt: minimise the height
    /// Work: after the greedy planners, in shares of `default_work`, which takes a second or, for 10⁶ buffers,
    /// twenty.
    repebble::limits limits{};
};

/// A property proven of a plan of offsets.
enum class offset_proof : std::uint8_t {
    none,
    height_least,  ///< no plan is lower
    none_exists,   ///< no plan fits into the capacity
};

/// A plan of offsets: buffer i occupies the bytes [offsets[i], offsets[i] + size) during its lifetime.
struct offset_plan {
    std::vector<bytes> offsets{};             ///< of every buffer
    bytes height = 0;                         ///< the end of the highest buffer
    bytes lower_bound = 0;                    ///< on the height of every plan
    offset_proof proof = offset_proof::none;  ///< the property that is proven
    friend auto operator==(offset_plan const&, offset_plan const&) -> bool = default;
};

/// Offsets for buffers with lifetimes, of the least height found or within a capacity. Never higher than any plan of
/// `fit_offsets` in the five simple orders, unless a limit ends it before. Stops when a plan is
/// of least height, fits into the capacity, or none exists. Where none within the capacity is found, the lowest
/// one is returned: compare its height.
///
/// The lower bound is the greatest live bytes, raised by alignments and pins; for up to 2000 buffers, with gaps,
/// windows and aliases or without, an exact search raises it further. With more buffers, best fit on a skyline (up to
/// 3 · 10⁵, without pins, gaps, windows and aliases), search for an order of first fit (squeaky-wheel optimisation) and
/// ejection search improve the best of some twenty greedy plans, and where work and seconds suffice the exact search
/// looks for a plan at the bound: of 10⁴ buffers that takes a work of about 4000. By default up to 2000 buffers take at
/// most about three seconds, 10⁵ two to twenty, 10⁶ a minute, and most far less; the greedy plans of 10⁶ buffers of a
/// tree take minutes (`fit_offsets`). Limits do not cut short the final check; of a first
/// greedy plan of more than 10⁴ buffers, those that are left when they end it are placed in the order of time, above
/// the others. O(n) memory. Throws bad_buffer if a buffer is invalid, two pinned ones overlap or the capacity is
/// negative; bad_option if the seconds are; bad_weight if the sum of sizes, alignments and pins does not fit in 64
/// bits.
[[nodiscard]] auto assign_offsets(std::span<buffer const> buffers, offset_options const& options = {}) -> offset_plan;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/assign_offsets.ipp>
#endif

#endif
