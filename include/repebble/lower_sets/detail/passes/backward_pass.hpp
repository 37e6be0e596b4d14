#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_BACKWARD_PASS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_BACKWARD_PASS_HPP

// The backward pass of the lower-set dynamic program (Kusumoto et al. 2019, section 4.2), for all budgets up to one,
// over frontiers. frontier_curve.hpp runs it once, bidirectional_search.hpp in turn with forward_pass.hpp.
// Invariant: an entry's budget counts the remaining segments only, not the bytes cached before its set.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/detail/passes/frontier_merge.hpp>
#include <repebble/lower_sets/detail/passes/level_order.hpp>
#include <repebble/lower_sets/detail/passes/open_segments.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// Limits of a pass.
struct pass_limits {
    objective goal = objective::time;
    std::int64_t most{};  ///< candidates whose bound exceeds it are discarded
    bytes budget = 0;   ///< candidates that need more bytes are discarded
    std::int64_t resolution{};  ///< overheads closer than this may be merged; 0: exact
    std::size_t entries = std::numeric_limits<std::size_t>::max();  ///< a pass with more entries is not complete
};

/// The frontiers of all lower sets, and the entries of segments that are open at serial vertices.
struct pass_result {
    std::vector<frontier> sets;
    std::vector<std::vector<open_entry>> open;
    bool complete = true;  ///< false where the observer or the limit of entries stopped the pass: the rest is invalid
};

/// For each set the frontier of remaining overhead and remaining bytes.
///
/// `Segments` is a graph: nodes(), in topological order, are the sets from ∅ to V and, where is_serial(i), serial
/// vertices with an open segment; size() is the number of sets, time() is T(V); least_before(i) is a lower bound on
/// overhead and cached bytes of all paths to node i; for_each_from(i, f) calls f(j, cost) for the segments, or steps of
/// segments, from node i to j, where cost() computes the segment_cost on demand. `order` must be one of these segments.
/// `admission(i)` returns a predicate on the entries of set i, called in order, and `admits_open(i, entry)` is one on
/// entries of a serial vertex; entries for which they are false are discarded.
template <class Segments, class Admission, class AdmitsPassage, class Observer>
[[nodiscard]] auto backward_pass(Segments const& segments, level_order& order, pass_limits const& limits,
                                 Admission const& admission, AdmitsPassage const& admits_open, Observer& observer)
    -> pass_result {
    auto const nodes = segments.nodes();
    auto const count = segments.size();
    pass_result result;
    result.sets.resize(count);
    result.open.resize(nodes.size() - count);
    std::vector<frontier_merge> merges(order.workers(),
                                       {limits.goal, segments.time(), limits.resolution, limits.most, limits.budget});
    result.sets.back() = {{{}}};
    std::atomic<std::size_t> kept{0};
    auto const visit = [&](std::uint32_t i, std::size_t worker) {
        if (kept > limits.entries) return;
        auto const [overhead, cached] = segments.least_before(i);
        bytes const left = limits.budget - cached;
        std::int64_t const most = limits.most - overhead;
        if (segments.is_serial(i)) {
            auto& entries = result.open[i - count];
            auto const add = [&, node = i](open_entry const& e) {
                if (e.bound <= most && std::max(e.working, e.needed) <= left && admits_open(node, e))
                    entries.push_back(e);
            };
            segments.for_each_from(i, [&](std::uint32_t j, auto const& cost) {
                segment_cost const part = cost();
                if (segments.is_serial(j)) {
                    for_each_continued(result.open[j - count], part, add);
                } else {
                    for_each_opened(
                        result.sets[j], j, part, [](auto const&) { return bytes{0}; }, add);
                }
            });
            keep_best(entries, limits.goal == objective::time, limits.resolution);
            return;
        }
        auto& merge = merges[worker];
        merge.limit_to(most, left);
        segments.for_each_from(i, [&](std::uint32_t j, auto const& cost) {
            if (segments.is_serial(j)) {
                if (!result.open[j - count].empty()) merge.add(result.open[j - count], cost());
            } else if (!result.sets[j].points.empty()) {
                segment_cost const segment = cost();
                if (segment.working <= left) merge.add(result.sets[j], segment, j);
            }
        });
        result.sets[i] = merge.finish(admission(i));
        kept += result.sets[i].points.size();
    };
    result.complete = order.backwards(visit, observer) && kept <= limits.entries;
    return result;
}

}  // namespace repebble::inline v0::detail

#endif
