#ifndef REPEBBLE_TESTS_RECOMPUTE_BRANCHING_GRAPHS_HPP
#define REPEBBLE_TESTS_RECOMPUTE_BRANCHING_GRAPHS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/brute_force.hpp"
#include "support/generators.hpp"

namespace support {

/// Adds a vertex that reads these.
inline auto add_vertex(weighted_dag& g, std::vector<int> const& reads) -> int {
    auto const v = static_cast<int>(g.graph.size());
    g.graph.emplace_back();
    for (auto const u : reads) g.graph[static_cast<std::size_t>(u)].push_back(v);
    return v;
}

/// Random weights from 0 to `greatest`; every vertex may run twice.
inline void weigh(weighted_dag& g, split_mix& random, std::int64_t greatest_time, std::int64_t greatest_memory) {
    g.time = random_weights(random, g.size(), 0, greatest_time);
    g.memory = random_weights(random, g.size(), 0, greatest_memory);
    g.pinned.assign(g.size(), 0);
}

/// Parallel branches between two vertices. Each begins with a vertex that only its own next one and its own top read;
/// tops also read the end of the neighbouring branch: recomputed together, branches form a block, though no two of
/// their recomputed vertices are adjacent. Ends may also be read later.
[[nodiscard]] inline auto crossing_branches(split_mix& random) -> weighted_dag {
    weighted_dag g;
    auto const add = [&](std::vector<int> const& reads) { return add_vertex(g, reads); };
    int last = add({});
    for (auto stage = between(random, 1, 2); stage > 0; --stage) {
        auto const count = static_cast<std::size_t>(between(random, 2, 3));
        std::vector<int> roots, ends, tops;
        for (std::size_t i = 0; i < count; ++i) {
            roots.push_back(add({last}));
            ends.push_back(add({roots.back()}));
            if (chance(random, 40)) ends.back() = add({ends.back()});
        }
        for (std::size_t i = 0; i < count; ++i) tops.push_back(add({roots[i], ends[(i + 1) % count]}));
        for (auto const end : ends)
            if (chance(random, 60)) tops.push_back(end);
        last = add(tops);
    }
    weigh(g, random, 9, 9);
    return g;
}

/// Modules in series, each of parallel branches between two vertices; `around`: an edge bypasses each, so only the
/// first vertex is on every path.
[[nodiscard]] inline auto branching_modules(split_mix& random, std::size_t count, std::size_t branches,
                                            std::size_t length, std::int64_t greatest_time, bool around)
    -> weighted_dag {
    weighted_dag g;
    auto const add = [&](std::vector<int> const& reads) { return add_vertex(g, reads); };
    int last = add({});
    int before = last;
    for (std::size_t m = 0; m < count; ++m) {
        std::vector<int> ends;
        for (std::size_t b = 0; b < branches; ++b) {
            int end = last;
            for (std::size_t k = 0; k < length; ++k) end = add({end});
            ends.push_back(end);
        }
        if (around && before != last) ends.push_back(before);
        before = last;
        last = add(ends);
    }
    weigh(g, random, greatest_time, 99);
    return g;
}

}  // namespace support

#endif
