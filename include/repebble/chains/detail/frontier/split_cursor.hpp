#ifndef REPEBBLE_CHAINS_DETAIL_FRONTIER_SPLIT_CURSOR_HPP
#define REPEBBLE_CHAINS_DETAIL_FRONTIER_SPLIT_CURSOR_HPP

// Evaluates the sum of two Pareto curves, a split, at ascending memories without forming the sum: two positions that
// move by galloping search. Used by lower_envelope.hpp.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include <repebble/chains/detail/frontier/pareto_curve.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A split (see pareto_curve.hpp) at a memory that only grows. Requires: no curve of the split is empty.
class split_cursor {
  public:
    using point = budget_and_time;
    static constexpr bytes never = std::numeric_limits<bytes>::max();

    explicit split_cursor(chain_split const& s)
        : first_(s.first->points),
          second_(s.second ? std::span<point const>(s.second->points) : std::span<point const>()),
          kept_(s.kept),
          added_(s.added) {
        memory_ = std::max(s.least, first_.front().budget + kept_);
        if (!second_.empty()) memory_ = std::max(memory_, second_.front().budget);
        to(memory_);
    }
    [[nodiscard]] auto memory() const noexcept { return memory_; }
    [[nodiscard]] auto overhead() const -> std::int64_t { return sum(x_, y_); }
    /// The overhead with unlimited memory.
    [[nodiscard]] auto least() const -> std::int64_t {
        return sum(first_.size() - 1, second_.empty() ? 0 : second_.size() - 1);
    }
    /// The next memory at which the overhead falls, or `never`.
    [[nodiscard]] auto next() const -> bytes {
        auto const one = x_ + 1 < first_.size() ? first_[x_ + 1].budget + kept_ : never;
        auto const other = y_ + 1 < second_.size() ? second_[y_ + 1].budget : never;
        return std::min(one, other);
    }
    /// Moves to the memory that `next` returned. O(1).
    void step(bytes next) {
        memory_ = next;
        if (x_ + 1 < first_.size() && first_[x_ + 1].budget + kept_ == next) ++x_;
        if (y_ + 1 < second_.size() && second_[y_ + 1].budget == next) ++y_;
    }
    /// Moves to a larger memory. O(log distance).
    void to(bytes memory) {
        memory_ = memory;
        x_ = reach(first_, x_, memory - kept_);
        if (!second_.empty()) y_ = reach(second_, y_, memory);
    }
    /// The overhead at a larger memory, without moving.
    [[nodiscard]] auto overhead_at(bytes memory) const -> std::int64_t {
        return sum(reach(first_, x_, memory - kept_), second_.empty() ? 0 : reach(second_, y_, memory));
    }

  private:
    [[nodiscard]] auto sum(std::size_t x, std::size_t y) const -> std::int64_t {
        return added_ + first_[x].time + (second_.empty() ? std::int64_t{} : second_[y].time);
    }
    /// The last point with at most so much memory, by galloping from a point that has.
    [[nodiscard]] static auto reach(std::span<point const> curve, std::size_t from, bytes memory) -> std::size_t {
        std::size_t leap = 1;
        for (; from + leap < curve.size() && curve[from + leap].budget <= memory; leap *= 2) from += leap;
        for (; leap > 0; leap /= 2)
            if (from + leap < curve.size() && curve[from + leap].budget <= memory) from += leap;
        return from;
    }

    std::span<point const> first_, second_;
    bytes kept_;
    std::int64_t added_;
    bytes memory_ = 0;
    std::size_t x_ = 0, y_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
