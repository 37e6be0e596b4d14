#ifndef REPEBBLE_TESTS_SUPPORT_PARALLEL_PLANS_HPP
#define REPEBBLE_TESTS_SUPPORT_PARALLEL_PLANS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/generators.hpp"
#include "support/random_schedules.hpp"

namespace support {

using step_edges = std::vector<repebble::csr_graph::edge>;

/// A schedule with the data that its buffers and its parallel runs need.
struct parallel_case {
    repebble::dataflow flow;
    repebble::schedule<> plan;
    repebble::step_graph steps = repebble::make_step_graph(flow, plan);
    std::vector<repebble::buffer> buffers = repebble::find_lifetimes(flow, plan).buffers;
};

/// A legal random schedule of a random dataflow, if there is one at the first try.
[[nodiscard]] inline auto random_parallel_case(split_mix& random, std::size_t operations, std::size_t tries)
    -> std::optional<parallel_case> {
    auto flow = any_dataflow(random, operations);
    auto plan = random_schedule(random, flow, below(random, tries));
    if (!repebble::verify_schedule(flow, plan)) return std::nullopt;
    return parallel_case{std::move(flow), std::move(plan)};
}

/// First fit: offsets of buffers in a random order, each at the lowest offset where no overlapping buffer lies.
[[nodiscard]] inline auto first_fit(split_mix& random, std::vector<repebble::buffer> const& buffers)
    -> std::vector<repebble::bytes> {
    std::vector<repebble::bytes> offsets(buffers.size(), 0);
    std::vector<std::size_t> placed;
    for (auto const p : random_permutation(random, buffers.size())) {
        auto const i = static_cast<std::size_t>(p);
        auto const hits = [&](std::size_t j) {
            return buffers[i].lifetime.overlaps(buffers[j].lifetime) && offsets[i] < offsets[j] + buffers[j].size &&
                   offsets[j] < offsets[i] + buffers[i].size;
        };
        while (std::ranges::any_of(placed, hits)) ++offsets[i];
        placed.push_back(i);
    }
    return offsets;
}

/// Whether two buffers with a byte in common can both be in use: tries every state of steps that have started and
/// steps that have ended. A buffer is in use from the start of the first step that touches it, whichever that is, to
/// the end of the last one.
[[nodiscard]] inline auto can_race(repebble::step_graph const& steps, std::vector<repebble::buffer> const& buffers,
                                   std::vector<repebble::bytes> const& offsets, step_edges const& more) -> bool {
    using mask = std::uint32_t;
    auto const n = steps.dependencies.vertex_count();
    auto const bit = [](std::size_t s) { return mask{1} << s; };
    std::vector<mask> needs(n, 0), touching(buffers.size(), 0);
    for (std::size_t s = 0; s < n; ++s)
        for (auto const p : steps.dependencies.predecessors(s)) needs[s] |= bit(p);
    for (auto const& [s, t] : more) needs[t] |= bit(s);
    for (std::size_t b = 0; b < buffers.size(); ++b)
        for (auto const s : steps.touches[b]) touching[b] |= bit(s);
    std::vector<std::pair<std::size_t, std::size_t>> common;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (offsets[i] < offsets[j] + buffers[j].size && offsets[j] < offsets[i] + buffers[i].size &&
                buffers[i].size > 0 && buffers[j].size > 0)
                common.emplace_back(i, j);
    std::vector<bool> seen(std::size_t{1} << (2 * n), false);
    std::vector<std::pair<mask, mask>> open{{0, 0}};
    while (!open.empty()) {
        auto const [started, ended] = open.back();
        open.pop_back();
        auto const in_use = [&, s = started, e = ended](std::size_t b) {
            return (touching[b] & s) != 0 && (touching[b] & ~e) != 0;
        };
        for (auto const& [i, j] : common)
            if (in_use(i) && in_use(j)) return true;
        auto const visit = [&](mask s, mask e) {
            auto const at = (std::size_t{s} << n) | e;
            if (!seen[at]) open.emplace_back(s, e);
            seen[at] = true;
        };
        for (std::size_t s = 0; s < n; ++s) {
            if ((started & bit(s)) == 0 && (needs[s] & ~ended) == 0) visit(started | bit(s), ended);
            if ((started & bit(s)) != 0 && (ended & bit(s)) == 0) visit(started, ended | bit(s));
        }
    }
    return false;
}

}  // namespace support

#endif
