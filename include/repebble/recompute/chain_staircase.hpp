#ifndef REPEBBLE_RECOMPUTE_CHAIN_STAIRCASE_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_STAIRCASE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::detail {

/// From so many bytes on, so little overhead.
template <quantity Time>
struct chain_point {
    bytes memory = 0;
    Time overhead{};

    friend auto operator==(chain_point const&, chain_point const&) -> bool = default;
};

/// Points of ascending memory and descending overhead: what a part of a chain costs, for all budgets.
template <quantity Time>
using chain_curve = std::vector<chain_point<Time>>;

/// Nothing where so few bytes allow nothing.
template <quantity Time>
[[nodiscard]] auto overhead_within(chain_curve<Time> const& curve, bytes budget) -> std::optional<Time> {
    auto const after =
        std::partition_point(curve.begin(), curve.end(), [&](auto const& p) { return p.memory <= budget; });
    if (after == curve.begin()) return std::nullopt;
    return std::prev(after)->overhead;
}

/// A way to solve a part of a chain by two smaller ones: overhead of `first` with the bytes that `held` leaves, and of
/// `second` with all, and `added`; from `least` bytes on.
template <quantity Time>
struct chain_split {
    chain_curve<Time> const* first = nullptr;
    bytes held = 0;
    chain_curve<Time> const* second = nullptr;  ///< none: costs nothing
    Time added{};
    bytes least = 0;
};

/// The least of many splits. Most are nowhere the least: to see that, the curve so far is passed in leaps. As both
/// fall, a split that at the end of a leap is not below where the curve begins it is above it all the way.
template <quantity Time>
class chain_envelope {
  public:
    using point = chain_point<Time>;

    /// Points beyond `most` bytes are left out.
    void begin(bytes most) {
        most_ = most;
        best_.clear();
    }
    void add(chain_split<Time> const& split) {
        if (split.first->empty() || (split.second && split.second->empty())) return;
        walk w(split);
        if (w.memory() > most_) return;
        improved_.clear();
        find_improvements(w);
        if (!improved_.empty()) merge();
    }
    [[nodiscard]] auto result() const -> chain_curve<Time> const& { return best_; }

  private:
    static constexpr bytes never = std::numeric_limits<bytes>::max();

    /// A split at some memory.
    class walk {
      public:
        explicit walk(chain_split<Time> const& s)
            : first_(*s.first),
              second_(s.second ? std::span<point const>(*s.second) : std::span<point const>()),
              held_(s.held),
              added_(s.added) {
            memory_ = std::max(s.least, first_.front().memory + held_);
            if (!second_.empty()) memory_ = std::max(memory_, second_.front().memory);
            to(memory_);
        }
        [[nodiscard]] auto memory() const noexcept { return memory_; }
        [[nodiscard]] auto overhead() const -> Time { return sum(x_, y_); }
        [[nodiscard]] auto least() const -> Time {
            return sum(first_.size() - 1, second_.empty() ? 0 : second_.size() - 1);
        }
        /// Where it falls next, or `never`.
        [[nodiscard]] auto next() const -> bytes {
            auto const one = x_ + 1 < first_.size() ? first_[x_ + 1].memory + held_ : never;
            auto const other = y_ + 1 < second_.size() ? second_[y_ + 1].memory : never;
            return std::min(one, other);
        }
        void step(bytes next) {
            memory_ = next;
            if (x_ + 1 < first_.size() && first_[x_ + 1].memory + held_ == next) ++x_;
            if (y_ + 1 < second_.size() && second_[y_ + 1].memory == next) ++y_;
        }
        void to(bytes memory) {
            memory_ = memory;
            x_ = reach(first_, x_, memory - held_);
            if (!second_.empty()) y_ = reach(second_, y_, memory);
        }
        /// What it costs with more bytes.
        [[nodiscard]] auto overhead_at(bytes memory) const -> Time {
            return sum(reach(first_, x_, memory - held_), second_.empty() ? 0 : reach(second_, y_, memory));
        }

      private:
        [[nodiscard]] auto sum(std::size_t x, std::size_t y) const -> Time {
            return added_ + first_[x].overhead + (second_.empty() ? Time{} : second_[y].overhead);
        }
        /// The last point that so many bytes reach, from one that they do reach.
        [[nodiscard]] static auto reach(std::span<point const> curve, std::size_t from, bytes memory) -> std::size_t {
            std::size_t leap = 1;
            for (; from + leap < curve.size() && curve[from + leap].memory <= memory; leap *= 2) from += leap;
            for (; leap > 0; leap /= 2)
                if (from + leap < curve.size() && curve[from + leap].memory <= memory) from += leap;
            return from;
        }

        std::span<point const> first_, second_;
        bytes held_;
        Time added_;
        bytes memory_ = 0;
        std::size_t x_ = 0, y_ = 0;
    };

    void find_improvements(walk& w) {
        auto const n = best_.size();
        if (n == 0 || w.memory() < best_.front().memory) {
            auto const end = n == 0 ? never : best_.front().memory;
            collect(w, end, std::nullopt);
            if (n == 0 || end > most_) return;
            w.to(end);
        }
        auto const least = w.least();
        std::size_t k = reached(w.memory());
        for (std::size_t leap = 8; k < n && best_[k].overhead > least;) {
            auto const next = std::min(k + leap, n);
            auto const last = next < n ? best_[next].memory - 1 : most_;
            if (!(w.overhead_at(last) < best_[k].overhead)) {
                leap *= 2;
            } else if (leap > 1) {
                leap = std::max<std::size_t>(1, leap / 4);
                continue;
            } else {
                collect(w, next < n ? best_[next].memory : never, best_[k].overhead);
                leap = 2;
            }
            k = next;
            if (k < n) w.to(best_[k].memory);
        }
    }
    /// Notes where the split is below, up to `end`, `most_` included.
    void collect(walk& w, bytes end, std::optional<Time> below) {
        for (;;) {
            auto const now = w.overhead();
            if ((!below || now < *below) && (improved_.empty() || now < improved_.back().overhead))
                improved_.push_back({w.memory(), now});
            auto const next = w.next();
            if (next == never || next >= end || next > most_) return;
            w.step(next);
        }
    }
    /// The last point that so many bytes reach.  Requires: the first is.
    [[nodiscard]] auto reached(bytes memory) const -> std::size_t {
        auto const after =
            std::partition_point(best_.begin(), best_.end(), [&](auto const& p) { return p.memory <= memory; });
        return static_cast<std::size_t>(after - best_.begin()) - 1;
    }
    void merge() {
        merged_.clear();
        auto const push = [&](point const& p) {
            if (merged_.empty() || p.overhead < merged_.back().overhead) merged_.push_back(p);
        };
        auto old = best_.begin();
        for (auto const& p : improved_) {
            for (; old != best_.end() && old->memory < p.memory; ++old) push(*old);
            push(p);
        }
        for (; old != best_.end(); ++old) push(*old);
        best_.swap(merged_);
    }

    bytes most_ = never;
    chain_curve<Time> best_, improved_, merged_;
};

}  // namespace repebble::detail

#endif
