#ifndef REPEBBLE_ALLOCATE_ASSIGN_OFFSETS_HPP
#define REPEBBLE_ALLOCATE_ASSIGN_OFFSETS_HPP

// The main planner of offsets (dynamic storage allocation, NP-hard). It validates and compresses the buffers, runs the
// portfolio of `detail/search` (greedy placement, best fit on a skyline, search for an order, ejection search, exact
// search) and checks the result with `verify_offsets`. `plan_arena` and `assign_pools` call it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// Options of `assign_offsets`.
struct offset_options {
    std::optional<bytes> capacity{};     ///< bytes to fit into; nullopt: minimise the height
    std::optional<double> time_limit{};  ///< seconds of CPU time, then the best so far; runs may differ
    double effort = 1;  ///< work after the greedy planners; 1 is a second or, for 10⁶ buffers, twenty
};

/// A property proven of a plan of offsets.
enum class offset_proof : std::uint8_t {
    none,
    least,       ///< no plan is lower
    infeasible,  ///< no plan fits into the capacity
};

/// A plan of offsets: buffer i occupies the bytes [offsets[i], offsets[i] + size) during its lifetime.
struct offset_plan {
    std::vector<bytes> offsets{};             ///< of every buffer
    bytes height = 0;                         ///< the end of the highest buffer
    bytes lower_bound = 0;                    ///< on the height of every plan
    offset_proof proof = offset_proof::none;  ///< the property that is proven
    friend auto operator==(offset_plan const&, offset_plan const&) -> bool = default;
};

namespace detail {
[[noreturn]] inline void refuse(char const* option, double value) {
    detail::raise(bad_buffer(std::string(option) + " cannot be negative: " + std::to_string(value)));
}
}  // namespace detail

/// Offsets for buffers with lifetimes, of the least height found or within a capacity. Never higher than any plan of
/// `first_fit` and `best_fit` in the five simple orders, unless a time limit ends it before. Stops when a plan is
/// proven least, fits into the capacity, or is proven infeasible. Where none within the capacity is found, the lowest
/// one is returned: compare its height. Without a time limit equal inputs give equal plans.
///
/// The lower bound is the greatest live bytes, raised by alignments and pins; for up to 2000 buffers, with gaps,
/// windows and aliases or without, an exact search raises it further. With more buffers, best fit on a skyline (up to
/// 3 · 10⁵, without pins, gaps, windows and aliases), search for an order of first fit (squeaky-wheel optimisation) and
/// ejection search improve the best of some twenty greedy plans, and where work and time suffice the exact search looks
/// for a plan at the bound: of 10⁴ buffers that takes an effort of about 4. With effort 1, up to 2000 buffers take at
/// most about three seconds, 10⁵ two to twenty, 10⁶ a minute, and most far less; the greedy plans of 10⁶ buffers of a
/// tree take minutes (`first_fit`). A time limit does not cut short the first greedy plan and the final check. O(n)
/// memory. Throws bad_buffer if a buffer is invalid, two pinned ones overlap or an option is negative; bad_weight if
/// the sum of sizes, alignments and pins does not fit in 64 bits.
[[nodiscard]] auto assign_offsets(std::span<buffer const> buffers, offset_options const& options = {}) -> offset_plan;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/assign_offsets.ipp>
#endif

#endif
