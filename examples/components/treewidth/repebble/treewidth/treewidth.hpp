#ifndef REPEBBLE_DECOMPOSITION_TREEWIDTH_HPP
#define REPEBBLE_DECOMPOSITION_TREEWIDTH_HPP

// The treewidth solver: safe reductions and safe separators take the graph apart; each atom gets lower bounds
// (`contraction_bound`, `minor_bound`), heuristics from above (`best_elimination`), and exact decisions in between
// (`treewidth_at_most`), in an order that suits the time limit.
// Invariant: the lower bound is proven at all times, and the order has the upper width.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/decomposition/best_elimination.hpp>
#include <repebble/decomposition/connected_parts.hpp>
#include <repebble/decomposition/detail/orders/starting_orders.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/minor_bound.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_bounds.hpp>
#include <repebble/decomposition/width_decision.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble::inline v0 {

/// Limits and seeds of the solver.
struct treewidth_options {
    /// CPU seconds of each thread after which the bounds so far are returned; a first order by minimum fill may take a
    /// second more. Without a limit, equal calls return equal bounds.
    std::optional<double> time_limit{};
    std::size_t most_states = 500'000;  ///< of each exact search, of up to 600 bytes each
    std::uint64_t seed = 1;             ///< of ties and separators
    std::size_t threads = 1;            ///< including the caller's
};

/// Proven bounds on a treewidth, and an order of the upper width.
struct treewidth_bounds {
    std::size_t lower = 0;      ///< no width is less
    std::size_t upper = 0;      ///< some order has that width
    elimination_order order{};  ///< of width `upper`
    std::string heuristic{};    ///< that found the order; of several parts, that of the widest

    /// Whether the bounds meet.
    [[nodiscard]] auto is_exact() const noexcept -> bool { return lower == upper; }
    friend auto operator==(treewidth_bounds const&, treewidth_bounds const&) -> bool = default;
};

namespace detail {

/// One call of the solver; the bound and the deadline are shared by the recursion over parts.
class treewidth_search {
  public:
    explicit treewidth_search(treewidth_options const& options) : options_(options), deadline_(options.time_limit) {}

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
        for (std::size_t seed = 0; seed < tries && (seed == 0 || now() < end); ++seed)
            low_ = contraction(g, seed).run(low_);
    }
    /// Raises the bound by minors around the widest bags.
    void raise_around(undirected_graph const& g, best_order const& best, double share, std::size_t states) {
        low_ =
            minor_bound(g, best.order, low_, {.seconds = share_of_time(share), .most_states = states}, options_.seed);
    }
    static void keep_better(best_order& best, std::optional<best_order> other) {
        if (other && other->width < best.width) best = std::move(*other);
    }
    /// Decides whether the bound is the treewidth, or the bound plus one, and so on below `width`; returns an order if
    /// one is found. Each decision takes a share of the time.
    [[nodiscard]] auto decide(undirected_graph const& g, std::size_t width, double share) -> std::optional<best_order>;
    /// A first order by minimum fill.
    [[nodiscard]] auto greedy_order(undirected_graph const& g) const -> best_order {
        return first_order(g, [&] { return options_.time_limit && now() > *options_.time_limit + 1; });
    }
    /// The atoms by safe separators within a small share of the time; at least the components.
    [[nodiscard]] auto split(undirected_graph const& g) const -> std::vector<graph_atom>;

    /// The width at which a part needs no better order: it is proven optimal, or another part is as wide.
    [[nodiscard]] auto sufficient_width() const -> std::size_t { return std::max(low_, finished_width_); }
    [[nodiscard]] auto now() const -> double { return (thread_clock::now() - begin_).count(); }
    [[nodiscard]] auto time_left() const -> std::optional<double> {
        return deadline_ ? std::optional(std::max(0.0, *deadline_ - now())) : std::nullopt;
    }
    [[nodiscard]] auto is_over() const -> bool { return deadline_ && now() >= *deadline_; }
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
    std::optional<double> deadline_;  // of the current part
    thread_clock::time_point begin_ = thread_clock::now();
    std::size_t low_ = 0;             // lower bound on the treewidth of the whole graph
    std::size_t finished_width_ = 0;  // width of the widest finished part
};

struct treewidth_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, treewidth_options const& options = {}) const
        -> treewidth_bounds {
        check_search(options.threads, options.time_limit);
        return treewidth_search(options).run(g);
    }
    template <has_undirected_view Graph>
    [[nodiscard]] auto operator()(Graph const& g, treewidth_options const& options = {}) const -> treewidth_bounds {
        return (*this)(undirected_graph::of(g), options);
    }
};

}  // namespace detail

/// Bounds on the treewidth of a graph, and an elimination order of the upper width; exact if time and states allow.
///
/// `decompose(g, order)` makes the tree decomposition. Takes an undirected graph, or any graph that has an undirected
/// view.
/// Throws bad_option if there is no thread, or the time limit is negative or not a number.
inline constexpr detail::treewidth_fn treewidth{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/decomposition/treewidth.ipp>
#endif

#endif
