#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_ROUTES_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_ROUTES_HPP

// Routes of shapes that may be copied from pool to pool: the stays, one after the other. Dynamic programming over
// sections finds the one of least cost and rents. Where there are few, all are listed, for pool_search. Of others those
// that pool_prices finds on its way are, and, where these are few, those with copies right after the accesses of the
// shape and right before.
// Invariant: each stay begins in the last section of the one before, where the copy is made, and no two copies are made
// in the same section.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A stay in a pool, in sections [first, last).
struct section_stay {
    std::size_t pool;
    std::size_t first;
    std::size_t last;
    friend auto operator<=>(section_stay const&, section_stay const&) = default;
};
using pool_route = std::vector<section_stay>;

class pool_routes {
  public:
    /// A shape that may be copied.
    struct traveller {
        bytes size;
        std::size_t first, last;               // sections
        std::vector<std::int64_t> moved;       // in each of them, by accesses
        std::vector<std::uint8_t> may_lie_in;  // of each pool
    };
    struct priced_route {
        double price;
        pool_route stays;
    };

    /// No shape is copied.
    explicit pool_routes(std::size_t shapes) : shapes_(shapes) {}

    /// Lets shapes be copied, by the costs of pools, in sections.
    void allow(std::vector<std::int64_t> costs, std::vector<std::uint8_t> copies) {
        costs_ = std::move(costs);
        copies_ = std::move(copies);
    }
    /// Lets a shape be copied, and lists its routes where they are few.
    void add(std::size_t s, traveller made) {
        auto const& of = *(shapes_[s].of = std::move(made));
        auto at = copies_;
        if (count(of, at) > most_listed) {
            are_complete_ = false;
            at = copies_beside_accesses(of);
        }
        if (count(of, at) > most_listed) return;
        for (std::size_t p = 0; p < costs_.size(); ++p)
            if (of.may_lie_in[p] != 0) list_all(s, {{p, of.first, of.last}}, of.first, at);
    }

    [[nodiscard]] auto are_complete() const -> bool { return are_complete_; }
    /// How many routes are listed besides the pools.
    [[nodiscard]] auto listed(std::size_t s) const -> std::size_t { return shapes_[s].listed.size(); }
    [[nodiscard]] auto stays(std::size_t s, std::size_t k) const -> pool_route const& {
        return shapes_[s].listed[k].stays;
    }
    [[nodiscard]] auto cost(std::size_t s, std::size_t k) const -> std::int64_t { return shapes_[s].listed[k].cost; }
    /// The first pool, or listed route behind these, that goes on like the listed one from a section on.
    [[nodiscard]] auto same_from(std::size_t s, std::size_t k, std::size_t section) const -> std::size_t {
        auto const& [stays, cost, same] = shapes_[s].listed[k];
        std::size_t at = 0;
        while (stays[at].last <= section) ++at;
        return same[at];
    }
    /// Lists a route of several stays, unless there are too many.
    void list(std::size_t s, pool_route const& stays) {
        auto& [of, listed, first_with] = shapes_[s];
        if (stays.size() < 2 || listed.size() >= most_listed ||
            std::ranges::find(listed, stays, &listed_route::stays) != listed.end())
            return;
        auto const number = costs_.size() + listed.size();
        std::vector<std::size_t> same(stays.size(), number);
        same.back() = stays.back().pool;
        for (auto k = stays.size() - 1; k-- > 1;)
            same[k] = first_with.try_emplace({stays.begin() + static_cast<std::ptrdiff_t>(k), stays.end()}, number)
                          .first->second;
        listed.push_back({stays, cost_of(*of, stays), std::move(same)});
    }

    /// The route of least cost and rents, rent(pool, section); nothing: the shape may not be copied.
    /// O(sections · pools²).
    template <class Rent>
    [[nodiscard]] auto find_least(std::size_t s, Rent const& rent) const -> std::optional<priced_route> {
        if (!shapes_[s].of) return std::nullopt;
        auto const& of = *shapes_[s].of;
        auto const pools = costs_.size();
        std::vector<double> now(pools, infinity), next(pools), here(pools);
        std::vector<std::size_t> from;  // by section and pool: the pool before
        for (auto t = of.first; t < of.last; ++t) {
            for (std::size_t p = 0; p < pools; ++p) here[p] = of.may_lie_in[p] != 0 ? rent(p, t) : infinity;
            for (std::size_t p = 0; p < pools; ++p)
                now[p] = (t == of.first ? 0 : now[p]) + here[p] +
                         static_cast<double>(of.moved[t - of.first]) * static_cast<double>(costs_[p]);
            if (t + 1 == of.last) break;
            for (std::size_t q = 0; q < pools; ++q) {
                next[q] = now[q];
                from.push_back(q);
                for (std::size_t p = 0; copies_[t] != 0 && p < pools; ++p) {
                    if (p == q) continue;
                    auto const by_copy = now[p] + here[q] + static_cast<double>(copy_cost(of, p, q));
                    if (by_copy < next[q]) next[q] = by_copy, from.back() = p;
                }
            }
            std::swap(now, next);
        }
        auto const best = std::ranges::min_element(now);
        return priced_route{*best, traced(of, from, static_cast<std::size_t>(best - now.begin()))};
    }

  private:
    static constexpr std::size_t most_listed = 256;
    static constexpr auto infinity = std::numeric_limits<double>::infinity();

    struct listed_route {
        pool_route stays;
        std::int64_t cost;
        std::vector<std::size_t> same;  // of each stay: the first route that goes on alike
    };
    struct shape {
        std::optional<traveller> of{};
        std::vector<listed_route> listed{};
        std::map<pool_route, std::size_t> first_with{};  // by the last stays, two of them or more, but not all
    };

    [[nodiscard]] auto copy_cost(traveller const& of, std::size_t p, std::size_t q) const -> std::int64_t {
        return of.size * (costs_[p] + costs_[q]);
    }
    [[nodiscard]] auto cost_of(traveller const& of, pool_route const& stays) const -> std::int64_t {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < stays.size(); ++k) {
            auto const& [pool, first, last] = stays[k];
            if (k > 0) sum += copy_cost(of, stays[k - 1].pool, pool);
            for (auto t = k > 0 ? first + 1 : first; t < last; ++t) sum += of.moved[t - of.first] * costs_[pool];
        }
        return sum;
    }
    [[nodiscard]] static auto traced(traveller const& of, std::vector<std::size_t> const& from, std::size_t pool)
        -> pool_route {
        auto const pools = of.may_lie_in.size();
        pool_route stays{{pool, of.first, of.last}};
        for (auto t = of.last - 1; t-- > of.first;) {
            auto const before = from[(t - of.first) * pools + stays.back().pool];
            if (before == stays.back().pool) continue;
            stays.back().first = t;
            stays.push_back({before, of.first, t + 1});
        }
        std::ranges::reverse(stays);
        return stays;
    }
    /// Marks the sections in which a copy is made right after an access of the shape, or as the last before one.
    [[nodiscard]] auto copies_beside_accesses(traveller const& of) const -> std::vector<std::uint8_t> {
        std::vector<std::uint8_t> beside(copies_.size(), 0);
        std::optional<std::size_t> before;
        for (auto t = of.first; t < of.last; ++t) {
            if (copies_[t] == 0) continue;
            if (of.moved[t - of.first] > 0) {
                beside[t] = 1;
                if (before) beside[*before] = 1;
            }
            before = t;
        }
        return beside;
    }
    /// How many routes there are with copies in some sections, or more than are listed.
    [[nodiscard]] auto count(traveller const& of, std::vector<std::uint8_t> const& at) const -> std::size_t {
        std::size_t in_each = 1;
        auto const pools = static_cast<std::size_t>(std::ranges::count(of.may_lie_in, 1));
        for (auto t = of.first; t + 1 < of.last && in_each <= most_listed; ++t)
            if (at[t] != 0) in_each *= pools;
        return in_each * pools;
    }
    /// Lists the routes that go on from a section as the given one does, or otherwise.
    void list_all(std::size_t s, pool_route const& made, std::size_t from, std::vector<std::uint8_t> const& at) {
        auto const& of = *shapes_[s].of;
        list(s, made);
        for (auto t = from; t + 1 < of.last; ++t)
            for (std::size_t q = 0; at[t] != 0 && q < costs_.size(); ++q) {
                if (q == made.back().pool || of.may_lie_in[q] == 0) continue;
                auto longer = made;
                longer.back().last = t + 1;
                longer.push_back({q, t, of.last});
                list_all(s, longer, t + 1, at);
            }
    }

    std::vector<std::int64_t> costs_{};   // of each pool
    std::vector<std::uint8_t> copies_{};  // of each section: whether copies are made
    std::vector<shape> shapes_;
    bool are_complete_ = true;
};

}  // namespace repebble::inline v0::detail

#endif
