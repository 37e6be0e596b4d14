#ifndef REPEBBLE_DECOMPOSITION_DETAIL_IMPROVE_LOCAL_IMPROVEMENT_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_IMPROVE_LOCAL_IMPROVEMENT_HPP

// Local improvement of tree decompositions (Fichte, Lodha, Szeider 2017, there by a SAT solver): a region around a
// widest bag is decomposed anew, by an exact decision if small, else by random heuristics, and replaced if that narrows
// it. `best_elimination` runs rounds of proposals in parallel.
// Invariant: (width, number of widest eliminations) never increases.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/improve/decomposition_region.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/nested_dissection.hpp>
#include <repebble/decomposition/treewidth_at_most.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// The width of an order, and the number of vertices with that degree at their elimination.
struct width_count {
    std::size_t width = 0, count = 0;

    friend auto operator<=>(width_count const&, width_count const&) = default;
};
[[nodiscard]] inline auto widths_of(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
    -> width_count {
    width_count widest;
    elimination_counts const all(g, order);
    for (std::size_t const count : all.counts())
        widest = count > widest.width ? width_count{count, 1}
                                      : width_count{widest.width, widest.count + (count == widest.width)};
    return widest;
}

/// A random heuristic: greedy elimination or nested dissection with random parameters; nullopt if it is wider than
/// `width_limit`.
template <class IsOver>
[[nodiscard]] auto random_elimination(std::size_t width_limit, undirected_graph const& g, split_mix& random,
                                      IsOver const& is_over) -> std::optional<ordered_elimination> {
    auto const cut = g.vertex_count() > 40 && random.chance(0.25);  // slower, so less often
    elimination_rule rule{.per_neighbor = random.chance(cut ? 0.7 : 0.5), .ties = tie_breaking::random};
    if (!cut && random.chance(0.5)) rule.degree = static_cast<std::uint32_t>(random.below(5));
    rule.seed = random.next();
    if (!cut) return greedy_elimination.within(width_limit, g, rule, {}, is_over);
    auto const stages = dissect(g, {.share = 0.5 + 0.35 * random.fraction(),
                                    .depth = 1 + random.below(3),
                                    .least = 30,
                                    .tries = 1 + random.below(3),
                                    .seed = random.next()});
    return greedy_elimination.within(width_limit, g, rule, stages, is_over);
}

/// An elimination order that improves by regions. The graph must outlive it.
class local_improvement {
  public:
    using vertex = undirected_graph::vertex;

    /// A replacement for a region.
    struct proposal {
        decomposition_region region;
        elimination_order order;  // of the region's graph
        width_count before, after;

        /// The decrease in the number of eliminations of the former width.
        [[nodiscard]] auto gain() const -> std::size_t {
            return before.count - (after.width == before.width ? after.count : 0);
        }
    };

    local_improvement(undirected_graph const& g, elimination_order start) : g_(g) { begin(std::move(start)); }

    [[nodiscard]] auto width() const noexcept -> std::size_t { return current_.width; }
    [[nodiscard]] auto order() const noexcept -> elimination_order const& { return order_; }

    /// A replacement for a random region, no wider than the region; nullopt if none is found. Thread-safe. Stops early
    /// when `is_over()` returns true.
    template <class IsOver = never_stop>
    [[nodiscard]] auto propose(std::uint64_t seed, IsOver const& is_over = {}) const -> std::optional<proposal> {
        split_mix random(seed);
        auto const from = widest_[random.below(widest_.size())];
        auto const reach = 1.3 + 6 * random.fraction() * random.fraction();
        auto const vertex_limit =
            std::min(most_vertices,
                     static_cast<std::size_t>(reach * static_cast<double>(current_.width)) + 10 + random.below(200));
        proposal best{.region = {g_, *tree_, from, vertex_limit, random}, .order = {}, .before = {}, .after = {}};
        auto const graph = best.region.graph();
        auto const old = best.region.part_of(order_);
        best.before = best.after = widths_of(graph, old);
        if (graph.vertex_count() <= most_decided && best.before.width <= most_decided_width && random.chance(0.3)) {
            auto decided = treewidth_at_most(graph, best.before.width - 1, {.most_states = decided_states});
            if (decided.answer == std::optional(true)) {
                best.after = widths_of(graph, decided.order);
                best.order = std::move(decided.order);
                return best;
            }
        }
        for (std::size_t k = 0; k < tries && !is_over(); ++k) {
            auto made = random_elimination(best.after.width, graph, random, is_over);
            if (!made) continue;
            auto const after = widths_of(graph, made->order);
            if (best.after < after || (!best.order.empty() && best.after == after)) continue;
            best.after = after;
            best.order = std::move(made->order);
        }
        if (best.order.empty()) return std::nullopt;
        return best;
    }
    /// Applies a proposal.  Requires: it was made after the last one applied.
    void take(proposal const& better) { begin(better.region.complete_order(better.order)); }

  private:
    static constexpr std::size_t most_vertices = 20'000, tries = 4;
    static constexpr std::size_t most_decided = 256, most_decided_width = 24,
                                 decided_states = 10'000;  // limits of exact decisions

    void begin(elimination_order order) {
        order_ = std::move(order);
        current_ = widths_of(g_, order_);
        tree_ = std::make_unique<bag_tree>(g_, order_);
        widest_ = tree_->widest();
    }

    undirected_graph const& g_;
    elimination_order order_;
    width_count current_;
    std::unique_ptr<bag_tree const> tree_;  // stable address for proposals
    std::vector<std::uint32_t> widest_;     // the widest bags
};

}  // namespace repebble::inline v0::detail

#endif
