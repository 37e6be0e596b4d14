#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_WINDOWS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_WINDOWS_HPP

// Which shapes pool_search lets move together while the others stay: windows of time, half over one another, and in
// each the shapes whose routes the prices decide least. assign_pools improves tables with them that are too long to
// search whole.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/pools/pool_prices.hpp>
#include <repebble/allocate/detail/pools/pool_search.hpp>
#include <repebble/allocate/detail/pools/pool_table.hpp>
#include <repebble/detail/function_ref.hpp>

namespace repebble::inline v0::detail {

class pool_windows {
  public:
    /// Reads both; refers to none.
    pool_windows(pool_table const& table, pool_prices const& prices) {
        for (std::size_t s = 0; s < table.shape_count(); ++s) {
            auto const span = table.span_of(s);
            if (span.first < span.second && !table.is_required(s))
                shapes_.push_back({s, span, margin(table, prices, s)});
        }
        std::ranges::stable_sort(shapes_, {}, [](shape const& s) { return s.span.first; });
    }

    /// Improves all windows, one after the other, until none of them improves; calls see() after each improvement.
    void improve(pool_search& search, pool_search::effort const& most, stop_test stop, function_ref<void()> see) const {
        constexpr int most_passes = 10;
        bool again = true;
        for (int pass = 0; again && pass < most_passes; ++pass) {
            again = false;
            for (std::size_t k = 0; k < shapes_.size() && !stop(); k += width / 2) {
                if (!search.improve(free_in(k), most)) continue;
                again = true;
                see();
            }
        }
    }

  private:
    static constexpr std::size_t width = 24, most_free = 32;

    struct shape {
        std::size_t number;
        std::pair<std::size_t, std::size_t> span;
        double margin;  // by which its best route is better than any other
    };
    [[nodiscard]] static auto margin(pool_table const& table, pool_prices const& prices, std::size_t s) -> double {
        std::vector<double> regrets(1, std::numeric_limits<double>::infinity());
        for (std::size_t r = 0; r < table.route_count(s); ++r)
            if (table.may_take(s, r)) regrets.push_back(prices.regret(s, r));
        std::sort(regrets.begin(), regrets.end());
        return regrets[1];
    }
    /// The shapes that may move in the window of those that begin from number k on.
    [[nodiscard]] auto free_in(std::size_t k) const -> std::vector<std::size_t> {
        auto const begin = shapes_[k].span.first;
        auto const end = shapes_[std::min(k + width, shapes_.size()) - 1].span.first;
        std::vector<shape> live;
        for (auto const& s : shapes_)
            if (s.span.first <= end && begin < s.span.second) live.push_back(s);
        std::ranges::stable_sort(live, {}, &shape::margin);
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < std::min(live.size(), most_free); ++i) free.push_back(live[i].number);
        return free;
    }

    std::vector<shape> shapes_{};  // that may lie in several pools, by their begin
};

}  // namespace repebble::inline v0::detail

#endif
