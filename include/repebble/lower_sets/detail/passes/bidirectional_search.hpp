#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_BIDIRECTIONAL_SEARCH_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_BIDIRECTIONAL_SEARCH_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/deadline_observer.hpp>
#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/detail/passes/backward_pass.hpp>
#include <repebble/lower_sets/detail/passes/budget_lookup.hpp>
#include <repebble/lower_sets/detail/passes/forward_pass.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/detail/passes/level_order.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>

namespace repebble::inline v0::detail {

/// The least overhead within one budget, by passes backwards and forwards in turn. The first is coarse. Each tells for
/// every lower set what the rest of a sequence costs at least, by the bytes that are left for it, and finds a sequence;
/// the next, the other way and finer, leaves out all that with this cannot be better than the best sequence known. So
/// however fine, passes stay small. Exact, or within `tolerance` of the least overhead.
template <quantity Time, class Segments>
class bidirectional_search {
  public:
    struct found {
        Time overhead{};
        Time bound{};  ///< no sequence has less
        lower_set_sequence sequence;
    };

    /// `Segments` is as for `frontier_curve`. Overheads up to `most`; none is known to be less than `bound`. In how
    /// many cells the first pass counts them. How many threads work. How many entries a later pass may keep, of some 50
    /// bytes.
    bidirectional_search(Segments const& segments, Time most, bytes budget, Time tolerance, Time bound = {},
                         double first_cells = 500, std::size_t threads = 1, std::size_t entry_limit = 64'000'000)
        : segments_(segments),
          order_(segments, threads),
          limits_{objective::time, most, budget, Time{}},
          tolerance_(tolerance),
          upper_(next_above(most)),
          bound_(bound),
          first_cells_(first_cells),
          entry_limit_(entry_limit) {}

    /// Nothing where nothing fits; the best so far where the observer or the limit ends it. It ends: a pass that finds
    /// nothing proves that its window holds nothing, one without cells finds something better, and one with cells that
    /// does neither makes them smaller.
    template <class Observer>
    [[nodiscard]] auto run(Observer& observer) -> std::optional<found> {
        auto const into = reversed_segments<Time>(segments_);
        limits_.resolution = finer(segments_.time(), first_cells_);
        bool backwards = true;
        Time coarser = limits_.resolution;  // of the last pass that told something
        double sharper = 1;
        for (int share = narrowest;;) {
            auto result = backwards ? backward(observer) : forward(into, observer);
            if (!result.complete) {
                if (best_) best_->bound = std::min(bound_, best_->overhead);
                return std::move(best_);
            }
            auto const& ends = backwards ? result.sets.front() : result.sets.back();
            for (auto const& f : result.sets) kept_ += f.points.size();
            bool const closer = note(result, ends.points, backwards);
            // What a narrow window holds says nothing of what lies beyond it and is of use.
            if (!ends.points.empty() && !(limits_.most < of_use())) {
                learn(std::move(result));
                if (best_) limits_.entries = entry_limit_;
                sharper = closer ? 1 : 2 * sharper;
                coarser = limits_.resolution;
                backwards = !backwards;
                share = narrowest;
            } else {
                share = 1;
            }
            Time const gap = upper_ - bound_;
            if (!(gap > Time{}) || (best_ && gap <= tolerance())) {
                if (best_) best_->bound = std::min(bound_, best_->overhead);
                return std::move(best_);
            }
            limits_.most = std::min(of_use(), bound_ + static_cast<Time>(gap / static_cast<Time>(share)));
            limits_.resolution =
                std::max(finer(limits_.most - bound_, sharper * (backwards ? backward_cells : forward_cells)),
                         finer(coarser, at_once));
        }
    }

  private:
    // Found by trying networks with times in nanoseconds. Backward passes keep more entries than forward ones.
    static constexpr int narrowest = 4;
    static constexpr std::size_t little = 300'000;  // entries, some hundredths of a second
    static constexpr double backward_cells = 100;
    static constexpr double forward_cells = 300;
    static constexpr double at_once = 6;  // a pass is finer by that: much more, and it would have too many entries

    /// None is used up as long as it costs little to do without.
    [[nodiscard]] auto tolerance() const -> Time { return kept_ < little ? Time{} : tolerance_; }
    /// More overhead is of no use: it is not better than the best by more than the tolerance.
    [[nodiscard]] auto of_use() const -> Time {
        if (!best_) return next_below(upper_);
        Time const enough = upper_ - tolerance();
        return next_below(upper_ - enough > tolerance() ? next_above(enough) : enough);
    }

    [[nodiscard]] auto finer(Time window, double parts) const -> Time {
        auto const width = static_cast<Time>(static_cast<double>(window) / parts);
        if constexpr (std::same_as<Time, std::int64_t>)
            return width > 1 ? width : 0;
        else
            return width > 1e-12 * segments_.time() ? width : Time{};
    }

    template <class Observer>
    [[nodiscard]] auto backward(Observer& observer) -> pass_result<Time> {
        return backward_pass<Time>(
            segments_, order_, limits_, admission(),
            [&](std::size_t i, auto const& e) {
                return may_do(i, e.bound, limits_.budget - e.needed, limits_.budget - e.working);
            },
            observer);
    }
    template <class Observer>
    [[nodiscard]] auto forward(segments_into<Time> const& into, Observer& observer) -> pass_result<Time> {
        return forward_pass<Time>(
            segments_, order_, into, limits_, admission(),
            [&](std::size_t i, auto const& e) {
                return may_do(i, e.bound, limits_.budget - e.needed, limits_.budget - e.working);
            },
            observer);
    }

    /// Whether the other part of a sequence may cost so little that it is better than the best.
    [[nodiscard]] auto may_do(std::size_t node, Time bound, bytes left) const -> bool {
        if (others_.empty()) return true;
        auto const rest = others_[node].within(left);
        return rest && bound + *rest <= limits_.most;
    }
    /// So of a set's entries, which need ever less.
    [[nodiscard]] auto admission() const {
        return [this](std::size_t set) {
            return [this, set, position = std::size_t{0}](frontier_entry<Time> const& e) mutable {
                if (others_.empty()) return true;
                auto const rest = others_[set].within(limits_.budget - e.budget, position);
                return rest && e.bound + *rest <= limits_.most;
            };
        };
    }
    [[nodiscard]] auto may_do(std::size_t passage, Time bound, bytes left, bytes left_for_working) const -> bool {
        if (!may_do(passage, bound, left)) return false;
        if (others_.empty()) return true;
        auto const rest = working_[passage - segments_.size()].within(left_for_working);
        return rest && bound + *rest <= limits_.most;
    }

    /// Takes note of what a pass found in its window. Whether that improved what was known.
    auto note(pass_result<Time> const& result, std::vector<frontier_entry<Time>> const& ends, bool backwards) -> bool {
        Time bound = next_above(limits_.most);
        auto const* best = ends.data();
        for (auto const& e : ends) {
            if (e.overhead < best->overhead) best = &e;
            bound = std::min(bound, e.bound);
        }
        bool const better = !ends.empty() && best->overhead < upper_;
        bool const closer = bound > bound_;
        if (better) {
            upper_ = best->overhead;
            best_ = found{upper_, bound, trace(result, best->next, backwards)};
        }
        bound_ = std::min(std::max(bound_, bound), upper_);
        return better || closer;
    }

    /// Keeps for the next pass what this one tells. It knows all that is of use.
    void learn(pass_result<Time> result) {
        others_.clear();
        working_.clear();
        for (auto& f : result.sets) {
            std::vector<std::pair<bytes, Time>> steps;
            steps.reserve(f.points.size());
            for (auto e = f.points.rbegin(); e != f.points.rend(); ++e) steps.emplace_back(e->budget, e->bound);
            others_.emplace_back(std::move(steps));
            f = {};
        }
        for (auto const& entries : result.open) {
            std::vector<std::pair<bytes, Time>> steps;
            for (auto const& e : entries) steps.emplace_back(e.needed, e.bound);
            others_.emplace_back(steps);
            for (std::size_t k = 0; k < entries.size(); ++k) steps[k].first = entries[k].working;
            working_.emplace_back(std::move(steps));
        }
    }

    [[nodiscard]] auto trace(pass_result<Time> const& result, frontier_link at, bool backwards) const
        -> lower_set_sequence {
        std::vector<vertex_set> sets;
        if (backwards) {
            for (; at.set != 0; at = result.sets[at.set].points[at.position].next)
                sets.push_back(segments_.make(at.set));
        } else {
            if (segments_.size() > 1) sets.push_back(segments_.make(segments_.size() - 1));
            for (; at.set != 0; at = result.sets[at.set].points[at.position].next)
                sets.push_back(segments_.make(at.set));
            std::reverse(sets.begin(), sets.end());
        }
        return sequence_of(sets, segments_.vertex_count());
    }

    Segments const& segments_;
    level_order order_;
    pass_limits<Time> limits_;
    Time tolerance_;
    Time upper_;  // the best overhead known, or what is just too much
    Time bound_;  // nothing has less
    double first_cells_;
    std::size_t entry_limit_;
    std::size_t kept_ = 0;  // entries, by all passes
    std::optional<found> best_;
    std::vector<budget_lookup<Time>> others_;   // of the last pass: per node, by bytes
    std::vector<budget_lookup<Time>> working_;  // per passage, by working bytes
};

}  // namespace repebble::inline v0::detail

#endif
