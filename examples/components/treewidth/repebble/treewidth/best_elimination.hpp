#ifndef REPEBBLE_DECOMPOSITION_BEST_ELIMINATION_HPP
#define REPEBBLE_DECOMPOSITION_BEST_ELIMINATION_HPP

// The portfolio of elimination heuristics: starting orders from `starting_orders` in batches, then local improvement of
// the best one (Fichte, Lodha, Szeider 2017), then restarts while time remains. `treewidth` runs the same searcher on
// the atoms of a graph.
// Invariant: work is split into a fixed number of lanes, so that the result does not depend on the number of threads.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <repebble/decomposition/detail/orders/starting_orders.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/thread_clock.hpp>
#include <repebble/detail/thread_team.hpp>

namespace repebble::inline v0 {

/// Limits and seeds of the portfolio.
struct elimination_search {
    /// CPU seconds of each thread after which the best order so far is returned; a first order by minimum fill may take
    /// a second more. Without a limit, equal calls return equal orders.
    std::optional<double> time_limit{};
    std::size_t starts = 24;  ///< starting orders, at most
    std::size_t rounds = 50;  ///< of local improvement without gain that end it; with a time limit restarts follow
    std::size_t low = 0;      ///< a proven lower bound on the treewidth: an order of that width ends the search
    std::uint64_t seed = 1;   ///< of random ties and separators
    std::size_t threads = 1;  ///< including the caller's; the result is the same for any number
};

namespace detail {

/// Runs the portfolio on one graph.
class elimination_searcher {
  public:
    elimination_searcher(undirected_graph const& g, elimination_search const& options)
        : g_(g), options_(options), team_(std::min(options.threads, lanes)) {}

    [[nodiscard]] auto run() -> best_order {
        return run(first_order(g_, [&] { return exceeds_grace_period(); }));
    }
    /// The same, from a given first order.
    [[nodiscard]] auto run(best_order first) -> best_order;

  private:
    static constexpr std::size_t lanes = 4;
    static constexpr std::size_t restarts = 8;  // per batch; the best is improved
    static constexpr double for_starts = 0.6;   // share of the time limit

    /// Whether a share of the limit is used up for the calling thread of the team, or would be after as much work again
    /// as since its last call.
    [[nodiscard]] auto is_over(double share, std::size_t worker = 0) -> bool;
    /// Whether a first order exceeds the limit by a second.
    [[nodiscard]] auto exceeds_grace_period() const -> bool {
        return options_.time_limit && (thread_clock::now() - *clocks_[0].begin).count() > *options_.time_limit + 1;
    }
    [[nodiscard]] auto is_good(std::size_t width) const -> bool { return width <= options_.low; }

    /// The best of the first starting orders; of equal ones the first.
    [[nodiscard]] auto start(best_order best) -> best_order;
    /// The width up to which a restart is worth improving below `width`.
    [[nodiscard]] static auto restart_width_limit(std::size_t width) -> std::size_t { return width + width / 4; }

    /// Rounds of local improvement: each makes a few proposals from one order and takes the best.
    void improve(best_order& best);

    undirected_graph const& g_;
    elimination_search options_;
    thread_team team_;
    struct work_clock {
        std::optional<thread_clock::time_point> begin;
        thread_clock::time_point last;
    };
    std::array<work_clock, lanes> clocks_{work_clock{thread_clock::now(), thread_clock::now()}};  // per thread
};

/// Throws bad_option if there is no thread, or the time limit is negative or not a number.
void check_search(std::size_t threads, std::optional<double> time_limit);

struct best_elimination_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, elimination_search const& options = {}) const
        -> best_order {
        check_search(options.threads, options.time_limit);
        return elimination_searcher(g, options).run();
    }
    template <has_undirected_view Graph>
    [[nodiscard]] auto operator()(Graph const& g, elimination_search const& options = {}) const -> best_order {
        return (*this)(undirected_graph::of(g), options);
    }
};

}  // namespace detail

/// The best elimination order of several heuristics: greedy rules with different ties, the given order of the vertices,
/// breadth-first levels, nested dissection; then local improvement.
///
/// Takes an undirected graph, or any graph that has an undirected view. Memory of `threads` runs of
/// `greedy_elimination`, the bags of an order, and for each thread a bit matrix of a region's vertices.  Throws
/// bad_option if there is no thread, or the time limit is negative or not a number.
inline constexpr detail::best_elimination_fn best_elimination{};
}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/decomposition/best_elimination.ipp>
#endif

#endif
