#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_BACKWARD_PASS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_BACKWARD_PASS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/deadline_observer.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/detail/passes/frontier_merge.hpp>
#include <repebble/lower_sets/detail/passes/level_order.hpp>
#include <repebble/lower_sets/detail/passes/open_segments.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// What a pass over lower sets and serial_steps looks for, and how closely.
template <quantity Time>
struct pass_limits {
    objective goal = objective::time;
    Time most{};        ///< what certainly has more overhead is left out
    bytes budget = 0;   ///< so is what needs more bytes
    Time resolution{};  ///< overheads closer than this may be taken for equal; 0: exact
    std::size_t entries = std::numeric_limits<std::size_t>::max();  ///< a pass that would keep more is not complete
};

/// Frontiers of all lower sets, and the entries of all serial_steps.
template <quantity Time>
struct pass_result {
    std::vector<frontier<Time>> sets;
    std::vector<std::vector<open_entry<Time>>> open;
    bool complete = true;  ///< neither the observer nor the limit of entries ended it; if not, nothing else counts
};

/// The backward pass of the lower-set DP: for each set the frontier of the overhead and the bytes that are still to
/// come, what is cached before not counted.
///
/// `Segments` says which segments there are: size() and time() of V; nodes(), in ascending order, which are the sets, ∅
/// to V, and serial_steps in segments that are still open, is_serial(i); least_before(i), what certainly was spent
/// when a node is reached; and for_each_from(i, f), which calls f(j, cost) for the segments, or parts of such, from
/// node i to j that are to be looked at; `cost()` is called only where it is needed. `order` is one of these segments.
/// `admission(i)`, of a set, makes what is asked with each entry of its frontier in turn, and `admits_open(i,
/// entry)` is asked: what is of no use may be left out.
template <quantity Time, class Segments, class Admission, class AdmitsPassage, class Observer>
[[nodiscard]] auto backward_pass(Segments const& segments, level_order& order, pass_limits<Time> const& limits,
                                 Admission const& admission, AdmitsPassage const& admits_open, Observer& observer)
    -> pass_result<Time> {
    auto const nodes = segments.nodes();
    auto const count = segments.size();
    pass_result<Time> result;
    result.sets.resize(count);
    result.open.resize(nodes.size() - count);
    std::vector<frontier_merge<Time>> merges(
        order.workers(), {limits.goal, segments.time(), limits.resolution, limits.most, limits.budget});
    result.sets.back() = {{{}}};
    std::atomic<std::size_t> kept{0};
    auto const visit = [&](std::uint32_t i, std::size_t worker) {
        if (kept > limits.entries) return;
        auto const [overhead, cached] = segments.least_before(i);
        bytes const left = limits.budget - cached;
        Time const most = limits.most - overhead;
        if (segments.is_serial(i)) {
            auto& entries = result.open[i - count];
            auto const add = [&, node = i](open_entry<Time> const& e) {
                if (e.bound <= most && std::max(e.working, e.needed) <= left && admits_open(node, e))
                    entries.push_back(e);
            };
            segments.for_each_from(i, [&](std::uint32_t j, auto const& cost) {
                segment_cost<Time> const part = cost();
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
        merge.allow(most, left);
        segments.for_each_from(i, [&](std::uint32_t j, auto const& cost) {
            if (segments.is_serial(j)) {
                if (!result.open[j - count].empty()) merge.add(result.open[j - count], cost());
            } else if (!result.sets[j].points.empty()) {
                segment_cost<Time> const segment = cost();
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
