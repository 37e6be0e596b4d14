#ifndef REPEBBLE_LOWER_SETS_SOLVE_BEST_LOWER_SETS_HPP
#define REPEBBLE_LOWER_SETS_SOLVE_BEST_LOWER_SETS_HPP

// The driver of the lower-set searches: all lower sets where the graph has few, else a family by modular decomposition
// (module_lower_sets), with bounds over all lower sets (overhead_bound.hpp). Used by recompute's lower-set strategies.
// Invariant: every bound holds for sequences of any lower sets, not only of the searched family.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/no_progress.hpp>
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
#include <repebble/lower_sets/solve_all_lower_sets.hpp>
#include <repebble/lower_sets/solve_lower_sets.hpp>

namespace repebble::inline v0 {

/// A curve, and the size of the searched family.
struct best_lower_sets {
    lower_set_curve curve;        ///< over the family that was searched
    std::size_t lower_sets = 0;   ///< the number of searched lower sets
    bool all = true;              ///< whether the graph has no others
};

namespace detail {

/// All lower sets of a problem or, where there are too many, a family; enumerated once and searched with different
/// options.
class best_lower_set_search {
  public:
    /// Refers to the problem.
    best_lower_set_search(lower_set_problem const& problem, std::size_t limit);

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
        family_segments segments(family_, options);
        if (options.best_only && options.budget && options.goal == objective::time)
            return best_of(segments, options, observer);
        return solve_segments(std::move(segments), options, observer);
    }

    /// The curve, with bounds over all lower sets.
    [[nodiscard]] auto bounded(lower_set_curve const& curve, lower_set_options const& options) const -> lower_set_curve;

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
        auto const bound = overhead_bound(*problem_, objective::time, options.keep_last)(*options.budget);
        if (!bound) return {};
        cached_segments<family_segments> const listed(segments, *options.budget);
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

struct solve_best_lower_sets_fn {
    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(lower_set_problem const& problem, lower_set_options const& options = {},
                                  std::size_t limit = default_lower_set_limit, Observer&& observer = {}) const
        -> best_lower_sets {
        best_lower_set_search const search(problem, limit);
        return {search.bounded(search.curve(options, observer), options), search.size(), search.has_all()};
    }
};

}  // namespace detail

/// The best trade-off curve that is affordable: that of `solve_all_lower_sets` where the graph has at most `limit`
/// lower sets, else the curve over the `module_lower_sets`: at most `limit` of them and as many as are searched in
/// seconds, but never fewer than the pruned family. The least budget is exact for the family; overheads are exact to
/// within the loss by the resolution, which is at least #family² / (4 · 10¹⁰) of the forward time (with `best_only` to
/// within the resolution, at least #family² / (3 · 10⁹)). Every `bound` holds for all lower sets, by `overhead_bound`:
/// the gap to the overhead is the most that a larger family could gain. The curve refers to the problem, which must
/// outlive it, and owns the rest. O(limit n / 64) and as `solve_lower_sets` over the family, O(n² + n · breakpoints)
/// for the bounds.
inline constexpr detail::solve_best_lower_sets_fn solve_best_lower_sets{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/lower_sets/solve_best_lower_sets.ipp>
#endif

#endif
