#ifndef REPEBBLE_DECOMPOSITION_BEST_ELIMINATION_HPP
#define REPEBBLE_DECOMPOSITION_BEST_ELIMINATION_HPP

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

/// How long several heuristics are tried.
struct elimination_search {
    /// CPU seconds of each thread after which the best order so far is returned; a first one by minimum fill may take a
    /// second more. Without a limit, equal calls return equal orders.
    std::optional<double> time_limit{};
    std::size_t starts = 24;  ///< orders made anew, at most
    std::size_t rounds = 50;  ///< of local improvement in vain that end it; with a time limit another start follows
    std::size_t low = 0;      ///< a proven lower bound on the treewidth: an order as good as that ends the search
    std::uint64_t seed = 1;
    std::size_t threads = 1;  ///< that work side by side, the caller's with them: the result is the same for any number
};

namespace detail {

class elimination_searcher {
  public:
    elimination_searcher(undirected_graph const& g, elimination_search const& options)
        : g_(g), options_(options), team_(std::min(options.threads, lanes)) {}

    [[nodiscard]] auto run() -> best_order {
        return run(first_order(g_, [&] { return is_late(); }));
    }
    /// From a first order that is there.
    [[nodiscard]] auto run(best_order first) -> best_order {
        auto best = start(std::move(first));
        if (is_good(best.width)) return best;
        improve(best);
        // With time left from the best of other starts: where nothing is gained for long, nothing will be.
        for (auto number = options_.starts; options_.time_limit && !is_good(best.width) && !is_over(1);) {
            std::optional<best_order> other;
            for (std::size_t k = 0; k < restarts && !is_over(1); ++k) {
                auto next = starting_order(g_, number++, options_.seed)
                                .run(other ? other->width - 1 : most_of(best.width), [&] { return is_over(1); });
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
    static constexpr std::size_t restarts = 8;  // of which the best is improved
    static constexpr double for_starts = 0.6;   // of the time limit

    /// Whether that share of the limit is over for a thread of the thread_team, by which it is called, or would be
    /// after as much work as it did since it was asked last.
    [[nodiscard]] auto is_over(double share, std::size_t worker = 0) -> bool {
        if (!options_.time_limit) return false;
        auto& [begin, last] = clocks_[worker];
        auto const now = thread_clock::now();
        if (!begin) begin = last = now;
        auto const since = now - std::exchange(last, now);
        return (now - *begin + since).count() >= share * *options_.time_limit;
    }
    /// Whether even a first order takes too long: a second beyond the limit.
    [[nodiscard]] auto is_late() const -> bool {
        return options_.time_limit && (thread_clock::now() - *clocks_[0].begin).count() > *options_.time_limit + 1;
    }
    [[nodiscard]] auto is_good(std::size_t width) const -> bool { return width <= options_.low; }

    /// The best start; of equal ones the first.
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
    /// How wide a start may be, to become less wide than that.
    [[nodiscard]] static auto most_of(std::size_t width) -> std::size_t { return width + width / 4; }

    /// By rounds of a few proposals from one order, of which the best is taken.
    void improve(best_order& best) {
        local_improvement search(g_, std::move(best.order));
        split_mix seeds(options_.seed + best.width);
        for (std::size_t in_vain = 0; in_vain < options_.rounds && !is_good(search.width()) && !is_over(1); ++in_vain) {
            std::array<std::optional<local_improvement::proposal>, lanes> made;
            std::array<std::uint64_t, lanes> seed{};
            for (auto& s : seed) s = seeds.next();
            team_.for_each(lanes, [&](std::size_t k, std::size_t worker) {
                if (!is_over(1, worker)) made[k] = search.propose(seed[k], [&] { return is_over(1, worker); });
            });
            auto const& most = *std::ranges::max_element(made, {}, [](auto const& p) { return p ? p->gain() + 1 : 0; });
            if (!most) continue;
            if (most->gain() > 0) in_vain = 0;
            search.take(*most);
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
    std::array<work_clock, lanes> clocks_{work_clock{thread_clock::now(), thread_clock::now()}};  // of each thread
};

/// Throws bad_option.
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

/// The best elimination order that several heuristics find: rules with different ties, the given order of the vertices,
/// their levels from one end of the graph, nested dissection; and then local improvement of the best of them.
///
/// Takes an undirected graph, or any graph that has an undirected view. Memory of `threads` runs of
/// `greedy_elimination`, the bags of an order, and for each thread the square of a region's vertices in bits.  Throws
/// bad_option where there is no thread, or the time limit is negative or not a number.
inline constexpr detail::best_elimination_fn best_elimination{};
}  // namespace repebble::inline v0

#endif
