#ifndef REPEBBLE_TESTS_SUPPORT_RANDOM_BUFFERS_HPP
#define REPEBBLE_TESTS_SUPPORT_RANDOM_BUFFERS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/allocate/buffer.hpp>

#include "support/generators.hpp"

namespace support {

/// A few buffers within a few time units and bytes, some of them with gaps and windows.
[[nodiscard]] inline auto random_buffers(split_mix& random, std::size_t n, std::int64_t times, std::int64_t most)
    -> std::vector<repebble::buffer> {
    std::vector<repebble::buffer> all;
    while (all.size() < n) {
        auto const lower = between(random, 0, times - 1);
        repebble::buffer b{.lifetime = {lower, between(random, lower, times)}, .size = between(random, 0, most)};
        auto at = lower;
        while (chance(random, 40)) {
            auto const begin = between(random, at, times);
            auto const end = between(random, begin, times);
            if (begin == end || end > b.lifetime.upper) break;
            b.gaps.push_back({{begin, end}, {}});
            if (chance(random, 50)) {
                auto const from = between(random, 0, b.size);
                b.gaps.back().window = repebble::interval{from, between(random, from, b.size)};
            }
            at = end;
        }
        all.push_back(std::move(b));
    }
    return all;
}

/// Whether buffer b, at an offset, has a byte at a time: by its definition.
[[nodiscard]] inline auto has_byte(repebble::buffer const& b, repebble::bytes offset, std::int64_t time,
                                   repebble::bytes byte) -> bool {
    auto const in = [](repebble::interval const& i, std::int64_t x) { return i.lower <= x && x < i.upper; };
    if (!in(b.lifetime, time) || !in({0, b.size}, byte - offset)) return false;
    for (auto const& gap : b.gaps)
        if (in(gap.lifetime, time)) return gap.window && in(*gap.window, byte - offset);
    return true;
}

}  // namespace support

#endif
