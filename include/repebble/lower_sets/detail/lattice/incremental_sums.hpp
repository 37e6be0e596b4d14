#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_INCREMENTAL_SUMS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_INCREMENTAL_SUMS_HPP

// The byte terms of formula (2) of Kusumoto et al. 2019 for one lower set, updated while vertices are added and removed
// in stack order. lower_set_lattice.hpp enumerates with it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0::detail {

/// Sums over a lower set L, at first ∅. O(n) space.
class incremental_sums {
  public:
    /// Of ∅.
    explicit incremental_sums(positional_problem const& problem)
        : problem_(&problem), inside_(problem.size(), 0), read_by_outside_(problem.size(), 0) {
        for (std::size_t v = 0; v < problem.size(); ++v) {
            missing_.push_back(static_cast<std::uint32_t>(problem.graph().predecessors(v).size()));
            unread_.push_back(static_cast<std::uint32_t>(problem.graph().successors(v).size()));
        }
    }

    /// M(L).
    [[nodiscard]] auto memory() const noexcept -> bytes { return memory_; }
    /// M(δ⁺(L) ∖ L) + M(δ⁻(δ⁺(L)) ∖ L).
    [[nodiscard]] auto beyond() const noexcept -> bytes { return beyond_; }
    /// M(∂(L)), pinned members of L included.
    [[nodiscard]] auto boundary() const noexcept -> bytes { return boundary_; }
    /// Whether L with v, which is not in L, is a lower set.
    [[nodiscard]] auto is_ready(std::size_t v) const -> bool { return missing_[v] == 0; }

    /// Adds v to L.  Requires: is_ready(v).  O(degree²).
    void add(std::size_t v) {
        auto const& g = problem_->graph();
        bytes const size = problem_->memory(v);
        inside_[v] = 1;
        memory_ += size;
        bool const was_outside = !g.predecessors(v).empty();  // in δ⁺(L) ∖ L: all its predecessors are in L
        if (was_outside) beyond_ -= size;
        if (read_by_outside_[v] > 0) beyond_ -= size;
        if (unread_[v] > 0 || problem_->pinned(v)) boundary_ += size;
        for (auto const u : g.predecessors(v)) {
            --read_by_outside_[u];
            if (--unread_[u] == 0 && !problem_->pinned(u)) boundary_ -= problem_->memory(u);
        }
        for (auto const w : g.successors(v)) {
            if (missing_[w]-- < g.predecessors(w).size()) continue;
            beyond_ += problem_->memory(w);
            for (auto const u : g.predecessors(w))
                if (read_by_outside_[u]++ == 0 && inside_[u] == 0) beyond_ += problem_->memory(u);
        }
    }
    /// Reverts the last `add` that was not reverted, that of v.  O(degree²).
    void remove(std::size_t v) {
        auto const& g = problem_->graph();
        bytes const size = problem_->memory(v);
        for (auto const w : g.successors(v)) {
            if (++missing_[w] < g.predecessors(w).size()) continue;
            beyond_ -= problem_->memory(w);
            for (auto const u : g.predecessors(w))
                if (--read_by_outside_[u] == 0 && inside_[u] == 0) beyond_ -= problem_->memory(u);
        }
        for (auto const u : g.predecessors(v)) {
            ++read_by_outside_[u];
            if (unread_[u]++ == 0 && !problem_->pinned(u)) boundary_ += problem_->memory(u);
        }
        if (unread_[v] > 0 || problem_->pinned(v)) boundary_ -= size;
        if (read_by_outside_[v] > 0) beyond_ += size;
        if (!g.predecessors(v).empty()) beyond_ += size;
        inside_[v] = 0;
        memory_ -= size;
    }

  private:
    positional_problem const* problem_;
    std::vector<char> inside_;
    std::vector<std::uint32_t> missing_;          // predecessors outside L
    std::vector<std::uint32_t> unread_;           // successors outside L
    std::vector<std::uint32_t> read_by_outside_;  // successors in δ⁺(L) ∖ L
    bytes memory_ = 0;
    bytes beyond_ = 0;
    bytes boundary_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
