#ifndef REPEBBLE_RECOMPUTE_SEGMENT_RECURSIVE_HPP
#define REPEBBLE_RECOMPUTE_SEGMENT_RECURSIVE_HPP

// Recursive segments: T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, section 4.4. The division gives mirror counts (the
// level of each part), and `detail/segments/mirrored_sequence.hpp` makes the schedule. O(log n) memory on chains.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/segments/mirrored_sequence.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/mirror_counts.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0 {

/// Options of recursive segments.
struct recursion_options {
    std::size_t kept = 1;                                          ///< k: number of cuts that divide each part
    std::size_t levels = std::numeric_limits<std::size_t>::max();  ///< greatest depth; 1: segments only
    segment_candidates candidates{};                               ///< where parts may be divided
    forward_order order = forward_order::by_index;                 ///< of the forward operations
};

namespace detail {

/// Computes the mirror counts of the recursion.
class recursive_division {
  public:
    /// `made`: bytes of results up to and including each position.
    recursive_division(std::span<std::uint32_t const> order, std::span<segment_cut const> cuts, std::vector<bytes> made,
                       recursion_options const& options)
        : order_(order), cuts_(cuts), made_(std::move(made)), options_(options), counts_(order.size(), 0) {
        if (!order.empty()) divide(0, order.size(), 0, options.levels);
    }
    [[nodiscard]] auto counts() && -> std::vector<std::uint32_t> { return std::move(counts_); }

  private:
    /// Divides the positions begin … end - 1, which run at the given level of copies. Their cuts are kept at that
    /// level; the last part also runs at that level, all others at the next.
    void divide(std::size_t begin, std::size_t end, std::uint32_t level, std::size_t levels) {
        while (levels > 0) {
            auto const chosen = choose(begin, end);
            if (chosen.empty()) return;
            for (auto const cut : chosen) {
                auto const next = cuts_[cut].position + 1;
                for (auto i = begin; i < next; ++i) counts_[order_[i]] = level + 1;
                divide(begin, next, level + 1, levels - 1);
                begin = next;
            }
            for (auto const cut : chosen)
                for (auto const f : cuts_[cut].kept) counts_[f] = std::min(counts_[f], level);
            --levels;
        }
    }

    /// Returns up to k cuts: those nearest to equal shares of the part's bytes; ties by equal shares of its operations.
    [[nodiscard]] auto choose(std::size_t begin, std::size_t end) const -> std::vector<std::size_t> {
        auto const position = [](segment_cut const& cut) { return cut.position; };
        auto const first = std::ranges::lower_bound(cuts_, begin, {}, position);
        auto const last = std::ranges::lower_bound(cuts_, end - 1, {}, position);
        bytes const before = begin == 0 ? 0 : made_[begin - 1];
        auto const parts = static_cast<double>(options_.kept) + 1;
        auto const share = static_cast<double>(made_[end - 1] - before) / parts;
        auto const length = static_cast<double>(end - begin) / parts;
        std::vector<std::size_t> chosen;
        auto at = first;
        for (std::size_t i = 1; i <= options_.kept && at != last; ++i) {
            auto const distance = [&](segment_cut const& cut) {
                auto const by_bytes =
                    static_cast<double>(made_[cut.position] - before) - share * static_cast<double>(i);
                auto const operations = static_cast<double>(cut.position + 1 - begin);
                return std::pair(std::abs(by_bytes), std::abs(operations - length * static_cast<double>(i)));
            };
            auto best = at;
            for (auto next = at + 1; next != last; ++next) {
                if (distance(*next) <= distance(*best)) best = next;
                if (distance(*next).first > distance(*best).first) break;
            }
            chosen.push_back(static_cast<std::size_t>(best - cuts_.begin()));
            at = best + 1;
        }
        return chosen;
    }

    std::span<std::uint32_t const> order_;
    std::span<segment_cut const> cuts_;
    std::vector<bytes> made_;
    recursion_options const& options_;
    std::vector<std::uint32_t> counts_;  // per forward number
};

struct segment_recursive_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, recursion_options const& options = {}) const
        -> recompute_plan<Time> {
        planning_graph<Time> const graph(training);
        auto const order = ordered_numbers(graph, options.order);
        auto const counts = counts_of(graph, order, options);
        mirrored_sequence<Time> const sequence(graph, counts, order);
        return plan_of(graph, liveness(graph.flow(), sequence.computations()));
    }

    /// Returns the mirror count of every operation of the training graph.
    template <quantity Time>
    [[nodiscard]] auto counts(training_graph<Time> const& training, recursion_options const& options = {}) const
        -> std::vector<std::uint32_t> {
        planning_graph<Time> const graph(training);
        return counts_by_operation(graph, counts_of(graph, ordered_numbers(graph, options.order), options));
    }

  private:
    template <quantity Time>
    static auto counts_of(planning_graph<Time> const& graph, std::span<std::uint32_t const> order,
                          recursion_options const& options) -> std::vector<std::uint32_t> {
        REPEBBLE_ASSERT(options.kept > 0);
        std::vector<bytes> made;
        bytes sum = 0;
        for (auto const f : order) made.push_back(sum += graph.problem().memory[f]);
        auto const cuts = cuts_of<Time>(graph, order, options.candidates);
        auto counts = recursive_division(order, cuts, std::move(made), options).counts();
        for (std::size_t f = 0; f < counts.size(); ++f)  // keeping an empty result costs nothing
            if (graph.problem().pinned.contains(f) || graph.problem().memory[f] == 0) counts[f] = 0;
        return counts;
    }
};

}  // namespace detail

/// Plan by recursive segments. The forward pass is divided at `kept` cuts, by bytes. The values at the cuts are kept,
/// and each part is divided alike when its gradients run, down to parts without a cut. The last part of each is not
/// dropped, as nothing runs between it and its gradients. This is Algorithm 2 (`mirror`) with the level of the part as
/// count.
///
/// On a chain of n equal vertices, with gradients that read inputs: for k = 1 and n a power of two the peak is log₂ n +
/// 2, with n (log₂ n - 2) / 2 + 1 recomputations; for any k the peak is at most k ⌈log_{k+1} n⌉ + 2, which is equation
/// (3) and the two gradients. `segment_recursive.counts(training, options)` gives the counts alone. O((n + m) log n + n
/// · levels + computations log n), with at most about log n levels where sizes are alike. Throws bad_graph where a
/// candidate is no forward operation, and limit_reached where counts sum to more than 10⁸. Requires: kept >= 1.
inline constexpr detail::segment_recursive_fn segment_recursive{};

}  // namespace repebble::inline v0

#endif
