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
#include <string>
#include <utility>

#include <repebble/decomposition/detail/improve/local_improvement.hpp>
#include <repebble/decomposition/detail/orders/starting_orders.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/detail/thread_clock.hpp>
#include <repebble/detail/thread_team.hpp>
#include <repebble/graph/error.hpp>

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
    [[nodiscard]] auto run(best_order first) -> best_order {
        auto best = start(std::move(first));
        if (is_good(best.width)) return best;
        improve(best);
        // While time remains, restart from the best of other starting orders: a long stagnation rarely ends.
        for (auto number = options_.starts; options_.time_limit && !is_good(best.width) && !is_over(1);) {
            std::optional<best_order> other;
            for (std::size_t k = 0; k < restarts && !is_over(1); ++k) {
                auto next =
                    starting_order(g_, number++, options_.seed)
                        .run(other ? other->width - 1 : restart_width_limit(best.width), [&] { return is_over(1); });
                if (next) other = std::move(next);
            }
            if (!other) continue;
            improve(*other);
            if (other->width < best.width) best = std::move(*other);
        }
        return best;
    }

  private:
    static constexpr std::size_t lanes = 4;
    static constexpr std::size_t restarts = 8;  // per batch; the best is improved
    static constexpr double for_starts = 0.6;   // share of the time limit

    /// Whether a share of the limit is used up for the calling thread of the team, or would be after as much work again
    /// as since its last call.
    [[nodiscard]] auto is_over(double share, std::size_t worker = 0) -> bool {
        if (!options_.time_limit) return false;
        auto& [begin, last] = clocks_[worker];
        auto const now = thread_clock::now();
        if (!begin) begin = last = now;
        auto const since = now - std::exchange(last, now);
        return (now - *begin + since).count() >= share * *options_.time_limit;
    }
    /// Whether a first order exceeds the limit by a second.
    [[nodiscard]] auto exceeds_grace_period() const -> bool {
        return options_.time_limit && (thread_clock::now() - *clocks_[0].begin).count() > *options_.time_limit + 1;
    }
    [[nodiscard]] auto is_good(std::size_t width) const -> bool { return width <= options_.low; }

    /// The best of the first starting orders; of equal ones the first.
    [[nodiscard]] auto start(best_order best) -> best_order {
        for (std::size_t number = 1; number < options_.starts && !is_good(best.width) && !is_over(for_starts);) {
            std::array<std::optional<best_order>, lanes> made;
            auto const count = std::min(lanes, options_.starts - number);
            team_.for_each(count, [&](std::size_t k, std::size_t worker) {
                if (!is_over(for_starts, worker))
                    made[k] = starting_order(g_, number + k, options_.seed).run(best.width - 1, [&] {
                        return is_over(for_starts, worker);
                    });
            });
            for (auto& other : made)
                if (other && other->width < best.width) best = std::move(*other);
            number += count;
        }
        return best;
    }
    /// The width up to which a restart is worth improving below `width`.
    [[nodiscard]] static auto restart_width_limit(std::size_t width) -> std::size_t { return width + width / 4; }

    /// Rounds of local improvement: each makes a few proposals from one order and takes the best.
    void improve(best_order& best) {
        local_improvement search(g_, std::move(best.order));
        split_mix seeds(options_.seed + best.width);
        for (std::size_t idle_rounds = 0; idle_rounds < options_.rounds && !is_good(search.width()) && !is_over(1);
             ++idle_rounds) {
            std::array<std::optional<local_improvement::proposal>, lanes> made;
            std::array<std::uint64_t, lanes> seed{};
            for (auto& s : seed) s = seeds.next();
            team_.for_each(lanes, [&](std::size_t k, std::size_t worker) {
                if (!is_over(1, worker)) made[k] = search.propose(seed[k], [&] { return is_over(1, worker); });
            });
            auto const& best_proposal =
                *std::ranges::max_element(made, {}, [](auto const& p) { return p ? p->gain() + 1 : 0; });
            if (!best_proposal) continue;
            if (best_proposal->gain() > 0) idle_rounds = 0;
            search.take(*best_proposal);
        }
        if (search.width() < best.width) best.heuristic += ", local improvement";
        best.width = search.width();
        best.order = search.order();
    }

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
inline void check_search(std::size_t threads, std::optional<double> time_limit) {
    if (threads == 0) detail::raise(bad_option("a search takes at least one thread"));
    if (time_limit && !(*time_limit >= 0))
        detail::raise(bad_option("a time limit must not be negative, but is " + std::to_string(*time_limit)));
}

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

#endif
