#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_SKYLINE_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_SKYLINE_HPP

// The state of `offset_search`: a skyline over the sections that is filled from below, with constraint propagation and
// a trail for backtracking. A shape is placed by fixing its offset; a piece of it above the floor of its section stays
// an island there until the floor reaches it. The propagation lifts floors, raises lower bounds of offsets, also past
// islands, and checks by section that the remaining pieces, stacked by their lower bounds, fit below the capacity.
// Invariant: floor, roof and least offset are lower bounds that hold for every plan that extends the placed shapes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A partial plan of shapes under a capacity. For every section it has the filled height (`roof`) and a lower bound of
/// the begin of the next piece (`floor`); for every shape that is not placed a lower bound of its offset (`least`).
/// `place` and `lift` propagate and return false if no plan remains.
///
/// Let C be the capacity; of a section t, F_t its floor, R_t the bytes of its pieces that are left; of a piece m of
/// shape s, b(m) = least_s + lower(m) a bound on its begin, and h(m) its height. In every plan that extends the placed
/// shapes
///
///   F_t     ≥  min of b(m) over the pieces m left in t, for the lowest of them begins nowhere below its own bound
///   least_s ≥  F_t - lower(m), rounded up to the alignment of s, for every piece m of s in t
///   least_s ≥  end of an island - lower(m), where m would reach into the island otherwise
///   C       ≥  F_t + R_t, for the pieces left lie above the floor without overlap
///   C       ≥  top of the pieces left when each, by growing b, begins at the greater of b(m) and the end of the last
///
/// The last is the least end of all orders: that of jobs with release dates on one machine, where an exchange of two
/// neighbours that are not by growing b ends no later (Jackson 1955, in mirror image). The first three only raise
/// bounds, each of which rises finitely often; they are applied to the sections that have changed until nothing does.
/// Each follows from what holds in every plan, so false says that there is none. The trail has what each change
/// replaced: `undo` costs what was done.
class skyline {
  public:
    /// A piece of a shape, in one section.
    struct member {
        std::uint32_t shape;
        std::uint32_t piece;
    };

    explicit skyline(compact_shapes const& c) : c_(c), starts_(c.sections() + 1, 0), dirty_(c.sections(), 0) {
        for (auto const& p : c.pieces)
            for (auto t = p.first; t < p.last; ++t) ++starts_[t + 1];
        for (std::size_t t = 0; t < c.sections(); ++t) starts_[t + 1] += starts_[t];
        members_.resize(starts_.back());
        islands_ = !c.plain || std::any_of(c.pinned.begin(), c.pinned.end(),
                                           [](bytes offset) { return offset != compact_shapes::nowhere; });
    }

    /// Starts an empty plan; false if the propagation refutes the capacity.
    auto reset(bytes capacity) -> bool {
        capacity_ = capacity;
        trail_.clear();
        clear_dirty();
        left_.assign(c_.sections(), 0);
        for (std::uint32_t s = 0; s < c_.count(); ++s)
            for_each_section(s, [&](std::uint32_t t, std::uint32_t piece) {
                members_[starts_[t] + left_[t]++] = {s, piece};
            });
        floor_.assign(c_.sections(), 0);
        roof_.assign(c_.sections(), 0);
        top_.assign(c_.sections(), nothing);
        bytes_left_ = c_.load;
        placed_.assign(c_.count(), 0);
        least_.assign(c_.count(), 0);
        bridges_.assign(c_.sections() + 1, 0);
        changed_.assign(c_.sections(), to_key | to_score);
        for (std::uint32_t s = 0; s < c_.count(); ++s) {
            if (c_.pinned[s] != compact_shapes::nowhere) {
                placed_[s] = 1;
                least_[s] = c_.pinned[s];
            } else {
                for_each_bridge(s, [](auto& count) { ++count; });
            }
            if (c_.size[s] > capacity - least_[s]) return false;
        }
        for (std::uint32_t t = 0; t < c_.sections(); ++t) mark(t);
        return propagate();
    }

    [[nodiscard]] auto shapes() const -> compact_shapes const& { return c_; }
    [[nodiscard]] auto floor(std::size_t section) const { return floor_[section]; }
    [[nodiscard]] auto roof(std::size_t section) const { return roof_[section]; }
    /// The shape whose end is the roof, or `nothing`.
    [[nodiscard]] auto top(std::size_t section) const { return top_[section]; }
    static constexpr auto nothing = static_cast<std::uint32_t>(-1);
    [[nodiscard]] auto least(std::size_t shape) const { return least_[shape]; }  ///< the offset of a placed shape
    [[nodiscard]] auto is_placed(std::size_t shape) const { return placed_[shape] != 0; }
    /// The pieces of a section above its floor: of shapes that are not placed, and islands.
    [[nodiscard]] auto left_in(std::size_t section) const -> std::span<member const> {
        return {members_.data() + starts_[section], left_[section]};
    }
    /// The first and the last byte of a piece, counted from the begin of its shape.
    [[nodiscard]] auto lower(member const& m) const -> bytes { return c_.plain ? 0 : c_.pieces[m.piece].lower; }
    [[nodiscard]] auto upper(member const& m) const -> bytes {
        return c_.plain ? c_.size[m.shape] : c_.pieces[m.piece].upper;
    }
    /// A lower bound of the begin of a piece.
    [[nodiscard]] auto bottom(member const& m) const -> bytes { return least_[m.shape] + lower(m); }
    /// Calls f(section, piece) for each section of a shape.
    template <class F>
    void for_each_section(std::uint32_t s, F&& f) const {
        for (auto piece = c_.first_piece[s]; piece < c_.first_piece[s + 1]; ++piece)
            for (auto t = c_.pieces[piece].first; t < c_.pieces[piece].last; ++t) f(t, piece);
    }
    /// The bytes of a section that can still stay unused.
    [[nodiscard]] auto slack(std::size_t section) const { return capacity_ - floor_[section] - bytes_left_[section]; }
    [[nodiscard]] auto offsets() const -> std::vector<bytes> const& { return least_; }
    /// Whether a shape that is not placed begins before a section and ends after its begin.
    [[nodiscard]] auto is_bridged(std::size_t section) const { return bridges_[section] != 0; }
    /// The readers of changes: of floors, roofs and pieces; of least offsets as well.
    static constexpr std::uint8_t to_key = 1, to_score = 2;
    /// Whether a section has changed since the reader's last call for it.
    [[nodiscard]] auto take_change(std::size_t section, std::uint8_t reader) -> bool {
        bool const changed = (changed_[section] & reader) != 0;
        changed_[section] &= static_cast<std::uint8_t>(~reader);
        return changed;
    }
    /// The number of shapes inspected by propagation since construction.
    [[nodiscard]] auto work() const { return work_; }

    [[nodiscard]] auto mark_of_trail() const { return trail_.size(); }
    void undo(std::size_t mark_of_trail) {
        for (; trail_.size() > mark_of_trail; trail_.pop_back()) {
            auto const& [kind, i, old] = trail_.back();
            switch (kind) {
                case change::floor:
                    changed_[i] = to_key | to_score;
                    floor_[i] = old;
                    break;
                case change::roof:
                    changed_[i] = to_key | to_score;
                    bytes_left_[i] += height(members_[starts_[i] + left_[i]++]);
                    roof_[i] = old;
                    break;
                case change::top:
                    top_[i] = static_cast<std::uint32_t>(old);
                    break;
                case change::least:
                    least_[i] = old;
                    rescore(i);
                    break;
                case change::placed:
                    placed_[i] = 0;
                    for_each_bridge(i, [](auto& count) { ++count; });
                    if (islands_)
                        for_each_section(i, [&](std::uint32_t t, std::uint32_t) { changed_[t] = to_key | to_score; });
            }
        }
    }

    /// Places a shape at its least offset.
    auto place(std::uint32_t s) -> bool {
        trail_.push_back({change::placed, s, 0});
        placed_[s] = 1;
        for_each_bridge(s, [](auto& count) { --count; });
        if (islands_) for_each_section(s, [&](std::uint32_t t, std::uint32_t) { changed_[t] = to_key | to_score; });
        for (auto piece = c_.first_piece[s]; piece < c_.first_piece[s + 1]; ++piece)
            for (auto t = c_.pieces[piece].first; t < c_.pieces[piece].last; ++t) {
                if (bottom({s, piece}) > floor_[t])
                    mark(t);
                else if (!settle(t, {s, piece}))
                    return false;
            }
        return propagate();
    }
    /// Requires that no further piece of a section begins below an offset.
    auto lift(std::uint32_t section, bytes offset) -> bool {
        mark(section);
        return raise(section, offset) && propagate();
    }

  private:
    enum class change : std::uint8_t { floor, roof, top, least, placed };
    struct undo_entry {
        change kind;
        std::uint32_t at;
        bytes old;
    };

    /// With more shapes the stacks of a section are checked when its floor rises, not with every least offset.
    static constexpr std::size_t few = 2000;
    static constexpr std::uint8_t floor_may_rise = 1;
    static constexpr std::uint8_t stack_may_grow = 2;

    void mark(std::uint32_t section, std::uint8_t why = floor_may_rise | stack_may_grow) {
        auto const fresh = static_cast<std::uint8_t>(why & ~dirty_[section]);
        dirty_[section] |= fresh;
        if ((fresh & floor_may_rise) != 0) rising_.push_back(section);
        if ((fresh & stack_may_grow) != 0) growing_.push_back(section);
    }
    void clear_dirty() {
        for (auto const t : rising_) dirty_[t] = 0;
        for (auto const t : growing_) dirty_[t] = 0;
        rising_.clear();
        growing_.clear();
    }
    auto fail() -> bool {
        clear_dirty();
        return false;
    }

    template <class F>
    void for_each_bridge(std::uint32_t s, F&& f) {
        for (auto t = c_.begin_of(s) + 1; t < c_.end_of(s); ++t) f(bridges_[t]);
    }
    void rescore(std::uint32_t s) {
        for_each_section(s, [&](std::uint32_t t, std::uint32_t) { changed_[t] |= to_score; });
    }
    [[nodiscard]] auto height(member const& m) const -> bytes { return upper(m) - lower(m); }

    /// Puts the piece of a placed shape on the floor of a section.
    auto settle(std::uint32_t t, member const& m) -> bool {
        auto* const first = members_.data() + starts_[t];
        std::swap(*std::find_if(first, first + left_[t], [&](member const& x) { return x.piece == m.piece; }),
                  first[left_[t] - 1]);
        --left_[t];
        bytes_left_[t] -= height(m);
        trail_.push_back({change::roof, t, roof_[t]});
        roof_[t] = least_[m.shape] + upper(m);
        changed_[t] = to_key | to_score;
        trail_.push_back({change::top, t, top_[t]});
        top_[t] = m.shape;
        if (!raise(t, left_[t] == 0 ? capacity_ + 1 : roof_[t])) return false;
        mark(t);
        return true;
    }

    auto raise(std::uint32_t t, bytes offset) -> bool {
        if (offset <= floor_[t]) return true;
        trail_.push_back({change::floor, t, floor_[t]});
        floor_[t] = offset;
        mark(t, stack_may_grow);
        changed_[t] = to_key | to_score;
        work_ += left_[t];
        for (auto const& m : left_in(t))
            if (bottom(m) < offset && !raise_shape(m, offset)) return false;
        return true;
    }
    /// Requires that a piece does not begin below an offset.
    auto raise_shape(member const& m, bytes offset) -> bool {
        auto const s = m.shape;
        if (placed_[s] != 0) return fail();
        auto const least = aligned(offset - lower(m), c_.alignment[s]);
        if (least > capacity_ - c_.size[s]) return fail();
        auto const before = least_[s];
        trail_.push_back({change::least, s, before});
        least_[s] = least;
        for_each_section(s, [&](std::uint32_t u, std::uint32_t piece) {
            if (islands_ || before + lower({s, piece}) <= floor_[u]) mark(u, floor_may_rise);
            if (c_.count() <= few) mark(u, stack_may_grow);
            changed_[u] |= to_score;
        });
        return true;
    }
    /// Raises the pieces of a section that reach into an island, and settles the islands that lie on the floor.
    auto meet_islands(std::uint32_t t) -> bool {
        for (std::size_t i = 0; i < left_[t]; ++i) {
            auto const island = left_in(t)[i];
            if (placed_[island.shape] == 0) continue;
            auto const begin = bottom(island), end = begin + height(island);
            if (begin == floor_[t]) return settle(t, island);
            work_ += left_[t];
            for (auto const& m : left_in(t))
                if (m.shape != island.shape && bottom(m) < end && bottom(m) + height(m) > begin && !raise_shape(m, end))
                    return false;
        }
        return true;
    }

    /// Propagates to a fixed point: no piece of a section begins below the least of their lower bounds; then checks
    /// that the pieces of each changed section, stacked in the order of their lower bounds, fit.
    auto propagate() -> bool {
        while (!rising_.empty()) {
            auto const t = rising_.back();
            rising_.pop_back();
            dirty_[t] &= static_cast<std::uint8_t>(~floor_may_rise);
            auto const left = left_in(t);
            if (left.empty()) continue;
            auto lowest = capacity_;
            for (auto const& m : left) {
                ++work_;
                lowest = std::min(lowest, bottom(m));
                if (lowest == floor_[t]) break;
            }
            if (lowest > capacity_ - bytes_left_[t]) return fail();
            if (!raise(t, lowest) || (islands_ && !meet_islands(t))) return false;
        }
        for (auto const t : growing_)
            if (stack_height(t) > capacity_) return fail();
        clear_dirty();
        return true;
    }
    /// A lower bound on the height of a section: its pieces left, stacked in the order of their lower bounds.
    [[nodiscard]] auto stack_height(std::uint32_t t) -> bytes {
        stack_.clear();
        bytes highest = 0;
        for (auto const& m : left_in(t)) {
            highest = std::max(highest, bottom(m));
            stack_.emplace_back(bottom(m), m);
        }
        work_ += static_cast<std::int64_t>(stack_.size());
        if (highest <= capacity_ - bytes_left_[t]) return highest + bytes_left_[t];
        // The members keep this order, and so insertion moves few of them.
        for (std::size_t i = 1; i < stack_.size(); ++i) {
            if (stack_[i - 1].first <= stack_[i].first) continue;
            auto const moved = stack_[i];
            auto at = i;
            for (; at > 0 && moved.first < stack_[at - 1].first; --at) stack_[at] = stack_[at - 1];
            stack_[at] = moved;
            work_ += static_cast<std::int64_t>((i - at) / 4);
        }
        bytes top = 0;
        auto* kept = members_.data() + starts_[t];
        for (auto const& [begin, m] : stack_) {
            top = std::max(top, begin) + height(m);
            *kept++ = m;
        }
        return top;
    }

    compact_shapes const& c_;
    bytes capacity_ = 0;
    std::int64_t work_ = 0;
    bool islands_ = false;                          // whether there can be any
    std::vector<std::uint32_t> starts_{}, left_{};  // per section
    std::vector<member> members_{};                 // per section: its pieces, those that are left first
    std::vector<bytes> floor_{}, roof_{}, bytes_left_{};
    std::vector<std::uint32_t> top_{};
    std::vector<bytes> least_{};
    std::vector<std::uint8_t> placed_{}, dirty_{}, changed_{};
    std::vector<std::uint32_t>
        bridges_{};  // per section: shapes not placed that begin before it and end after its begin
    std::vector<std::uint32_t> rising_{}, growing_{};
    std::vector<undo_entry> trail_{};
    std::vector<std::pair<bytes, member>> stack_{};  // begins of pieces
};

}  // namespace repebble::inline v0::detail

#endif
