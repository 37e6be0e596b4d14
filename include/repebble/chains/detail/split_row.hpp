#ifndef REPEBBLE_CHAINS_DETAIL_SPLIT_ROW_HPP
#define REPEBBLE_CHAINS_DETAIL_SPLIT_ROW_HPP

// One row of the dynamic programs over the place of the next snapshot of a chain of equal steps, without a full scan:
// level_table.hpp and mixed_table.hpp fill their tables with it.
//
//     least(n) = min(otherwise(n), min over 1 <= j < n of advance · j + later(n - j) + read + least(j))
//
// Pruning: let j be the least minimiser of φ(j), the sum above, and 1 < j < n - 1. Then φ(j - 1) > φ(j) <= φ(j + 1), so
// that the second difference of φ at j is positive, and with it that of `least` at j or of `later` at n - j. Only such
// convex kinks and both ends are tried. The proof asks nothing of the rows: they need not be convex (they are not),
// and the best j need not move by at most one step as n grows (it does not). The rows have few slopes, and with them
// few kinks: a step costs as often as it is advanced over. With one slot on the lowest level that is up to N times, and
// a row has up to N kinks. Only while both rows are convex does the least j move by 0 or 1 for each n, because then the
// differences of φ fall in n and ascend in j; that is tested on the way.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace repebble::inline v0::detail {

/// Above every cost of a row: of a chain that cannot be reversed. Sums of two and three costs fit beside it.
inline constexpr auto no_reversal = std::int64_t{1} << 61U;

/// Operands of a row; all spans are indexed by steps and equally long.
struct split_row {
    std::span<std::int64_t const> otherwise;  ///< cost without a split
    std::span<std::int64_t const> later;      ///< cost of the steps after a split; read up to n - 1
    std::int64_t advance = 1, read = 0, write = 0;
    std::span<std::int64_t> least;    ///< out: cost once the first state is stored
    std::span<std::uint32_t> split;   ///< out: the least j of least cost; 0: no split
    std::span<std::int64_t> to_keep;  ///< out: min(otherwise, write + least); may be `later`
};

/// Fills a row for 1 … size - 1 steps.  O(steps · kinks).  Requires: costs are below no_reversal / 2, and one step
/// costs nothing.
inline void fill(split_row const& row) {
    struct kink {
        std::int64_t value;
        std::size_t at;
    };
    auto const last = row.least.size();
    if (last < 2) return;
    row.least[1] = row.to_keep[1] = 0;
    row.split[1] = 0;
    std::vector<kink> of_least{{row.advance, 1}}, of_later{{-row.advance, 1}};
    bool convex = true;
    std::size_t best_split = 1;  // while both rows are convex: the least minimiser, without `otherwise`
    auto const bend = [](auto const& f, std::size_t n) { return (f[n + 1] - f[n]) - (f[n] - f[n - 1]); };
    for (std::size_t n = 2; n < last; ++n) {
        if (n > 3) {
            auto const at = n - 2;
            auto const length = static_cast<std::int64_t>(at) * row.advance;
            auto const least = bend(row.least, at), later = bend(row.later, at);
            if (least > 0) of_least.push_back({row.least[at] + length, at});
            if (later > 0) of_later.push_back({row.later[at] - length, at});
            convex = convex && least >= 0 && later >= 0;
        }
        auto best = no_reversal;
        std::size_t split = 0;
        if (convex) {
            auto const with = [&](std::size_t j) {
                return static_cast<std::int64_t>(j) * row.advance + row.later[n - j] + row.least[j];
            };
            if (best_split + 1 < n && with(best_split + 1) < with(best_split)) ++best_split;
            split = best_split;
            best = with(split);
        } else {
            for (auto const& k : of_later)
                if (auto const cost = k.value + row.least[n - k.at]; cost < best) best = cost, split = n - k.at;
            best += static_cast<std::int64_t>(n) * row.advance;
            for (auto const& k : of_least)
                if (auto const cost = k.value + row.later[n - k.at]; cost < best) best = cost, split = k.at;
        }
        best += row.read;
        bool const splits = split > 0 && best < row.otherwise[n];
        row.least[n] = splits ? best : row.otherwise[n];
        row.split[n] = splits ? static_cast<std::uint32_t>(split) : 0;
        row.to_keep[n] = std::min(row.otherwise[n], row.write + row.least[n]);
    }
}

}  // namespace repebble::inline v0::detail

#endif
