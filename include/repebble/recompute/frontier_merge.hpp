#ifndef REPEBBLE_RECOMPUTE_FRONTIER_MERGE_HPP
#define REPEBBLE_RECOMPUTE_FRONTIER_MERGE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/objective.hpp>
#include <repebble/recompute/segment_cost.hpp>

namespace repebble {

namespace detail {

struct frontier_link {
    std::uint32_t set = 0;       ///< the next lower set
    std::uint32_t position = 0;  ///< its entry that this one continues with
};

/// One point of a frontier: that much overhead needs that much budget.
template <quantity Time>
struct frontier_entry {
    Time overhead{};
    bytes budget = 0;
    Time bound{};  ///< best overhead of anything that this entry stands for
    frontier_link next;
};

/// Better overheads first, of equal ones less budget first; deterministic.
template <quantity Time>
struct frontier_order {
    bool least;  ///< the least overhead is best, not the greatest

    [[nodiscard]] auto better(Time a, Time b) const -> bool { return least ? a < b : a > b; }
    [[nodiscard]] auto operator()(frontier_entry<Time> const& a, frontier_entry<Time> const& b) const -> bool {
        if (a.overhead != b.overhead) return better(a.overhead, b.overhead);
        if (a.budget != b.budget) return a.budget < b.budget;
        if (a.next.set != b.next.set) return a.next.set < b.next.set;
        return a.next.position < b.next.position;
    }
    void sort(std::vector<frontier_entry<Time>>& entries) const {
        std::sort(entries.data(), entries.data() + entries.size(), *this);
    }
};

/// Points of which none dominates another: overheads from best to worst, budgets descending.
template <quantity Time>
struct frontier {
    static constexpr std::size_t chunk = 32;

    std::vector<frontier_entry<Time>> points;
    std::vector<Time> chunk_bounds;  ///< best bound of every run of `chunk` points
    std::vector<Time> tail_bounds;   ///< best bound of that run and all after it
};

/// Collects candidates from many frontiers and keeps those that no other dominates. Their bounds lie in cells, of width 1
/// or of the resolution; a cell keeps its least budget. (Cells of bounds and not of overheads, so that a step without
/// overhead stays in its cell: only steps with overhead lose up to a cell.) Where the resolution is 0 and cells of width
/// 1 would be too many, candidates are sorted instead.
template <quantity Time>
class frontier_merge {
  public:
    using entry = frontier_entry<Time>;

    /// Overheads lie between 0 and `greatest`; what certainly has more than `most` is left out.
    frontier_merge(objective goal, Time greatest, Time resolution, Time most = std::numeric_limits<Time>::max())
        : order_{goal == objective::time}, width_(resolution), greatest_(std::min(greatest, most)), most_(most),
          blocks_(most_blocks) {
        if constexpr (std::same_as<Time, std::int64_t>) {
            if (width_ == 0 && greatest_ < most_cells) width_ = 1;
        }
        if (width_ > 0) {
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
                entry const candidate{points[k].overhead + overhead, needed, points[k].bound + overhead,
                                {set, static_cast<std::uint32_t>(k)}};
                // Where the segment itself needs most, the rest has worse overheads and needs no less.
                more = needed != working || better(from.tail_bounds[first / frontier<Time>::chunk], points[k].bound);
                if (width_ > 0) {
                    put(candidate);
                } else {
                    sparse_.push_back(candidate);
                }
                note(candidate);
            }
        }
        if (sparse_.size() > compact_at_) {
            sweep_sorted();
            compact_at_ = std::max(compact_at_, 2 * sparse_.size());
        }
    }

    /// Hands out the frontier and starts anew.
    [[nodiscard]] auto finish() -> frontier<Time> {
        if (width_ > 0) {
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
        order_.sort(sparse_);
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
