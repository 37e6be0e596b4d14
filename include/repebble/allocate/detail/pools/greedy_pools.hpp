#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_GREEDY_POOLS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_GREEDY_POOLS_HPP

// First fit over the pools: shapes in an order go into the first pool with enough free bytes, or take a route that they
// are given, then each pool gets its offsets; while these do not fit, more and more of the last shapes move on to later
// pools. assign_pools tries it with several orders.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <repebble/allocate/detail/pools/pool_table.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/detail/limit_test.hpp>

namespace repebble::inline v0::detail {

class greedy_pools {
  public:
    /// Refers to all of them.
    greedy_pools(pool_table const& table, offset_options const& options, limit_test& limit)
        : table_(table), options_(options), over_(limit) {}

    /// The shapes, those with a required pool first, then by descending priority, where asked, and key.
    template <class Key>
    [[nodiscard]] auto order_by(bool by_priority, Key const& key) const -> std::vector<std::size_t> {
        std::vector<std::size_t> order(table_.shape_count());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, [&](auto a, auto b) {
            if (table_.is_required(a) != table_.is_required(b)) return table_.is_required(a);
            auto const x = table_.priority(a), y = table_.priority(b);
            return by_priority && (x < y || y < x) ? y < x : key(a) > key(b);
        });
        return order;
    }
    /// A distribution with its plan.
    struct filled {
        pool_table::distribution route_of;
        pool_plan plan;
    };
    /// Fills the pools in an order, where each shape takes its first route or lies in a pool after; nullopt if one fits
    /// nowhere, or it is over.
    [[nodiscard]] auto fill(std::vector<std::size_t> const& order, pool_table::distribution first_route)
        -> std::optional<filled> {
        for (std::size_t moves = 1;; moves *= 2) {
            auto route_of = distribute(order, first_route);
            if (!route_of) return std::nullopt;
            auto placed = table_.offsets_in(*route_of, options_);
            if (placed.fits) return filled{std::move(*route_of), table_.plan_of(std::move(placed))};
            if (over_.now() || !move_on(placed, order, moves, first_route)) return std::nullopt;
        }
    }

  private:
    /// The route of each shape by live bytes, or nullopt.
    [[nodiscard]] auto distribute(std::vector<std::size_t> const& order, pool_table::distribution const& first_route)
        -> std::optional<pool_table::distribution> {
        std::vector<pool_table::load> live(table_.capacities().size(), pool_table::load(table_.section_count(), 0));
        pool_table::distribution route_of(order.size());
        for (auto const s : order) {
            auto const [first, last] = table_.span_of(s);
            if (over_.after(first < last ? last - first : 1)) return std::nullopt;
            auto r = first_route[s];
            if (r >= live.size() && !table_.fits(live, s, r)) r = 0;
            while (r < live.size() && !table_.fits(live, s, r)) ++r;
            if (r == live.size()) return std::nullopt;
            table_.add(live, s, r, 1);
            route_of[s] = r;
        }
        return route_of;
    }
    /// Lets up to `moves` shapes, the last of the order, begin at the pool after a full one; false if there are none,
    /// or no such pool, or it is over.
    [[nodiscard]] auto move_on(pool_table::placed const& found, std::vector<std::size_t> const& order,
                               std::size_t moves, pool_table::distribution& first_route) -> bool {
        auto const full = found.heights.size() - 1;
        if (full + 1 == table_.capacities().size()) return false;
        std::vector<std::uint8_t> in_full(order.size(), 0);
        std::vector<std::size_t> above;
        for (std::size_t i = 0; i < found.stays.size(); ++i)
            for (auto const& stay : found.stays[i]) {
                if (stay.pool != full) continue;
                auto const s = table_.shape_of(i);
                in_full[s] = 1;
                if (stay.offset > table_.capacities()[full] - table_.size(s)) above.push_back(s);
            }
        auto const is_beside = [&](std::size_t s) {
            auto const [first, last] = table_.span_of(s);
            return std::ranges::any_of(above, [&, begin = first, end = last](std::size_t a) {
                auto const other = table_.span_of(a);
                return begin < other.second && other.first < end;
            });
        };
        std::size_t moved = 0;
        for (auto at = order.size(); at-- > 0 && moved < moves;) {
            auto const s = order[at];
            if (over_.after(above.size())) return false;
            if (in_full[s] == 0 || table_.is_required(s) || !is_beside(s)) continue;
            first_route[s] = full + 1;
            ++moved;
        }
        return moved > 0;
    }

    pool_table const& table_;
    offset_options const& options_;
    paced_stop<limit_test> over_;
};

}  // namespace repebble::inline v0::detail

#endif
