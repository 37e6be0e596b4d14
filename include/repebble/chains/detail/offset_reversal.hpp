#ifndef REPEBBLE_CHAINS_DETAIL_OFFSET_REVERSAL_HPP
#define REPEBBLE_CHAINS_DETAIL_OFFSET_REVERSAL_HPP

// A part of a chain, reversed by REVOLVE in the lowest level of memory: level_table.hpp and periodic_disk_revolve.hpp
// go through such parts one after the other.

#include <algorithm>
#include <cstdint>

#include <repebble/chains/revolve.hpp>
#include <repebble/chains/storage_level.hpp>

namespace repebble::inline v0::detail {

/// The actions that reverse the steps first … first + steps - 1; the state before `first` is the current one.
class offset_reversal {
  public:
    /// Begins with another part. A single step needs no snapshot.  Requires: steps >= 1.
    void begin(std::uint64_t first, std::uint64_t steps, std::uint32_t slots) {
        first_ = first;
        auto const of_use = std::max<std::uint64_t>(steps, 2) - 1;
        inner_ = {steps, static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, of_use)), initial_state::counted};
        if (steps == 1) ++inner_.begin();
    }
    [[nodiscard]] auto first() const noexcept -> std::uint64_t { return first_; }
    [[nodiscard]] auto is_over() -> bool { return inner_.begin() == inner_.end(); }
    void advance() { ++inner_.begin(); }
    [[nodiscard]] auto current() -> level_action {
        auto const& a = *inner_.begin();
        return {{a.what, a.slot, first_ + a.begin, first_ + a.end}, 0};
    }

  private:
    std::uint64_t first_ = 0;
    revolve_schedule inner_{0, 1, initial_state::counted};
};

}  // namespace repebble::inline v0::detail

#endif
