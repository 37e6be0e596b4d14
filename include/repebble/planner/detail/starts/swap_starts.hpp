#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_SWAP_STARTS_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_SWAP_STARTS_HPP

// Where the search of plans that swap begins: with the relaxed choice of a bound, or with some of the gaps of an order
// remade and the others copied where they do not fit. The orders are those of a plan without copies, and of the prices
// at which a relaxation recomputes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/swap_bound.hpp>
#include <repebble/planner/detail/swapping/swap_gaps.hpp>

namespace repebble::inline v0::detail {

/// Whether the gap reaches across the cut, a position in the order.
[[nodiscard]] inline auto lies_across(swap_gaps const& p, std::size_t gap, std::uint32_t cut) -> bool {
    return p.begin_of(gap) < cut && (p.is_last(gap) || p.end_of(gap) > cut);
}
/// The position of an operation in the order.  O(operations).
[[nodiscard]] inline auto position_of(swap_gaps const& p, operation_index v) -> std::uint32_t {
    return static_cast<std::uint32_t>(std::ranges::find(p.order(), v) - p.order().begin());
}

/// What the relaxed choice recomputes is recomputed; what it copies is copied, or held where `copies` is false: its
/// multipliers often copy either all values of a window or none.  O(gaps + maximum flow).
[[nodiscard]] inline auto relaxed_start(swap_gaps const& p, swap_bound& b, bool copies) -> swap_decisions {
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

/// The gaps that are remade before a later use, the last that begin first: there is the least time to copy these.
/// O(gaps log gaps).
[[nodiscard]] inline auto remade_gaps(swap_gaps const& p, swap_decisions const& d) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> all;
    for (std::uint32_t gap = 0; gap < p.gap_count(); ++gap)
        if (!p.is_last(gap) && d.choice[gap] == gap_choice::remake) all.push_back(gap);
    std::ranges::stable_sort(all, std::greater<>{}, [&](auto const gap) { return p.begin_of(gap); });
    return all;
}
/// The gaps across the cut that the relaxation remakes, by the price of memory at which it begins to; those of one
/// price as above.  O(prices · (gaps log gaps + maximum flow)).
[[nodiscard]] inline auto remade_by_price(swap_gaps const& p, swap_bound& b, function_ref<bool()> stop)
    -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> all;
    auto const cut = position_of(p, b.at());
    auto d = p.keep_all();
    auto left = d;  // that are not remade yet
    constexpr double least = 1e-4, factor = 1.3;
    for (double price = least; price < 1 && !stop(); price *= factor) {
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
