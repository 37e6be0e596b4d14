#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_CANONICAL_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_CANONICAL_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/deadline_observer.hpp>
#include <repebble/detail/next_representable.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/recompute/detail/canonical/completion_bound.hpp>
#include <repebble/recompute/detail/canonical/label_setting.hpp>
#include <repebble/recompute/detail/canonical/lagrangian_bound.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>
#include <repebble/recompute/detail/canonical/segment_arcs.hpp>
#include <repebble/recompute/detail/canonical/segment_replay.hpp>

namespace repebble::inline v0::detail {

/// The canonical schedules of sequences of the lower sets in `Sets`: which is the best within a budget. The observer
/// may end a search, which then returns what it has.
template <quantity Time, class Sets>
class canonical_search {
  public:
    struct found {
        lower_set_sequence sequence;
        Time overhead{};
        bytes peak = 0;
    };
    struct result {
        std::optional<found> best;
        Time bound{};  ///< no fitting schedule of the sets has less overhead
        Time floor{};  ///< nor one of any lower sets less than this
    };
    struct limits {
        std::size_t segments = 0;  ///< looked at, in each window
        std::size_t labels = 0;
    };

    /// Refers to both.
    canonical_search(positional_values<Time> const& values, Sets const& sets, limits most, std::size_t threads)
        : values_(&values), sets_(&sets), most_(most), arcs_(values, sets, threads) {}

    /// The least overhead below `ceiling`, where there is one; overheads within `tolerance` of it will do. In windows
    /// above a bound, each twice as wide as the last, so that little is looked at that is far from the best.
    template <class Observer>
    auto least_overhead(bytes budget, Time ceiling, Time tolerance, Observer& observer) -> result {
        lagrangian_bound<Time> bound(*values_, budget);
        result r{{}, std::min(bound.overhead(), ceiling), bound.overhead()};
        constexpr int parts = 64;
        auto const base = r.bound;
        try {
            for (Time window = std::max({base / parts, values_->time() / (parts * parts), tolerance});;
                 window += window) {
                window = next_above(window);
                Time const below = window < ceiling - base ? base + window : ceiling;
                auto const end = arcs_.find(budget, below, &bound, most_.segments, observer);
                if (end == ending::too_many) return r;
                if (end == ending::nothing_fits) r.bound = below;
                if (end == ending::reached) search_below(below, tolerance, r, observer);
                if (r.best || !(below < ceiling)) return r;
            }
        } catch (search_ended const&) {
            return r;
        }
    }

    /// Of the sequence {V}, which keeps all.
    [[nodiscard]] auto peak_of_one_segment() -> bytes {
        auto const full = sets_->size() - 1;
        segment_replay<Time> replay(*values_);
        replay.open((*sets_)[0]);
        return replay.run((*sets_)[full], 0, {}).backward_peak;
    }
    /// Whether any fits; nothing where that remains unknown.
    template <class Observer>
    auto fits(bytes budget, Observer& observer) -> std::optional<bool> {
        try {
            auto const end = arcs_.find(budget, Time{}, nullptr, most_.segments, observer);
            if (end != ending::too_many) return end == ending::reached;
        } catch (search_ended const&) {  // unknown
        }
        return std::nullopt;
    }

  private:
    using ending = typename segment_arcs<Time, Sets>::ending;

    template <class Observer>
    void search_below(Time below, Time tolerance, result& r, Observer& observer) {
        completion_bound<Time> const rooms(arcs_, below, observer);
        r.bound = std::max(r.bound, std::min(below, static_cast<Time>(rooms.bound(0, 0))));
        label_setting<Time, segment_arcs<Time, Sets>> labels(arcs_, rooms);
        // Coarsely first: what is found so bounds what finer searches look at. A slack is lost once a segment at most;
        // mostly far less is.
        constexpr int coarsest = 64;
        constexpr int finest = 1 << 16;
        constexpr int finer = 8;
        Time slack = std::max(tolerance, below / coarsest);
        for (bool too_fine = false;;) {
            auto const l = labels.extend(r.best ? r.best->overhead : below, slack, most_.labels, observer);
            if (l.best) r.best = found{sequence(l.best->sets), l.best->overhead, l.best->peak};
            Time const least = r.best ? r.best->overhead : below;
            if (l.complete) r.bound = std::max(r.bound, std::min(l.bound, least));
            if (!(least - r.bound > tolerance)) return;
            if (l.complete && !too_fine) {
                slack = slack < below / finest ? Time{} : slack / finer;
            } else if (l.complete || r.best || slack > below) {
                return;
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
        return sequence_of(sets, values_->size());
    }

    positional_values<Time> const* values_;
    Sets const* sets_;
    limits most_;
    segment_arcs<Time, Sets> arcs_;
};

}  // namespace repebble::inline v0::detail

#endif
