#ifndef REPEBBLE_IMPL_TREEWIDTH_TREEWIDTH_IPP
#define REPEBBLE_IMPL_TREEWIDTH_TREEWIDTH_IPP

#include <repebble/treewidth/treewidth.hpp>

// The treewidth solver: safe reductions and safe separators take the graph apart; each atom gets lower bounds
// (`find_contraction_bound`, `minor_bound`), heuristics from above (`elimination_searcher`), and exact decisions in
// between
// (`treewidth_at_most`), in an order that suits the time limit.
// Invariant: the lower bound is proven at all times, and the order has the upper width.

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/treewidth/detail/bounds/minor_bound.hpp>
#include <repebble/treewidth/detail/exact/join_orders.hpp>
#include <repebble/treewidth/detail/exact/safe_reductions.hpp>
#include <repebble/treewidth/detail/exact/safe_separators.hpp>
#include <repebble/treewidth/detail/exact/treewidth_at_most.hpp>
#include <repebble/treewidth/detail/graphs/connected_parts.hpp>
#include <repebble/treewidth/detail/orders/best_order.hpp>
#include <repebble/treewidth/detail/orders/elimination_searcher.hpp>
#include <repebble/treewidth/detail/orders/starting_orders.hpp>
#include <repebble/treewidth/width_bounds.hpp>

namespace repebble::inline v0::detail {

/// One call of the solver; the bound and the deadline are shared by the recursion over parts.
class treewidth_search {
  public:
    explicit treewidth_search(treewidth_options const& options)
        : options_(options), deadline_(options.limits.seconds) {}

    [[nodiscard]] auto run(undirected_graph const& g) -> treewidth_bounds;

  private:
    /// Solves a graph: safe reductions first, then its kernel.
    [[nodiscard]] auto solve(undirected_graph const& g) -> best_order;
    /// A greedy order, then the atoms, if the order is not proven sufficient.
    [[nodiscard]] auto solve_kernel(undirected_graph const& g) -> best_order;
    /// Solves the atoms with the widest greedy orders first: the final width of one makes it useless to narrow others
    /// below it.
    [[nodiscard]] auto solve_atoms(undirected_graph const& g, std::vector<graph_atom> const& atoms) -> best_order;
    /// Solves a graph that is not split further: lower bounds, heuristics, and exact decisions where the gap is small.
    [[nodiscard]] auto solve_atom(undirected_graph const& g, best_order best) -> best_order;
    [[nodiscard]] auto may_be_proven(best_order const& best) const -> bool {
        return best.width <= low_ + 3 * decidable_gap;
    }
    /// Raises the bound by contractions: once, and with other ties until `end`.
    void raise_by_contraction(undirected_graph const& g, double end) {
        for (std::size_t seed = 0; seed < tries && (seed == 0 || (now() < end && !is_over())); ++seed)
            low_ = contraction(g, seed).run(low_);
    }
    /// Raises the bound by minors around the widest bags.
    void raise_around(undirected_graph const& g, best_order const& best, double share, std::size_t states) {
        low_ = minor_bound(g, best.order, low_,
                           {.seconds = share_of_time(share), .most_states = states, .stop = stop()}, options_.seed);
    }
    static void keep_better(best_order& best, std::optional<best_order> other) {
        if (other && other->width < best.width) best = std::move(*other);
    }
    /// Decides whether the bound is the treewidth, or the bound plus one, and so on below `width`; returns an order if
    /// one is found. Each decision takes a share of the time.
    [[nodiscard]] auto decide(undirected_graph const& g, std::size_t width, double share) -> std::optional<best_order>;
    /// A first order by minimum fill.
    [[nodiscard]] auto greedy_order(undirected_graph const& g) const -> best_order {
        auto const& limit = options_.limits.seconds;
        return first_order(g, [&] { return is_stopped() || (limit && now() > *limit + grace_of(*limit)); });
    }
    /// The atoms by safe separators within a small share of the time; at least the components.
    [[nodiscard]] auto split(undirected_graph const& g) const -> std::vector<graph_atom>;

    /// The width at which a part needs no better order: it is proven optimal, or another part is as wide.
    [[nodiscard]] auto sufficient_width() const -> std::size_t { return std::max(low_, finished_width_); }
    [[nodiscard]] auto now() const -> double { return (wall_clock::now() - begin_).count(); }
    [[nodiscard]] auto time_left() const -> std::optional<double> {
        return deadline_ ? std::optional(std::max(0.0, *deadline_ - now())) : std::nullopt;
    }
    [[nodiscard]] auto is_stopped() const -> bool {
        stopped_ = stopped_ || (stop() != nullptr && (*stop())());
        return stopped_;
    }
    [[nodiscard]] auto is_over() const -> bool { return is_stopped() || (deadline_ && now() >= *deadline_); }
    [[nodiscard]] auto stop() const -> std::function<bool()> const* {
        return options_.limits.stop ? &options_.limits.stop : nullptr;
    }
    /// A share of the remaining time, in seconds.
    [[nodiscard]] auto share_of_time(double share) const -> std::optional<double> {
        return deadline_ ? std::optional(share * *time_left()) : std::nullopt;
    }

    static constexpr std::size_t decidable_gap = 3;  // widths above the bound that are decided one by one
    static constexpr std::size_t tries = 5;
    static constexpr std::uint64_t other_seed = 1'000'006;  // larger than any number of starts
    static constexpr double restart_share = 0.1;            // of the time limit that must remain for a restart
    static constexpr double steps_per_second = 1e9;

    treewidth_options options_;
    std::size_t states_ = options_.limits.work.value_or(treewidth_options::default_work);
    std::optional<double> deadline_;  // of the current part
    wall_clock::time_point begin_ = wall_clock::now();
    mutable bool stopped_ = false;
    std::size_t low_ = 0;             // lower bound on the treewidth of the whole graph
    std::size_t finished_width_ = 0;  // width of the widest finished part
};

REPEBBLE_INLINE auto treewidth_search::run(undirected_graph const& g) -> treewidth_bounds {
    low_ = find_contraction_bound(g);
    auto best = solve(g);
    best.width = elimination::of(g, best.order).width;
    // Some parts may have left a share of their time unused.
    while (deadline_ && !is_over() && best.width > low_ && *time_left() > restart_share * *deadline_) {
        finished_width_ = 0;
        options_.seed += other_seed;
        auto found = solve(g);
        found.width = elimination::of(g, found.order).width;
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

REPEBBLE_INLINE auto treewidth_search::solve_atoms(undirected_graph const& g, std::vector<graph_atom> const& atoms)
    -> best_order {
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
    low_ = minor_bound(g, low_, {.seconds = share_of_time(0.1), .most_states = states_ / 4, .stop = stop()});
    // With a time limit the number of states need not be limited further.
    if (best.width > sufficient_width() && may_be_proven(best) && !is_over())
        raise_around(g, best, 0.2, deadline_ ? states_ : states_ / 4);
    auto const search = [&](std::optional<double> seconds, std::uint64_t seed) {
        elimination_searcher searcher(g, {.time_limit = seconds,
                                          .low = sufficient_width(),
                                          .seed = seed,
                                          .threads = options_.threads,
                                          .stop = stop()});
        best = searcher.run(std::move(best));
    };
    if (best.width > sufficient_width() && !is_over()) {
        keep_better(best, decide(g, best.width, 0.1));
        if (best.width > sufficient_width()) search(share_of_time(may_be_proven(best) ? 0.6 : 1), options_.seed);
    }
    if (best.width > sufficient_width() && may_be_proven(best) && !is_over()) raise_around(g, best, 0.5, states_);
    if (best.width > sufficient_width() && best.width <= low_ + decidable_gap && !is_over())
        keep_better(best, decide(g, best.width, 0.6));
    if (best.width > sufficient_width() && deadline_ && !is_over()) search(time_left(), options_.seed + other_seed / 2);
    return best;
}

REPEBBLE_INLINE auto treewidth_search::decide(undirected_graph const& g, std::size_t width, double share)
    -> std::optional<best_order> {
    while (low_ < width && !is_over()) {
        if (reduce_safely(g, low_).kernel.vertex_count() < g.vertex_count()) return solve(g);
        auto decided =
            treewidth_at_most(g, low_, {.seconds = share_of_time(share), .most_states = states_, .stop = stop()});
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

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_treewidth(undirected_graph const& g, treewidth_options const& options) -> treewidth_bounds {
    detail::check_search(options.threads, options.limits.seconds);
    return detail::treewidth_search(options).run(g);
}

}  // namespace repebble::inline v0

#endif
