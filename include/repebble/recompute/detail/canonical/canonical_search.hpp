#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_CANONICAL_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_CANONICAL_SEARCH_HPP

// The driver of best_canonical: widening windows of overhead above the Lagrangian bound; in each, arcs, completion
// bounds, and label setting with decreasing slack. Calls segment_arcs, completion_bound and label_setting; none of them
// calls back.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/next_representable.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/recompute/detail/canonical/completion_bound.hpp>
#include <repebble/recompute/detail/canonical/label_setting.hpp>
#include <repebble/recompute/detail/canonical/lagrangian_bound.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>
#include <repebble/recompute/detail/canonical/segment_arcs.hpp>
#include <repebble/recompute/detail/canonical/segment_replay.hpp>
#include <repebble/recompute/detail/canonical/superset_source.hpp>

namespace repebble::inline v0::detail {

/// Searches the canonical schedules of sequences of the given lower sets for the best within a budget. The observer may
/// end a search, which then returns its best so far.
class canonical_search {
  public:
    struct found {
        lower_set_sequence sequence;
        std::int64_t overhead{};
        bytes peak = 0;
    };
    struct result {
        std::optional<found> best;
        std::int64_t bound{};  ///< lower bound on the overhead of fitting schedules of the sets
        std::int64_t floor{};  ///< lower bound over sequences of any lower sets
    };
    struct limits {
        std::size_t segments = 0;  ///< examined, in each window
        std::size_t labels = 0;
    };

    /// Refers to both.
    canonical_search(positional_values const& values, superset_source const& sets, limits limit, std::size_t threads)
        : values_(&values), sets_(&sets), limits_(limit), arcs_(values, sets, threads) {}

    /// Returns a schedule with overhead below `ceiling` within `tolerance` of the least, where there is one. Searches
    /// windows above the bound, each twice as wide as the last, so that few segments far from the optimum are examined.
    template <class Observer>
    auto least_overhead(bytes budget, std::int64_t ceiling, std::int64_t tolerance, Observer& observer) -> result {
        lagrangian_bound bound(*values_, budget);
        result r{{}, std::min(bound.overhead(), ceiling), bound.overhead()};
        constexpr int parts = 64;
        auto const base = r.bound;
        for (std::int64_t window = std::max({base / parts, values_->time() / (parts * parts), tolerance});;
             window += window) {
            window = next_above(window);
            std::int64_t const below = window < ceiling - base ? base + window : ceiling;
            auto const end = arcs_.find(budget, below, &bound, limits_.segments, observer);
            if (end == ending::too_many || end == ending::over) return r;
            if (end == ending::nothing_fits) r.bound = below;
            if (end == ending::reached && !search_below(below, tolerance, r, observer)) return r;
            if (r.best || !(below < ceiling)) return r;
        }
    }

    /// Peak of the sequence {V}, which keeps every value.
    [[nodiscard]] auto peak_of_one_segment() -> bytes {
        auto const full = sets_->size() - 1;
        segment_replay replay(*values_);
        replay.open((*sets_)[0]);
        return replay.run((*sets_)[full], 0, {}).backward_peak;
    }
    /// Whether any schedule fits; nothing where a limit leaves it unknown.
    template <class Observer>
    auto fits(bytes budget, Observer& observer) -> std::optional<bool> {
        auto const end = arcs_.find(budget, std::int64_t{}, nullptr, limits_.segments, observer);
        if (end == ending::too_many || end == ending::over) return std::nullopt;
        return end == ending::reached;
    }

  private:
    using ending = typename segment_arcs::ending;

    /// Returns false where the observer ends it.
    template <class Observer>
    [[nodiscard]] auto search_below(std::int64_t below, std::int64_t tolerance, result& r, Observer& observer) -> bool {
        completion_bound const completion(arcs_, below, observer);
        if (!completion.complete()) return false;
        r.bound = std::max(r.bound, std::min(below, static_cast<std::int64_t>(completion.bound(0, 0))));
        label_setting<segment_arcs> labels(arcs_, completion);
        // Large slack first: its result is an upper bound for finer searches. At most one slack per segment is lost,
        // usually far less.
        constexpr int coarsest = 64;
        constexpr int finest = 1 << 16;
        constexpr int finer = 8;
        std::int64_t slack = std::max(tolerance, below / coarsest);
        for (bool too_fine = false;;) {
            auto const l = labels.extend(r.best ? r.best->overhead : below, slack, limits_.labels, observer);
            if (l.over) return false;
            if (l.best) r.best = found{sequence(l.best->sets), l.best->overhead, l.best->peak};
            std::int64_t const least = r.best ? r.best->overhead : below;
            if (l.complete) r.bound = std::max(r.bound, std::min(l.bound, least));
            if (!(least - r.bound > tolerance)) return true;
            if (l.complete && !too_fine) {
                slack = slack < below / finest ? std::int64_t{} : slack / finer;
            } else if (l.complete || r.best || slack > below) {
                return true;
            } else {
                too_fine = true;
                slack = slack < below / finer ? next_above(finer * slack) : next_above(below);
            }
        }
    }
    [[nodiscard]] auto sequence(std::vector<std::uint32_t> const& path) const -> lower_set_sequence {
        std::vector<vertex_set> sets;
        for (auto const i : path) {
            auto& set = sets.emplace_back(values_->size());
            position_bits::for_each((*sets_)[i], values_->words(),
                                    [&](std::size_t p) { set.insert(values_->problem().vertices()[p]); });
        }
        return lower_set_sequence::of(sets, values_->size());
    }

    positional_values const* values_;
    superset_source const* sets_;
    limits limits_;
    segment_arcs arcs_;
};

}  // namespace repebble::inline v0::detail

#endif
