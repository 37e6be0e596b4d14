#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_BLOCK_ARCS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_BLOCK_ARCS_HPP

// The arcs of the lower-set lattice that sequences need: for each irreducible block all pairs of lower sets that differ
// by it, found by bit operations on the lattice's columns. Used by lattice_segments.hpp, least_cached.hpp and
// least_budget_proof.hpp.
// Invariant: the sets before and after a block ascend in step, the k-th before leads to the k-th after.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/position_bits.hpp>
#include <repebble/lower_sets/detail/lattice/block_enumeration.hpp>
#include <repebble/lower_sets/detail/lattice/irreducible_blocks.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>
#include <repebble/lower_sets/detail/lattice/overhead_cutoff.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// The segments L → L' of a lattice whose members are an irreducible block, by L. Cost and bytes of each are O(1).
class block_arcs {
  public:
    using index = typename lower_set_lattice::index;
    struct arc {
        index to;
        std::uint32_t block;
    };

    /// The arcs of all blocks that the cutoff admits. A block does not depend on L: the sets that it can follow contain
    /// its operands and none of its members, an intersection of columns, and so are the sets that it leads to; in
    /// ascending order the k-th of the former leads to the k-th of the latter. Blocks that recompute a member of
    /// `cached`, a set of positions or null, are left out. complete() is false, and there are no arcs, where more than
    /// `most_sets` convex sets would be enumerated or more than `most_arcs` arcs stored, or stop() returned true.
    block_arcs(lower_set_lattice const& lattice, overhead_cutoff const& cutoff, std::size_t most_sets,
               std::size_t most_arcs, position_bits::word const* cached = nullptr, stop_test stop = never_stop{})
        : lattice_(&lattice), scratch_(lattice.problem().words()) {
        irreducible_blocks blocks(lattice.problem(), cutoff, cached, stop);
        bool fits = true;
        complete_ = blocks.for_each(most_sets, [&](block_enumeration const& b) {
            if (fits) add(b, cutoff.budget());
            fits = found_.size() * chunk <= most_arcs;
        }) && fits;
        if (complete_) sort();
        found_ = {};
    }

    [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }
    [[nodiscard]] auto block_count() const noexcept -> std::size_t { return blocks_.size(); }
    /// The arcs from a set.
    [[nodiscard]] auto from(std::size_t set) const -> std::span<arc const> {
        return {arcs_.data() + starts_[set], starts_[set + 1] - starts_[set]};
    }
    [[nodiscard]] auto cost(arc const& a) const -> segment_cost {
        auto cost = blocks_[a.block];
        cost.working += lattice_->beyond(a.to);
        return cost;
    }

  private:
    using word = position_bits::word;
    static constexpr std::size_t chunk = 1U << 14U;
    struct found_arc {
        index from;
        arc made;
    };

    /// The sets in a range of the lattice that contain all `inside` positions and no `outside` one, in ascending order.
    class stream {
      public:
        void start(index first, index last) {
            at_ = first / bits;
            last_ = last / bits;
            first_mask_ = ~word{0} << (first % bits);
            last_mask_ = ~word{0} >> (bits - 1 - last % bits);
            inside_.clear();
            outside_.clear();
        }
        void inside(word const* column) { inside_.push_back(column); }
        void outside(word const* column) { outside_.push_back(column); }
        void begin() { left_ = load() & first_mask_; }
        /// Assigns the next set; returns false where there is none.
        [[nodiscard]] auto next(index& set) -> bool {
            while (left_ == 0) {
                if (at_ == last_) return false;
                ++at_;
                left_ = load();
            }
            set = static_cast<index>(at_ * bits + static_cast<std::size_t>(std::countr_zero(left_)));
            left_ &= left_ - 1;
            return true;
        }

      private:
        static constexpr auto bits = position_bits::word_bits;

        [[nodiscard]] auto load() const -> word {
            word all = at_ == last_ ? last_mask_ : ~word{0};
            for (auto const* c : inside_) all &= c[at_];
            for (auto const* c : outside_) all &= ~c[at_];
            return all;
        }

        std::vector<word const*> inside_, outside_;
        std::size_t at_ = 0;
        std::size_t last_ = 0;
        word first_mask_ = 0;
        word last_mask_ = 0;
        word left_ = 0;
    };

    void add(block_enumeration const& b, bytes budget) {
        auto const& problem = lattice_->problem();
        auto const words = problem.words();
        bytes cached = 0;
        for (std::size_t k = 0; k < words; ++k)
            position_bits::for_each_of_word(b.members()[k] & ~b.recomputed()[k], k,
                                            [&](std::size_t v) { cached += problem.memory(v); });
        auto const block = static_cast<std::uint32_t>(blocks_.size());
        blocks_.push_back({b.time(), 2 * b.memory(), cached});
        auto const keep = [&](index from, index to) {
            if (2 * b.memory() + lattice_->beyond(to) + lattice_->boundary(from) > budget) return;
            if (found_.empty() || found_.back().size() == chunk) found_.emplace_back().reserve(chunk);
            found_.back().push_back({from, {to, block}});
        };

        // The least and the greatest of the sets that the block can follow, and of those that it leads to.
        auto const* const all = (*lattice_)[lattice_->full()];
        auto const find = [&](auto word_of) {
            for (std::size_t k = 0; k < words; ++k) scratch_[k] = word_of(k);
            return lattice_->find(scratch_.data());
        };
        auto const first = find([&](std::size_t k) { return b.below()[k] & ~b.members()[k]; });
        auto const last = find([&](std::size_t k) { return all[k] & ~b.above()[k]; });
        auto const first_after = find([&](std::size_t k) { return b.below()[k]; });
        if (first == last) return keep(first, first_after);
        auto const last_after = find([&](std::size_t k) { return all[k] & ~(b.above()[k] & ~b.members()[k]); });

        // Only the conditions that do not follow from others.
        before_.start(first, last);
        after_.start(first_after, last_after);
        position_bits::for_each(b.read(), words, [&](std::size_t v) {
            if (!meets_others(problem.descendants(v), b.read(), v)) before_.inside(lattice_->column(v));
        });
        position_bits::for_each(b.members(), words, [&](std::size_t v) {
            if (!position_bits::meets(problem.predecessors(v), b.members(), words))
                before_.outside(lattice_->column(v));
            if (!position_bits::meets(problem.successors(v), b.members(), words)) after_.inside(lattice_->column(v));
        });
        position_bits::for_each(b.readers(), words, [&](std::size_t v) {
            if (!meets_others(problem.ancestors(v), b.readers(), v)) after_.outside(lattice_->column(v));
        });
        before_.begin();
        after_.begin();
        index from = 0;
        index to = 0;
        while (before_.next(from) && after_.next(to)) keep(from, to);
    }

    [[nodiscard]] auto meets_others(word const* set, word const* others, std::size_t v) const -> bool {
        for (std::size_t k = 0; k < scratch_.size(); ++k) {
            auto const common = set[k] & others[k];
            if ((k == v / position_bits::word_bits ? common & ~position_bits::bit_of(v) : common) != 0) return true;
        }
        return false;
    }

    void sort() {
        starts_.assign(lattice_->size() + 1, 0);
        for (auto const& some : found_)
            for (auto const& f : some) ++starts_[f.from + 1];
        for (std::size_t i = 0; i < lattice_->size(); ++i) starts_[i + 1] += starts_[i];
        arcs_.resize(starts_.back());
        auto next = starts_;
        for (auto& some : found_) {
            for (auto const& f : some) arcs_[next[f.from]++] = f.made;
            some = {};
        }
    }

    lower_set_lattice const* lattice_;
    std::vector<word> scratch_;
    stream before_, after_;
    std::vector<segment_cost> blocks_;           // `working` without the bytes beyond L'
    std::vector<std::vector<found_arc>> found_;  // in chunks: at most one chunk is allocated in excess
    std::vector<std::size_t> starts_;
    std::vector<arc> arcs_;
    bool complete_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
