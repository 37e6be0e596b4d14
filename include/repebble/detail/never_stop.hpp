#ifndef REPEBBLE_DETAIL_NEVER_STOP_HPP
#define REPEBBLE_DETAIL_NEVER_STOP_HPP

// The stop condition of a search without limit: the default where a search asks `stop()` now and then.

namespace repebble::inline v0::detail {

/// A stop condition that is never true.
struct never_stop {
    [[nodiscard]] constexpr auto operator()() const noexcept -> bool { return false; }
};

}  // namespace repebble::inline v0::detail

#endif
