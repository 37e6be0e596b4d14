#ifndef REPEBBLE_ALLOCATE_DETAIL_SEARCH_INTERVAL_INDEX_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SEARCH_INTERVAL_INDEX_HPP

// An index for stabbing queries: the pieces sorted by their begin, and at every few sections a list of the pieces that
// are live there. `ejection_search` asks it for the neighbours of a shape, instead of storing a conflict graph.
// O(pieces) memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

/// Enumerates the pieces that share a section with a given piece.
class interval_index {
  public:
    struct entry {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::uint32_t owner = 0;  ///< the shape
        std::uint32_t slot = 0;   ///< the piece
    };

    explicit interval_index(compact_shapes const& c) : c_(c), begins_(c.sections() + 1, 0) {
        std::size_t total_length = 0;
        for (std::uint32_t s = 0; s < c.count(); ++s)
            for (auto slot = c.first_piece[s]; slot < c.first_piece[s + 1]; ++slot) {
                by_begin_.push_back({c.pieces[slot].first, c.pieces[slot].last, s, slot});
                total_length += c.pieces[slot].last - c.pieces[slot].first;
            }
        if (!c.plain) sort_by(by_begin_, [](auto const& a, auto const& b) { return a.first < b.first; });
        for (auto const& e : by_begin_) ++begins_[e.first + 1];
        for (std::size_t t = 0; t < c.sections(); ++t) begins_[t + 1] += begins_[t];

        stride_ = std::max<std::size_t>(1, total_length / std::max<std::size_t>(1, 2 * by_begin_.size()));
        std::vector<std::pair<std::size_t, entry>> live;
        for (auto const& e : by_begin_)
            for (auto stop = e.first / stride_ + 1; stop * stride_ < e.last; ++stop) live.emplace_back(stop, e);
        live_at_ = {c.sections() / stride_ + 1, live};
    }

    [[nodiscard]] auto piece(entry const& e) const -> compact_piece const& { return c_.pieces[e.slot]; }

    /// Calls f for every piece that shares a section with `p`; returns the number of pieces inspected.
    template <class F>
    auto for_each_meeting(compact_piece const& p, F&& f) const -> std::int64_t {
        auto const stop = p.first / stride_;
        auto const before = live_at_[stop];
        for (auto const& e : before)
            if (e.last > p.first) f(e);
        auto const from = begins_[stop * stride_];
        auto const to = begins_[p.last];
        for (auto i = from; i < to; ++i)
            if (by_begin_[i].last > p.first) f(by_begin_[i]);
        return static_cast<std::int64_t>(before.size() + (to - from));
    }

  private:
    compact_shapes const& c_;
    std::vector<entry> by_begin_{};
    std::vector<std::size_t> begins_{};  // per section: the first entry that begins in it
    std::size_t stride_ = 1;
    jagged_array<entry> live_at_{};  // per stride-th section: entries that began before it
};

}  // namespace repebble::inline v0::detail

#endif
