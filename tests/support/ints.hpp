#ifndef REPEBBLE_TESTS_SUPPORT_INTS_HPP
#define REPEBBLE_TESTS_SUPPORT_INTS_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace support {

/// A row of indices as a vector of int, for comparisons in tests.
[[nodiscard]] inline auto ints(std::span<std::uint32_t const> row) -> std::vector<int> {
    return {row.begin(), row.end()};
}

}  // namespace support

#endif
