#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_PRICES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_PRICES_HPP

// A lower bound on the traffic of every plan, by Lagrangian relaxation of the capacities (Held, Karp: The
// traveling-salesman problem and minimum spanning trees, part II, 1971). A live byte of pool p in section t has a price
// λ(p, t) ≥ 0. In a plan no section exceeds its capacity, so
//     traffic ≥ traffic + Σ λ(p, t) · (live bytes − capacity),
// and for given prices the right side is least where each shape takes the route of least cost and price: a sum over
// shapes. Prices are raised where too much is live and lowered elsewhere (subgradients). By how much a shape's other
// routes are dearer is its regret there: bound + regrets of a distribution + prices of the bytes that it leaves free =
// its traffic, exactly. pool_search prunes by that, greedy_pools orders by prices.
// Invariant: bound() holds for every distribution, whatever was rounded.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/pools/pool_routes.hpp>
#include <repebble/allocate/detail/pools/pool_table.hpp>
#include <repebble/detail/function_ref.hpp>

namespace repebble::inline v0::detail {

class pool_prices {
  public:
    /// No byte has a price. Refers to the table, in which it lists routes.
    explicit pool_prices(pool_table& table)
        : table_(table),
          best_(evaluated({table.capacities().size(), std::vector<double>(table.section_count(), 0)})),
          rounding_(rounding_of(best_)) {}

    /// Looks for prices of a greater bound, until it reaches the target, or for some hundred steps.
    /// O(steps · pools · pieces).
    void ascend(double target, stop_test stop) {
        constexpr int steps = 400, patience = 15;
        auto prices = best_.prices;
        double length = 1;
        for (int step = 0, failures = 0; step < steps && best_.bound < target && !stop(); ++step) {
            auto now = evaluated(prices);
            auto const missing = std::max(target - now.bound, std::abs(now.bound) * 1e-3);
            auto const slope = slope_of(now);
            double steep = 0;
            for (auto const& row : slope)
                for (auto const x : row) steep += x * x;
            if (steep <= 0) {
                keep(std::move(now));
                break;
            }
            for (std::size_t p = 0; p < slope.size(); ++p)
                for (std::size_t t = 0; t < slope[p].size(); ++t)
                    prices[p][t] = std::max(0.0, now.prices[p][t] + length * missing / steep * slope[p][t] / scale(p));
            if (keep(std::move(now))) {
                failures = 0;
            } else if (++failures == patience) {
                failures = 0;
                length /= 2;
                prices = best_.prices;
            }
        }
    }

    /// The lower bound on traffic, and what rounding may have added to it or to any sum of it, regrets and prices.
    [[nodiscard]] auto bound() const -> double { return best_.bound; }
    [[nodiscard]] auto rounding() const -> double { return rounding_; }
    /// The least traffic at or above a bound.
    [[nodiscard]] auto traffic_above(double bound) const -> std::int64_t {
        auto const least = std::ceil(bound - rounding_);
        return least >= 0x1p63 ? std::numeric_limits<std::int64_t>::max()
                               : std::max<std::int64_t>(0, static_cast<std::int64_t>(least));
    }
    /// By how much a route is dearer for a shape than its best one.
    [[nodiscard]] auto regret(std::size_t s, std::size_t r) const -> double {
        return charge(best_, s, r) - best_.least[s];
    }
    /// The listed route of least cost and price of each shape.
    [[nodiscard]] auto best_routes() const -> pool_table::distribution {
        pool_table::distribution best;
        for (std::size_t s = 0; s < table_.shape_count(); ++s) best.push_back(best_listed(best_, s).second);
        return best;
    }
    /// The price of the bytes of a shape in a pool.
    [[nodiscard]] auto price(std::size_t s, std::size_t p) const -> double { return rent(best_, s, p); }
    /// The price of the bytes that are free in sections [first, last) of a pool.
    [[nodiscard]] auto price_of_free(pool_table::load const& live, std::size_t p, std::size_t first,
                                     std::size_t last) const -> double {
        double sum = 0;
        for (auto t = first; t < last; ++t)
            if (best_.prices[p][t] > 0)
                sum += best_.prices[p][t] * static_cast<double>(table_.capacities()[p] - live[t]);
        return sum;
    }

  private:
    using by_pool = std::vector<std::vector<double>>;
    struct relaxed {
        by_pool prices;                   // of a byte, by pool and section
        by_pool sums{};                   // of the prices of the sections before
        by_pool changes{};                // of the live bytes of the best routes, as shares of the capacities
        std::vector<double> least{};      // of each shape: cost and price on its best route
        std::vector<pool_route> found{};  // of each shape that may be copied: its best route
        double bound = 0;
    };

    [[nodiscard]] auto scale(std::size_t p) const -> double {
        return std::max(1.0, static_cast<double>(table_.capacities()[p]));
    }
    [[nodiscard]] auto rent(relaxed const& at, std::size_t s, std::size_t r) const -> double {
        double sum = 0;
        table_.for_each_piece(s, r, [&](auto p, auto first, auto last, bytes part) {
            sum += static_cast<double>(part) * (at.sums[p][last] - at.sums[p][first]);
        });
        return sum;
    }
    [[nodiscard]] auto charge(relaxed const& at, std::size_t s, std::size_t r) const -> double {
        return static_cast<double>(table_.cost(s, r)) + rent(at, s, r);
    }
    [[nodiscard]] auto best_listed(relaxed const& at, std::size_t s) const -> std::pair<double, std::size_t> {
        std::pair<double, std::size_t> best{std::numeric_limits<double>::infinity(), 0};
        for (std::size_t r = 0; r < table_.route_count(s); ++r)
            if (table_.may_take(s, r)) best = std::min(best, {charge(at, s, r), r});
        return best;
    }
    [[nodiscard]] auto evaluated(by_pool prices) const -> relaxed {
        relaxed at{.prices = std::move(prices)};
        for (std::size_t p = 0; p < at.prices.size(); ++p) {
            at.sums.emplace_back(1, 0.0);
            for (auto const price : at.prices[p]) at.sums[p].push_back(at.sums[p].back() + price);
            at.changes.emplace_back(at.sums[p].size(), 0.0);
            at.bound -= at.sums[p].back() * static_cast<double>(table_.capacities()[p]);
        }
        for (std::size_t s = 0; s < table_.shape_count(); ++s) {
            take_best(at, s);
            at.bound += at.least.back();
        }
        return at;
    }
    void take_best(relaxed& at, std::size_t s) const {
        auto const take = [&](auto p, auto first, auto last, bytes part) {
            at.changes[p][first] += static_cast<double>(part) / scale(p);
            at.changes[p][last] -= static_cast<double>(part) / scale(p);
        };
        auto const size = static_cast<double>(table_.size(s));
        auto found = table_.find_route(s, [&](auto p, auto t) { return size * at.prices[p][t]; });
        if (found) {
            at.least.push_back(found->price);
            for (auto const& stay : found->stays) take(stay.pool, stay.first, stay.last, table_.size(s));
            at.found.push_back(std::move(found->stays));
        } else {
            auto const [least, r] = best_listed(at, s);
            at.least.push_back(least);
            table_.for_each_piece(s, r, take);
            at.found.emplace_back();
        }
    }
    /// By how much the live bytes of the best routes exceed the capacities, as shares of these.
    [[nodiscard]] auto slope_of(relaxed const& at) const -> by_pool {
        auto slope = at.changes;
        for (std::size_t p = 0; p < at.prices.size(); ++p) {
            slope[p].pop_back();
            double live = 0;
            for (std::size_t t = 0; t < slope[p].size(); ++t) {
                live += slope[p][t];
                slope[p][t] = live - static_cast<double>(table_.capacities()[p]) / scale(p);
                if (slope[p][t] < 0 && at.prices[p][t] <= 0) slope[p][t] = 0;
            }
        }
        return slope;
    }
    auto keep(relaxed now) -> bool {
        if (now.bound <= best_.bound) return false;
        best_ = std::move(now);
        if (!table_.lists_all_routes())
            for (std::size_t s = 0; s < table_.shape_count(); ++s) table_.list_route(s, best_.found[s]);
        rounding_ = rounding_of(best_);
        return true;
    }
    /// A sum of k terms, in any order, is wrong by less than k ε times the sum of their amounts.
    [[nodiscard]] auto rounding_of(relaxed const& at) const -> double {
        double amount = 0, terms = 8;
        for (std::size_t p = 0; p < at.sums.size(); ++p) {
            amount += at.sums[p].back() * static_cast<double>(table_.capacities()[p]);
            terms += static_cast<double>(2 * at.prices[p].size());
            for (std::size_t s = 0; s < table_.shape_count(); ++s)
                table_.for_each_piece(s, [&](auto, auto last, bytes part) {
                    amount += static_cast<double>(part) * at.sums[p][last];
                    ++terms;
                });
        }
        for (std::size_t s = 0; s < table_.shape_count(); ++s) {
            auto const [first, last] = table_.span_of(s);
            std::int64_t dearest = 0;
            for (std::size_t r = 0; r < table_.route_count(s); ++r) dearest = std::max(dearest, table_.cost(s, r));
            amount += 2 * static_cast<double>(dearest);
            terms += first < last ? static_cast<double>(4 * (last - first)) : 1;
        }
        return amount * terms * std::numeric_limits<double>::epsilon();
    }

    pool_table& table_;
    relaxed best_;
    double rounding_;
};

}  // namespace repebble::inline v0::detail

#endif
