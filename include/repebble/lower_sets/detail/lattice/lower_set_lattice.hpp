#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_LOWER_SET_LATTICE_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_LOWER_SET_LATTICE_HPP

// The lattice of all lower sets of a graph as bit rows and bit columns, with the terms of formulas (1) and (2) of
// Kusumoto et al. 2019 for each set. Enumerated depth first, one vertex at a time. The search space of block_arcs.hpp,
// superset_walk.hpp and passes/exact_curve.hpp.
// Invariant: sets ascend as numbers, so that each comes after its subsets, and an index is found by binary search.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/lower_sets/detail/lattice/incremental_sums.hpp>
#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0::detail {

/// All lower sets of a problem as `position_bits`, with their sums, and for each position the column of the sets that
/// contain it.
class lower_set_lattice {
  public:
    using word = position_bits::word;
    using index = std::uint32_t;

    /// O(#L (n/64 + degree²)). Where there are more than `limit` lower sets, or stop() returned true, complete() is
    /// false and no other member may be used.
    lower_set_lattice(positional_problem problem, std::size_t limit, stop_test stop = never_stop{})
        : problem_(std::move(problem)),
          words_(problem_.words()),
          limit_(std::min<std::size_t>(limit, std::numeric_limits<index>::max())) {
        paced_stop over(stop);
        complete_ = !over.now() && list_sets(over) && make_columns(over);
    }

    [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }
    /// Throws limit_reached where complete() is false.
    void require_complete() const {
        if (!complete_)
            detail::raise(limit_reached("the graph has more than " + std::to_string(limit_) + " lower sets"));
    }

    [[nodiscard]] auto problem() const noexcept -> positional_problem const& { return problem_; }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return time_.size(); }
    [[nodiscard]] auto full() const noexcept -> index { return static_cast<index>(size() - 1); }
    [[nodiscard]] auto operator[](std::size_t i) const -> word const* { return rows_.data() + i * words_; }
    /// T(L).
    [[nodiscard]] auto time(std::size_t i) const -> std::int64_t { return time_[i]; }
    /// M(L).
    [[nodiscard]] auto memory(std::size_t i) const -> bytes { return memory_[i]; }
    /// M(δ⁺(L) ∖ L) + M(δ⁻(δ⁺(L)) ∖ L).
    [[nodiscard]] auto beyond(std::size_t i) const -> bytes { return beyond_[i]; }
    /// M(∂(L)), pinned members of L included.
    [[nodiscard]] auto boundary(std::size_t i) const -> bytes { return boundary_[i]; }
    /// The column of position v: bit i % 64, from the lowest, of word i / 64 says whether set i contains v.
    [[nodiscard]] auto column(std::size_t v) const -> word const* { return &columns_[v * column_words_]; }
    /// The index of a lower set.  O(n log #L / 64).
    [[nodiscard]] auto find(word const* set) const -> index {
        std::size_t first = 0;
        for (std::size_t count = size(); count > 0;) {
            auto const half = count / 2;
            if (position_bits::less((*this)[first + half], set, words_)) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return static_cast<index>(first);
    }

  private:
    using position = typename positional_problem::position;

    /// Returns false where there are more than the limit, or it is over.
    [[nodiscard]] auto list_sets(paced_stop<stop_test>& over) -> bool {
        auto const& g = problem_.graph();
        incremental_sums sums(problem_);
        std::vector<word> current(words_, 0);
        auto const publish = [&](std::int64_t time) {
            if (size() >= limit_ || over.after(words_)) return false;
            rows_.insert(rows_.end(), current.begin(), current.end());
            time_.push_back(time);
            memory_.push_back(sums.memory());
            beyond_.push_back(sums.beyond());
            boundary_.push_back(sums.boundary());
            return true;
        };
        // Depth first: the children of a set have one more vertex, at a later position than all of its own; the latest
        // vertex first. The candidates are the minimal vertices of the complement.
        struct step {
            position added;
            std::int64_t time;
            std::size_t first, left, last;  // the candidates in `ready`; those before `left` were not added yet
        };
        std::vector<position> ready;
        std::vector<step> path;
        for (position v = 0; v < problem_.size(); ++v)
            if (g.predecessors(v).empty()) ready.push_back(v);
        if (!publish(std::int64_t{})) return false;
        path.push_back({0, std::int64_t{}, 0, ready.size(), ready.size()});
        while (!path.empty()) {
            auto const top = path.back();
            if (top.left == top.first) {
                ready.resize(top.first);
                path.pop_back();
                if (path.empty()) break;
                sums.remove(top.added);
                position_bits::erase(current.data(), top.added);
                continue;
            }
            auto const at = --path.back().left;
            auto const v = ready[at];
            position_bits::insert(current.data(), v);
            sums.add(v);
            auto const time = top.time + problem_.time(v);
            if (!publish(time)) return false;
            for (auto k = at + 1; k < top.last; ++k) ready.push_back(ready[k]);
            for (auto const w : g.successors(v))
                if (sums.is_ready(w)) ready.push_back(w);
            std::sort(ready.data() + top.last, ready.data() + ready.size());
            path.push_back({v, time, top.last, ready.size(), ready.size()});
        }
        return true;
    }

    /// Columns from rows, by transposing blocks of 64 × 64 bits. Returns false where it is over.
    [[nodiscard]] auto make_columns(paced_stop<stop_test>& over) -> bool {
        constexpr auto bits = position_bits::word_bits;
        column_words_ = (size() + bits - 1) / bits;
        columns_.assign(problem_.size() * column_words_, 0);
        std::array<word, 64> block;  // `bits`: nvcc 13 spells that, cast, in every array of 64 words behind it
        for (std::size_t i = 0; i < column_words_; ++i)
            for (std::size_t k = 0; k < words_; ++k) {
                if (over.after(bits)) return false;
                for (std::size_t j = 0; j < bits; ++j) block[j] = i * bits + j < size() ? (*this)[i * bits + j][k] : 0;
                for (std::size_t width = bits / 2; width > 0; width /= 2) {
                    word const low = ~word{0} / ((word{1} << width) + 1);
                    for (std::size_t j = 0; j < bits; j = (j + width + 1) & ~width) {
                        word const swap = ((block[j] >> width) ^ block[j + width]) & low;
                        block[j + width] ^= swap;
                        block[j] ^= swap << width;
                    }
                }
                for (std::size_t b = 0; b < bits; ++b)
                    if (auto const v = k * bits + bits - 1 - b; v < problem_.size())
                        columns_[v * column_words_ + i] = block[b];
            }
        return true;
    }

    positional_problem problem_;
    std::size_t words_;
    std::size_t limit_;
    bool complete_ = false;
    std::size_t column_words_ = 0;
    std::vector<word> rows_, columns_;
    std::vector<std::int64_t> time_;
    std::vector<bytes> memory_, beyond_, boundary_;
};

}  // namespace repebble::inline v0::detail

#endif
