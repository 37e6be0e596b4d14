#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_ELIMINATION_SEARCHER_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_ELIMINATION_SEARCHER_HPP

// The portfolio of elimination heuristics: starting orders from `starting_orders` in batches, then local improvement of
// the best one (Fichte, Lodha, Szeider 2017), then restarts while time remains. `best_elimination` runs it on a graph,
// `find_treewidth` on the atoms of one.
// Invariant: work is split into a fixed number of lanes, so that the result does not depend on the number of threads.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/detail/thread_team.hpp>
#include <repebble/treewidth/detail/orders/best_order.hpp>
#include <repebble/treewidth/detail/orders/elimination_search.hpp>

namespace repebble::inline v0::detail {

/// Runs the portfolio on one graph.
class elimination_searcher {
  public:
    elimination_searcher(undirected_graph const& g, elimination_search const& options)
        : g_(g), options_(options), team_(std::min(options.threads, lanes)) {}

    [[nodiscard]] auto run() -> best_order;
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
        return options_.time_limit && (wall_clock::now() - *clocks_[0].begin).count() > *options_.time_limit + 1;
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
    std::atomic<bool> stopped_ = false;
    struct work_clock {
        std::optional<wall_clock::time_point> begin;
        wall_clock::time_point last;
    };
    std::array<work_clock, lanes> clocks_{work_clock{wall_clock::now(), wall_clock::now()}};  // per thread
};

/// Throws bad_option if there is no thread, or the time limit is negative or not a number.
void check_search(std::size_t threads, std::optional<double> time_limit);

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/elimination_searcher.ipp>
#endif

#endif
