#ifndef REPEBBLE_ALLOCATE_OFFSET_SEARCH_HPP
#define REPEBBLE_ALLOCATE_OFFSET_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/allocate/compact_shapes.hpp>
#include <repebble/allocate/failed_positions.hpp>
#include <repebble/allocate/offset_state.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::detail {

/// What a search for a plan under a capacity found out.
enum class search_end : std::uint8_t { found, impossible, out_of_budget };

/// A run of the search: which section it decides first, and which shape it tries first there.
struct search_style {
    enum class shape : std::uint8_t { longest, greatest_area };
    double slack_weight = 4;    ///< how much later a section that can waste much comes than one with as many choices
    bool lowest_first = false;  ///< decides the lowest valley, whatever its slack
    shape try_first = shape::longest;
    double noise = 0;  ///< shares of at most this much are added to what the shapes are compared by
    std::uint64_t seed = 0;
};

/// Exact search for a plan under a capacity. Of all plans that there are it looks for the one with the least sum of
/// offsets: in it every shape lies on another one (or on the ground), and nothing fits into a hole below it. It fills
/// valleys: sections whose floors are equal and lower than those beside. There the section with the fewest choices is
/// decided: one of its shapes lies on its floor, or none does, and then the floor rises to where the next one can lie.
/// What falls apart in time is searched part by part, and positions that failed are remembered.
class offset_search {
  public:
    explicit offset_search(compact_shapes const& c) : c_(c), state_(c), twin_(c.count(), none) {
        std::vector<std::uint32_t> order(c.count());
        for (std::uint32_t s = 0; s < order.size(); ++s) order[s] = s;
        auto const same = [&](std::uint32_t a, std::uint32_t b) {
            return c.begin_of(a) == c.begin_of(b) && c.end_of(a) == c.end_of(b) && c.size[a] == c.size[b] &&
                   c.alignment[a] == c.alignment[b] && c.pinned[a] == c.pinned[b];
        };
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (c.begin_of(a) != c.begin_of(b)) return c.begin_of(a) < c.begin_of(b);
            if (c.end_of(a) != c.end_of(b)) return c.end_of(a) < c.end_of(b);
            if (c.size[a] != c.size[b]) return c.size[a] < c.size[b];
            if (c.alignment[a] != c.alignment[b]) return c.alignment[a] < c.alignment[b];
            return c.pinned[a] != c.pinned[b] ? c.pinned[a] < c.pinned[b] : a < b;
        });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (same(order[i - 1], order[i])) twin_[order[i]] = order[i - 1];
    }

    /// Looks for a plan under `capacity` in at most `budget` positions, or until stop() says so.
    template <class Stop>
    auto run(bytes capacity, search_style const& style, std::uint64_t budget, Stop&& stop) -> search_end {
        style_ = style;
        capacity_ = capacity;
        budget_ = budget;
        positions_ = 0;
        failed_.clear();
        worth_.resize(c_.count());
        for (std::size_t s = 0; s < c_.count(); ++s) {
            auto const length = static_cast<double>(c_.end_of(s) - c_.begin_of(s));
            auto const share = static_cast<double>(mixed(style.seed * 0x9e3779b97f4a7c15U + s) >> 11) * 0x1p-53;
            worth_[s] = length *
                        (style.try_first == search_style::shape::longest ? 1 : static_cast<double>(c_.size[s])) *
                        (1 + style.noise * share);
        }
        if (!state_.reset(capacity)) return search_end::impossible;
        if (solve(0, static_cast<std::uint32_t>(c_.sections()), stop)) return search_end::found;
        return positions_ > budget_ ? search_end::out_of_budget : search_end::impossible;
    }
    /// After `found`: an offset for every shape.
    [[nodiscard]] auto offsets() const -> std::vector<bytes> const& { return state_.offsets(); }
    /// How many shapes all runs looked at.
    [[nodiscard]] auto work() const { return state_.work(); }

  private:
    static constexpr auto none = static_cast<std::uint32_t>(-1);

    /// Plans the rest of sections [first, last): their parts that no shape left to be placed connects, short ones
    /// first.
    template <class Stop>
    auto solve(std::uint32_t first, std::uint32_t last, Stop& stop) -> bool {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;
        for (auto t = first; t < last;) {
            auto end = t;
            for (auto u = t; u <= end && u < last; ++u)
                for (auto const s : state_.left_in(u)) end = std::max(end, c_.end_of(s) - 1);
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
        if (++positions_ % 64 == 0 && stop()) positions_ = budget_ + 1;
        if (positions_ > budget_) return false;
        auto const key = key_of(first, last);
        if (failed_.contains(key)) return false;
        auto const section = choose(first, last);
        auto const ground = state_.floor(section);
        std::vector<std::uint32_t> choices;
        for (auto const s : state_.left_in(section))
            if (is_choice(s, ground)) choices.push_back(s);
        std::sort(choices.begin(), choices.end(), [&](std::uint32_t a, std::uint32_t b) {
            return worth_[a] != worth_[b] ? worth_[a] > worth_[b] : a < b;
        });
        auto const mark = state_.mark_of_trail();
        auto const go_on = [&](bool possible) { return possible && solve(first, last, stop); };
        for (auto const s : choices) {
            if (twin_[s] != none && state_.least(twin_[s]) == ground && is_left(section, twin_[s])) continue;
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

    [[nodiscard]] auto is_left(std::uint32_t section, std::uint32_t s) const -> bool {
        auto const left = state_.left_in(section);
        return std::find(left.begin(), left.end(), s) != left.end();
    }
    /// Whether a shape can lie on the ground of its valley, and something there carries it.
    [[nodiscard]] auto is_choice(std::uint32_t s, bytes ground) const -> bool {
        if (state_.least(s) != ground) return false;
        return c_.pinned[s] != compact_shapes::nowhere || aligned(highest_roof(s), c_.alignment[s]) == ground;
    }
    [[nodiscard]] auto highest_roof(std::uint32_t s) const -> bytes {
        bytes highest = 0;
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
            for (auto t = c_.begin_of(s); t < c_.end_of(s); ++t)
                for (auto const under : state_.left_in(t))
                    if (c_.begin_of(under) > section || c_.end_of(under) <= section)
                        next = std::min(next, state_.least(under) + c_.size[under]);
        }
        return next;
    }

    /// Whether a shape left to be placed in these sections fits into a hole that is closed for all others: in the plan
    /// that is looked for it would lie there.
    [[nodiscard]] auto leaves_hole(std::uint32_t first, std::uint32_t last) const -> bool {
        for (auto t = first; t < last; ++t)
            for (auto const s : state_.left_in(t)) {
                if ((t != first && c_.begin_of(s) != t) || c_.pinned[s] != compact_shapes::nowhere) continue;
                auto lowest_floor = unreachable;
                for (auto u = c_.begin_of(s); u < c_.end_of(s); ++u)
                    lowest_floor = std::min(lowest_floor, state_.floor(u));
                if (lowest_floor >= aligned(highest_roof(s), c_.alignment[s]) + c_.size[s]) return true;
            }
        return false;
    }

    /// Names the position of some sections: how they are filled, and what is left.
    [[nodiscard]] auto key_of(std::uint32_t first, std::uint32_t last) const -> failed_positions::key {
        failed_positions::key key{1, 1};
        for (auto t = first; t < last; ++t) {
            auto const where = mixed(static_cast<std::uint64_t>(state_.floor(t)) * 0x9e3779b97f4a7c15U +
                                     static_cast<std::uint64_t>(state_.roof(t)) * 0xd1b54a32d192ed03U + t);
            key[0] += where;
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
    offset_state state_;
    search_style style_{};
    bytes capacity_ = 0;
    std::uint64_t budget_ = 0;
    std::uint64_t positions_ = 0;
    std::vector<double> worth_{};      // per shape: those of greater worth are tried first
    std::vector<std::uint32_t> twin_;  // per shape: an equal one that is tried before it
    failed_positions failed_{};
};

}  // namespace repebble::detail

#endif
