#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_BIDIRECTIONAL_SEARCH_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_BIDIRECTIONAL_SEARCH_HPP

// The least overhead within one budget by bounded bidirectional dynamic programming: backward and forward passes
// alternate, each pruned by the completion bounds of the one before, with ever finer resolution. Used by
// exact_curve.hpp and solve_lower_sets.hpp for one budget.
// Invariant: bound <= least overhead <= upper; every pass narrows this window or refines the resolution.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/next_representable.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
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

/// The best sequence within a budget. The first pass is coarse. Each pass finds a sequence and, for every lower set, a
/// lower bound on the overhead of the other half of a sequence, by the bytes left for it; the next pass, in the other
/// direction and finer, discards entries that by this bound cannot improve on the best sequence. So passes stay small
/// at any resolution. Exact, or within `tolerance` of the least overhead.
template <class Segments>
class bidirectional_search {
  public:
    struct found {
        std::int64_t overhead{};
        std::int64_t bound{};  ///< no sequence has less
        lower_set_sequence sequence;
    };

    /// `Segments` is as for `frontier_curve`. Searches overheads from `bound`, a proven lower bound, to `most`. The
    /// first pass divides overheads into `first_cells` cells. `entry_limit`: entries, of about 50 bytes, that a pass
    /// may store once a sequence is known.
    bidirectional_search(Segments const& segments, std::int64_t most, bytes budget, std::int64_t tolerance,
                         std::int64_t bound = {}, double first_cells = 500, std::size_t threads = 1,
                         std::size_t entry_limit = 64'000'000)
        : segments_(segments),
          order_(segments, threads),
          limits_{objective::time, most, budget, std::int64_t{}},
          tolerance_(tolerance),
          upper_(next_above(most)),
          bound_(bound),
          first_cells_(first_cells),
          entry_limit_(entry_limit) {}

    /// The best sequence; nothing where none fits; the best so far where the observer or the limit stops it.
    /// Terminates: a pass that finds no sequence proves its window empty, one without cells finds a better sequence,
    /// and any other pass is followed by one with smaller cells.
    template <class Observer>
    [[nodiscard]] auto run(Observer& observer) -> std::optional<found> {
        auto const into = reversed_segments(segments_, observer);
        limits_.resolution = finer(segments_.time(), first_cells_);
        bool backwards = true;
        std::int64_t coarser = limits_.resolution;  // of the last pass whose bounds were stored
        double sharper = 1;
        for (int share = narrowest;;) {
            auto result = backwards ? backward(observer) : forward(into, observer);
            if (!result.complete) {
                if (best_) best_->bound = std::min(bound_, best_->overhead);
                return std::move(best_);
            }
            auto const& ends = backwards ? result.sets.front() : result.sets.back();
            for (auto const& f : result.sets) kept_ += f.points.size();
            bool const closer = narrow(result, ends.points, backwards);
            // A pass over a narrow window has no bounds for useful overheads beyond it.
            if (!ends.points.empty() && !(limits_.most < useful_limit())) {
                store_bounds(std::move(result));
                if (best_) limits_.entries = entry_limit_;
                sharper = closer ? 1 : 2 * sharper;
                coarser = limits_.resolution;
                backwards = !backwards;
                share = narrowest;
            } else {
                share = 1;
            }
            std::int64_t const gap = upper_ - bound_;
            if (!(gap > std::int64_t{}) || (best_ && gap <= tolerance())) {
                if (best_) best_->bound = std::min(bound_, best_->overhead);
                return std::move(best_);
            }
            limits_.most =
                std::min(useful_limit(), bound_ + gap / static_cast<std::int64_t>(share));
            limits_.resolution =
                std::max(finer(limits_.most - bound_, sharper * (backwards ? backward_cells : forward_cells)),
                         finer(coarser, at_once));
        }
    }

  private:
    // Tuned on networks with times in nanoseconds. Backward passes store more entries than forward ones.
    static constexpr int narrowest = 4;
    static constexpr std::size_t little = 300'000;  // entries, some hundredths of a second
    static constexpr double backward_cells = 100;
    static constexpr double forward_cells = 300;
    static constexpr double at_once = 6;  // the refinement from pass to pass; more would give too many entries

    /// The tolerance, or 0 as long as an exact result is cheap.
    [[nodiscard]] auto tolerance() const -> std::int64_t { return kept_ < little ? std::int64_t{} : tolerance_; }
    /// The greatest useful overhead: one that improves on the best by more than the tolerance.
    [[nodiscard]] auto useful_limit() const -> std::int64_t {
        if (!best_) return next_below(upper_);
        std::int64_t const enough = upper_ - tolerance();
        return next_below(upper_ - enough > tolerance() ? next_above(enough) : enough);
    }

    /// The width of a window's cells.
    [[nodiscard]] auto finer(std::int64_t window, double parts) const -> std::int64_t {
        auto const width = static_cast<std::int64_t>(static_cast<double>(window) / parts);
        return width > 1 ? width : 0;
    }

    template <class Observer>
    [[nodiscard]] auto backward(Observer& observer) -> pass_result {
        return backward_pass(
            segments_, order_, limits_, admission(),
            [&](std::size_t i, auto const& e) {
                return may_improve(i, e.bound, limits_.budget - e.needed, limits_.budget - e.working);
            },
            observer);
    }
    template <class Observer>
    [[nodiscard]] auto forward(segments_into const& into, Observer& observer) -> pass_result {
        return forward_pass(
            segments_, order_, into, limits_, admission(),
            [&](std::size_t i, auto const& e) {
                return may_improve(i, e.bound, limits_.budget - e.needed, limits_.budget - e.working);
            },
            observer);
    }

    /// Whether, by the bounds of the last pass, an entry with this bound may lead to a useful sequence.
    [[nodiscard]] auto may_improve(std::size_t node, std::int64_t bound, bytes left) const -> bool {
        if (opposite_.empty()) return true;
        auto const rest = opposite_[node].within(left);
        return rest && bound + *rest <= limits_.most;
    }
    /// The same as a predicate on the entries of a set, in order: budgets descend, so the scan only moves forward.
    [[nodiscard]] auto admission() const {
        return [this](std::size_t set) {
            return [this, set, position = std::size_t{0}](frontier_entry const& e) mutable {
                if (opposite_.empty()) return true;
                auto const rest = opposite_[set].within(limits_.budget - e.budget, position);
                return rest && e.bound + *rest <= limits_.most;
            };
        };
    }
    [[nodiscard]] auto may_improve(std::size_t node, std::int64_t bound, bytes left, bytes left_for_working) const
        -> bool {
        if (!may_improve(node, bound, left)) return false;
        if (opposite_.empty()) return true;
        auto const rest = working_[node - segments_.size()].within(left_for_working);
        return rest && bound + *rest <= limits_.most;
    }

    /// Narrows the window to the result of a pass. Returns whether either end moved.
    auto narrow(pass_result const& result, std::vector<frontier_entry> const& ends, bool backwards) -> bool {
        std::int64_t bound = next_above(limits_.most);
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

    /// Stores the bounds of a pass over all useful overheads, for the next pass.
    void store_bounds(pass_result result) {
        opposite_.clear();
        working_.clear();
        for (auto& f : result.sets) {
            std::vector<std::pair<bytes, std::int64_t>> steps;
            steps.reserve(f.points.size());
            for (auto e = f.points.rbegin(); e != f.points.rend(); ++e) steps.emplace_back(e->budget, e->bound);
            opposite_.emplace_back(std::move(steps));
            f = {};
        }
        for (auto const& entries : result.open) {
            std::vector<std::pair<bytes, std::int64_t>> steps;
            for (auto const& e : entries) steps.emplace_back(e.needed, e.bound);
            opposite_.emplace_back(steps);
            for (std::size_t k = 0; k < entries.size(); ++k) steps[k].first = entries[k].working;
            working_.emplace_back(std::move(steps));
        }
    }

    /// The traceback of an entry of the last node of a pass.
    [[nodiscard]] auto trace(pass_result const& result, frontier_link at, bool backwards) const -> lower_set_sequence {
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
        return lower_set_sequence::of(sets, segments_.vertex_count());
    }

    Segments const& segments_;
    level_order order_;
    pass_limits limits_;
    std::int64_t tolerance_;
    std::int64_t upper_;  // the best known overhead; at first just above the limit
    std::int64_t bound_;  // a lower bound on the least overhead
    double first_cells_;
    std::size_t entry_limit_;
    std::size_t kept_ = 0;  // entries stored by all passes
    std::optional<found> best_;
    std::vector<budget_lookup> opposite_;  // bounds of the last pass: by node, by bytes
    std::vector<budget_lookup> working_;   // by serial vertex, by working bytes
};

}  // namespace repebble::inline v0::detail

#endif
