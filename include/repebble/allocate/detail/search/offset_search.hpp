#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_OFFSET_SEARCH_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_OFFSET_SEARCH_HPP

// Exact search for a plan of offsets under a capacity: depth-first branch and bound over the skyline, bottom-up.
// Branching takes a valley, a maximal run of sections of equal floor between higher ones, and in it the section with
// the fewest candidates: shapes a piece of which begins on the floor. Pruning: propagation (`skyline`), symmetry and
// dominance (`interchangeable_shapes`, closed holes), decomposition into parts that are independent in time, and a
// transposition table of failed positions.
// Only plans with the least sum of size · offset are sought: in such a plan every shape is supported from below and
// fits into no hole below it. The portfolio lets the search decide up to 2000 shapes, and looks for plans of more.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/search/interchangeable_shapes.hpp>
#include <repebble/allocate/detail/search/search_options.hpp>
#include <repebble/allocate/detail/search/skyline.hpp>
#include <repebble/allocate/detail/search/transposition_table.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Finds a plan under a capacity or proves that there is none, within limits on positions and work.
class offset_search {
  public:
    explicit offset_search(compact_shapes const& c) : c_(c), state_(c), granule_(granule_of(c)), symmetric_(c) {}

    /// Searches for a plan under `capacity`: in at most `budget` positions and about `inspection_limit` inspections,
    /// unless stop() returns true.
    template <class Stop>
    auto run(bytes capacity, search_options const& options, std::uint64_t budget, Stop&& stop,
             std::uint64_t inspection_limit = std::numeric_limits<std::uint64_t>::max() / 2) -> search_end {
        options_ = options;
        capacity_ = capacity;
        failed_.clear();
        support_.assign(c_.count(), {0, false});
        priority_ = branching_priorities(c_, options);
        if (!state_.reset(capacity)) return search_end::impossible;
        section_keys_.assign(c_.sections(), {});
        candidates_in_.assign(c_.sections(), 0);
        nodes_.clear();
        pending_.clear();
        candidates_.clear();
        split({0, static_cast<std::uint32_t>(c_.sections()), no_node});
        auto const last_position = positions_ + budget;
        auto const last_inspection = inspected_ + inspection_limit;
        // Depth first, without recursion. A part that fails leads back to the decision that made it: its siblings are
        // independent of it.
        while (!pending_.empty()) {
            if (++positions_ > last_position || inspected_ > last_inspection) return search_end::out_of_budget;
            if (inspected_ > next_stop_check_ || positions_ % 64 == 0) {
                next_stop_check_ = inspected_ + 1'000'000;
                if (stop()) return search_end::out_of_budget;
            }
            auto const next = pending_.back();
            pending_.pop_back();
            auto at = open(next) ? static_cast<std::uint32_t>(nodes_.size() - 1) : next.parent;
            for (; at != no_node && !advance(at); at = nodes_[at].sections.parent) failed_.insert(nodes_[at].key);
            if (at == no_node) return search_end::impossible;
        }
        return search_end::found;
    }
    /// After `found`: the offset of every shape.
    [[nodiscard]] auto offsets() const -> std::vector<bytes> const& { return state_.offsets(); }
    /// The number of shapes that the propagation of all runs inspected.
    [[nodiscard]] auto work() const { return state_.work(); }
    /// The number of shapes and sections that the branching of all runs inspected.
    [[nodiscard]] auto inspections() const { return inspected_; }

  private:
    /// Sections without a plan yet, and the node whose decision made them.
    struct part {
        std::uint32_t first;
        std::uint32_t last;
        std::uint32_t parent;
    };
    /// A decision on one section of a part: each candidate on its floor, then none of them and a higher floor.
    struct node {
        part sections;
        std::uint32_t section;
        bytes base;
        transposition_table::key key;
        std::size_t mark;     // of the trail
        std::size_t pending;  // parts before those of this node
        std::size_t next;     // candidates [next, end) are not tried yet
        std::size_t end;
        bool lifts = true;  // the higher floor is not tried yet
    };
    static constexpr auto no_node = static_cast<std::uint32_t>(-1);

    /// Splits sections into parts that no unplaced shape connects; short ones are decided first.
    void split(part const& whole) {
        auto const begin = static_cast<std::ptrdiff_t>(pending_.size());
        for (auto t = whole.first; t < whole.last;) {
            auto end = t + 1;
            while (end < whole.last && state_.is_bridged(end)) ++end;
            if (!state_.left_in(t).empty()) pending_.push_back({t, end, whole.parent});
            t = end;
        }
        std::sort(pending_.begin() + begin, pending_.end(), [](part const& a, part const& b) {
            auto const x = a.last - a.first, y = b.last - b.first;
            return x != y ? x > y : a.first > b.first;
        });
    }
    /// Makes a node for a part; false if its position is known to fail.
    auto open(part const& sections) -> bool {
        auto const key = key_of(sections.first, sections.last);
        if (failed_.contains(key)) return false;
        auto const section = choose_section(sections.first, sections.last);
        auto const base = state_.floor(section);
        auto const begin = candidates_.size();
        for (auto const& m : state_.left_in(section))
            if (is_candidate(m, base)) candidates_.push_back(m.shape);
        std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(begin), candidates_.end(),
                  [&](auto a, auto b) { return has_priority(a, b); });
        nodes_.push_back(
            {sections, section, base, key, state_.mark_of_trail(), pending_.size(), begin, candidates_.size()});
        return true;
    }
    /// Takes back all after a node and decides it in the next way; false if there is none.
    auto advance(std::uint32_t at) -> bool {
        nodes_.resize(at + 1);
        auto& n = nodes_[at];
        candidates_.resize(n.end);
        pending_.resize(n.pending);
        part const rest{n.sections.first, n.sections.last, at};
        state_.undo(n.mark);
        while (n.next < n.end) {
            auto const s = candidates_[n.next++];
            if (is_dominated(s, n.base)) continue;
            if (state_.place(s) && !leaves_hole(c_.begin_of(s), c_.end_of(s))) {
                split(rest);
                return true;
            }
            state_.undo(n.mark);
        }
        if (!std::exchange(n.lifts, false) || state_.slack(n.section) <= 0) return false;
        auto const next = next_floor(n.section);
        if (next == unreachable || next > n.base + state_.slack(n.section) || !state_.lift(n.section, next) ||
            leaves_hole(n.section, n.section + 1))
            return false;
        split(rest);
        return true;
    }

    [[nodiscard]] auto has_priority(std::uint32_t a, std::uint32_t b) const -> bool {
        if (priority_[a] > priority_[b]) return true;
        return !(priority_[a] < priority_[b]) && a < b;
    }
    /// Symmetry breaking among shapes of one lifetime: of two equal ones, and of two that lie on each other, the one
    /// with the higher priority must lie below, since an exchange changes nothing for the others.
    [[nodiscard]] auto is_dominated(std::uint32_t s, bytes base) const -> bool {
        auto const free = [&](std::uint32_t x) {
            return c_.alignment[x] == 1 && c_.pinned[x] == compact_shapes::nowhere;
        };
        inspected_ += symmetric_.of(s).size();
        for (auto const other : symmetric_.of(s)) {
            bool const placed = state_.is_placed(other);
            if (other == s || has_priority(other, s) == placed) continue;
            if (placed ? state_.least(other) + c_.size[other] == base && free(s) && free(other)
                       : c_.size[other] == c_.size[s] && c_.alignment[other] == c_.alignment[s] &&
                             c_.pinned[other] == c_.pinned[s])
                return true;
        }
        return false;
    }
    /// Whether a shape can have this piece on the floor of its section and is supported there.
    [[nodiscard]] auto is_candidate(skyline::member const& m, bytes base) -> bool {
        return state_.bottom(m) == base && is_supported(m.shape);
    }
    /// Whether a shape at its least offset lies on the roof of a section, or can lie on a shape that is not placed.
    [[nodiscard]] auto is_supported(std::uint32_t s) -> bool {
        auto& [position, supported] = support_[s];
        if (position == positions_) return supported;
        position = positions_;
        bytes highest = 0;
        bool open = false;
        state_.for_each_section(s, [&](std::uint32_t t, std::uint32_t piece) {
            ++inspected_;
            open = open || state_.bottom({s, piece}) > state_.floor(t);
            highest = std::max(highest, state_.roof(t) - state_.lower({s, piece}));
        });
        return supported = open || aligned(highest, c_.alignment[s]) == state_.least(s);
    }

    /// The section to branch on: in a valley, and with the least score.
    [[nodiscard]] auto choose_section(std::uint32_t first, std::uint32_t last) -> std::uint32_t {
        auto best = first;
        auto best_score = std::numeric_limits<double>::infinity();
        for (auto t = first; t < last;) {
            auto end = t + 1;
            while (end < last && state_.floor(end) == state_.floor(t)) ++end;
            bool const valley = (t == first || state_.floor(t - 1) > state_.floor(t)) &&
                                (end == last || state_.floor(end) > state_.floor(t));
            for (; t < end; ++t) {
                if (!valley) continue;
                auto const score = score_of(t);
                if (score <= 1 && !options_.lowest_first) return t;  // forced
                if (score < best_score) {
                    best_score = score;
                    best = t;
                }
            }
        }
        return best;
    }
    /// The number of shapes that can lie on the floor, weighted by the slack; or the floor first, by the options.
    [[nodiscard]] auto score_of(std::uint32_t section) -> double {
        auto const base = state_.floor(section);
        if (state_.take_change(section, skyline::to_score)) {
            inspected_ += state_.left_in(section).size();
            candidates_in_[section] = 0;
            for (auto const& m : state_.left_in(section)) candidates_in_[section] += state_.bottom(m) == base ? 1 : 0;
        }
        double candidates = candidates_in_[section];
        auto const slack = static_cast<double>(state_.slack(section)) / static_cast<double>(capacity_);
        if (slack > 0) candidates += 0.9;
        if (options_.lowest_first)
            return 1000 * static_cast<double>(base) / static_cast<double>(capacity_) + candidates;
        return candidates * (1 + options_.slack_weight * slack);
    }

    /// The lowest begin of the next piece in a section if no candidate lies on its floor: every such candidate is then
    /// supported by a shape outside this section, or, if a piece has not all bytes of its shape, by any other.
    [[nodiscard]] auto next_floor(std::uint32_t section) const -> bytes {
        auto const base = state_.floor(section);
        auto next = unreachable;
        for (auto const& m : state_.left_in(section)) {
            if (state_.bottom(m) > base) {
                next = std::min(next, state_.bottom(m));
                continue;
            }
            state_.for_each_section(m.shape, [&](std::uint32_t t, std::uint32_t piece) {
                inspected_ += state_.left_in(t).size();
                auto const lift = state_.lower(m) - state_.lower({m.shape, piece});
                for (auto const& under : state_.left_in(t))
                    if (under.shape != m.shape && (!c_.whole || !c_.is_live(under.shape, section)))
                        next = std::min(next, state_.least(under.shape) + state_.upper(under) + lift);
            });
        }
        return std::max(next, base + granule_);
    }

    /// Whether an unplaced shape of these sections fits into a hole that is closed to all others: a plan of least sum
    /// of size · offset would have it there.
    [[nodiscard]] auto leaves_hole(std::uint32_t first, std::uint32_t last) const -> bool {
        for (auto t = first; t < last; ++t) {
            auto const hole = state_.floor(t) - state_.roof(t);
            if (hole <= 0) continue;
            inspected_ += state_.left_in(t).size();
            for (auto const& m : state_.left_in(t)) {
                auto const s = m.shape;
                if (state_.upper(m) - state_.lower(m) > hole) continue;
                if ((t != first && c_.pieces[m.piece].first != t) || state_.is_placed(s)) continue;
                bytes lowest = 0;
                auto highest = unreachable;
                state_.for_each_section(s, [&](std::uint32_t u, std::uint32_t piece) {
                    ++inspected_;
                    lowest = std::max(lowest, state_.roof(u) - state_.lower({s, piece}));
                    highest = std::min(highest, state_.floor(u) - state_.upper({s, piece}));
                });
                if (highest >= aligned(lowest, c_.alignment[s])) return true;
            }
        }
        return false;
    }

    /// The key of the position of some sections: their floors, roofs, unplaced shapes and islands, and the uppermost
    /// shape if it has a symmetric one.
    [[nodiscard]] auto key_of(std::uint32_t first, std::uint32_t last) -> transposition_table::key {
        transposition_table::key key{1, 1};
        for (auto t = first; t < last; ++t) {
            if (state_.take_change(t, skyline::to_key)) section_keys_[t] = key_of_section(t);
            key[0] += section_keys_[t][0];
            key[1] += section_keys_[t][1];
        }
        inspected_ += last - first;
        return key;
    }
    [[nodiscard]] auto key_of_section(std::uint32_t t) const -> transposition_table::key {
        if (state_.left_in(t).empty()) return {};
        auto const where = mixed(static_cast<std::uint64_t>(state_.floor(t)) * 0x9e3779b97f4a7c15U +
                                 static_cast<std::uint64_t>(state_.roof(t)) * 0xd1b54a32d192ed03U + t);
        transposition_table::key key{where, mixed(where + 1)};
        if (auto const top = state_.top(t); top != skyline::nothing && symmetric_.of(top).size() > 1)
            key[1] += mixed((std::uint64_t{top} << 32) + t);
        inspected_ += state_.left_in(t).size();
        for (auto const& m : state_.left_in(t)) {
            auto id = std::uint64_t{m.piece};
            if (state_.is_placed(m.shape))
                id += mixed(static_cast<std::uint64_t>(state_.bottom(m)) * 0x9e3779b97f4a7c15U + t);
            else if (c_.pieces[m.piece].first != t)
                continue;
            key[0] += mixed(id + 0x51ed270b2a3f5c79U);
            key[1] += mixed(id + 0x2545f4914f6cdd1dU);
        }
        return key;
    }

    static constexpr auto unreachable = std::numeric_limits<bytes>::max();

    compact_shapes const& c_;
    skyline state_;
    search_options options_{};
    bytes granule_;
    bytes capacity_ = 0;
    std::uint64_t positions_ = 0;          // of all runs
    mutable std::uint64_t inspected_ = 0;  // shapes and sections inspected beside the propagation
    std::uint64_t next_stop_check_ = 0;    // inspections at which stop() is asked
    std::vector<double> priority_{};       // per shape: greater is tried first
    interchangeable_shapes symmetric_;
    std::vector<std::pair<std::uint64_t, bool>> support_{};  // per shape: a position, and whether it is supported there
    std::vector<node> nodes_{};
    std::vector<part> pending_{};
    std::vector<std::uint32_t> candidates_{};               // of all nodes
    std::vector<transposition_table::key> section_keys_{};  // per section: of its last change
    std::vector<std::uint32_t> candidates_in_{};            // per section: of its last change
    transposition_table failed_{};
};

}  // namespace repebble::inline v0::detail

#endif
