#ifndef REPEBBLE_RECOMPUTE_BEST_CANONICAL_HPP
#define REPEBBLE_RECOMPUTE_BEST_CANONICAL_HPP

// Exact optimisation over canonical schedules: label setting on the lattice of lower sets (a resource-constrained
// shortest path), with replayed instead of estimated peaks. `detail/canonical/` has its parts; lower_set_plan is the
// strategy on top. Invariant: states are dropped only by dominance or by a valid bound, so `bound` is a proof.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/superset_walk.hpp>
#include <repebble/recompute/detail/canonical/canonical_search.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

/// Objective and limits of the search over canonical schedules.
struct canonical_options {
    std::optional<bytes> budget{};          ///< none: least peak, then least overhead
    std::int64_t tolerance{};               ///< accepted distance from the least overhead; not negative
    std::optional<std::int64_t> below{};    ///< with a budget: only schedules of less overhead than this
    std::size_t segment_limit = 8'000'000;  ///< greatest number of segments in one pass; long ones count more
    std::size_t label_limit = 3'000'000;    ///< greatest number of labels in one pass
    std::size_t threads = 1;                ///< the caller's included; the choice does not depend on it
};

/// The best canonical schedule found, as its sequence of lower sets, and bounds on all others.
struct canonical_choice {
    std::optional<lower_set_sequence> sequence{};  ///< none: no schedule was found
    std::int64_t overhead{};                       ///< of its canonical schedule
    bytes peak = 0;                                ///< of its canonical schedule
    std::int64_t bound{};        ///< lower bound on the overhead within the budget; more than T(V) where none fits
    std::int64_t floor{};        ///< the same bound over sequences of any lower sets
    bytes least_peak = 0;        ///< without a budget: lower bound on the peak
    std::size_t lower_sets = 0;  ///< number of lower sets searched

    friend auto operator==(canonical_choice const&, canonical_choice const&) -> bool = default;
};

namespace detail {

struct best_canonical_fn {
    /// Whether the method applies: the graph was built by one of the three conventions, and no view of several owners
    /// is left. O(n + values).
    [[nodiscard]] static auto applies(planning_graph const& graph) -> bool { return positional_values::applies(graph); }

    /// Searches all lower sets.
    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(planning_graph const& graph, canonical_options const& options = {},
                                  std::size_t lower_set_limit = default_lower_set_limit, Observer&& observer = {}) const
        -> canonical_choice {
        auto found = within(graph, options, lower_set_limit, observer);
        if (!found)
            detail::raise(limit_reached("the graph has more than " + std::to_string(lower_set_limit) + " lower sets"));
        return *std::move(found);
    }

    /// Searches all lower sets, as above, but returns nothing where there are more than the limit; without a sequence
    /// or a bound where it is ended before all are listed.
    template <class Observer>
    [[nodiscard]] auto within(planning_graph const& graph, canonical_options const& options,
                              std::size_t lower_set_limit, Observer&& observer) const
        -> std::optional<canonical_choice> {
        auto const stop = [&] { return is_over(observer); };
        auto const values = values_of(graph, stop);
        all_supersets const all(values.problem(), lower_set_limit, stop);
        if (stop()) return canonical_choice{};
        if (!all.complete()) return std::nullopt;
        // First the pruned family, coarsely: a quick upper bound.
        constexpr int coarse_parts = 64;
        auto coarse = options;
        coarse.tolerance = std::max(options.tolerance, values.time() / coarse_parts);
        family_supersets const pruned(values.problem(), pruned_lower_sets(graph.problem().graph, stop), stop);
        auto first = choose(values, superset_source(pruned), coarse, std::nullopt, observer);
        if (!first.sequence) return choose(values, superset_source(all), options, std::nullopt, observer);
        auto better = options;
        if (options.budget) better.below = first.overhead;
        auto found = choose(values, superset_source(all), better, first.peak, observer);
        if (found.sequence && (found.peak < first.peak || found.overhead < first.overhead)) return found;
        found.bound = std::min(found.bound, first.overhead);
        found.sequence = std::move(first.sequence);
        found.overhead = first.overhead;
        found.peak = first.peak;
        return found;
    }

    /// Searches a family of lower sets, in any order; ∅ and V are added.
    template <std::ranges::input_range Family, class Observer = no_progress>
        requires std::same_as<std::ranges::range_value_t<Family>, vertex_set>
    [[nodiscard]] auto operator()(planning_graph const& graph, Family&& family, canonical_options const& options = {},
                                  Observer&& observer = {}) const -> canonical_choice {
        auto const values = values_of(graph, [&] { return is_over(observer); });
        if (is_over(observer)) return {};
        std::vector<vertex_set> sets;
        for (vertex_set const& set : family) {
            check(graph.problem().graph, set, sets.size());
            sets.push_back(set);
        }
        family_supersets const given(values.problem(), sets);
        return choose(values, superset_source(given), options, std::nullopt, observer);
    }

  private:
    [[nodiscard]] static auto values_of(planning_graph const& graph, stop_test stop) -> positional_values;
    static void check(csr_graph const& g, vertex_set const& set, std::size_t number);
    /// `reached`: a peak that is known to be attainable.
    template <class Observer>
    [[nodiscard]] static auto choose(positional_values const& values, superset_source const& sets,
                                     canonical_options const& options, std::optional<bytes> reached, Observer& observer)
        -> canonical_choice {
        check_option("a tolerance", static_cast<double>(options.tolerance));
        check_threads(options.threads);
        if (values.size() == 0) return choose_nothing(options);
        if (is_over(observer)) return {};
        canonical_search search(values, sets, {options.segment_limit, options.label_limit}, options.threads);
        canonical_choice choice;
        bytes budget = std::max<bytes>(-1, options.budget.value_or(0));
        if (!options.budget) std::tie(choice.least_peak, budget) = least_peak(search, reached, observer);
        auto const beyond = next_above(values.time());
        auto const ceiling = options.budget ? std::min(options.below.value_or(beyond), beyond) : beyond;
        auto found = search.least_overhead(budget, ceiling, options.tolerance, observer);
        choice.bound = found.bound;
        choice.floor = found.floor;
        choice.lower_sets = sets.size();
        if (found.best) {
            choice.sequence = std::move(found.best->sequence);
            choice.overhead = found.best->overhead;
            choice.peak = found.best->peak;
        }
        return choice;
    }

    /// The choice for the empty graph.
    [[nodiscard]] static auto choose_nothing(canonical_options const& options) -> canonical_choice;

    /// Bisects the least peak: returns a lower bound on it, and the least peak known to be attainable.
    template <class Search, class Observer>
    [[nodiscard]] static auto least_peak(Search& search, std::optional<bytes> reached, Observer& observer)
        -> std::pair<bytes, bytes> {
        bytes const greatest = reached.value_or(search.peak_of_one_segment());
        std::pair<bytes, bytes> within{0, greatest};
        for (bytes low = 0; low < within.second;) {
            bytes const middle = low + (within.second - low) / 2;
            auto const fits = search.fits(middle, observer);
            if (fits && *fits) {
                within.second = middle;
            } else {
                low = middle + 1;
                if (fits) within.first = low;
            }
        }
        return within;
    }
};

}  // namespace detail

/// Among the schedules that `canonical` makes of sequences of lower sets, one of least overhead whose replayed peak is
/// within the budget (the fourth objective). Formula (2) of Kusumoto et al. 2019 only bounds that peak from above, and
/// formula (1) counts recomputations without a reader, so their optimum can be worse than their approximation.
///
/// Exact: with tolerance 0 and `bound` = `overhead`, no sequence of the given sets has a canonical schedule within the
/// budget and less overhead. The reasons:
///
/// - The recomputations of a segment L → L' depend on the two sets alone: values inside, not pinned, that gradients or
///   other recomputations inside read. The last segment has none.
/// - While the gradients of L' ∖ L run, besides the segment's own values these are resident: values beyond L' that
///   gradients of L' read, a function of L'; and the *cache*: values of L that are still read below. A value is in the
///   cache because a gradient of L reads it, a function of L; or because a recomputation in L reads it, which depends
///   on the path to L: these values are *claimed*. All other values of L that the segment reads are discarded during
///   it.
/// - While L' ∖ L is first computed, the values of L that are read from outside are resident too, claimed or not.
/// - So the peak in L → L' is a function of (L, claimed, cached bytes) and L', and so are the claimed values and the
///   cache at L'. Sequences that agree in L and in the claimed values have the same continuations: one with no more
///   overhead and no more cache dominates. Beyond dominance only bounds prune: `lagrangian_bound`, `completion_bound`
///   and `segment_growth`.
///
/// `choice.bound` is the proven bound where a limit, a tolerance or the observer (`is_over`) ended the search
/// early. Throws bad_graph for joint graphs and where views of several owners are left, limit_reached where there are
/// more lower sets than `lower_set_limit`, bad_option where the tolerance is negative or not a number, or there is no
/// thread. O(#sets (n + m)), and for every segment that is not pruned O(its vertices and their values), and a step for
/// every label on it.
inline constexpr detail::best_canonical_fn best_canonical{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/best_canonical.ipp>
#endif

#endif
