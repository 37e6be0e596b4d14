#ifndef REPEBBLE_TESTS_SUPPORT_NAIVE_POOLS_HPP
#define REPEBBLE_TESTS_SUPPORT_NAIVE_POOLS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/allocate/buffer.hpp>

#include "support/generators.hpp"
#include "support/naive_offsets.hpp"

// Small tables of buffers for pools of memory, and their answers by definition: every distribution is tried.

namespace support {

/// Buffers, pools and what is asked of them.
struct pool_case {
    std::vector<repebble::buffer> buffers{};
    std::vector<repebble::bytes> capacities{};
    std::vector<std::optional<std::size_t>> required{};
    std::vector<std::int64_t> traffic{};
    std::vector<std::int64_t> costs{};
};

/// A case of up to seven buffers, with alignments, gaps, aliases, pins and required pools, and of two or three pools.
[[nodiscard]] inline auto random_pool_case(split_mix& random) -> pool_case {
    pool_case made;
    auto const count = 1 + below(random, 7);
    bool const gaps = chance(random, 50);
    made.buffers = random_arena(random, count, 5, 6,
                                {.aligned_percent = 20, .pinned_percent = 8, .alias_percent = 15, .gaps = gaps});
    auto const pools = 2 + below(random, 2);
    for (std::size_t p = 0; p < pools; ++p) {
        made.capacities.push_back(between(random, 0, 14));
        made.costs.push_back(between(random, 0, 3));
    }
    for (auto const& b : made.buffers) {
        made.traffic.push_back(between(random, 0, 9));
        made.required.emplace_back();
        if (b.pinned || (!b.alias_of && chance(random, 8))) made.required.back() = below(random, pools);
    }
    return made;
}

/// The least traffic of all plans of a case, each buffer's bytes times the cost of its pool; nothing: there is no plan.
[[nodiscard]] inline auto least_traffic(pool_case const& of) -> std::optional<std::int64_t> {
    auto const n = of.buffers.size();
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < n; ++i)
        if (!of.buffers[i].alias_of) roots.push_back(i);
    std::vector<std::optional<repebble::bytes>> height(std::size_t{1} << roots.size());
    auto const members = [&](std::size_t set) {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < n; ++i) {
            auto const root = std::ranges::find(roots, of.buffers[i].alias_of.value_or(i)) - roots.begin();
            if ((set >> root & 1U) != 0) all.push_back(i);
        }
        return all;
    };
    auto const height_of = [&](std::size_t set) {
        if (height[set]) return *height[set];
        std::vector<repebble::buffer> chosen;
        std::vector<std::size_t> at(n);
        for (auto const i : members(set)) {
            at[i] = chosen.size();
            chosen.push_back(of.buffers[i]);
        }
        for (auto& b : chosen)
            if (b.alias_of) b.alias_of = at[*b.alias_of];
        height[set] = naive_planner(chosen, 5).least_height();
        return *height[set];
    };
    auto const cost = [&](std::size_t set, std::size_t p) -> std::optional<std::int64_t> {
        std::int64_t sum = 0;
        for (auto const i : members(set)) {
            if (of.required[i].value_or(p) != p) return std::nullopt;
            sum += of.traffic[i] * of.costs[p];
        }
        if (height_of(set) > of.capacities[p]) return std::nullopt;
        return sum;
    };
    // Least costs of the sets in the first pools, one pool after the other.
    std::vector<std::optional<std::int64_t>> least(height.size());
    least[0] = 0;
    for (std::size_t p = 0; p < of.capacities.size(); ++p) {
        std::vector<std::optional<std::int64_t>> next(height.size());
        for (std::size_t in = 0; in < height.size(); ++in) {
            auto const own = cost(in, p);
            if (!own) continue;
            for (std::size_t before = 0; before < height.size(); ++before)
                if ((before & in) == 0 && least[before])
                    next[before | in] =
                        std::min(next[before | in].value_or(*least[before] + *own), *least[before] + *own);
        }
        least = std::move(next);
    }
    return least.back();
}

}  // namespace support

#endif
