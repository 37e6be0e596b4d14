#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_OFFSET_SEARCH_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_OFFSET_SEARCH_HPP

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

/// Exact search for a plan under a capacity. Of all plans that there are it looks for one with the least sum of
/// size · offset: in it every shape lies on another one (or on the ground), and nothing fits into a hole below it. It
/// fills valleys: sections whose floors are equal and lower than those beside. There the section with the fewest
/// choices is decided: one of its shapes lies on its floor, or none does, and then the floor rises to where the next
/// one can lie. What falls apart in time is searched part by part, and positions that failed are remembered.
class offset_search {
  public:
    explicit offset_search(compact_shapes const& c) : c_(c), state_(c), peers_(c) {}

    /// Looks for a plan under `capacity` in at most `budget` positions, about `looks` looks, or until stop() says so.
    template <class Stop>
    auto run(bytes capacity, search_options const& style, std::uint64_t budget, Stop&& stop,
             std::uint64_t looks = std::numeric_limits<std::uint64_t>::max() / 2) -> search_end {
        enough_looks_ = looks_ + looks;
        style_ = style;
        capacity_ = capacity;
        budget_ = budget;
        positions_ = 0;
        failed_.clear();
        worth_ = worths(c_, style);
        if (!state_.reset(capacity)) return search_end::impossible;
        if (solve(0, static_cast<std::uint32_t>(c_.sections()), stop)) return search_end::found;
        return positions_ > budget_ ? search_end::out_of_budget : search_end::impossible;
    }
    /// After `found`: an offset for every shape.
    [[nodiscard]] auto offsets() const -> std::vector<bytes> const& { return state_.offsets(); }
    /// How many shapes all runs looked at.
    [[nodiscard]] auto work() const { return state_.work(); }
    /// How often all runs looked at a shape or section to decide what comes next.
    [[nodiscard]] auto looks() const { return looks_; }

  private:
    /// Plans the rest of sections [first, last): their parts that no shape left to be placed connects, short ones
    /// first.
    template <class Stop>
    auto solve(std::uint32_t first, std::uint32_t last, Stop& stop) -> bool {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
        for (auto t = first; t < last;) {
            auto end = t;
            for (auto u = t; u <= end && u < last; ++u) {
                looks_ += state_.left_in(u).size();
                for (auto const s : state_.left_in(u)) end = std::max(end, c_.end_of(s) - 1);
            }
            if (!state_.left_in(t).empty()) parts.emplace_back(t, end + 1);
            t = end + 1;
        }
        std::sort(parts.begin(), parts.end(), [](auto const& a, auto const& b) {
            auto const x = a.second - a.first, y = b.second - b.first;
            return x != y ? x < y : a < b;
        });
        for (auto const& [begin, end] : parts)
            if (!decide(begin, end, stop)) return false;
        return true;
    }

    template <class Stop>
    auto decide(std::uint32_t first, std::uint32_t last, Stop& stop) -> bool {
        ++positions_;
        if (looks_ > enough_looks_ || depth_ > 2 * c_.count() + 100) positions_ = budget_ + 1;
        if (looks_ > next_stop_ || positions_ % 64 == 0) {
            next_stop_ = looks_ + 1'000'000;
            if (stop()) positions_ = budget_ + 1;
        }
        if (positions_ > budget_) return false;
        auto const key = key_of(first, last);
        if (failed_.contains(key)) return false;
        auto const section = choose(first, last);
        auto const ground = state_.floor(section);
        std::vector<std::uint32_t> choices;
        for (auto const s : state_.left_in(section))
            if (is_choice(s, ground)) choices.push_back(s);
        std::sort(choices.begin(), choices.end(), [&](auto a, auto b) { return goes_before(a, b); });
        auto const mark = state_.mark_of_trail();
        auto const go_on = [&](bool possible) {
            ++depth_;
            bool const found = possible && solve(first, last, stop);
            --depth_;
            return found;
        };
        for (auto const s : choices) {
            if (is_in_vain(s, ground)) continue;
            if (go_on(state_.place(s) && !leaves_hole(c_.begin_of(s), c_.end_of(s)))) return true;
            state_.undo(mark);
            if (positions_ > budget_) return false;
        }
        if (state_.slack(section) > 0) {
            auto const next = next_floor(section);
            if (go_on(next != unreachable && next <= ground + state_.slack(section) && state_.lift(section, next) &&
                      !leaves_hole(section, section + 1)))
                return true;
            state_.undo(mark);
            if (positions_ > budget_) return false;
        }
        failed_.insert(key);
        return false;
    }

    [[nodiscard]] auto goes_before(std::uint32_t a, std::uint32_t b) const -> bool {
        return worth_[a] != worth_[b] ? worth_[a] > worth_[b] : a < b;
    }
    /// Whether the plan that is looked for has another shape of the same lifetime here: of equal ones, and of two that
    /// lie on each other, the one that is tried first lies below. An exchange changes nothing for the others.
    [[nodiscard]] auto is_in_vain(std::uint32_t s, bytes ground) const -> bool {
        auto const free = [&](std::uint32_t x) {
            return c_.alignment[x] == 1 && c_.pinned[x] == compact_shapes::nowhere;
        };
        looks_ += peers_.of(s).size();
        for (auto const other : peers_.of(s)) {
            bool const placed = state_.is_placed(other);
            if (other == s || goes_before(other, s) == placed) continue;
            if (placed ? state_.least(other) + c_.size[other] == ground && free(s) && free(other)
                       : c_.size[other] == c_.size[s] && c_.alignment[other] == c_.alignment[s] &&
                             c_.pinned[other] == c_.pinned[s])
                return true;
        }
        return false;
    }
    /// Whether a shape can lie on the ground of its valley, and something there carries it.
    [[nodiscard]] auto is_choice(std::uint32_t s, bytes ground) const -> bool {
        if (state_.least(s) != ground) return false;
        return c_.pinned[s] != compact_shapes::nowhere || aligned(highest_roof(s), c_.alignment[s]) == ground;
    }
    [[nodiscard]] auto highest_roof(std::uint32_t s) const -> bytes {
        bytes highest = 0;
        looks_ += c_.end_of(s) - c_.begin_of(s);
        for (auto t = c_.begin_of(s); t < c_.end_of(s); ++t) highest = std::max(highest, state_.roof(t));
        return highest;
    }

    /// The section to decide: in a valley, and with few choices.
    [[nodiscard]] auto choose(std::uint32_t first, std::uint32_t last) const -> std::uint32_t {
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
                if (score < best_score) {
                    best_score = score;
                    best = t;
                }
            }
        }
        return best;
    }
    [[nodiscard]] auto score_of(std::uint32_t section) const -> double {
        auto const ground = state_.floor(section);
        double choices = 0;
        looks_ += state_.left_in(section).size();
        for (auto const s : state_.left_in(section)) choices += is_choice(s, ground) ? 1 : 0;
        auto const slack = static_cast<double>(state_.slack(section)) / static_cast<double>(capacity_);
        if (slack > 0) choices += 0.9;
        if (style_.lowest_first) return 1000 * static_cast<double>(ground) / static_cast<double>(capacity_) + choices;
        return choices * (1 + style_.slack_weight * slack);
    }

    /// Where the next shape in a section begins, if none lies on its floor: what could lie there is then carried by a
    /// shape that is not in this section.
    [[nodiscard]] auto next_floor(std::uint32_t section) const -> bytes {
        auto const ground = state_.floor(section);
        auto next = unreachable;
        for (auto const s : state_.left_in(section)) {
            if (state_.least(s) > ground) {
                next = std::min(next, state_.least(s));
                continue;
            }
            if (c_.pinned[s] != compact_shapes::nowhere) return unreachable;
            for (auto t = c_.begin_of(s); t < c_.end_of(s); ++t) {
                looks_ += state_.left_in(t).size();
                for (auto const under : state_.left_in(t))
                    if (c_.begin_of(under) > section || c_.end_of(under) <= section)
                        next = std::min(next, state_.least(under) + c_.size[under]);
            }
        }
        return next;
    }

    /// Whether a shape left to be placed in these sections fits into a hole that is closed for all others: in the plan
    /// that is looked for it would lie there.
    [[nodiscard]] auto leaves_hole(std::uint32_t first, std::uint32_t last) const -> bool {
        for (auto t = first; t < last; ++t) {
            looks_ += state_.left_in(t).size();
            for (auto const s : state_.left_in(t)) {
                if ((t != first && c_.begin_of(s) != t) || c_.pinned[s] != compact_shapes::nowhere) continue;
                auto lowest_floor = unreachable;
                for (auto u = c_.begin_of(s); u < c_.end_of(s); ++u)
                    lowest_floor = std::min(lowest_floor, state_.floor(u));
                if (lowest_floor >= aligned(highest_roof(s), c_.alignment[s]) + c_.size[s]) return true;
            }
        }
        return false;
    }

    /// Names the position of some sections: how they are filled, and what is left. What lies uppermost counts where it
    /// can be exchanged with another shape of its lifetime.
    [[nodiscard]] auto key_of(std::uint32_t first, std::uint32_t last) const -> transposition_table::key {
        transposition_table::key key{1, 1};
        for (auto t = first; t < last; ++t) {
            auto const where = mixed(static_cast<std::uint64_t>(state_.floor(t)) * 0x9e3779b97f4a7c15U +
                                     static_cast<std::uint64_t>(state_.roof(t)) * 0xd1b54a32d192ed03U + t);
            if (auto const top = state_.top(t); top != skyline::nothing && peers_.of(top).size() > 1)
                key[1] += mixed((std::uint64_t{top} << 32) + t);
            key[0] += where;
            looks_ += 1 + state_.left_in(t).size();
            key[1] += mixed(where + 1);
            for (auto const s : state_.left_in(t)) {
                if (c_.begin_of(s) != t) continue;
                key[0] += mixed(s + 0x51ed270b2a3f5c79U);
                key[1] += mixed(s + 0x2545f4914f6cdd1dU);
            }
        }
        return key;
    }

    static constexpr auto unreachable = std::numeric_limits<bytes>::max();

    compact_shapes const& c_;
    skyline state_;
    search_options style_{};
    bytes capacity_ = 0;
    std::uint64_t budget_ = 0;
    std::uint64_t positions_ = 0;
    mutable std::uint64_t looks_ = 0;  // shapes and sections looked at beside the state's work
    std::uint64_t enough_looks_ = 0;   // for this run
    std::uint64_t next_stop_ = 0;      // looks at which stop() is asked
    std::size_t depth_ = 0;            // bounded, so that a thread's stack bears it
    std::vector<double> worth_{};      // per shape: those of greater worth are tried first
    interchangeable_shapes peers_;
    transposition_table failed_{};
};

}  // namespace repebble::inline v0::detail

#endif
