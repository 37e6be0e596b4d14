#ifndef REPEBBLE_IMPL_PLANNER_FIND_LARGEST_SIZE_IPP
#define REPEBBLE_IMPL_PLANNER_FIND_LARGEST_SIZE_IPP

#include <repebble/planner/find_largest_size.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/plan_for_budgets.hpp>
#include <repebble/planner/detail/plan_freely.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace repebble::inline v0::detail {

/// Throws bad_option, naming the option.
inline void check_sizes(size_options const& sizes) {
    if (sizes.least < 1) raise(bad_option("least: sizes begin with 1"));
    if (sizes.most < sizes.least || sizes.most == std::numeric_limits<std::uint64_t>::max())
        raise(bad_option("most: " + std::to_string(sizes.most) + " is not from the least size to 2^64 - 2"));
    if (sizes.overhead && !(*sizes.overhead >= 0 && std::isfinite(*sizes.overhead)))
        raise(bad_option("overhead: " + std::to_string(*sizes.overhead) + " is not a share from 0 on"));
}

/// The search: sizes up to `low` have a memory floor within the budget.
class size_search {
  public:
    size_search(std::function<problem(std::uint64_t)> const& family, bytes budget, plan_options const& options,
                size_options const& sizes, listener const& hears)
        : family_(family), budget_(budget), options_(options), sizes_(sizes), hears_(hears) {}

    [[nodiscard]] auto run() -> largest_size<> {
        auto const low = largest_by_floor();
        auto first = for_any_plan(options_);
        if (sizes_.overhead) first.gap = options_.gap;
        first.limits.stop = [&] { return clock_.is_over(options_.effort.halving_share); };
        auto without = low + 1;
        auto const halve_at = [&](std::uint64_t n) { tries(n, first) ? void() : void(without = n); };
        if (low >= sizes_.least) halve_at(low);
        while (without - least_open() > 0 && !clock_.is_over(options_.effort.halving_share))
            halve_at(least_open() + (without - least_open()) / 2);
        with_all_work(low);
        return std::move(best_);
    }

  private:
    /// The least size above the largest with a plan.
    [[nodiscard]] auto least_open() const -> std::uint64_t { return std::max(best_.found + 1, sizes_.least); }

    void proves_impossible(std::uint64_t n) { best_.impossible = std::min(best_.impossible.value_or(n), n); }

    /// The largest size whose memory floor is within the budget; below the least where there is none.
    auto largest_by_floor() -> std::uint64_t {
        auto low = sizes_.least - 1, high = sizes_.most + 1;
        auto const fits = [&](std::uint64_t n) {
            bool const within = find_memory_floor(family_(n)).size <= budget_;
            within ? void(low = n) : void(high = n);
            if (!within) proves_impossible(n);
            return within;
        };
        for (auto n = sizes_.least; n < high && fits(n);)
            n = n > sizes_.most / 2 ? std::max(sizes_.most, n + 1) : 2 * n;
        while (high - low > 1) static_cast<void>(fits(low + (high - low) / 2));
        return low;
    }

    /// Plans a size; true where a plan counts, which is kept then.
    auto tries(std::uint64_t n, plan_options const& how) -> bool {
        auto const p = family_(n);
        auto made = std::move(plan_for_budgets(p, std::span(&budget_, 1), how, hears_).front());
        auto const most = sizes_.overhead ? *sizes_.overhead * static_cast<double>(keep_all(p.flow()).cost.time)
                                          : std::numeric_limits<double>::infinity();
        bool const counts = made.plan && static_cast<double>(made.plan->cost.overhead) <= most;
        if (!counts && (made.none_exists() || static_cast<double>(made.lower_bound) > most)) proves_impossible(n);
        if (!counts) return false;
        best_.found = n;
        best_.plan = std::move(made);
        return true;
    }

    /// A better plan of the largest size, and larger sizes up to `low`, with what is left of the limits.
    void with_all_work(std::uint64_t low) {
        auto rest = options_;
        auto const again = [&](std::uint64_t n) {
            rest.limits.seconds = clock_.left();
            return tries(n, rest);
        };
        if (best_.found > 0) static_cast<void>(again(best_.found));
        while (least_open() <= low && !clock_.is_over(1) && again(least_open())) {
        }
    }

    std::function<problem(std::uint64_t)> const& family_;
    bytes budget_;
    plan_options const& options_;
    size_options const& sizes_;
    listener hears_;
    deadline clock_{options_.limits.seconds, hears_};
    largest_size<> best_{};
};

REPEBBLE_INLINE auto largest_size_of(std::function<problem(std::uint64_t)> const& family, bytes budget,
                                     plan_options const& options, size_options const& sizes, listener const& hears)
    -> largest_size<> {
    check_options(options);
    check_sizes(sizes);
    return size_search(family, budget, options, sizes, hears.with_stop(options.limits.stop)).run();
}

}  // namespace repebble::inline v0::detail

#endif
