#ifndef REPEBBLE_RECOMPUTE_BEST_CANONICAL_HPP
#define REPEBBLE_RECOMPUTE_BEST_CANONICAL_HPP

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

#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/lower_sets/lower_set.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/superset_walk.hpp>
#include <repebble/recompute/detail/canonical/canonical_search.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble::inline v0 {

/// What to look for among canonical schedules, and how far.
template <quantity Time = std::int64_t>
struct canonical_options {
    std::optional<bytes> budget{};          ///< none: the least peak and, with that, the least overhead
    Time tolerance{};                       ///< overheads within this of the least will do; not negative
    std::optional<Time> below{};            ///< with a budget: only less overhead than this is of interest
    std::size_t segment_limit = 8'000'000;  ///< segments looked at, at a time; long ones count more
    std::size_t label_limit = 3'000'000;    ///< sequences in hand, at a time
    std::size_t threads = 1;  ///< that work side by side, the caller's with them; the choice is the same for any
};

/// The best canonical schedule that was found, told by its sequence, and what is proven about the others.
template <quantity Time = std::int64_t>
struct canonical_choice {
    std::optional<lower_set_sequence> sequence{};  ///< nothing: none was found
    Time overhead{};                               ///< of its canonical schedule
    bytes peak = 0;                                ///< of its canonical schedule
    Time bound{};                ///< nothing that fits has less overhead; where nothing fits at all, more than T(V)
    Time floor{};                ///< as the bound, but of the sequences of any lower sets
    bytes least_peak = 0;        ///< without a budget: nothing has a lower peak
    std::size_t lower_sets = 0;  ///< how many were searched

    friend auto operator==(canonical_choice const&, canonical_choice const&) -> bool = default;
};

namespace detail {

struct best_canonical_fn {
    /// Whether the model is that of the graph's canonical schedules: it is for the three built conventions, unless
    /// views of several owners are left.  O(n + values).
    template <quantity Time>
    [[nodiscard]] static auto applies(planning_graph<Time> const& graph) -> bool {
        return positional_values<Time>::describe(graph);
    }

    /// Over all lower sets.
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(planning_graph<Time> const& graph, canonical_options<Time> const& options = {},
                                  std::size_t lower_set_limit = strategy_options{}.lower_set_limit,
                                  Observer&& observer = {}) const -> canonical_choice<Time> {
        auto const values = values_of(graph);
        all_supersets<Time> const all(values.problem(), lower_set_limit);
        // The pruned family first, roughly: it is soon found how good it may get at least.
        constexpr int roughly = 64;
        auto rough = options;
        rough.tolerance = std::max(options.tolerance, values.time() / roughly);
        auto first = choose(values, pruned_of(values, graph), rough, std::nullopt, observer);
        if (!first.sequence) return choose(values, all, options, std::nullopt, observer);
        auto better = options;
        if (options.budget) better.below = first.overhead;
        auto found = choose(values, all, better, first.peak, observer);
        if (found.sequence && (found.peak < first.peak || found.overhead < first.overhead)) return found;
        found.bound = std::min(found.bound, first.overhead);
        found.sequence = std::move(first.sequence);
        found.overhead = first.overhead;
        found.peak = first.peak;
        return found;
    }

    /// Over a family, whose sets may come in any order; ∅ and V belong to it.
    template <quantity Time, std::ranges::input_range Family, class Observer = no_progress>
        requires std::same_as<std::ranges::range_value_t<Family>, vertex_set>
    [[nodiscard]] auto operator()(planning_graph<Time> const& graph, Family&& family,
                                  canonical_options<Time> const& options = {}, Observer&& observer = {}) const
        -> canonical_choice<Time> {
        auto const values = values_of(graph);
        std::vector<vertex_set> sets;
        for (vertex_set const& set : family) {
            check(graph.problem().graph, set, sets.size());
            sets.push_back(set);
        }
        return choose(values, family_supersets<Time>(values.problem(), sets), options, std::nullopt, observer);
    }

  private:
    template <quantity Time>
    [[nodiscard]] static auto values_of(planning_graph<Time> const& graph) -> positional_values<Time> {
        if (!applies(graph))
            detail::raise(
                bad_graph("canonical schedules are chosen for built training graphs without views of several owners"));
        return positional_values<Time>(graph);
    }
    static void check(csr_graph const& g, vertex_set const& set, std::size_t number) {
        auto const fail = [&](std::string const& why) {
            detail::raise(bad_graph("set " + std::to_string(number) + why));
        };
        if (set.universe() != g.vertex_count())
            fail(" is of " + std::to_string(set.universe()) + " vertices, the forward graph has " +
                 std::to_string(g.vertex_count()));
        set.for_each([&](std::size_t v) {
            for (auto const u : g.predecessors(v))
                if (!set.contains(u))
                    fail(" is no lower set: it has vertex " + std::to_string(v) + " and lacks " + std::to_string(u) +
                         ", which that reads");
        });
    }
    template <quantity Time>
    [[nodiscard]] static auto pruned_of(positional_values<Time> const& values, planning_graph<Time> const& graph) {
        return family_supersets<Time>(values.problem(), pruned_lower_sets(graph.problem().graph));
    }

    /// `reached`: a peak that is known to be possible.
    template <quantity Time, class Sets, class Observer>
    [[nodiscard]] static auto choose(positional_values<Time> const& values, Sets const& sets,
                                     canonical_options<Time> const& options, std::optional<bytes> reached,
                                     Observer& observer) -> canonical_choice<Time> {
        check_option("a tolerance", static_cast<double>(options.tolerance));
        check_threads(options.threads);
        if (values.size() == 0) return choose_nothing(options);
        canonical_search<Time, Sets> search(values, sets, {options.segment_limit, options.label_limit},
                                            options.threads);
        canonical_choice<Time> choice;
        bytes budget = std::max<bytes>(-1, options.budget.value_or(0));
        if (!options.budget) std::tie(choice.least_peak, budget) = least_peak(search, reached, observer);
        auto const beyond = next_above(with_rounding(values.time(), values.time()));
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

    /// Of the empty graph.
    template <quantity Time>
    [[nodiscard]] static auto choose_nothing(canonical_options<Time> const& options) -> canonical_choice<Time> {
        canonical_choice<Time> empty{.lower_sets = 1};
        if (options.budget.value_or(0) < 0) {
            empty.bound = next_above(Time{});
        } else if (!options.below || Time{} < *options.below) {
            empty.sequence.emplace();
        }
        return empty;
    }

    /// What no peak is below, and the least that is known to be possible.
    template <class Search, class Observer>
    [[nodiscard]] static auto least_peak(Search& search, std::optional<bytes> reached, Observer& observer)
        -> std::pair<bytes, bytes> {
        bytes const most = reached.value_or(search.peak_of_one_segment());
        std::pair<bytes, bytes> within{0, most};
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

/// The fourth objective: among the schedules that `canonical` makes of the sequences of lower sets, as they are run,
/// one of least overhead whose replayed peak is within the budget. Formula (2) of Kusumoto et al. 2019 only bounds that
/// peak, and formula (1) charges for what nobody reads again: so their optimum may be beaten by their approximation.
///
/// Exact: with tolerance 0 and `bound` = `overhead`, no sequence of the sets given has a canonical schedule within the
/// budget that takes less. For:
/// - What is computed again of a segment L → L' depends on the two sets alone: what they leave inside, not pinned, and
///   gradients read, and what of the rest inside those read. None of the last segment.
/// - While the gradients of L' ∖ L run there are resident, besides what belongs to the segment: what lies beyond L' and
///   gradients of L' read, which L' says; and the *cache*: values from L that are still read below. A gradient of L
///   reads them, which L says; or something of L that is computed again does, which only the way to L says: those are
///   claimed. All others from L that the segment reads come to their end in it.
/// - While L' ∖ L is first computed, there are also those values from L that are read from outside, claimed or not.
/// - So the peak in L → L' is a function of (L, claimed, bytes cached) and L', and so are claimed and cached at L'.
///   Sequences that agree in L and in what is claimed go on alike: of two the one with less overhead and less cached
///   will do. Nothing else is discarded but what bounds show to be of no use: see `lagrangian_bound`,
///   `completion_bound` and `segment_growth`.
///
/// `choice.bound` says what is proven where a limit, a tolerance or the observer (`end_if_over`) ended the search
/// sooner. Throws bad_graph for joint graphs and where views of several owners are left, limit_reached where there are
/// more lower sets than `lower_set_limit`, bad_option where the tolerance is negative or not a number, or there is no
/// thread.  O(#sets (n + m)), and for every segment that may be of use O(its vertices and their values), and a step for
/// every label on it.
inline constexpr detail::best_canonical_fn best_canonical{};

}  // namespace repebble::inline v0

#endif
