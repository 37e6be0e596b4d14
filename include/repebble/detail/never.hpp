#ifndef REPEBBLE_DETAIL_NEVER_HPP
#define REPEBBLE_DETAIL_NEVER_HPP

namespace repebble::detail {

/// Of a search that nobody stops.
struct never {
    [[nodiscard]] constexpr auto operator()() const noexcept -> bool { return false; }
};

}  // namespace repebble::detail

#endif
