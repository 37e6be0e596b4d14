#ifndef REPEBBLE_IMPL_PLANNER_STARTS_SWAP_STARTS_IPP
#define REPEBBLE_IMPL_PLANNER_STARTS_SWAP_STARTS_IPP

#include <repebble/planner/detail/starts/swap_starts.hpp>

#include <functional>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto relaxed_start(swap_gaps const& p, swap_bound& b, bool copies) -> swap_decisions {
    auto d = p.keep_all();
    auto const& choice = b.best_choice();
    auto const cut = position_of(p, b.at());
    for (std::size_t gap = 0; gap < p.gap_count(); ++gap) {
        if (!lies_across(p, gap, cut)) continue;
        auto const x = p.value_of(gap);
        auto c = d.choice[gap];
        if (choice.again[p.model().producers[x].front()] != 0)
            c = gap_choice::remake;
        else if (choice.copied[x] != 0 && copies)
            c = gap_choice::host;
        else if (choice.copied[x] != 0 || choice.held[x] != 0)
            c = gap_choice::hold;
        if (p.allows(gap, c)) d.choice[gap] = c;
    }
    return d;
}

REPEBBLE_INLINE auto remade_gaps(swap_gaps const& p, swap_decisions const& d) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> all;
    for (std::uint32_t gap = 0; gap < p.gap_count(); ++gap)
        if (!p.is_last(gap) && d.choice[gap] == gap_choice::remake) all.push_back(gap);
    std::ranges::stable_sort(all, std::greater<>{}, [&](auto const gap) { return p.begin_of(gap); });
    return all;
}

REPEBBLE_INLINE auto remade_by_price(swap_gaps const& p, swap_bound& b, function_ref<bool()> stop)
    -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> all;
    auto const cut = position_of(p, b.at());
    auto d = p.keep_all();
    auto left = d;  // that are not remade yet
    auto const& e = p.model().effort;
    for (double price = e.first_remade_price; price < 1 && !stop(); price *= e.remade_price_factor) {
        auto const& choice = b.choice_at(price * static_cast<double>(p.model().time_once));
        d.choice.assign(p.gap_count(), gap_choice::hold);
        for (std::size_t gap = 0; gap < p.gap_count(); ++gap)
            if (left.choice[gap] == gap_choice::hold && lies_across(p, gap, cut) &&
                choice.again[p.model().producers[p.value_of(gap)].front()] != 0 && p.allows(gap, gap_choice::remake))
                d.choice[gap] = left.choice[gap] = gap_choice::remake;
        auto const some = remade_gaps(p, d);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
