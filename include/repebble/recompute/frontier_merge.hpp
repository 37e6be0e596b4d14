#ifndef REPEBBLE_RECOMPUTE_FRONTIER_MERGE_HPP
#define REPEBBLE_RECOMPUTE_FRONTIER_MERGE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/frontier.hpp>
#include <repebble/recompute/objective.hpp>
#include <repebble/recompute/segment_cost.hpp>

namespace repebble {

namespace detail {

/// Collects candidates from many frontiers and keeps those that no other dominates. Their bounds lie in cells, of width
/// 1 or of the resolution; a cell keeps its least budget. (Cells of bounds and not of overheads, so that a step without
/// overhead stays in its cell: only steps with overhead lose up to a cell.) Where the resolution is 0 and cells of
/// width 1 would be too many, or cells are too many anyway, candidates are sorted instead.
template <quantity Time>
class frontier_merge {
  public:
    using entry = frontier_entry<Time>;

    /// Overheads lie between 0 and `greatest`; what certainly has more than `most` is left out.
    frontier_merge(objective goal, Time greatest, Time resolution, Time most = std::numeric_limits<Time>::max())
        : order_{goal == objective::time},
          width_(resolution),
          greatest_(std::min(greatest, most)),
          most_(most),
          blocks_(most_blocks) {
        if constexpr (std::same_as<Time, std::int64_t>) {
            if (width_ == 0 && greatest_ < most_cells) width_ = 1;
        }
        tabled_ = width_ > 0 && greatest_ / width_ < static_cast<Time>(most_cells);
        if (tabled_) {
            auto const cells = static_cast<std::size_t>(greatest_ / width_) + 2;
            cells_.assign(cells, entry{{}, empty, {}, {}});
            blocks_ = std::min(blocks_, cells);
        }
        least_before_.assign(blocks_ + 1, empty);
    }

    /// What certainly has more overhead is left out from now on; no more than at first.
    void allow(Time most) { most_ = most; }

    /// Adds all of `from`, reached by a segment with that cost; entries above the budget are left out.
    void add(frontier<Time> const& from, segment_cost<Time> const& segment, bytes budget, std::uint32_t set) {
        auto const [overhead, working, cached] = segment;
        auto const& points = from.points;
        if (std::max(working, cached + points.back().budget) > budget) return;
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
                if (needed > budget || points[k].bound + overhead > most_) continue;
                entry const candidate{points[k].overhead + overhead,
                                      needed,
                                      points[k].bound + overhead,
                                      {set, static_cast<std::uint32_t>(k)}};
                // Where the segment itself needs most, the rest has worse overheads and needs no less.
                more = needed != working || better(from.tail_bounds[first / frontier<Time>::chunk], points[k].bound);
                put_or_push(candidate);
            }
        }
        compact();
    }

    /// Adds all ways in which an open segment may go on, that was begun with that cost.
    void add(std::vector<open_entry<Time>> const& ways, segment_cost<Time> const& begun, bytes budget) {
        for (auto const& e : ways) {
            Time const bound = e.bound + begun.overhead;
            bytes const needed = std::max(begun.working + e.working, begun.cached + e.needed);
            if (needed > budget || bound > most_) continue;
            if (least_needed_before(bound) <= needed) continue;
            put_or_push({e.overhead + begun.overhead, needed, bound, e.next});
        }
        compact();
    }

    /// As `add`, the other way: `from` counts what was spent before, and a segment fits where that leaves room for it.
    void extend(frontier<Time> const& from, segment_cost<Time> const& segment, bytes budget, std::uint32_t set) {
        auto const& points = from.points;
        if (points.empty() || points.back().budget > budget - segment.working) return;
        for (std::size_t k = 0; k < points.size(); ++k) {
            Time const bound = points[k].bound + segment.overhead;
            bytes const cached = points[k].budget + segment.cached;
            if (points[k].budget > budget - segment.working || bound > most_ || least_needed_before(bound) <= cached)
                continue;
            put_or_push({points[k].overhead + segment.overhead, cached, bound, {set, static_cast<std::uint32_t>(k)}});
        }
        compact();
    }
    /// So for segments that passed a passage; `needed` of a way is then what is cached after what was begun, and
    /// `working` what it needs, both with what was cached before.
    void extend(std::vector<open_entry<Time>> const& ways, segment_cost<Time> const& ended, bytes budget) {
        for (auto const& e : ways) {
            Time const bound = e.bound + ended.overhead;
            bytes const cached = e.needed + ended.cached;
            if (e.working > budget - ended.working || bound > most_ || least_needed_before(bound) <= cached) continue;
            put_or_push({e.overhead + ended.overhead, cached, bound, e.next});
        }
        compact();
    }

    /// Hands out the frontier, as far as admits(entry), and starts anew.
    template <class Admits>
    [[nodiscard]] auto finish(Admits const& admits) -> frontier<Time> {
        if (tabled_) {
            sort_unique(touched_);
            if (!order_.least) std::reverse(touched_.begin(), touched_.end());
            for (auto const cell : touched_) {
                sparse_.push_back(cells_[cell]);
                cells_[cell].budget = empty;
            }
            touched_.clear();
            sweep();
        } else {
            sweep_sorted();
        }
        std::erase_if(sparse_, [&](entry const& e) { return !admits(e); });
        frontier<Time> result{sparse_, {}, {}};
        for (std::size_t k = 0; k < sparse_.size(); ++k) {
            if (k % frontier<Time>::chunk == 0) result.chunk_bounds.push_back(sparse_[k].bound);
            if (better(sparse_[k].bound, result.chunk_bounds.back())) result.chunk_bounds.back() = sparse_[k].bound;
        }
        result.tail_bounds = result.chunk_bounds;
        for (std::size_t c = result.tail_bounds.size(); c-- > 1;)
            if (better(result.tail_bounds[c], result.tail_bounds[c - 1]))
                result.tail_bounds[c - 1] = result.tail_bounds[c];
        std::fill(least_before_.begin(), least_before_.end(), empty);
        sparse_.clear();
        return result;
    }

  private:
    static constexpr bytes empty = std::numeric_limits<bytes>::max();
    static constexpr std::size_t most_blocks = 16384;
    static constexpr std::int64_t most_cells = std::int64_t{1} << 21;

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

    void put_or_push(entry const& candidate) {
        if (tabled_) {
            put(candidate);
        } else {
            sparse_.push_back(candidate);
        }
        note(candidate);
    }
    void compact() {
        if (sparse_.size() <= compact_at_) return;
        sweep_sorted();
        compact_at_ = std::max(compact_at_, 2 * sparse_.size());
    }

    void put(entry const& candidate) {
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

    void sweep_sorted() {
        if (width_ > 0) {
            std::sort(sparse_.data(), sparse_.data() + sparse_.size(), [&](entry const& a, entry const& b) {
                auto const x = std::floor(static_cast<double>(a.bound) / static_cast<double>(width_));
                auto const y = std::floor(static_cast<double>(b.bound) / static_cast<double>(width_));
                if (x != y) return order_.least ? x < y : x > y;
                return a.budget != b.budget ? a.budget < b.budget : order_(a, b);
            });
        } else {
            order_.sort(sparse_);
        }
        sweep();
    }

    /// From best overhead to worst, keeps what needs less budget than all before it.
    void sweep() {
        std::size_t kept = 0;
        for (auto const& e : sparse_) {
            if (kept > 0 && e.budget >= sparse_[kept - 1].budget) {
                auto& over = sparse_[kept - 1];
                if (better(e.bound, over.bound)) over.bound = e.bound;
                continue;
            }
            sparse_[kept++] = e;
        }
        sparse_.resize(kept);
    }

    frontier_order<Time> order_;
    Time width_;
    bool tabled_ = false;  // whether cells are kept in a table
    Time greatest_;
    Time most_;
    std::size_t blocks_;
    std::vector<bytes> least_before_;
    std::vector<entry> cells_;
    std::vector<std::uint32_t> touched_;
    std::vector<entry> sparse_;
    std::size_t compact_at_ = std::size_t{1} << 20;
};

}  // namespace detail

}  // namespace repebble

#endif
