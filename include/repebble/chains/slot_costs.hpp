#ifndef REPEBBLE_CHAINS_SLOT_COSTS_HPP
#define REPEBBLE_CHAINS_SLOT_COSTS_HPP

// The sizes of a chain in whole slots of memory, and the number of slots that each step of the dynamic program needs.
// The programs of detail/slots read all sizes from here.
// Invariant: a size that exceeds the last slot counts as one slot more than there are, so that it never fits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// The direction in which sizes are rounded to whole slots.
enum class slot_rounding : std::uint8_t {
    up,       ///< so that plans fit
    down,     ///< so that no plan is missed: times are lower bounds, and plans may not fit
    nearest,  ///< so that errors cancel out: for plans that are replayed afterwards
};

namespace detail {

/// A number of slots.
using slot_count = std::int32_t;

/// The sizes of a chain in slots of `unit` bytes; a size above `most` slots counts as most + 1.
class slot_costs {
  public:
    slot_costs(chain_sums const& sums, memory_test test, slot_rounding round, bytes unit, slot_count most);

    [[nodiscard]] auto value(std::size_t i) const -> slot_count { return values_[i]; }
    [[nodiscard]] auto saved(std::size_t i, std::size_t tape) const -> slot_count {
        return slots(sums_.stage(i).tapes[tape].saved);
    }
    /// Slots to run stage i forward with a tape, beside the gradient of the output of stage l, and backward from that
    /// tape. `keep`: the slots that `keeps` gives for subchain i … l.
    [[nodiscard]] auto save(std::size_t i, std::size_t tape, std::size_t l, slot_count keep) const -> slot_count;
    /// Slots to run stages i … l forward without tapes, beside the gradient of the output of l; for every l from i to
    /// last - 1.
    [[nodiscard]] auto keeps(std::size_t i, std::size_t last) const -> std::vector<slot_count>;

  private:
    /// A size in whole slots.
    [[nodiscard]] auto rounded(bytes size) const -> bytes;
    [[nodiscard]] auto capped(bytes slots) const -> slot_count {
        return static_cast<slot_count>(std::clamp<bytes>(slots, 0, bytes{most_} + 1));
    }
    [[nodiscard]] auto slots(bytes size) const -> slot_count { return capped(rounded(size)); }

    chain_sums const& sums_;
    bool published_;
    slot_rounding round_;
    bytes unit_;
    slot_count most_;
    std::vector<slot_count> values_, gradients_;
    std::vector<bytes> running_;  // of every stage; with the published test in slots
};

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/slot_costs.ipp>
#endif

#endif
