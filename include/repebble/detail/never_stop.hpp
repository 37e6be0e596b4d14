#ifndef REPEBBLE_DETAIL_NEVER_STOP_HPP
#define REPEBBLE_DETAIL_NEVER_STOP_HPP

namespace repebble::inline v0::detail {

/// Of a search that nobody stops.
struct never_stop {
    [[nodiscard]] constexpr auto operator()() const noexcept -> bool { return false; }
};

}  // namespace repebble::inline v0::detail

#endif
