#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_MERGE_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_MERGE_HPP

// Builds the Pareto frontier of a lower set from the frontiers of its neighbours: by a table of cells of overhead, with
// a Fenwick tree for dominance, where there are few cells or many candidates for each, else by the sorted merge of
// frontier_sources.hpp. The inner loop of forward_pass.hpp and backward_pass.hpp.
// Invariant: the least budget of the frontier is exact, and every bound covers all candidates merged into its entry.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/detail/passes/frontier_sources.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// Collects candidates from many frontiers and returns those that no other dominates. Bounds are divided into cells, of
/// width 1 or of the resolution; a cell keeps its candidate of least budget. (By bounds, not by overheads, so that a
/// step without overhead stays in its cell: only steps with overhead lose up to a cell.)
class frontier_merge {
  public:
    using entry = frontier_entry;

    /// For overheads between 0 and `greatest`. Candidates whose bound exceeds `most`, or that need more than `budget`,
    /// are discarded.
    frontier_merge(objective goal, std::int64_t greatest, std::int64_t resolution, std::int64_t most, bytes budget)
        : order_{goal == objective::time},
          width_(resolution),
          greatest_(std::min(greatest, most)),
          most_(most),
          budget_(budget),
          sources_(order_.least, resolution) {
        if (width_ == 0) width_ = 1;
        if (width_ > 0 && greatest_ / width_ < static_cast<std::int64_t>(most_cells)) {
            cells_.assign(static_cast<std::size_t>(greatest_ / width_) + 2, entry{{}, empty, {}, {}});
            least_before_.assign(cells_.size() + 1, empty);
        }
    }

    /// Tightens both limits, for the next frontier.  Requires: they do not exceed those of the constructor.
    void limit_to(std::int64_t most, bytes budget) {
        most_ = most;
        budget_ = budget;
    }

    /// Backward: adds the entries of `from`, each preceded by a segment. Refers to `from` until `finish`.
    void add(frontier const& from, segment_cost const& segment, std::uint32_t set) {
        if (std::max(segment.working, segment.cached + from.points.back().budget) <= budget_)
            add(from, segment, set, budget_ - segment.cached);
    }
    /// Backward: adds the continuations of an open segment, each preceded by its first step.
    void add(std::vector<open_entry> const& entries, segment_cost const& begun) {
        for (auto const& e : entries)
            offer({e.overhead + begun.overhead, std::max(begun.working + e.working, begun.cached + e.needed),
                   e.bound + begun.overhead, e.next});
    }

    /// Forward: adds the entries of `from`, each followed by a segment. Their budget is the cached bytes so far, and a
    /// segment fits where its working bytes fit beside them.
    void extend(frontier const& from, segment_cost const& segment, std::uint32_t set) {
        if (!from.points.empty() && from.points.back().budget <= budget_ - segment.working)
            add(from, {segment.overhead, 0, segment.cached}, set, budget_ - segment.working);
    }
    /// Forward: adds open segments, each ended by its last step. `needed` is then the cached bytes after that, and
    /// `working` the bytes in use so far, both including earlier cached bytes.
    void extend(std::vector<open_entry> const& entries, segment_cost const& ended) {
        for (auto const& e : entries)
            if (e.working <= budget_ - ended.working)
                offer({e.overhead + ended.overhead, e.needed + ended.cached, e.bound + ended.overhead, e.next});
    }

    /// Returns the frontier of the candidates, less the entries for which admits(entry), called in order, is false;
    /// then removes all candidates.
    template <class Admits>
    [[nodiscard]] auto finish(Admits admits) -> frontier {
        auto const keep = [&](entry const& e) {
            if (admits(e)) kept_.push_back(e);
        };
        if (cells_.empty() || cells_.size() > std::max(few_cells, sources_.count() / in_a_cell)) {
            sources_.merge(budget_, order_.least ? most_ : std::int64_t{}, keep);
        } else {
            sources_.for_each([&](auto const&... source) { insert_all(source...); },
                              [&](entry const& e) { insert(e); });
            drain(keep);
        }
        frontier result{kept_};
        kept_.clear();
        return result;
    }

  private:
    static constexpr bytes empty = std::numeric_limits<bytes>::max();
    static constexpr std::size_t few_cells = 1 << 10;
    static constexpr std::int64_t most_cells = 1 << 14;
    static constexpr std::size_t in_a_cell = 16;
    static constexpr std::ptrdiff_t chunk = 32;

    [[nodiscard]] auto better(std::int64_t a, std::int64_t b) const -> bool { return order_.better(a, b); }

    /// Adds the entries of `from` with budgets of at most `most`.
    void add(frontier const& from, segment_cost const& segment, std::uint32_t set, bytes most) {
        if (!order_.least || from.points.front().bound + segment.overhead <= most_)
            sources_.add(from.points, segment, set, most);
    }
    void offer(entry const& candidate) {
        if (candidate.budget <= budget_ && candidate.bound <= most_) sources_.add(candidate);
    }

    /// The rank of a cell, best first: the index of the Fenwick tree of prefix minima of budgets.
    [[nodiscard]] auto rank_of(std::int64_t overhead) const -> std::size_t {
        auto const cell = std::min(static_cast<std::size_t>(overhead / width_), cells_.size() - 1);
        return order_.least ? cell : cells_.size() - 1 - cell;
    }
    /// The least budget among candidates in cells before that of `overhead`: all of them have better overheads.
    [[nodiscard]] auto least_needed_before(std::int64_t overhead) const -> bytes {
        bytes least = empty;
        for (std::size_t b = rank_of(overhead); b > 0; b &= b - 1) least = std::min(least, least_before_[b]);
        return least;
    }
    /// Enters a candidate into the Fenwick tree.  O(log cells).
    void record(entry const& candidate) {
        for (std::size_t b = rank_of(candidate.overhead) + 1; b < least_before_.size(); b += b & (~b + 1)) {
            if (least_before_[b] <= candidate.budget) return;  // and so have all larger prefixes
            least_before_[b] = candidate.budget;
        }
    }

    /// Inserts a shifted frontier into the table, by chunks, skipping dominated chunks.
    void insert_all(entry const* first, entry const* at, entry const* end, segment_cost const& segment,
                    std::uint32_t set) {
        auto const [overhead, working, cached] = segment;
        for (bool more = true; more && at != end;) {
            auto const* const last = at + std::min(chunk, end - at);
            auto const bound = at->bound + overhead;
            if (order_.least && bound > most_) return;
            // No entry of the chunk has a better bound or fewer bytes than this. A candidate that is better in both
            // dominates the whole chunk, also by its bound.
            if (least_needed_before(bound) <= std::max(working, cached + last[-1].budget)) {
                at = last;
                continue;
            }
            for (; more && at != last; ++at) {
                bytes const needed = std::max(working, cached + at->budget);
                if (needed > budget_ || at->bound + overhead > most_) continue;
                more = needed != working;  // the rest has worse bounds and needs no fewer bytes
                insert({at->overhead + overhead,
                        needed,
                        at->bound + overhead,
                        {set, static_cast<std::uint32_t>(at - first)}});
            }
        }
    }
    /// Inserts a candidate into its cell.
    void insert(entry const& candidate) {
        record(candidate);
        auto const index = static_cast<std::size_t>(candidate.bound / width_);
        auto& cell = cells_[index];
        if (cell.budget == empty) {
            touched_.push_back(static_cast<std::uint32_t>(index));
            cell = candidate;
            return;
        }
        std::int64_t const bound = better(cell.bound, candidate.bound) ? cell.bound : candidate.bound;
        if (candidate.budget < cell.budget ||
            (candidate.budget == cell.budget && better(candidate.overhead, cell.overhead)))
            cell = candidate;
        cell.bound = bound;
    }

    /// Empties the table: calls f(cell), from best bound to worst, for every cell with less budget than all before it.
    template <class F>
    void drain(F const& f) {
        sort_unique(touched_);
        if (!order_.least) std::reverse(touched_.begin(), touched_.end());
        bytes least = empty;
        for (auto const at : touched_) {
            auto& cell = cells_[at];
            if (cell.budget < least) {
                least = cell.budget;
                f(std::as_const(cell));
            }
            cell.budget = empty;
        }
        touched_.clear();
        std::fill(least_before_.begin(), least_before_.end(), empty);
    }

    frontier_order order_;
    std::int64_t width_;
    std::int64_t greatest_;
    std::int64_t most_;
    bytes budget_;
    frontier_sources sources_;
    std::vector<entry> cells_;         // empty where there would be too many
    std::vector<bytes> least_before_;  // Fenwick tree, by rank + 1
    std::vector<std::uint32_t> touched_;
    std::vector<entry> kept_;
};

}  // namespace repebble::inline v0::detail

#endif
