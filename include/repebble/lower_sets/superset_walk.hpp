#ifndef REPEBBLE_LOWER_SETS_SUPERSET_WALK_HPP
#define REPEBBLE_LOWER_SETS_SUPERSET_WALK_HPP

// Walks over all supersets of a lower set, with pruning, for dynamic programs whose state is updated vertex by vertex.
// Used by recompute's canonical strategies (best_canonical.hpp): over all lower sets by backtracking, or over a family
// in lexicographic order, where neighbours share a prefix of vertices.
// Invariant: on return the state is that before the call.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>
#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0 {

/// All lower sets of a problem, and from each its supersets, by backtracking over vertices in order of position.
class all_supersets {
  public:
    /// 64 positions of a bit row.
    using word = detail::position_bits::word;
    /// Sets are numbered from ∅ on.
    using index = std::uint32_t;

    /// Where there are more than `limit` lower sets, or stop() returned true, complete() is false and no other member
    /// may be used.
    all_supersets(positional_problem const& problem, std::size_t limit, detail::stop_test stop = detail::never_stop{})
        : lattice_(problem, limit, stop) {}

    /// True where all lower sets are there.
    [[nodiscard]] auto complete() const noexcept -> bool { return lattice_.complete(); }
    /// The number of sets.
    [[nodiscard]] auto size() const { return lattice_.size(); }
    /// The set of index i, as a bit row; indices ascend from ∅ to V, each set after its subsets.
    [[nodiscard]] auto operator[](std::size_t i) const -> word const* { return lattice_[i]; }

    /// Calls visit(j) for the proper supersets of set i, without V. `state` follows the walk by enter(position) and
    /// leave(), and returns the current set by set(); where may_extend() is false, the set and all its supersets are
    /// pruned.
    template <class State, class MayExtend, class Visit>
    void for_each_above(std::size_t i, State& state, MayExtend const& may_extend, Visit const& visit) const {
        auto const& g = lattice_.problem().graph();
        auto const words = lattice_.problem().words();
        ready_.clear();
        for (std::size_t p = 0; p < lattice_.problem().size(); ++p)
            if (!detail::position_bits::has(lattice_[i], p) &&
                detail::position_bits::is_subset(lattice_.problem().predecessors(p), lattice_[i], words))
                ready_.push_back(p);
        auto const extend = [&](auto const& self, std::size_t first, std::size_t last) -> void {
            for (std::size_t k = first; k < last; ++k) {
                auto const p = ready_[k];
                state.enter(p);
                if (may_extend()) {
                    auto const j = lattice_.find(state.set());
                    if (j != lattice_.full()) visit(j);
                    for (auto m = k + 1; m < last; ++m) ready_.push_back(ready_[m]);
                    for (auto const w : g.successors(p))
                        if (detail::position_bits::is_subset(lattice_.problem().predecessors(w), state.set(), words))
                            ready_.push_back(w);
                    auto const end = ready_.size();
                    std::sort(ready_.data() + last, ready_.data() + end);
                    self(self, last, end);
                    ready_.resize(last);
                }
                state.leave();
            }
        };
        extend(extend, 0, ready_.size());
    }

  private:
    detail::lower_set_lattice lattice_;
    mutable std::vector<std::size_t> ready_;
};

/// The lower sets of a family, and from each its supersets.
class family_supersets {
  public:
    /// 64 positions of a bit row.
    using word = detail::position_bits::word;
    /// Sets are numbered from ∅ on.
    using index = std::uint32_t;

    /// `sets` of vertices of the original problem, in any order; ∅ and V are added. Once stop() has returned true,
    /// these two alone.
    family_supersets(positional_problem const& problem, std::vector<vertex_set> const& sets,
                     detail::stop_test stop = detail::never_stop{})
        : words_(problem.words()) {
        std::vector<std::size_t> at(problem.size());
        for (std::size_t p = 0; p < problem.size(); ++p) at[problem.vertices()[p]] = p;
        std::vector<std::vector<word>> rows(2, std::vector<word>(words_, 0));
        for (std::size_t p = 0; p < problem.size(); ++p) detail::position_bits::insert(rows[1].data(), p);
        detail::paced_stop over(stop);
        for (auto const& set : sets) {
            if (over.after(set.universe())) {
                rows.resize(2);
                break;
            }
            rows.emplace_back(words_, 0);
            set.for_each([&](std::size_t v) { detail::position_bits::insert(rows.back().data(), at[v]); });
        }
        detail::sort_unique(rows);  // lexicographically, so each set comes after its subsets
        size_ = rows.size();
        for (auto const& row : rows) rows_.insert(rows_.end(), row.begin(), row.end());
    }

    /// The number of sets.
    [[nodiscard]] auto size() const { return size_; }
    /// The set of index i, as a bit row; indices ascend from ∅ to V, each set after its subsets.
    [[nodiscard]] auto operator[](std::size_t i) const -> word const* { return rows_.data() + i * words_; }

    /// As of `all_supersets`.
    template <class State, class MayExtend, class Visit>
    void for_each_above(std::size_t i, State& state, MayExtend const& may_extend, Visit const& visit) const {
        auto const lower = (*this)[i];
        std::vector<std::size_t> entered;  // the vertices of the previous set that the state has
        bool may_grow = true;              // whether the state with all of them may be extended
        for (std::size_t j = i + 1; j + 1 < size(); ++j) {
            auto const upper = (*this)[j];
            if (!detail::position_bits::is_subset(lower, upper, words_)) continue;
            std::size_t common = 0;
            bool possible = true;
            for (std::size_t k = 0; k < words_ && possible; ++k)
                for (word rest = upper[k] & ~lower[k]; rest != 0 && possible;) {
                    auto const p =
                        k * detail::position_bits::word_bits + static_cast<std::size_t>(std::countl_zero(rest));
                    rest &= ~detail::position_bits::bit_of(p);
                    if (common < entered.size() && entered[common] == p) {
                        possible = ++common < entered.size() || may_grow;
                        continue;
                    }
                    for (; entered.size() > common; entered.pop_back()) state.leave();
                    state.enter(p);
                    entered.push_back(p);
                    ++common;
                    may_grow = possible = may_extend();
                }
            if (possible) {
                if (entered.size() > common) may_grow = true;  // fewer than in the previous set
                for (; entered.size() > common; entered.pop_back()) state.leave();
                visit(static_cast<index>(j));
            }
        }
        for (; !entered.empty(); entered.pop_back()) state.leave();
    }

  private:
    std::size_t words_;
    std::size_t size_ = 0;
    std::vector<word> rows_;
};

}  // namespace repebble::inline v0

#endif
