#ifndef REPEBBLE_RECOMPUTE_MOMENTS_CLIMB_HPP
#define REPEBBLE_RECOMPUTE_MOMENTS_CLIMB_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/recompute/hold_moments.hpp>
#include <repebble/recompute/moments_rooms.hpp>
#include <repebble/recompute/price_scale.hpp>
#include <repebble/recompute/priced_choice.hpp>
#include <repebble/recompute/search_model.hpp>

namespace repebble::detail {

/// What prices came to.
struct moments_summit {
    bool feasible = true;
    std::int64_t bound = 0;  ///< in whole time units
    double value = -std::numeric_limits<double>::infinity();
    std::vector<double> prices{};      ///< of all that is left in each room
    hold_moments::answer choice{};     ///< at these prices
    std::vector<double> is_held_by{};  ///< a share of each hold
    std::size_t flows = 0;             ///< maximum flows that were computed
};

/// Prices climb along subgradients (Held, Karp 1971) with Polyak's steps towards target(), until the bound is that; at
/// most so many `steps`, or until `stop()` says so, but not before the first. How often something is held counts the
/// last times above all.  see(choice): of every step.  O(steps · a maximum flow).
template <class Target, class See, class Stop>
[[nodiscard]] auto climb_prices(moments_rooms const& rooms, hold_moments const& chain, price_scale const& scale,
                                std::vector<double> prices, std::size_t steps, Target&& target, See&& see, Stop&& stop)
    -> moments_summit {
    constexpr double memory = 0.8;  // of what was chosen before
    auto const k = rooms.count();
    moments_summit top;
    top.is_held_by.assign(chain.holds().size(), 0.0);
    if (chain.holds().empty()) prices.assign(k, 0);  // there is nothing to pay for
    std::vector<double> slope(k);
    double weight = 0, patience = 1;
    for (std::size_t step = 0; step < steps && (step == 0 || !stop()); ++step) {
        auto now = choice_at(rooms, chain, prices, scale);
        ++top.flows;
        top.feasible = now.choice.feasible;
        if (!top.feasible) return top;
        see(now);
        if (now.above > 0) top.bound = std::max(top.bound, scale.rounded_up(now.above));
        if (top.bound >= target()) return top;
        for (std::size_t r = 0; r < k; ++r) {
            slope[r] = static_cast<double>(now.choice.used[r]) / rooms.positive(r) - 1;
            if (slope[r] < 0 && prices[r] <= 0) slope[r] = 0;
        }
        weight = weight * memory + 1;
        for (std::size_t h = 0; h < top.is_held_by.size(); ++h)
            top.is_held_by[h] = top.is_held_by[h] * memory + (now.choice.is_held[h] ? 1 : 0);

        auto const value = scale.unscaled(now.above);
        if (value > top.value) {
            top.value = value;
            top.prices = prices;
            top.choice = std::move(now.choice);
        } else {
            patience *= 0.9;
        }
        auto const steep = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
        if (steep <= 0) break;
        auto const missing = std::max(1.0, std::min(static_cast<double>(target()) - value, scale.time / 8));
        for (std::size_t r = 0; r < k; ++r)
            prices[r] = std::clamp(prices[r] + patience * missing / steep * slope[r], 0.0, 2 * scale.time);
    }
    for (auto& o : top.is_held_by) o /= weight;
    return top;
}

/// Prices climb from the best so far along the mean of the slopes, later ones counting more (the volume algorithm of
/// Barahona and Anbil, 2000): then the mean of the choices is near to a solution of the relaxation's linear programme.
/// As `climb_prices`.
template <class Stop>
[[nodiscard]] auto climb_by_volume(moments_rooms const& rooms, hold_moments const& chain, price_scale const& scale,
                                   std::vector<double> prices, std::size_t steps, std::int64_t target, Stop&& stop)
    -> moments_summit {
    constexpr double first_step = 0.1, longest_step = 2, longer = 1.3, shorter = 0.7, slower = 0.9;
    constexpr double least_share = 0.02, noticed = 1e-6;
    constexpr int most_in_vain = 10;
    auto const k = rooms.count();
    moments_summit top;
    top.is_held_by.assign(chain.holds().size(), 0.0);
    std::vector<double> used(k, 0.0);  // a share of what is left, on average
    double length = first_step, share = 1, next_share = 0.1;
    int in_vain = 0;
    for (std::size_t step = 0; step < steps && !stop(); ++step) {
        auto now = choice_at(rooms, chain, prices, scale);
        ++top.flows;
        top.feasible = now.choice.feasible;
        if (!top.feasible) return top;
        if (now.above > 0) top.bound = std::max(top.bound, scale.rounded_up(now.above));
        if (top.bound >= target) return top;
        double same_way = 0;
        for (std::size_t r = 0; r < k; ++r) {
            auto const used_now = static_cast<double>(now.choice.used[r]) / rooms.positive(r);
            same_way += (used[r] - 1) * (used_now - 1);
            used[r] += share * (used_now - used[r]);
        }
        for (std::size_t h = 0; h < top.is_held_by.size(); ++h)
            top.is_held_by[h] += share * ((now.choice.is_held[h] ? 1 : 0) - top.is_held_by[h]);
        share = next_share;

        auto const value = scale.unscaled(now.above);
        if (value > top.value) {
            if (value > top.value + noticed * scale.time) in_vain = 0;
            if (same_way >= 0) length = std::min(longest_step, length * longer);
            top.value = value;
            top.prices = prices;
            top.choice = std::move(now.choice);
        } else if (++in_vain >= most_in_vain) {
            in_vain = 0;
            length *= shorter;
            next_share = std::max(least_share, next_share * slower);
        }
        double steep = 0;
        for (std::size_t r = 0; r < k; ++r)
            if (used[r] > 1 || top.prices[r] > 0) steep += (used[r] - 1) * (used[r] - 1);
        if (steep <= noticed * noticed) break;
        auto const missing = std::max(1.0, std::min(static_cast<double>(target) - top.value, scale.time / 8));
        for (std::size_t r = 0; r < k; ++r)
            prices[r] = std::clamp(top.prices[r] + length * missing / steep * (used[r] - 1), 0.0, 2 * scale.time);
    }
    return top;
}

/// The hold of a large value whose share is near a half; nothing where there is none.  O(holds).
[[nodiscard]] inline auto largest_by_half(search_model const& m, hold_moments const& chain,
                                          std::vector<double> const& is_held_by) -> std::optional<std::size_t> {
    std::optional<std::size_t> found;
    double most = -1;
    for (std::size_t h = 0; h < is_held_by.size(); ++h) {
        auto const size = static_cast<double>(m.sizes[chain.holds()[h].value]);
        auto const worth = size * is_held_by[h] * (1.001 - is_held_by[h]);
        if (worth <= most) continue;
        most = worth;
        found = h;
    }
    return found;
}

}  // namespace repebble::detail

#endif
