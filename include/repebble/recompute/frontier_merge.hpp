#ifndef REPEBBLE_RECOMPUTE_FRONTIER_MERGE_HPP
#define REPEBBLE_RECOMPUTE_FRONTIER_MERGE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/frontier.hpp>
#include <repebble/recompute/frontier_sources.hpp>
#include <repebble/recompute/objective.hpp>
#include <repebble/recompute/segment_cost.hpp>

namespace repebble {

namespace detail {

/// Collects candidates from many frontiers and keeps those that no other dominates. Their bounds lie in cells, of width
/// 1 or of the resolution; a cell keeps its least budget. (Cells of bounds and not of overheads, so that a step without
/// overhead stays in its cell: only steps with overhead lose up to a cell.) Few cells are a table. Where there would be
/// many, or the resolution is 0, the frontiers are merged in order, which takes time only for what is of use.
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
        tabled_ = width_ > 0 && greatest_ / width_ < static_cast<Time>(most_cells);
        if (tabled_) {
            auto const cells = static_cast<std::size_t>(greatest_ / width_) + 2;
            cells_.assign(cells, entry{{}, empty, {}, {}});
            blocks_ = std::min(most_blocks, cells);
            least_before_.assign(blocks_ + 1, empty);
        }
    }

    /// What certainly has more overhead or needs more bytes is left out from now on; no more than at first.
    void allow(Time most, bytes budget) {
        most_ = most;
        budget_ = budget;
    }

    /// Adds all of `from`, which must stay until the end, reached by a segment with that cost.
    void add(frontier<Time> const& from, segment_cost<Time> const& segment, std::uint32_t set) {
        auto const [overhead, working, cached] = segment;
        auto const& points = from.points;
        if (std::max(working, cached + points.back().budget) > budget_) return;
        if (!tabled_) return sources_.add(points, segment, set, budget_);
        bool more = true;
        for (std::size_t first = 0; more && first < points.size(); first += frontier<Time>::chunk) {
            auto const last = std::min(first + frontier<Time>::chunk, points.size());
            auto const chunk_bound = from.chunk_bounds[first / frontier<Time>::chunk] + overhead;
            if (chunk_bound > most_) continue;
            // All of the chunk is at best that good. If something at hand is better in both, none of it is wanted, and
            // what dominates it has a better bound too.
            if (least_needed_before(chunk_bound) <= std::max(working, cached + points[last - 1].budget)) continue;
            for (std::size_t k = first; more && k < last; ++k) {
                bytes const needed = std::max(working, cached + points[k].budget);
                if (needed > budget_ || points[k].bound + overhead > most_) continue;
                // Where the segment itself needs most, the rest has worse overheads and needs no less.
                more = needed != working || better(from.tail_bounds[first / frontier<Time>::chunk], points[k].bound);
                put({points[k].overhead + overhead,
                     needed,
                     points[k].bound + overhead,
                     {set, static_cast<std::uint32_t>(k)}});
            }
        }
    }

    /// Adds all ways in which an open segment may go on, that was begun with that cost.
    void add(std::vector<open_entry<Time>> const& ways, segment_cost<Time> const& begun) {
        for (auto const& e : ways)
            offer({e.overhead + begun.overhead, std::max(begun.working + e.working, begun.cached + e.needed),
                   e.bound + begun.overhead, e.next});
    }

    /// As `add`, the other way: `from` counts what was spent before, and a segment fits where that leaves room for it.
    void extend(frontier<Time> const& from, segment_cost<Time> const& segment, std::uint32_t set) {
        auto const& points = from.points;
        bytes const room = budget_ - segment.working;
        if (points.empty() || points.back().budget > room) return;
        if (!tabled_) return sources_.add(points, {segment.overhead, 0, segment.cached}, set, room);
        for (std::size_t k = 0; k < points.size(); ++k)
            if (points[k].budget <= room)
                offer({points[k].overhead + segment.overhead,
                       points[k].budget + segment.cached,
                       points[k].bound + segment.overhead,
                       {set, static_cast<std::uint32_t>(k)}});
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
        if (tabled_) {
            sweep(keep);
        } else {
            sources_.merge(budget_, order_.least ? most_ : Time{}, keep);
        }
        frontier<Time> result{kept_, {}, {}};
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            if (k % frontier<Time>::chunk == 0) result.chunk_bounds.push_back(kept_[k].bound);
            if (better(kept_[k].bound, result.chunk_bounds.back())) result.chunk_bounds.back() = kept_[k].bound;
        }
        result.tail_bounds = result.chunk_bounds;
        for (std::size_t c = result.tail_bounds.size(); c-- > 1;)
            if (better(result.tail_bounds[c], result.tail_bounds[c - 1]))
                result.tail_bounds[c - 1] = result.tail_bounds[c];
        kept_.clear();
        return result;
    }

  private:
    static constexpr bytes empty = std::numeric_limits<bytes>::max();
    static constexpr std::size_t most_blocks = 16384;
    static constexpr std::int64_t most_cells = 1 << 10;

    [[nodiscard]] auto better(Time a, Time b) const -> bool { return order_.better(a, b); }

    /// Blocks of overheads, best first, with a Fenwick tree of the least budget in every prefix of them.
    [[nodiscard]] auto block_of(Time overhead) const -> std::size_t {
        if (greatest_ <= 0) return 0;
        auto const share = static_cast<double>(overhead) / static_cast<double>(greatest_);
        auto const block = std::min(static_cast<std::size_t>(share * static_cast<double>(blocks_)), blocks_ - 1);
        return order_.least ? block : blocks_ - 1 - block;
    }
    /// The least budget among candidates in blocks before that of `overhead`: all of them have better overheads.
    [[nodiscard]] auto least_needed_before(Time overhead) const -> bytes {
        bytes least = empty;
        for (std::size_t b = block_of(overhead); b > 0; b &= b - 1) least = std::min(least, least_before_[b]);
        return least;
    }
    void note(entry const& candidate) {
        for (std::size_t b = block_of(candidate.overhead) + 1; b <= blocks_; b += b & (~b + 1)) {
            if (least_before_[b] <= candidate.budget) return;  // so are all that contain it
            least_before_[b] = candidate.budget;
        }
    }

    void offer(entry const& candidate) {
        if (candidate.budget > budget_ || candidate.bound > most_) return;
        if (!tabled_) return sources_.add(candidate);
        if (least_needed_before(candidate.bound) > candidate.budget) put(candidate);
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
    bool tabled_ = false;  // whether cells are kept in a table
    Time greatest_;
    Time most_;
    bytes budget_;
    frontier_sources<Time> sources_;
    std::size_t blocks_ = 0;
    std::vector<bytes> least_before_;
    std::vector<entry> cells_;
    std::vector<std::uint32_t> touched_;
    std::vector<entry> kept_;
};

}  // namespace detail

}  // namespace repebble

#endif
