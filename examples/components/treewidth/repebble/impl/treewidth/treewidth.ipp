#ifndef REPEBBLE_IMPL_DECOMPOSITION_TREEWIDTH_IPP
#define REPEBBLE_IMPL_DECOMPOSITION_TREEWIDTH_IPP

#include <repebble/decomposition/treewidth.hpp>

#include <limits>
#include <numeric>

#include <repebble/decomposition/join_orders.hpp>
#include <repebble/decomposition/safe_reductions.hpp>
#include <repebble/decomposition/safe_separators.hpp>
#include <repebble/decomposition/treewidth_at_most.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto treewidth_search::run(undirected_graph const& g) -> treewidth_bounds {
    low_ = contraction_bound(g);
    auto best = solve(g);
    best.width = eliminate(g, best.order).width;
    // Some parts may have left a share of their time unused.
    while (deadline_ && best.width > low_ && *time_left() > restart_share * *deadline_) {
        finished_width_ = 0;
        options_.seed += other_seed;
        auto found = solve(g);
        found.width = eliminate(g, found.order).width;
        if (found.width < best.width) best = std::move(found);
    }
    return {std::min(low_, best.width), best.width, std::move(best.order), std::move(best.heuristic)};
}

REPEBBLE_INLINE auto treewidth_search::solve(undirected_graph const& g) -> best_order {
    if (auto const n = g.vertex_count(); n <= low_ + 1) {
        best_order made{.order = elimination_order(n), .width = n > 0 ? n - 1 : 0, .heuristic = "reductions"};
        std::iota(made.order.begin(), made.order.end(), undirected_graph::vertex{0});
        return made;
    }
    auto reduced = reduce_safely(g, low_);
    low_ = reduced.low;
    best_order made{.order = std::move(reduced.eliminated), .width = low_, .heuristic = "reductions"};
    if (reduced.kernel.vertex_count() == 0) return made;
    auto rest = solve_kernel(reduced.kernel);
    for (auto const v : rest.order) made.order.push_back(reduced.names[v]);
    if (rest.width >= made.width) made.heuristic = std::move(rest.heuristic);
    made.width = std::max(made.width, rest.width);
    return made;
}

REPEBBLE_INLINE auto treewidth_search::solve_kernel(undirected_graph const& g) -> best_order {
    auto first = greedy_order(g);
    if (first.width <= sufficient_width() || is_over()) return first;
    auto const atoms = split(g);
    auto const end = deadline_ ? now() + *share_of_time(0.03) : std::numeric_limits<double>::infinity();
    for (auto const& atom : atoms) raise_by_contraction(atom.graph, end);
    if (first.width <= sufficient_width()) return first;
    if (atoms.size() <= 1) return solve_atom(g, std::move(first));
    keep_better(first, solve_atoms(g, atoms));
    return first;
}

REPEBBLE_INLINE auto treewidth_search::solve_atoms(undirected_graph const& g, std::vector<graph_atom> const& atoms) -> best_order {
    std::vector<std::size_t> widths(atoms.size()), order(atoms.size());
    for (std::size_t k = 0; k < atoms.size(); ++k) {
        widths[k] = greedy_order(atoms[k].graph).width;
        order[k] = k;
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return widths[k]; });
    auto left = static_cast<std::size_t>(
        std::ranges::count_if(widths, [&](std::size_t width) { return width > sufficient_width(); }));
    std::vector<elimination_order> orders(atoms.size());
    best_order widest;
    auto const end = deadline_;
    for (auto const k : order) {
        if (end) deadline_ = now() + (*end - now()) / static_cast<double>(std::max<std::size_t>(1, left));
        auto found = solve(atoms[k].graph);
        if (left > 0) --left;
        finished_width_ = std::max(finished_width_, found.width);
        orders[k] = found.order;
        if (found.width > widest.width || widest.heuristic.empty()) widest = std::move(found);
    }
    deadline_ = end;
    widest.order = join_orders(g.vertex_count(), atoms, orders);
    return widest;
}

REPEBBLE_INLINE auto treewidth_search::solve_atom(undirected_graph const& g, best_order best) -> best_order {
    low_ = minor_bound(g, low_, {.seconds = share_of_time(0.1), .most_states = options_.most_states / 4});
    // With a time limit the number of states need not be limited further.
    if (best.width > sufficient_width() && may_be_proven(best) && !is_over())
        raise_around(g, best, 0.2, deadline_ ? options_.most_states : options_.most_states / 4);
    auto const search = [&](std::optional<double> seconds, std::uint64_t seed) {
        elimination_searcher searcher(
            g, {.time_limit = seconds, .low = sufficient_width(), .seed = seed, .threads = options_.threads});
        best = searcher.run(std::move(best));
    };
    if (best.width > sufficient_width() && !is_over()) {
        keep_better(best, decide(g, best.width, 0.1));
        if (best.width > sufficient_width()) search(share_of_time(may_be_proven(best) ? 0.6 : 1), options_.seed);
    }
    if (best.width > sufficient_width() && may_be_proven(best) && !is_over())
        raise_around(g, best, 0.5, options_.most_states);
    if (best.width > sufficient_width() && best.width <= low_ + decidable_gap && !is_over())
        keep_better(best, decide(g, best.width, 0.6));
    if (best.width > sufficient_width() && deadline_ && !is_over())
        search(time_left(), options_.seed + other_seed / 2);
    return best;
}

REPEBBLE_INLINE auto treewidth_search::decide(undirected_graph const& g, std::size_t width, double share) -> std::optional<best_order> {
    while (low_ < width && !is_over()) {
        if (reduce_safely(g, low_).kernel.vertex_count() < g.vertex_count()) return solve(g);
        auto decided =
            treewidth_at_most(g, low_, {.seconds = share_of_time(share), .most_states = options_.most_states});
        if (!decided.answer) return std::nullopt;
        if (*decided.answer) return best_order{std::move(decided.order), low_, "exact search"};
        ++low_;
    }
    return std::nullopt;
}

REPEBBLE_INLINE auto treewidth_search::split(undirected_graph const& g) const -> std::vector<graph_atom> {
    auto const steps = static_cast<std::uint64_t>(std::min(1.0, time_left().value_or(1) / 20) * steps_per_second);
    if (g.vertex_count() > steps / (g.edge_count() + 1)) return connected_parts(g);
    return split_safely(g, steps);
}

}  // namespace repebble::inline v0::detail

#endif
