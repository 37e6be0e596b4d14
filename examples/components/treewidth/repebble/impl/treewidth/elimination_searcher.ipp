#ifndef REPEBBLE_IMPL_TREEWIDTH_ELIMINATION_SEARCHER_IPP
#define REPEBBLE_IMPL_TREEWIDTH_ELIMINATION_SEARCHER_IPP

#include <repebble/treewidth/detail/orders/elimination_searcher.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/treewidth/detail/improve/local_improvement.hpp>
#include <repebble/treewidth/detail/orders/starting_orders.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto elimination_searcher::run() -> best_order {
    return run(first_order(g_, [&] { return exceeds_grace_period(); }));
}

REPEBBLE_INLINE auto elimination_searcher::run(best_order first) -> best_order {
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

REPEBBLE_INLINE auto elimination_searcher::is_over(double share, std::size_t worker) -> bool {
    if (worker == 0 && options_.stop && (*options_.stop)()) stopped_ = true;
    if (stopped_) return true;
    if (!options_.time_limit) return false;
    auto& [begin, last] = clocks_[worker];
    auto const now = wall_clock::now();
    if (!begin) begin = last = now;
    auto const since = now - std::exchange(last, now);
    return (now - *begin + since).count() >= share * *options_.time_limit;
}

REPEBBLE_INLINE auto elimination_searcher::start(best_order best) -> best_order {
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

REPEBBLE_INLINE void elimination_searcher::improve(best_order& best) {
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

REPEBBLE_INLINE void check_search(std::size_t threads, std::optional<double> time_limit) {
    if (threads == 0) detail::raise(bad_option("a search takes at least one thread"));
    if (time_limit && !(*time_limit >= 0))
        detail::raise(bad_option("seconds must not be negative, but are " + std::to_string(*time_limit)));
}

}  // namespace repebble::inline v0::detail

#endif
