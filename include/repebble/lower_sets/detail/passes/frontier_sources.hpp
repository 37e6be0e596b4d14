#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_SOURCES_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_FRONTIER_SOURCES_HPP

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

/// Frontiers with the cost of a segment added to each, merged: what none of them dominates. Each is in order, so that
/// candidates come in order of their bounds, best first. One that needs no less than what came before is of no use, and
/// neither is any more of its frontier until one that needs less: these are not looked at.
template <quantity Time>
class frontier_sources {
  public:
    using entry = frontier_entry<Time>;

    /// Candidates whose bounds lie within `width` of the first of them are taken for one, which has that bound and
    /// needs what the last of them needs.
    frontier_sources(bool least, Time width) : order_{least}, width_(width) {}

    /// The entries of a set's frontier from the first that needs at most `most`; they must stay until the merge. Each
    /// needs what it says and `cached`, and at least `working`.
    void add(std::vector<entry> const& points, segment_cost<Time> const& segment, std::uint32_t set, bytes most) {
        auto const* const end = points.data() + points.size();
        auto const* const at =
            std::partition_point(points.data(), end, [&](entry const& e) { return e.budget > most; });
        if (at != end) sources_.push_back({points.data(), at, end, segment, set});
    }
    /// One candidate.
    void add(entry const& candidate) { loose_.push_back(candidate); }
    /// How many candidates there are.
    [[nodiscard]] auto count() const -> std::size_t {
        auto count = loose_.size();
        for (auto const& s : sources_) count += static_cast<std::size_t>(s.end - s.at);
        return count;
    }

    /// Calls f(first, at, end, segment, set) for every frontier, of which the entries from `at` are candidates, and
    /// g(entry) for every single one; and starts anew.
    template <class F, class G>
    void for_each(F&& f, G&& g) {
        for (auto const& s : sources_) f(s.first, s.at, s.end, s.cost, s.set);
        for (auto const& e : loose_) g(e);
        clear();
    }

    /// Calls f(entry), best bounds first and ever fewer bytes, for what needs at most `budget` and has a bound no worse
    /// than `worst`; and starts anew.  O(c log s) for c candidates that were looked at, of s frontiers.
    template <class F>
    void merge(bytes budget, Time worst, F&& f) {
        most_ = budget;
        std::sort(loose_.data(), loose_.data() + loose_.size(), [&](entry const& a, entry const& b) {
            return a.bound != b.bound ? order_.better(a.bound, b.bound) : order_(a, b);
        });
        if (!loose_.empty()) sources_.push_back({nullptr, loose_.data(), loose_.data() + loose_.size(), {}, 0});
        heads_.clear();
        for (std::uint32_t k = 0; k < sources_.size(); ++k)
            if (to_useful(sources_[k]) && !order_.better(worst, bound_of(sources_[k])))
                heads_.push_back({bound_of(sources_[k]), k});
        std::make_heap(heads_.begin(), heads_.end(), [&](head const& a, head const& b) { return before(b, a); });

        bool any = false;
        entry cell;
        while (!heads_.empty()) {
            auto& s = sources_[heads_.front().source];
            Time const bound = heads_.front().bound;
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
            if (to_useful(s) && !order_.better(worst, bound_of(s))) {
                heads_.front().bound = bound_of(s);
            } else {
                heads_.front() = heads_.back();
                heads_.pop_back();
            }
            sift();
        }
        if (any) f(std::as_const(cell));
        clear();
    }

  private:
    struct source {
        entry const* first;  // null: candidates as they are, in order of bounds only
        entry const* at;
        entry const* end;
        segment_cost<Time> cost;
        std::uint32_t set;
    };
    struct head {
        Time bound;
        std::uint32_t source;
    };

    void clear() {
        sources_.clear();
        loose_.clear();
    }
    [[nodiscard]] static auto needed_by(source const& s) -> bytes {
        return std::max(s.cost.working, s.cost.cached + s.at->budget);
    }
    [[nodiscard]] static auto bound_of(source const& s) -> Time { return s.at->bound + s.cost.overhead; }
    [[nodiscard]] auto is_close(Time first, Time bound) const -> bool {
        return bound == first || (order_.least ? bound - first : first - bound) < width_;
    }
    [[nodiscard]] auto before(head const& a, head const& b) const -> bool {
        return a.bound != b.bound ? order_.better(a.bound, b.bound) : a.source < b.source;
    }

    /// On to the next entry that needs at most `most_`; whether there is one.  O(log of what is passed over).
    [[nodiscard]] auto to_useful(source& s) const -> bool {
        if (!s.first) {
            while (s.at != s.end && s.at->budget > most_) ++s.at;
            return s.at != s.end;
        }
        bytes const most = most_ - s.cost.cached;
        if (s.at == s.end || s.cost.working > most_ || s.end[-1].budget > most) return false;
        s.at = galloping_search(s.at, s.end, [&](entry const& e) { return e.budget > most; });
        return true;
    }

    /// Puts the first head where it belongs.
    void sift() {
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

    frontier_order<Time> order_;
    Time width_;
    bytes most_ = 0;  // what a candidate may need to be of use
    std::vector<source> sources_;
    std::vector<entry> loose_;
    std::vector<head> heads_;
};

}  // namespace repebble::inline v0::detail

#endif
