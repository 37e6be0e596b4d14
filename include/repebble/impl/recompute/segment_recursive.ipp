#ifndef REPEBBLE_IMPL_RECOMPUTE_SEGMENT_RECURSIVE_IPP
#define REPEBBLE_IMPL_RECOMPUTE_SEGMENT_RECURSIVE_IPP

#include <repebble/recompute/segment_recursive.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/segments/crossing_values.hpp>
#include <repebble/recompute/detail/segments/mirrored_sequence.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0::detail {

/// The equal shares into which k cuts would divide a part, by bytes and by operations.
class equal_shares {
  public:
    /// made: the bytes that are made up to each position.
    equal_shares(std::vector<bytes> const& made, std::size_t begin, std::size_t end, std::size_t cuts)
        : made_(made), begin_(begin), before_(begin == 0 ? 0 : made[begin - 1]) {
        auto const parts = static_cast<double>(cuts) + 1;
        bytes_ = static_cast<double>(made[end - 1] - before_) / parts;
        operations_ = static_cast<double>(end - begin) / parts;
    }
    /// The bytes of a share.
    [[nodiscard]] auto bytes_each() const -> double { return bytes_; }
    /// How far a position is from the end of share i, from 1 on: in bytes, and in operations.
    [[nodiscard]] auto distance(std::size_t position, std::size_t i) const -> std::pair<double, double> {
        auto const share = static_cast<double>(i);
        auto const made = static_cast<double>(made_[position] - before_);
        auto const operations = static_cast<double>(position + 1 - begin_);
        return {std::abs(made - bytes_ * share), std::abs(operations - operations_ * share)};
    }

  private:
    std::vector<bytes> const& made_;
    std::size_t begin_;
    bytes before_;
    double bytes_ = 0, operations_ = 0;
};

/// Computes the mirror counts of the recursion.
class recursive_division {
  public:
    /// `made`: bytes of results up to and including each position. `crossing`: not null where every position is a cut;
    /// then `cuts` are empty.
    recursive_division(std::span<std::uint32_t const> order, std::span<segment_cut const> cuts,
                       crossing_values const* crossing, std::vector<bytes> made, recursion_options const& options)
        : order_(order),
          cuts_(cuts),
          crossing_(crossing),
          made_(std::move(made)),
          options_(options),
          counts_(order.size(), 0) {
        if (!order.empty()) divide(0, order.size(), 0, options.levels);
    }
    [[nodiscard]] auto counts() && -> std::vector<std::uint32_t> { return std::move(counts_); }

  private:
    /// Divides the positions begin … end - 1, which run at the given level of copies. Their cuts are kept at that
    /// level; the last part also runs at that level, all others at the next.
    void divide(std::size_t begin, std::size_t end, std::uint32_t level, std::size_t levels) {
        while (levels > 0) {
            auto const chosen = crossing_ != nullptr ? choose_anywhere(begin, end) : choose(begin, end);
            if (chosen.empty()) return;
            std::vector<std::uint32_t> kept;
            for (auto const& cut : chosen) {
                auto const next = cut.position + 1;
                for (auto i = begin; i < next; ++i) counts_[order_[i]] = level + 1;
                divide(begin, next, level + 1, levels - 1);
                for (auto i = begin; crossing_ != nullptr && i < next; ++i)
                    if (crossing_->crosses(i, cut.position)) kept.push_back(order_[i]);
                begin = next;
                kept.insert(kept.end(), cut.kept.begin(), cut.kept.end());
            }
            for (auto const f : kept) counts_[f] = std::min(counts_[f], level);
            --levels;
        }
    }

    /// Returns up to k cuts: of the positions within a quarter of each equal share of the part's bytes the one that the
    /// fewest bytes of the part cross; ties by equal shares of bytes, then of operations.
    [[nodiscard]] auto choose_anywhere(std::size_t begin, std::size_t end) const -> std::vector<segment_cut> {
        auto const crossing = crossing_->crossing(begin, end);
        equal_shares const shares(made_, begin, end, options_.kept);
        std::vector<segment_cut> chosen;
        auto at = begin;
        for (std::size_t i = 1; i <= options_.kept && at + 1 < end; ++i) {
            auto const rank = [&](std::size_t p) {
                auto const [by_bytes, by_operations] = shares.distance(p, i);
                bool const is_near = by_bytes <= shares.bytes_each() / 4;
                return std::tuple(!is_near, is_near ? crossing[p - begin] : 0, by_bytes, by_operations);
            };
            auto best = at;
            auto least = rank(best);
            for (auto p = at + 1; p + 1 < end; ++p) {
                auto const next = rank(p);
                if (next <= least) {
                    best = p;
                    least = next;
                } else if (std::get<0>(next) && std::get<2>(next) > std::get<2>(least)) {
                    break;  // all later ones are farther
                }
            }
            chosen.push_back({best, {}});
            at = best + 1;
        }
        return chosen;
    }

    /// Returns up to k cuts: those nearest to equal shares of the part's bytes; ties by equal shares of its operations.
    [[nodiscard]] auto choose(std::size_t begin, std::size_t end) const -> std::vector<segment_cut> {
        auto const position = [](segment_cut const& cut) { return cut.position; };
        auto const first = std::ranges::lower_bound(cuts_, begin, {}, position);
        auto const last = std::ranges::lower_bound(cuts_, end - 1, {}, position);
        equal_shares const shares(made_, begin, end, options_.kept);
        std::vector<segment_cut> chosen;
        auto at = first;
        for (std::size_t i = 1; i <= options_.kept && at != last; ++i) {
            auto const distance = [&](segment_cut const& cut) { return shares.distance(cut.position, i); };
            auto best = at;
            for (auto next = at + 1; next != last; ++next) {
                if (distance(*next) <= distance(*best)) best = next;
                if (distance(*next).first > distance(*best).first) break;
            }
            chosen.push_back(*best);
            at = best + 1;
        }
        return chosen;
    }

    std::span<std::uint32_t const> order_;
    std::span<segment_cut const> cuts_;
    crossing_values const* crossing_;
    std::vector<bytes> made_;
    recursion_options const& options_;
    std::vector<std::uint32_t> counts_;  // per forward number
};

[[nodiscard]] inline auto recursive_counts(planning_graph const& graph, std::span<std::uint32_t const> order,
                                           recursion_options const& options) -> std::vector<std::uint32_t> {
    REPEBBLE_ASSERT(options.kept > 0);
    std::vector<bytes> made;
    bytes sum = 0;
    for (auto const f : order) made.push_back(sum += graph.problem().memory[f]);
    std::optional<crossing_values> crossing;
    std::vector<segment_cut> cuts;
    if (are_everywhere(graph, order, options.candidates))
        crossing.emplace(graph, order);
    else
        cuts = cuts_of(graph, order, options.candidates);
    auto counts =
        recursive_division(order, cuts, crossing ? &*crossing : nullptr, std::move(made), options).counts();
    for (std::size_t f = 0; f < counts.size(); ++f)  // keeping an empty result costs nothing
        if (graph.problem().pinned.contains(f) || graph.problem().memory[f] == 0) counts[f] = 0;
    return counts;
}

/// Counts and plan; where the kind of cuts is automatic and articulation points are not enough, of both kinds those of
/// less peak.
[[nodiscard]] inline auto best_recursion(planning_graph const& graph, std::span<std::uint32_t const> order,
                                         recursion_options const& options)
    -> std::pair<std::vector<std::uint32_t>, recompute_plan<>> {
    auto const planned = [&](recursion_options const& tried) {
        auto counts = recursive_counts(graph, order, tried);
        mirrored_sequence const sequence(graph, counts, order);
        auto made = trial_of(graph, make_schedule(graph.flow(), sequence.computations()));
        return std::pair(std::move(counts), std::move(made));
    };
    auto found = planned(options);
    if (options.candidates.where != cut_points::automatic || !are_everywhere(graph, order, options.candidates))
        return found;
    auto at_points = options;
    at_points.candidates.where = cut_points::articulation;
    auto other = planned(at_points);
    auto const rank = [](auto const& p) { return std::pair(p.second.cost.peak, p.second.cost.time); };
    return rank(found) < rank(other) ? found : other;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto segment_recursive(problem const& p, recursion_options const& options) -> recompute_plan<> {
    planning_graph const graph(detail::training_of(p));
    auto tried = detail::best_recursion(graph, detail::ordered_numbers(graph, options.order), options).second;
    return detail::checked_plan(graph.training().flow, std::move(tried));
}

REPEBBLE_INLINE auto find_recursive_counts(problem const& p, recursion_options const& options)
    -> std::vector<std::uint32_t> {
    planning_graph const graph(detail::training_of(p));
    return detail::counts_by_operation(
        graph, detail::best_recursion(graph, detail::ordered_numbers(graph, options.order), options).first);
}

}  // namespace repebble::inline v0

#endif
