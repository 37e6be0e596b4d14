#ifndef REPEBBLE_TESTS_SUPPORT_BRUTE_ORDER_HPP
#define REPEBBLE_TESTS_SUPPORT_BRUTE_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/graph/quantity.hpp>

#include "support/generators.hpp"

namespace support {

/// A graph whose vertices write one value each.
struct one_shot_case {
    adjacency graph;
    std::vector<repebble::bytes> memory, workspace;
    std::vector<char> stays;  ///< whether the value stays to the end
};

/// The least peak of all orders, by a dynamic program over all lower sets.  O(2^n (n + m)).
[[nodiscard]] inline auto brute_order_peak(one_shot_case const& c) -> repebble::bytes {
    auto const n = c.graph.size();
    constexpr auto never = std::numeric_limits<repebble::bytes>::max();
    std::vector<std::uint32_t> reads(n, 0), readers(n, 0);
    for (std::size_t u = 0; u < n; ++u)
        for (int const w : c.graph[u]) {
            readers[u] |= 1U << static_cast<unsigned>(w);
            reads[static_cast<std::size_t>(w)] |= 1U << u;
        }
    std::vector<repebble::bytes> peak(std::size_t{1} << n, never);
    peak[0] = 0;
    for (std::uint32_t done = 0; done < peak.size(); ++done) {
        if (peak[done] == never) continue;
        repebble::bytes resident = 0;
        for (std::size_t u = 0; u < n; ++u)
            if ((done >> u & 1U) != 0 && (c.stays[u] != 0 || (readers[u] & ~done) != 0)) resident += c.memory[u];
        for (std::size_t v = 0; v < n; ++v) {
            if ((done >> v & 1U) != 0 || (reads[v] & ~done) != 0) continue;
            auto& next = peak[done | 1U << v];
            next = std::min(next, std::max(peak[done], resident + c.memory[v] + c.workspace[v]));
        }
    }
    return peak.back();
}

/// Sizes of 0 … most bytes, some workspaces and some values that stay.
[[nodiscard]] inline auto random_one_shot_case(split_mix& random, adjacency graph, std::int64_t most) -> one_shot_case {
    auto const n = graph.size();
    one_shot_case c{std::move(graph), random_weights(random, n, 0, most), std::vector<repebble::bytes>(n, 0),
                    std::vector<char>(n, 0)};
    for (std::size_t v = 0; v < n; ++v) {
        if (chance(random, 25)) c.workspace[v] = between(random, 0, most);
        c.stays[v] = chance(random, 10) ? 1 : 0;
    }
    return c;
}

}  // namespace support

#endif
