#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_IRREDUCIBLE_BLOCKS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_IRREDUCIBLE_BLOCKS_HPP

// Enumerates the irreducible blocks of a graph: the member sets of segments that cannot be split at no cost, which
// suffice for least-overhead sequences at every budget. Depth first over convex sets, with one decision at each step
// (block_enumeration.hpp). Used by block_arcs.hpp.
// Invariant: each block is visited once, at its latest vertex.

#include <cstddef>
#include <memory>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/lower_sets/detail/lattice/block_enumeration.hpp>
#include <repebble/lower_sets/detail/lattice/overhead_cutoff.hpp>
#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0::detail {

/// Backtracking over the irreducible blocks of a problem.
///
/// A segment L → L' of a canonical strategy recomputes those of its members B = L' ∖ L whose successors all lie in B,
/// and caches the others. So its terms in formulas (1) and (2), but for M(δ⁺(L') ∖ L') + M(δ⁻(δ⁺(L')) ∖ L'), depend on
/// B alone. To split it at a lower set L'' between costs nothing where ∂(L'') adds no member of B to the cached ones:
/// the same vertices are recomputed and cached, and neither part needs more than the whole, for M(δ⁺(L'') ∖ L'') +
/// M(δ⁻(δ⁺(L'')) ∖ L'') is at most that of L' plus 2 M(L' ∖ L''), and the first part caches at most 2 M(L'' ∖ L).
/// Such a split is a proper subset of B that contains, with any member, its predecessors in B, and with a recomputed
/// one its successors. A block without such a subset is irreducible: its members reach each other by steps from a
/// member to its predecessors in B and from a recomputed one to its successors. Sequences of irreducible blocks suffice
/// for every budget; for the greatest overhead they do not.
///
/// Blocks are convex, and are enumerated from their latest vertex. Let C be the convex hull of the vertices chosen so
/// far, a subset of a block B to be found. All members of C reach its *core*, whose members reach each other. If the
/// core is C, then C itself is irreducible. If C ≠ B, a step leaves the core in B: a member x of the core that C does
/// not recompute is recomputed, with all its successors, or a predecessor u of the core that is not in C is in B. The
/// search branches on that decision (excluding u excludes all its ancestors, for B is convex): each block is found
/// once, and every C is a subset of a block but for limits and dead ends. Time and memory of C never fall, so limits
/// prune.
class irreducible_blocks {
  public:
    using word = position_bits::word;

    /// Refers to all of them. Blocks that recompute a member of `cached`, a set of positions or null, are left out.
    irreducible_blocks(positional_problem const& problem, overhead_cutoff const& cutoff, word const* cached,
                       stop_test& stop)
        : problem_(&problem), cutoff_(&cutoff), cached_(cached), over_(stop) {}

    /// Calls f(block_enumeration const&) for every irreducible block that the cutoff admits, by latest vertex,
    /// descending. Returns false, at once, where more than `most` convex sets are enumerated, or it is over.
    /// O(n/64 + degrees) for each where blocks are chains and joins; to find that a set is a dead end may take O(m).
    template <class F>
    auto for_each(std::size_t most, F&& f) -> bool {
        std::size_t const n = problem_->size();
        std::vector<word> later(problem_->words(), 0);
        for (std::size_t v = n; v-- > 0;) {
            auto& root = state(0);
            root.start(v, later.data(), cached_);
            position_bits::insert(later.data(), v);
            if (!cutoff_->admits(root.bytes_needed(), root.time())) continue;
            if (++enumerated_ > most || over_.after(problem_->words())) return false;
            f(root);
            if (!extend(most, f)) return false;
        }
        return true;
    }

  private:
    /// Enumerates the extensions of the set at depth 0.
    template <class F>
    auto extend(std::size_t most, F& f) -> bool {
        std::size_t depth = 0;
        for (;;) {
            auto& top = state(depth);
            auto const choice = top.next_choice();
            if (!choice) {
                if (depth == 0) return true;
                --depth;
                continue;
            }
            if (++enumerated_ > most || over_.after(problem_->words())) return false;
            auto& next = state(depth + 1);
            bool const grows = next.grow(state(depth), *choice, *cutoff_);
            state(depth).rule_out(*choice);
            if (!grows) continue;
            ++depth;
            if (next.is_irreducible()) f(next);
        }
    }
    /// The convex set at a depth of the search. References stay valid while others are added.
    [[nodiscard]] auto state(std::size_t depth) -> block_enumeration& {
        while (stack_.size() <= depth) stack_.push_back(std::make_unique<block_enumeration>(*problem_));
        return *stack_[depth];
    }

    positional_problem const* problem_;
    overhead_cutoff const* cutoff_;
    word const* cached_;
    std::vector<std::unique_ptr<block_enumeration>> stack_;
    std::size_t enumerated_ = 0;
    paced_stop<stop_test> over_;
};

}  // namespace repebble::inline v0::detail

#endif
