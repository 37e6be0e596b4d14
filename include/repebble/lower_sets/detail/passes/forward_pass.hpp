#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FORWARD_PASS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FORWARD_PASS_HPP

// The forward pass of the lower-set dynamic program (Kusumoto et al. 2019, appendix A), for one budget, over frontiers.
// bidirectional_search.hpp alternates it with backward_pass.hpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/detail/passes/backward_pass.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/detail/passes/frontier_merge.hpp>
#include <repebble/lower_sets/detail/passes/level_order.hpp>
#include <repebble/lower_sets/detail/passes/open_segments.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// Segments, or steps of segments, by the node that they lead to: the node that they leave, and the cost.
using segments_into = jagged_array<std::pair<std::uint32_t, segment_cost>>;

/// The reversed graph of segments; a part of it where the observer ends it. `Segments` is as for `backward_pass`.
/// O(segments).
template <class Segments, class Observer>
[[nodiscard]] auto reversed_segments(Segments const& segments, Observer& observer) -> segments_into {
    std::vector<std::pair<std::uint32_t, std::pair<std::uint32_t, segment_cost>>> all;
    for (auto const i : segments.nodes()) {
        if (is_over(observer)) break;
        segments.for_each_from(i, [&](std::uint32_t j, auto const& cost) { all.push_back({j, {i, cost()}}); });
    }
    return {segments.nodes().size(), all};
}

/// For each set the frontier of overhead and cached bytes so far. In the entries of a serial vertex, `needed` are the
/// cached bytes, and `working` the bytes of the open segment including those cached before it. Links lead backward.
/// Parameters as for `backward_pass`.
template <class Segments, class Admission, class AdmitsPassage, class Observer>
[[nodiscard]] auto forward_pass(Segments const& segments, level_order& order, segments_into const& into,
                                pass_limits const& limits, Admission const& admission, AdmitsPassage const& admits_open,
                                Observer& observer) -> pass_result {
    auto const nodes = segments.nodes();
    auto const count = segments.size();
    pass_result result;
    result.sets.resize(count);
    result.open.resize(nodes.size() - count);
    std::vector<frontier_merge> merges(order.workers(),
                                       {limits.goal, segments.time(), limits.resolution, limits.most, limits.budget});
    result.sets.front() = {{{}}};
    std::atomic<std::size_t> kept{0};
    auto const visit = [&](std::uint32_t i, std::size_t worker) {
        if (kept > limits.entries) return;
        if (segments.is_serial(i)) {
            auto& entries = result.open[i - count];
            auto const add = [&, node = i](open_entry const& e) {
                if (e.bound <= limits.most && e.working <= limits.budget && admits_open(node, e)) entries.push_back(e);
            };
            for (auto const& [j, part] : into[i]) {
                if (segments.is_serial(j)) {
                    for_each_continued(result.open[j - count], part, add);
                } else {
                    for_each_opened(
                        result.sets[j], j, part, [](auto const& p) { return p.budget; }, add);
                }
            }
            keep_best(entries, true, limits.resolution);
            return;
        }
        auto& merge = merges[worker];
        for (auto const& [j, segment] : into[i]) {
            if (segments.is_serial(j)) {
                merge.extend(result.open[j - count], segment);
            } else {
                merge.extend(result.sets[j], segment, j);
            }
        }
        result.sets[i] = merge.finish(admission(i));
        kept += result.sets[i].points.size();
    };
    result.complete = order.forwards(visit, observer) && kept <= limits.entries;
    return result;
}

}  // namespace repebble::inline v0::detail

#endif
