#ifndef REPEBBLE_GRAPH_TIME_UNIT_HPP
#define REPEBBLE_GRAPH_TIME_UNIT_HPP

// Times are whole numbers inside the library, so that sums are exact and bounds are proofs. Here is the one rule by
// which a caller's floating-point times become whole, once, at the door.

#include <cstdint>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// The caller's time units in one whole time of the library: `size / per` of them; 1 for a caller of whole times.
struct time_unit {
    double size = 1;    ///< a power of two
    double per = 1;     ///< a power of ten
    bool exact = true;  ///< whether every time of the caller is a whole number of units

    /// A whole time in the caller's units.
    [[nodiscard]] constexpr auto in_caller_units(std::int64_t time) const -> double {
        return static_cast<double>(time) * size / per;
    }
    /// A time of the caller, at least 0, in whole times, rounded up. Throws bad_weight where 62 bits do not hold it.
    [[nodiscard]] auto whole_above(double time) const -> std::int64_t;

    friend constexpr auto operator==(time_unit const&, time_unit const&) -> bool = default;
};

/// Times that are whole multiples of a unit.
struct whole_times {
    std::vector<std::int64_t> times;  ///< of each time that was given
    time_unit unit{};                 ///< of which the times are multiples
};

namespace detail {

/// The double of the shortest decimal number that reads back as x: 0.1 of 0.1f.  Requires: x is finite.
[[nodiscard]] auto as_written(float x) -> double;

/// Floating-point times as whole multiples of 10⁻ᵏ, for the least k from 0 to 12 that is exact (of each time as the
/// shortest decimal number that reads back as it), if their sum is then at most 2⁵³. Else they are rounded down to
/// multiples of 2⁻⁴⁰ of their sum.  Requires: times are finite and not negative.  O(n).
[[nodiscard]] auto to_whole_times(std::span<double const> given) -> whole_times;

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/time_unit.ipp>
#endif

#endif
