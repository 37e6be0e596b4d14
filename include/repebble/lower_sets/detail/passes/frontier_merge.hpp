#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_MERGE_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_MERGE_HPP

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

/// Collects candidates from many frontiers and keeps those that no other dominates. Their bounds lie in cells, of width
/// 1 or of the resolution; a cell keeps its least budget. (Cells of bounds and not of overheads, so that a step without
/// overhead stays in its cell: only steps with overhead lose up to a cell.) Where cells are few, or full, they are a
/// table. Else the frontiers are merged in order, which takes time only for what is of use.
template <quantity Time>
class frontier_merge {
  public:
    using entry = frontier_entry<Time>;

    /// Overheads lie between 0 and `greatest`; what certainly has more than `most`, or needs more than `budget`, is
    /// left out.
    frontier_merge(objective goal, Time greatest, Time resolution, Time most, bytes budget)
        : order_{goal == objective::time},
          width_(resolution),
          greatest_(std::min(greatest, most)),
          most_(most),
          budget_(budget),
          sources_(order_.least, resolution) {
        if constexpr (std::same_as<Time, std::int64_t>) {
            if (width_ == 0) width_ = 1;
        }
        if (width_ > 0 && greatest_ / width_ < static_cast<Time>(most_cells)) {
            cells_.assign(static_cast<std::size_t>(greatest_ / width_) + 2, entry{{}, empty, {}, {}});
            least_before_.assign(cells_.size() + 1, empty);
        }
    }

    /// What certainly has more overhead or needs more bytes is left out from now on; no more than at first.
    void allow(Time most, bytes budget) {
        most_ = most;
        budget_ = budget;
    }

    /// Adds all of `from`, which must stay until the end, reached by a segment with that cost.
    void add(frontier<Time> const& from, segment_cost<Time> const& segment, std::uint32_t set) {
        if (std::max(segment.working, segment.cached + from.points.back().budget) <= budget_)
            add(from, segment, set, budget_ - segment.cached);
    }
    /// Adds all ways in which an open segment may go on, that was begun with that cost.
    void add(std::vector<open_entry<Time>> const& ways, segment_cost<Time> const& begun) {
        for (auto const& e : ways)
            offer({e.overhead + begun.overhead, std::max(begun.working + e.working, begun.cached + e.needed),
                   e.bound + begun.overhead, e.next});
    }

    /// As `add`, the other way: `from` counts what was spent before, and a segment fits where that leaves room for it.
    void extend(frontier<Time> const& from, segment_cost<Time> const& segment, std::uint32_t set) {
        if (!from.points.empty() && from.points.back().budget <= budget_ - segment.working)
            add(from, {segment.overhead, 0, segment.cached}, set, budget_ - segment.working);
    }
    /// So for segments that passed a passage; `needed` of a way is then what is cached after what was begun, and
    /// `working` what it needs, both with what was cached before.
    void extend(std::vector<open_entry<Time>> const& ways, segment_cost<Time> const& ended) {
        for (auto const& e : ways)
            if (e.working <= budget_ - ended.working)
                offer({e.overhead + ended.overhead, e.needed + ended.cached, e.bound + ended.overhead, e.next});
    }

    /// Hands out the frontier, as far as admits(entry), which is asked in order, and starts anew.
    template <class Admits>
    [[nodiscard]] auto finish(Admits admits) -> frontier<Time> {
        auto const keep = [&](entry const& e) {
            if (admits(e)) kept_.push_back(e);
        };
        if (cells_.empty() || cells_.size() > std::max(few_cells, sources_.count() / in_a_cell)) {
            sources_.merge(budget_, order_.least ? most_ : Time{}, keep);
        } else {
            sources_.for_each([&](auto const&... source) { put_all(source...); }, [&](entry const& e) { put(e); });
            sweep(keep);
        }
        frontier<Time> result{kept_};
        kept_.clear();
        return result;
    }

  private:
    static constexpr bytes empty = std::numeric_limits<bytes>::max();
    static constexpr std::size_t few_cells = 1 << 10;
    static constexpr std::int64_t most_cells = 1 << 14;
    static constexpr std::size_t in_a_cell = 16;
    static constexpr std::ptrdiff_t chunk = 32;

    [[nodiscard]] auto better(Time a, Time b) const -> bool { return order_.better(a, b); }

    /// Those of `from` that have at most so many bytes.
    void add(frontier<Time> const& from, segment_cost<Time> const& segment, std::uint32_t set, bytes most) {
        if (!order_.least || from.points.front().bound + segment.overhead <= most_)
            sources_.add(from.points, segment, set, most);
    }
    void offer(entry const& candidate) {
        if (candidate.budget <= budget_ && candidate.bound <= most_) sources_.add(candidate);
    }

    /// Cells in order, best first, with a Fenwick tree of the least budget in every prefix of them.
    [[nodiscard]] auto rank_of(Time overhead) const -> std::size_t {
        auto const cell = std::min(static_cast<std::size_t>(overhead / width_), cells_.size() - 1);
        return order_.least ? cell : cells_.size() - 1 - cell;
    }
    /// The least budget among candidates in cells before that of `overhead`: all of them have better overheads.
    [[nodiscard]] auto least_needed_before(Time overhead) const -> bytes {
        bytes least = empty;
        for (std::size_t b = rank_of(overhead); b > 0; b &= b - 1) least = std::min(least, least_before_[b]);
        return least;
    }
    void note(entry const& candidate) {
        for (std::size_t b = rank_of(candidate.overhead) + 1; b < least_before_.size(); b += b & (~b + 1)) {
            if (least_before_[b] <= candidate.budget) return;  // so are all that contain it
            least_before_[b] = candidate.budget;
        }
    }

    void put_all(entry const* first, entry const* at, entry const* end, segment_cost<Time> const& segment,
                 std::uint32_t set) {
        auto const [overhead, working, cached] = segment;
        for (bool more = true; more && at != end;) {
            auto const* const last = at + std::min(chunk, end - at);
            auto const bound = at->bound + overhead;
            if (order_.least && bound > most_) return;
            // All of the chunk is at best that good. If something at hand is better in both, none of it is wanted, and
            // what dominates it has a better bound too.
            if (least_needed_before(bound) <= std::max(working, cached + last[-1].budget)) {
                at = last;
                continue;
            }
            for (; more && at != last; ++at) {
                bytes const needed = std::max(working, cached + at->budget);
                if (needed > budget_ || at->bound + overhead > most_) continue;
                more = needed != working;  // the rest has worse bounds and needs no less
                put({at->overhead + overhead,
                     needed,
                     at->bound + overhead,
                     {set, static_cast<std::uint32_t>(at - first)}});
            }
        }
    }
    void put(entry const& candidate) {
        note(candidate);
        auto const index = static_cast<std::size_t>(candidate.bound / width_);
        auto& cell = cells_[index];
        if (cell.budget == empty) {
            touched_.push_back(static_cast<std::uint32_t>(index));
            cell = candidate;
            return;
        }
        Time const bound = better(cell.bound, candidate.bound) ? cell.bound : candidate.bound;
        if (candidate.budget < cell.budget ||
            (candidate.budget == cell.budget && better(candidate.overhead, cell.overhead)))
            cell = candidate;
        cell.bound = bound;
    }

    /// Empties the table: from best bound to worst, f(what needs less budget than all before it).
    template <class F>
    void sweep(F const& f) {
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

    frontier_order<Time> order_;
    Time width_;
    Time greatest_;
    Time most_;
    bytes budget_;
    frontier_sources<Time> sources_;
    std::vector<entry> cells_;         // none where they would be too many
    std::vector<bytes> least_before_;  // per rank of a cell and one
    std::vector<std::uint32_t> touched_;
    std::vector<entry> kept_;
};

}  // namespace repebble::inline v0::detail

#endif
