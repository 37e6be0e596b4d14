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
#include <repebble/graph/optional_budget.hpp>
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

/// The faster of two plans for one problem and budget, with the greater bounds.  Requires: both have a plan.
[[nodiscard]] inline auto better_of(automatic_plan<> a, automatic_plan<> b) -> automatic_plan<> {
    if (b.plan->cost.time < a.plan->cost.time) std::swap(a, b);
    a.lower_bound = std::max(a.lower_bound, b.lower_bound);
    a.base_order_bound = std::max(a.base_order_bound, b.base_order_bound);
    a.proven = a.proven || (b.proven && a.plan->cost.time == b.plan->cost.time);
    return a;
}

/// The search for the largest size: by keeping everything, by the memory floor, then by plans.
class size_search {
  public:
    size_search(std::function<problem(std::uint64_t)> const& family, bytes budget, plan_options const& options,
                size_options const& sizes, listener const& hears)
        : family_(family), budget_(budget), options_(options), sizes_(sizes), hears_(hears) {
        if (sizes.overhead) options_.gap = 0;  // what is good enough may take more
    }

    [[nodiscard]] auto run() -> largest_size<> {
        auto const by_floor = [](problem const& p, bytes within) { return find_memory_floor(p).size <= within; };
        auto const by_keeping = [](problem const& p, bytes within) { return keep_all(p.flow()).cost.peak <= within; };
        auto const kept = largest_where(by_keeping, sizes_.least - 1).first;
        if (kept >= sizes_.least) best_.kept = kept;
        auto [low, high] = largest_where(by_floor, kept);
        if (high <= sizes_.most) best_.impossible = high;
        if (high > sizes_.least) low = std::max(low, sizes_.least);  // where no time was left to look
        halve(low);
        with_all_work(low);
        return std::move(best_);
    }

  private:
    /// True once the share of the seconds for halving is over.
    [[nodiscard]] auto is_over() const -> bool { return clock_.is_over(options_.effort.halving_share); }
    /// What the budget leaves the values of a size: negative where it is too small for what lies beside them.
    [[nodiscard]] auto left_for(std::uint64_t n) const -> bytes {
        if (!sizes_.beside) return budget_;
        bytes const beside = sizes_.beside(n);
        if (beside < 0)
            raise(bad_weight("beside: size " + std::to_string(n) + " has " + std::to_string(beside) + " bytes"));
        return budget_ - beside;
    }
    /// The least size above the largest with a plan.
    [[nodiscard]] auto least_open() const -> std::uint64_t { return std::max(best_.found + 1, sizes_.least); }

    /// The largest size that was seen to fit, at least `low`, and the least that was seen not to, or that beyond all:
    /// by doubling and halving.
    template <class Fits>
    [[nodiscard]] auto largest_where(Fits const& fits, std::uint64_t low) const
        -> std::pair<std::uint64_t, std::uint64_t> {
        auto high = sizes_.most + 1;
        auto const look = [&](std::uint64_t n) { (fits(family_(n), left_for(n)) ? low : high) = n; };
        for (auto n = low + 1; n < high && !is_over();) {
            look(n);
            n = n > sizes_.most / 2 ? std::max(sizes_.most, n + 1) : 2 * n;
        }
        while (high - low > 1 && !is_over()) look(low + (high - low) / 2);
        return {low, high};
    }

    /// Plans sizes up to `low` with little work: from the largest that keeps everything, or the least one, by doubling
    /// and halving, as a plan is found sooner than none is.
    void halve(std::uint64_t low) {
        auto first = for_any_plan(options_);
        if (sizes_.overhead) first.gap = 0;
        first.limits.stop = [&] { return best_.found > 0 ? is_over() : clock_.is_late(); };
        auto without = low + 1;
        auto const looks_at = [&](std::uint64_t n) {
            bool const found = tries(n, first);
            if (!found) without = n;
            return found;
        };
        auto const begin = std::max(best_.kept, sizes_.least);
        bool doubles = begin <= low && looks_at(begin);
        while (doubles && without > least_open() && !is_over())
            doubles = looks_at(best_.found > low / 2 ? low : 2 * best_.found);
        while (without > least_open() && !is_over()) looks_at(least_open() + (without - least_open()) / 2);
    }

    /// Plans a size; true where a plan counts, which is kept then.
    auto tries(std::uint64_t n, plan_options const& how) -> bool {
        auto const budget = left_for(n);
        automatic_plan<> made;
        if (budget >= 0) made = std::move(plan_for_budgets(family_(n), std::span(&budget, 1), how, hears_).front());
        if (budget < 0 || made.none_exists()) best_.impossible = std::min(best_.impossible.value_or(n), n);
        if (!made.plan || !counts(made.plan->cost)) return false;
        best_.plan = n == best_.found ? better_of(std::move(best_.plan), std::move(made)) : std::move(made);
        best_.found = n;
        return true;
    }
    [[nodiscard]] auto counts(replay_result const& cost) const -> bool {
        auto const once = static_cast<double>(cost.time - cost.overhead);
        return !sizes_.overhead || cost.overhead <= 0 || static_cast<double>(cost.overhead) / once <= *sizes_.overhead;
    }

    /// A better plan of the largest size, and larger sizes up to `low`, with what is left of the limits.
    void with_all_work(std::uint64_t low) {
        auto rest = options_;
        auto const again = [&](std::uint64_t n) {
            rest.limits.seconds = clock_.left();
            return tries(n, rest);
        };
        if (best_.found > 0 && !clock_.is_over(1)) static_cast<void>(again(best_.found));
        while (least_open() < best_.impossible.value_or(low + 1) && !clock_.is_over(1) && again(least_open())) {
        }
    }

    std::function<problem(std::uint64_t)> const& family_;
    bytes budget_;
    plan_options options_;
    size_options const& sizes_;
    listener hears_;
    deadline clock_ = deadline::of_call(options_.limits.seconds, hears_);
    largest_size<> best_{};
};

REPEBBLE_INLINE auto largest_size_of(std::function<problem(std::uint64_t)> const& family, bytes budget,
                                     plan_options const& options, size_options const& sizes, listener const& hears)
    -> largest_size<> {
    check_options(options);
    check_sizes(sizes);
    return size_search(family, budget_in_bytes(budget), options, sizes, hears.with_stop(options.limits.stop)).run();
}

}  // namespace repebble::inline v0::detail

#endif
