#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_SOURCES_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_SOURCES_HPP

// Merges sorted frontiers, each shifted by the cost of a segment, into the Pareto frontier of all: a k-way merge by a
// binary heap with galloping over dominated entries. The sparse form of frontier_merge.hpp.
// Invariant: candidates leave the heap with bounds from best to worst, so one that needs no fewer bytes is dominated.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/galloping_search.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// Collects shifted frontiers and single candidates. Entries of a frontier that need no fewer bytes than an earlier
/// candidate are dominated and skipped.
class frontier_sources {
  public:
    using entry = frontier_entry;

    /// Candidates with bounds within `width` of the first of them are merged into one, with that first bound and the
    /// bytes and link of the last of them.
    frontier_sources(bool least, std::int64_t width) : order_{least}, width_(width) {}

    /// Adds the entries of a set's frontier that need at most `most` bytes, shifted by a segment: each then needs
    /// max(working, cached + its budget). Refers to `points` until the merge.
    void add(std::vector<entry> const& points, segment_cost const& segment, std::uint32_t set, bytes most) {
        auto const* const end = points.data() + points.size();
        auto const* const at =
            std::partition_point(points.data(), end, [&](entry const& e) { return e.budget > most; });
        if (at != end) sources_.push_back({points.data(), at, end, segment, set});
    }
    /// Adds a single candidate.
    void add(entry const& candidate) { singles_.push_back(candidate); }
    /// The number of candidates.
    [[nodiscard]] auto count() const -> std::size_t {
        auto count = singles_.size();
        for (auto const& s : sources_) count += static_cast<std::size_t>(s.end - s.at);
        return count;
    }

    /// Calls f(first, at, end, segment, set) for every frontier, whose entries from `at` to `end` are candidates, and
    /// g(entry) for every single candidate; then removes all.
    template <class F, class G>
    void for_each(F&& f, G&& g) {
        for (auto const& s : sources_) f(s.first, s.at, s.end, s.cost, s.set);
        for (auto const& e : singles_) g(e);
        clear();
    }

    /// Calls f(entry), with bounds from best to worst and budgets descending, for the undominated candidates that need
    /// at most `budget` and have a bound no worse than `worst`; then removes all.  O(c log s) for c candidates that
    /// were not skipped, of s frontiers.
    template <class F>
    void merge(bytes budget, std::int64_t worst, F&& f) {
        most_ = budget;
        std::sort(singles_.data(), singles_.data() + singles_.size(), [&](entry const& a, entry const& b) {
            if (order_.better(a.bound, b.bound)) return true;
            return !order_.better(b.bound, a.bound) && order_(a, b);
        });
        if (!singles_.empty()) sources_.push_back({nullptr, singles_.data(), singles_.data() + singles_.size(), {}, 0});
        heads_.clear();
        for (std::uint32_t k = 0; k < sources_.size(); ++k)
            if (skip_dominated(sources_[k]) && !order_.better(worst, bound_of(sources_[k])))
                heads_.push_back({bound_of(sources_[k]), k});
        std::make_heap(heads_.begin(), heads_.end(), [&](head const& a, head const& b) { return before(b, a); });

        bool any = false;
        entry cell;
        while (!heads_.empty()) {
            auto& s = sources_[heads_.front().source];
            std::int64_t const bound = heads_.front().bound;
            if (bytes const needed = needed_by(s); needed <= most_) {
                if (any && !is_close(cell.bound, bound)) f(std::as_const(cell));
                if (!any || !is_close(cell.bound, bound)) cell.bound = bound;
                any = true;
                cell.overhead = s.at->overhead + s.cost.overhead;
                cell.budget = needed;
                cell.next = s.first ? frontier_link{s.set, static_cast<std::uint32_t>(s.at - s.first)} : s.at->next;
                most_ = needed - 1;
            }
            ++s.at;
            if (skip_dominated(s) && !order_.better(worst, bound_of(s))) {
                heads_.front().bound = bound_of(s);
            } else {
                heads_.front() = heads_.back();
                heads_.pop_back();
            }
            sift_down();
        }
        if (any) f(std::as_const(cell));
        clear();
    }

  private:
    struct source {
        entry const* first;  // null: single candidates, sorted by bounds only
        entry const* at;
        entry const* end;
        segment_cost cost;
        std::uint32_t set;
    };
    struct head {
        std::int64_t bound;
        std::uint32_t source;
    };

    void clear() {
        sources_.clear();
        singles_.clear();
    }
    [[nodiscard]] static auto needed_by(source const& s) -> bytes {
        return std::max(s.cost.working, s.cost.cached + s.at->budget);
    }
    [[nodiscard]] static auto bound_of(source const& s) -> std::int64_t { return s.at->bound + s.cost.overhead; }
    [[nodiscard]] auto is_close(std::int64_t first, std::int64_t bound) const -> bool {
        std::int64_t const distance = order_.least ? bound - first : first - bound;
        return distance < width_ || !(distance > std::int64_t{});
    }
    [[nodiscard]] auto before(head const& a, head const& b) const -> bool {
        if (order_.better(a.bound, b.bound)) return true;
        return !order_.better(b.bound, a.bound) && a.source < b.source;
    }

    /// Moves to the next entry that needs at most `most_`; returns false where there is none.  O(log skipped).
    [[nodiscard]] auto skip_dominated(source& s) const -> bool {
        if (!s.first) {
            while (s.at != s.end && s.at->budget > most_) ++s.at;
            return s.at != s.end;
        }
        bytes const most = most_ - s.cost.cached;
        if (s.at == s.end || s.cost.working > most_ || s.end[-1].budget > most) return false;
        s.at = galloping_search(s.at, s.end, [&](entry const& e) { return e.budget > most; });
        return true;
    }

    /// Restores the heap after its first head changed.
    void sift_down() {
        if (heads_.empty()) return;
        head const moved = heads_.front();
        std::size_t at = 0;
        for (std::size_t child = 1; child < heads_.size(); child = 2 * at + 1) {
            if (child + 1 < heads_.size() && before(heads_[child + 1], heads_[child])) ++child;
            if (!before(heads_[child], moved)) break;
            heads_[at] = heads_[child];
            at = child;
        }
        heads_[at] = moved;
    }

    frontier_order order_;
    std::int64_t width_;
    bytes most_ = 0;  // candidates that need more are dominated
    std::vector<source> sources_;
    std::vector<entry> singles_;
    std::vector<head> heads_;
};

}  // namespace repebble::inline v0::detail

#endif
