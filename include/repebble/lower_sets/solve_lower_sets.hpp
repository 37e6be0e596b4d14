#ifndef REPEBBLE_LOWER_SETS_SOLVE_LOWER_SETS_HPP
#define REPEBBLE_LOWER_SETS_SOLVE_LOWER_SETS_HPP

// The dynamic program of Kusumoto et al. 2019, section 4.2, over lower sets, for all budgets at once: over all lower
// sets of a problem (detail/all_lower_sets.hpp), the best family that is affordable (`best_lower_set_search` below),
// the pruned family of section 4.3, or any family. The passes are in detail/passes. Invariant: without a resolution the
// curve is exact over the lower sets that are searched.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/lower_sets/detail/all_lower_sets.hpp>
#include <repebble/lower_sets/detail/family_segments.hpp>
#include <repebble/lower_sets/detail/passes/bidirectional_search.hpp>
#include <repebble/lower_sets/detail/passes/cached_segments.hpp>
#include <repebble/lower_sets/detail/passes/exact_curve.hpp>
#include <repebble/lower_sets/detail/passes/solve_segments.hpp>
#include <repebble/lower_sets/evaluate_formula.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/overhead_bound.hpp>

namespace repebble::inline v0 {

namespace detail {

/// All lower sets of a problem or, where there are too many, a family; enumerated once and searched with different
/// options. The family is that of `module_lower_sets`: at most `limit` of them and as many as are searched in seconds,
/// but never fewer than the pruned family. The least budget is exact for the family; overheads are exact to within the
/// loss by the resolution, which is at least #family² / (4 · 10¹⁰) of the forward time (with `best_only` to within the
/// resolution, at least #family² / (3 · 10⁹)). O(limit n / 64) and as over the family.
class best_lower_set_search {
  public:
    /// Refers to the problem. From when stop() returns true on, no further set is listed.
    best_lower_set_search(lower_set_problem const& problem, std::size_t limit, stop_test stop = never_stop{});

    static constexpr bool finds_best = true;  ///< the search with `best_only` is faster than the whole curve

    [[nodiscard]] auto has_all() const noexcept -> bool { return all_.has_value(); }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return all_ ? all_->size() : family_->size(); }
    [[nodiscard]] auto problem() const noexcept -> lower_set_problem const& { return *problem_; }
    /// The finest resolution with which a family is searched, so that it takes seconds.
    [[nodiscard]] auto finest() const -> std::int64_t { return all_ ? std::int64_t{} : share_of_time(1 / 4e10); }

    /// The curve, with bounds over the searched sets.
    template <class Observer>
    [[nodiscard]] auto curve(lower_set_options options, Observer&& observer) const -> lower_set_curve {
        if (all_) return all_->curve(options, observer);
        if (!may_fit(options)) return {};
        options.resolution = std::max(options.resolution, finest());
        family_segments segments(family_, options, [&] { return is_over(observer); });
        if (options.best_only && options.budget && options.goal == objective::time)
            return best_of(segments, options, observer);
        return solve_segments(std::move(segments), options, observer);
    }

    /// The curve, with bounds over all lower sets.
    [[nodiscard]] auto bounded(lower_set_curve const& curve, lower_set_options const& options, stop_test stop) const
        -> lower_set_curve;

  private:
    static constexpr std::size_t few = 4000;

    /// A share of the forward time, times the number of pairs of sets.
    [[nodiscard]] auto share_of_time(double part) const -> std::int64_t {
        auto const sets = static_cast<double>(family_->size());
        return static_cast<std::int64_t>(static_cast<double>(family_->time(family_->full())) * (sets * sets * part));
    }

    /// The best sequence of the family within the budget, as a curve of one point.
    template <class Observer>
    [[nodiscard]] auto best_of(family_segments const& segments, lower_set_options const& options,
                               Observer& observer) const -> lower_set_curve {
        std::int64_t const whole = segments.time();
        auto const stop = [&] { return is_over(observer); };
        overhead_bound const bounds(*problem_, objective::time, options.keep_last, stop);
        auto const bound = bounds(*options.budget, stop);
        if (!bound) return {};
        cached_segments<family_segments> const listed(segments, *options.budget, stop);
        bidirectional_search<cached_segments<family_segments>> search(
            listed, options.overhead.value_or(whole), *options.budget,
            std::max(options.resolution, share_of_time(1 / 3e9)), *bound, 2000, options.threads);
        auto const found = search.run(observer);
        if (!found) return {};
        auto const cost = evaluate_formula(*problem_, found->sequence, options.keep_last);
        return {{{found->overhead, cost.peak, found->bound}},
                std::make_shared<known_sequences>(std::vector{found->sequence})};
    }

    lower_set_problem const* problem_;
    std::optional<all_lower_sets> all_;
    std::shared_ptr<lower_set_family const> family_;
};

/// The result of search(observer) within the limits.  Throws limit_reached where they end it; where the observer does,
/// the result is of no use.
template <class Observer, class Search>
[[nodiscard]] auto curve_within(lower_set_options const& options, Observer& observer, Search const& search)
    -> lower_set_curve {
    deadline_observer<Observer> within(observer, options.limits);
    auto curve = search(within);
    if (within.was_over() && !was_over(observer))
        detail::raise(limit_reached("the lower sets were not searched within the seconds, or it was stopped"));
    return curve;
}

}  // namespace detail

/// The trade-off curve over a family of lower sets, by the dynamic program of Kusumoto et al. 2019, section 4.2, run
/// backward: for every lower set L the frontier of (remaining overhead, budget of the remaining segments), the cache at
/// L not counted:
///
///   H[L] = ∪ over L' ⊋ L of { (s + overhead, max(working, cached + h)) : (s, h) ∈ H[L'] },
///
/// where H[V] = {(0, 0)} and dominated pairs are discarded. H[∅] is the whole curve, and its least h the least budget.
/// Exact over the family where the resolution is 0; otherwise overheads in one cell of that width are merged, the least
/// budget stays exact, and every breakpoint has a bound on the loss by merging.
///
/// The curve refers to the family, which must outlive it. `observer.progress(x)`, where there is such a member, is
/// called with the share of the work that is done. O(#family² (|∂| + frontier)) time, O(#family · frontier) space.
/// Throws bad_weight where the resolution is negative, bad_option where there are no threads, limit_reached where
/// limits end the search.
template <class Observer = no_progress>
[[nodiscard]] auto solve_lower_sets(lower_set_family const& family, lower_set_options const& options = {},
                                    Observer&& observer = {}) -> lower_set_curve {
    std::shared_ptr<lower_set_family const> const borrowed(std::shared_ptr<void>{}, &family);
    return {detail::curve_within(options, observer,
                                 [&](auto& within) { return detail::solve_family(borrowed, options, within); }),
            searched_lower_sets{.count = family.size()}};
}

/// The trade-off curve of a problem, over the lower sets of `options.choice`: all, for the least overhead much faster
/// than over the family of them (detail/all_lower_sets.hpp); the pruned family; or by default all where there are few
/// enough, else a family by modular decomposition that is searched in seconds (`detail::best_lower_set_search`), where
/// every `bound` holds for all lower sets, by `overhead_bound`: the gap to the overhead is the most that a larger
/// family could gain.
///
/// The curve refers to the problem, which must outlive it, and owns the rest. Observer and errors as above;
/// limit_reached also where all are asked for and there are more than `limits.work`.
template <class Observer = no_progress>
[[nodiscard]] auto solve_lower_sets(lower_set_problem const& problem, lower_set_options const& options = {},
                                    Observer&& observer = {}) -> lower_set_curve {
    auto const limit = options.limits.work.value_or(detail::default_lower_sets(problem.vertex_count()));
    return detail::curve_within(options, observer, [&](auto& within) -> lower_set_curve {
        auto const stop = [&] { return detail::is_over(within); };
        if (options.choice == family_choice::pruned) {
            auto const family = std::make_shared<lower_set_family const>(lower_set_family::pruned(problem, stop));
            return {detail::solve_family(family, options, within), searched_lower_sets{.count = family->size()}};
        }
        if (options.choice == family_choice::all) {
            auto const sets = detail::all_lower_sets::within(problem, limit, stop);
            if (stop()) return {};
            if (!sets) detail::raise(limit_reached("the graph has more than " + std::to_string(limit) + " lower sets"));
            return {sets->curve(options, within), searched_lower_sets{.count = sets->size(), .all = true}};
        }
        detail::best_lower_set_search const sets(problem, limit, stop);
        return {sets.bounded(sets.curve(options, within), options, stop),
                searched_lower_sets{.count = sets.size(), .all = sets.has_all()}};
    });
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/solve_lower_sets.ipp>
#endif

#endif
