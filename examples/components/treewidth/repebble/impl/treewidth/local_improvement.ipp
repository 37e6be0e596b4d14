#ifndef REPEBBLE_IMPL_TREEWIDTH_LOCAL_IMPROVEMENT_IPP
#define REPEBBLE_IMPL_TREEWIDTH_LOCAL_IMPROVEMENT_IPP

#include <repebble/treewidth/detail/improve/local_improvement.hpp>

#include <algorithm>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/treewidth/detail/exact/treewidth_at_most.hpp>
#include <repebble/treewidth/nested_dissection.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto widths_of(undirected_graph const& g, std::span<undirected_graph::vertex const> order)
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
[[nodiscard]] inline auto random_elimination(std::size_t width_limit, undirected_graph const& g, split_mix& random,
                                             stop_test is_over) -> std::optional<ordered_elimination> {
    auto const cut = g.vertex_count() > 40 && random.chance(0.25);  // slower, so less often
    elimination_rule rule{.per_neighbor = random.chance(cut ? 0.7 : 0.5), .ties = tie_breaking::random};
    if (!cut && random.chance(0.5)) rule.degree = static_cast<std::uint32_t>(random.below(5));
    rule.seed = random.next();
    if (!cut) return detail::greedy_elimination(g, rule, {}, width_limit, is_over);
    auto const stages = dissect(g, {.share = 0.5 + 0.35 * random.fraction(),
                                    .depth = 1 + random.below(3),
                                    .least = 30,
                                    .tries = 1 + random.below(3),
                                    .seed = random.next()});
    return detail::greedy_elimination(g, rule, stages, width_limit, is_over);
}

REPEBBLE_INLINE auto local_improvement::propose(std::uint64_t seed, stop_test is_over) const
    -> std::optional<proposal> {
    split_mix random(seed);
    auto const from = widest_[random.below(widest_.size())];
    auto const reach = 1.3 + 6 * random.fraction() * random.fraction();
    auto const vertex_limit = std::min(
        most_vertices, static_cast<std::size_t>(reach * static_cast<double>(current_.width)) + 10 + random.below(200));
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

REPEBBLE_INLINE void local_improvement::begin(elimination_order order) {
    order_ = std::move(order);
    current_ = widths_of(g_, order_);
    tree_ = std::make_unique<bag_tree>(g_, order_);
    widest_ = tree_->widest();
}

}  // namespace repebble::inline v0::detail

#endif
