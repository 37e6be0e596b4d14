#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_LEVEL_ORDER_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_LEVEL_ORDER_HPP

// The order in which a pass visits the nodes of segments: topological on one thread, level by level on several, where
// the nodes of a level are visited in parallel. Used by both passes and bidirectional_search.hpp.
// Invariant: no segment connects two nodes of a level, so that the result does not depend on the number of threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/thread_team.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>

namespace repebble::inline v0::detail {

/// Visits nodes in either direction, on the threads that it owns.
class level_order {
  public:
    /// `Segments` is as for `backward_pass`; keeps its node list.  O(segments) where there is more than one thread.
    template <class Segments>
    level_order(Segments const& segments, std::size_t threads) : nodes_(segments.nodes()), team_(threads) {
        if (team_.size() == 1) return;
        // The last node has a level of its own; so has the first, since not all nodes can be reached from it.
        std::vector<std::uint32_t> level(nodes_.size(), 1);
        std::uint32_t last = 0;
        for (std::size_t at = nodes_.size(); at-- > 0;) {
            auto const i = nodes_[at];
            if (at + 1 == nodes_.size()) level[i] = 0;
            segments.for_each_from(i,
                                   [&](std::uint32_t j, auto const&) { level[i] = std::max(level[i], level[j] + 1); });
            if (at == 0 && nodes_.size() > 1) level[i] = last + 1;
            last = std::max(last, level[i]);
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> by_level;
        for (auto const i : nodes_) by_level.emplace_back(level[i], i);
        levels_ = {last + std::size_t{1}, by_level};
    }

    [[nodiscard]] auto workers() const noexcept -> std::size_t { return team_.size(); }

    /// Calls visit(node, worker) for all nodes but the last, each after all its successors. Returns false where the
    /// observer stops it.
    template <class Visit, class Observer>
    [[nodiscard]] auto backwards(Visit const& visit, Observer& observer) -> bool {
        auto const all = static_cast<double>(nodes_.size());
        double done = 1;
        auto const report = [&](std::size_t more) {
            done += static_cast<double>(more);
            if constexpr (requires { observer.progress(0.5); }) observer.progress(done * done / (all * all));
        };
        if (workers() == 1) {
            for (std::size_t at = nodes_.size() - 1; at-- > 0; report(1)) {
                if (is_over(observer)) return false;
                visit(nodes_[at], std::size_t{0});
            }
            return true;
        }
        for (std::size_t k = 1; k < levels_.size(); ++k) {
            if (is_over(observer)) return false;
            parallel_tasks(levels_[k], visit);
            report(levels_[k].size());
        }
        return true;
    }
    /// Calls visit(node, worker) for all nodes but the first, each after all its predecessors. Returns false where the
    /// observer stops it.
    template <class Visit, class Observer>
    [[nodiscard]] auto forwards(Visit const& visit, Observer& observer) -> bool {
        if (workers() == 1) {
            for (auto const i : nodes_.subspan(1)) {
                if (is_over(observer)) return false;
                visit(i, std::size_t{0});
            }
            return true;
        }
        for (std::size_t k = levels_.size() - 1; k-- > 0;) {
            if (is_over(observer)) return false;
            parallel_tasks(levels_[k], visit);
        }
        return true;
    }

  private:
    template <class Visit>
    void parallel_tasks(std::span<std::uint32_t const> level, Visit const& visit) {
        team_.for_each(level.size(), [&](std::size_t k, std::size_t worker) { visit(level[k], worker); });
    }

    std::span<std::uint32_t const> nodes_;
    jagged_array<std::uint32_t> levels_;  // nodes by level, the last node first
    thread_team team_;
};

}  // namespace repebble::inline v0::detail

#endif
