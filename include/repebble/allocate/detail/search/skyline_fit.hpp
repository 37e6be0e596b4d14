#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_SKYLINE_FIT_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_SKYLINE_FIT_HPP

// Best fit on a skyline (Burke, Kendall, Whitwell, Operations Research 52, 2004) for shapes whose place in time is
// fixed: the floors of the sections rise from below, and the tightest section of a valley decides which shape comes
// next. The portfolio runs it for many shapes, with noise on the priorities; `offset_search` does it with backtracking.
// Invariant: a floor is the end of the highest shape placed there, or higher where no shape left fits in between.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Greedy plans that fill the valleys of a skyline, runs of sections of one floor between higher ones. For plain shapes
/// without pins.
class skyline_fit {
  public:
    explicit skyline_fit(compact_shapes const& c) : c_(c), starts_(c.sections() + 1), changes_(c.sections() + 1) {
        for (auto const& p : c.pieces) ++starts_[p.first + 1];
        for (std::size_t t = 0; t < c.sections(); ++t) starts_[t + 1] += starts_[t];
    }
    [[nodiscard]] static auto supports(compact_shapes const& c) -> bool {
        return c.plain && std::all_of(c.pinned.begin(), c.pinned.end(),
                                      [](bytes offset) { return offset == compact_shapes::nowhere; });
    }

    /// A plan that aims at a height, of several shapes the one of the greatest priority first; nullopt if it would not
    /// end below `enough`, or stop() returns true.
    template <class Stop>
    [[nodiscard]] auto run(bytes aim, std::span<double const> priority, bytes enough, Stop&& stop)
        -> std::optional<shape_offsets> {
        aim_ = aim;
        enough_ = enough;
        floor_.assign(c_.sections(), 0);
        left_ = c_.load;
        known_.assign(c_.sections(), 0);
        candidates_.assign(c_.sections(), 0);
        placed_.assign(c_.count(), 0);
        valleys_ = {};
        shape_offsets plan{std::vector<bytes>(c_.count()), 0};
        if (!survey(0, sections(), stop)) return std::nullopt;
        for (std::size_t turn = 1; !valleys_.empty(); ++turn) {
            if (turn % 64 == 0 && stop()) return std::nullopt;
            auto const v = valleys_.top();
            valleys_.pop();
            auto const s = pick(v, priority);
            auto const& piece = c_.pieces[s];
            plan.offsets[s] = aligned(floor_[v.section], c_.alignment[s]);
            auto const end = plan.offsets[s] + c_.size[s];
            plan.height = std::max(plan.height, end);
            placed_[s] = 1;
            for (auto t = piece.first; t < piece.last; ++t) {
                left_[t] -= c_.size[s];
                if (!raise(t, end)) return std::nullopt;
            }
            known_[v.first] = 0;
            if (!survey(v.first, v.last, stop)) return std::nullopt;
        }
        return plan;
    }
    /// The number of shapes and sections inspected since construction.
    [[nodiscard]] auto work() const { return work_; }

  private:
    /// A valley and its tightest section.
    struct valley {
        double score;
        std::uint32_t first, last, section;
        [[nodiscard]] friend auto operator<(valley const& a, valley const& b) -> bool {  // the least on top of a heap
            if (a.score > b.score || a.score < b.score) return a.score > b.score;
            return a.first > b.first;
        }
    };
    static constexpr auto wall = std::numeric_limits<bytes>::max();  // the floor where no shape is left

    [[nodiscard]] auto sections() const -> std::uint32_t { return static_cast<std::uint32_t>(c_.sections()); }
    [[nodiscard]] auto before(std::uint32_t t) const -> bytes { return t == 0 ? wall : floor_[t - 1]; }
    [[nodiscard]] auto after(std::uint32_t t) const -> bytes { return t == sections() ? wall : floor_[t]; }
    /// Raises a floor; false if the plan is too high then.
    auto raise(std::uint32_t t, bytes to) -> bool {
        floor_[t] = left_[t] > 0 ? to : wall;
        return to <= enough_ - 1 - left_[t];
    }

    /// Finds the valleys in changed sections [first, last) and beside them; false if the plan is too high, or to stop.
    template <class Stop>
    auto survey(std::uint32_t first, std::uint32_t last, Stop&& stop) -> bool {
        int rounds = 0;  // each is over all that has changed so far
        for (bool changed = true; changed;) {
            if (++rounds % 16 == 0 && stop()) return false;
            if (before(first) != wall)
                for (auto const floor = floor_[--first]; before(first) == floor;) --first;
            if (after(last) != wall)
                for (auto const floor = floor_[last++]; after(last) == floor;) ++last;
            changed = false;
            for (auto t = first; t < last;) {
                auto end = t + 1;
                while (end < last && floor_[end] == floor_[t]) ++end;
                work_ += end - t;
                auto const lift = std::min(before(t), after(end));
                if (floor_[t] < lift && known_[t] == 0) {
                    count_candidates(t, end);
                    bool lifted = false;
                    for (auto u = t; u < end; ++u) {
                        if (candidates_[u] > 0) continue;
                        if (!raise(u, lift)) return false;
                        lifted = true;
                    }
                    if (lifted)
                        changed = true;
                    else
                        push(t, end);
                }
                t = end;
            }
        }
        return true;
    }
    /// Counts, for each section of a valley, the shapes there that fit into the valley.
    void count_candidates(std::uint32_t first, std::uint32_t last) {
        work_ += starts_[last] - starts_[first];
        for (auto s = starts_[first]; s < starts_[last]; ++s) {
            if (placed_[s] != 0 || c_.pieces[s].last > last) continue;
            ++changes_[c_.pieces[s].first];
            --changes_[c_.pieces[s].last];
        }
        int live = 0;
        for (auto t = first; t < last; ++t) candidates_[t] = live += std::exchange(changes_[t], 0);
        changes_[last] = 0;
    }
    /// Keeps a valley with its section of the least score: few candidates, and above all little space to spare.
    void push(std::uint32_t first, std::uint32_t last) {
        constexpr double slack_weight = 1000;
        valley v{std::numeric_limits<double>::infinity(), first, last, first};
        for (auto t = first; t < last; ++t) {
            auto const slack = std::max<bytes>(0, aim_ - floor_[t] - left_[t]);
            auto const share = static_cast<double>(slack) / static_cast<double>(aim_);
            auto const score = (candidates_[t] + (slack > 0 ? 0.9 : 0)) * (1 + slack_weight * share);
            if (score >= v.score) continue;
            v.score = score;
            v.section = t;
        }
        known_[first] = 1;
        valleys_.push(v);
    }
    /// The candidate of the greatest priority in the tightest section.
    [[nodiscard]] auto pick(valley const& v, std::span<double const> priority) -> std::uint32_t {
        auto best = static_cast<std::uint32_t>(c_.count());
        work_ += starts_[v.section + 1] - starts_[v.first];
        for (auto s = starts_[v.first]; s < starts_[v.section + 1]; ++s)
            if (placed_[s] == 0 && v.section < c_.pieces[s].last && c_.pieces[s].last <= v.last &&
                (best == c_.count() || priority[s] > priority[best]))
                best = s;
        return best;
    }

    compact_shapes const& c_;
    bytes aim_ = 0, enough_ = 0;
    std::vector<std::uint32_t> starts_;    // per section: the first shape that begins in it
    std::vector<bytes> floor_{}, left_{};  // per section: `left_` bytes are not placed
    std::vector<int> candidates_{}, changes_;
    std::vector<std::uint8_t> known_{};  // per section: whether a valley of `valleys_` begins there
    std::vector<std::uint8_t> placed_{};
    std::priority_queue<valley> valleys_{};
    std::int64_t work_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
