#ifndef REPEBBLE_IMPL_LOWER_SETS_EVALUATE_FORMULA_IPP
#define REPEBBLE_IMPL_LOWER_SETS_EVALUATE_FORMULA_IPP

#include <repebble/lower_sets/evaluate_formula.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto evaluate_formula(lower_set_problem const& problem, lower_set_sequence const& sequence,
                                      bool keep_last) -> formula_result {
    auto const& g = problem.graph;
    auto const& segment = sequence.segment;
    auto const n = static_cast<std::uint32_t>(segment.size());
    // The first segment after which a vertex is in δ⁺(L), and after which it is read by one of δ⁺(L) ∖ L: from then on,
    // as long as it is not in L itself, its bytes count beyond L.
    std::vector<std::uint32_t> reads_since(segment), read_since(segment);
    for (std::uint32_t w = 0; w < n; ++w)
        for (auto const u : g.predecessors(w)) reads_since[w] = std::min(reads_since[w], segment[u]);
    std::vector<segment_cost> costs(sequence.count);
    std::vector<bytes> beyond(sequence.count + 1, 0);  // changes, by segment
    for (std::uint32_t v = 0; v < n; ++v) {
        auto& cost = costs[segment[v]];
        bool kept = problem.pinned.contains(v);
        for (auto const w : g.successors(v)) {
            kept = kept || segment[w] > segment[v];
            read_since[v] = std::min(read_since[v], reads_since[w]);
        }
        cost.working += 2 * problem.memory[v];
        if (kept)
            cost.cached += problem.memory[v];
        else
            cost.overhead += problem.time[v];
        for (auto const since : {reads_since[v], read_since[v]}) {
            beyond[since] += problem.memory[v];
            beyond[segment[v]] -= problem.memory[v];
        }
    }
    formula_result result;
    bytes cached = 0, now = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        now += beyond[i];
        if (!keep_last || i + 1 < costs.size()) result.overhead += costs[i].overhead;
        result.peak = std::max(result.peak, cached + costs[i].working + now);
        cached += costs[i].cached;
    }
    return result;
}

}  // namespace repebble::inline v0

#endif
