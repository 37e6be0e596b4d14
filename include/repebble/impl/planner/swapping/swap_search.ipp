#ifndef REPEBBLE_IMPL_PLANNER_SWAPPING_SWAP_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_SWAPPING_SWAP_SEARCH_IPP

#include <repebble/planner/detail/swapping/swap_search.hpp>

#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE swap_search::swap_search(swap_gaps const& p, std::uint64_t seed) : p_(p), decoder_(p), random_(seed) {
    auto const budget = static_cast<double>(std::max<bytes>(1, p.budget()));
    price_ = per_byte_ = static_cast<double>(p.model().time_once) / budget;
    for (std::size_t gap = 0; gap < p.gap_count(); ++gap)
        if (p.model().sizes[p.value_of(gap)] > 0 && (p.is_last(gap) || p.end_of(gap) > p.begin_of(gap) + 1))
            open_.push_back(static_cast<std::uint32_t>(gap));
}

REPEBBLE_INLINE auto swap_search::greedy(swap_decisions d, std::initializer_list<gap_choice> choices, function_ref<bool()> stop)
    -> swap_decisions {
    auto cost = consider(d);
    while (!cost.fits() && !cost.is_too_long && !stop()) {
        auto const full = decoder_.fullest();
        std::vector<std::uint32_t> around;
        for (auto const gap : open_) {
            if (d.choice[gap] == gap_choice::host || p_.is_last(gap)) continue;
            if (decoder_.first_run(p_.begin_of(gap)) < full && full < decoder_.first_run(p_.end_of(gap)))
                around.push_back(gap);
        }
        auto const most_tried = p_.model().effort.most_greedy_gaps;
        if (around.size() > most_tried) {
            std::ranges::stable_sort(around, std::greater<>{},
                                     [&](auto const gap) { return p_.model().sizes[p_.value_of(gap)]; });
            around.resize(most_tried);
        }
        double best_price = std::numeric_limits<double>::infinity();
        std::optional<std::pair<std::uint32_t, gap_choice>> best;
        for (auto const gap : around) {
            auto const before = d.choice[gap];
            for (auto const c : choices) {
                if (c == before || !p_.allows(gap, c)) continue;
                d.choice[gap] = c;
                auto const next = decoder_.cost(d);
                if (next.is_too_long) continue;
                double const gain = excess(cost) - excess(next);
                if (gain <= 0) continue;
                double const price = (static_cast<double>(next.time - cost.time) + 1) / gain;
                if (price < best_price) {
                    best_price = price;
                    best = {gap, c};
                }
            }
            d.choice[gap] = before;
        }
        if (!best) break;
        d.choice[best->first] = best->second;
        cost = consider(d);
    }
    return d;
}

REPEBBLE_INLINE auto swap_search::fill(swap_decisions d) const -> swap_decisions {
    auto const& m = p_.model();
    std::vector<std::uint32_t> now;  // by value: the gap in which it is
    for (value_index x = 0; x < m.value_count(); ++x) now.push_back(p_.first_gap(x));
    std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> held;  // end and gap
    bytes load = 0;
    auto const begin = [&](value_index x) {
        if (d.choice[now[x]] != gap_choice::hold) return;
        load += m.sizes[x];
        if (!p_.is_last(now[x]) && p_.allows(now[x], gap_choice::host)) held.emplace(p_.end_of(now[x]), now[x]);
    };
    for (std::uint32_t at = 0; at < p_.order().size(); ++at) {
        auto const v = p_.order()[at];
        for (auto const x : m.reads[v])
            if (d.choice[now[x]++] == gap_choice::hold) load -= m.sizes[x];
        while (load + p_.need(v) > p_.budget() && !held.empty() && held.top().first > at) {
            auto const gap = held.top().second;
            held.pop();
            d.choice[gap] = gap_choice::host;
            load -= m.sizes[p_.value_of(gap)];
        }
        for (auto const x : m.reads[v]) begin(x);
        for (auto const x : m.writes[v]) begin(x);
    }
    return d;
}

REPEBBLE_INLINE auto swap_search::remake_first(swap_decisions d, std::span<std::uint32_t const> ranked, function_ref<bool()> stop)
    -> swap_decisions {
    std::size_t from = 0, to = ranked.size(), best = 0;
    auto least = std::numeric_limits<double>::infinity();
    auto const with = [&](std::size_t count) {
        auto some = d;
        for (auto const gap : ranked.first(count)) some.choice[gap] = gap_choice::remake;
        return some;
    };
    for (std::size_t step = 0; step != 1;) {
        step = std::max<std::size_t>(1, (to - from) / p_.model().effort.remade_parts);
        for (auto count = from; count <= to && !stop(); count += step)
            if (auto const energy = energy_of(consider(fill(with(count)))); energy < least) {
                least = energy;
                best = count;
            }
        from = best - std::min(best, step);
        to = std::min(ranked.size(), best + step);
    }
    return with(best);
}

REPEBBLE_INLINE auto swap_search::descend(swap_decisions d, function_ref<bool()> stop) -> swap_decisions {
    auto energy = energy_of(consider(fill(d)));
    auto gaps = open_;
    sort_by(gaps, [&](std::uint32_t a, std::uint32_t b) {
        return p_.model().sizes[p_.value_of(a)] > p_.model().sizes[p_.value_of(b)];
    });
    if (auto const most = p_.model().effort.most_tried_gaps; gaps.size() > most) gaps.resize(most);
    for (auto const gap : gaps) {
        if (stop()) break;
        auto const before = d.choice[gap];
        auto const other = before == gap_choice::hold ? gap_choice::remake : gap_choice::hold;
        if (!p_.allows(gap, other)) continue;
        d.choice[gap] = other;
        auto const next = energy_of(consider(fill(d)));
        if (next < energy)
            energy = next;
        else
            d.choice[gap] = before;
    }
    return fill(std::move(d));
}

REPEBBLE_INLINE void swap_search::keep_best(std::vector<swap_decisions>& some, std::size_t most) {
    std::vector<std::pair<double, std::size_t>> by_energy;
    for (std::size_t k = 0; k < some.size(); ++k)
        if (std::find(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(k), some[k]) ==
            some.begin() + static_cast<std::ptrdiff_t>(k))
            by_energy.emplace_back(energy_of(consider(some[k])), k);
    std::ranges::sort(by_energy);
    if (by_energy.size() > most) by_energy.resize(most);
    std::vector<swap_decisions> best;
    for (auto const& [energy, k] : by_energy) best.push_back(std::move(some[k]));
    some = std::move(best);
}

REPEBBLE_INLINE auto swap_search::anneal(swap_decisions d, std::size_t moves, double hot, double cold, function_ref<bool()> stop)
    -> swap_decisions {
    auto now = consider(d);
    auto energy = energy_of(now);
    auto const& e = p_.model().effort;
    if (open_.empty()) return d;
    auto const once = static_cast<double>(std::max<std::int64_t>(1, p_.model().time_once));
    double temperature = hot * once;
    for (std::size_t k = 0; k < moves; ++k) {
        if (k % e.swap_poll == 0) {
            if (stop()) break;
            double const share = static_cast<double>(k) / static_cast<double>(moves);
            temperature = once * hot * std::pow(cold / hot, share);
            per_byte_ = price_ * (e.first_swap_weight + (e.last_swap_weight - e.first_swap_weight) * share);
            energy = energy_of(now);
        }
        changes_.clear();
        propose(d);
        if (changes_.empty()) continue;
        auto const cost = decoder_.cost(d);
        auto const next = energy_of(cost);
        bool const better = next <= energy;
        if (better || std::exp((energy - next) / temperature) > random_.fraction()) {
            energy = next;
            now = cost;
            if (better) note(d, cost);
        } else {
            for (std::size_t c = changes_.size(); c-- > 0;) {
                d.choice[changes_[c].gap] = changes_[c].choice;
                d.stays[changes_[c].gap] = changes_[c].stays;
            }
        }
    }
    return d;
}

REPEBBLE_INLINE auto swap_search::any_choice() -> gap_choice {
    constexpr std::size_t choices = 3;
    return static_cast<gap_choice>(random_.below(choices));
}

REPEBBLE_INLINE void swap_search::propose(swap_decisions& d) {
    auto const gap = any_gap();
    constexpr std::size_t sixteenths = 16;
    auto const& e = p_.model().effort;
    auto const kind = random_.below(sixteenths);
    if (kind < e.stay_sixteenths) {
        changes_.push_back({gap, d.choice[gap], d.stays[gap]});
        d.stays[gap] ^= 1U;
    } else if (kind < e.stay_sixteenths + e.exchange_sixteenths) {  // two gaps exchange their choices
        auto other = any_gap();
        for (std::size_t k = 0; k < e.exchange_attempts && d.choice[gap] == d.choice[other]; ++k) other = any_gap();
        auto const a = d.choice[gap], b = d.choice[other];
        if (a == b || !p_.allows(gap, b) || !p_.allows(other, a)) return;
        set(d, gap, b);
        set(d, other, a);
    } else if (kind < e.stay_sixteenths + e.exchange_sixteenths + e.producer_sixteenths && !p_.is_last(gap)) {
        propose_with_inputs(d, gap);
    } else {
        set(d, gap, any_choice());
    }
}

REPEBBLE_INLINE void swap_search::propose_with_inputs(swap_decisions& d, std::uint32_t gap) {
    auto const& m = p_.model();
    set(d, gap, any_choice());
    for (auto const x : m.reads[m.producers[p_.value_of(gap)].front()]) {
        auto of_input = p_.first_gap(x);
        while (!p_.is_last(of_input) && p_.end_of(of_input) < p_.end_of(gap)) ++of_input;
        if (random_.below(2) == 0) set(d, of_input, any_choice());
    }
}

}  // namespace repebble::inline v0::detail

#endif
