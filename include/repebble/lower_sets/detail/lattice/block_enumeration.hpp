#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_BLOCK_ENUMERATION_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_BLOCK_ENUMERATION_HPP

// A node of the search for irreducible blocks (irreducible_blocks.hpp): a convex set, the decisions made for it, and
// its core. Bit rows over positions; a node is rebuilt from its parent in place, without allocation. Invariant: members
// are the convex hull of the choices and contain no excluded vertex; all members reach the core.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/lower_sets/detail/lattice/overhead_cutoff.hpp>
#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0::detail {

/// A convex set that may be extended to an irreducible block, with the vertices that are excluded from it and those
/// that it may not recompute.
class block_enumeration {
  public:
    using word = position_bits::word;
    /// A decision: that a member is recomputed, with all its successors in the set, or that a vertex becomes a member.
    struct choice {
        std::size_t vertex;
        bool recompute;
    };

    explicit block_enumeration(positional_problem const& problem)
        : problem_(&problem), words_(problem.words()), rows_(row_count * words_, 0) {}

    /// Becomes {v}, with the vertices `excluded`, and those in `cached`, which may be null, never recomputed.
    void start(std::size_t v, word const* excluded, word const* cached) {
        std::fill(rows_.data(), rows_.data() + rows_.size(), word{0});
        position_bits::insert(row(members_row), v);
        position_bits::insert(row(core_row), v);
        std::copy_n(excluded, words_, row(excluded_row));
        if (cached != nullptr) std::copy_n(cached, words_, row(not_recomputed_row));
        std::copy_n(problem_->ancestors(v), words_, row(below_row));
        std::copy_n(problem_->descendants(v), words_, row(above_row));
        std::copy_n(problem_->predecessors(v), words_, row(read_row));
        std::copy_n(problem_->successors(v), words_, row(readers_row));
        irreducible_ = true;
        dead_end_ = false;
        memory_ = problem_->memory(v);
        bool const is_recomputed = problem_->graph().successors(v).empty() && !problem_->pinned(v);
        time_ = is_recomputed ? problem_->time(v) : std::int64_t{};
        if (is_recomputed) position_bits::insert(row(recomputed_row), v);
        needed_ = 2 * memory_ + sum(read_row) + sum(readers_row);
    }

    /// Becomes `from` with the choice made. Returns false where that contradicts an earlier decision, where the cutoff
    /// does not admit it, or where no extension is irreducible.
    [[nodiscard]] auto grow(block_enumeration const& from, choice const& made, overhead_cutoff const& cutoff) -> bool {
        auto const v = made.vertex;
        word const* const added = made.recompute ? problem_->successors(v) : nullptr;
        if (!close(from, v, added)) return false;
        memory_ = from.memory_;
        time_ = from.time_;
        dead_end_ = false;
        for (auto const k : {recomputed_row, not_recomputed_row, read_row, readers_row})
            std::copy_n(from.row(k), words_, row(k));
        // Whether a member is recomputed can change for new members and their predecessors.
        word* const check = row(scratch_row);
        std::fill_n(check, words_, word{0});
        for (std::size_t k = 0; k < words_; ++k)
            position_bits::for_each_of_word(row(members_row)[k] & ~from.row(members_row)[k], k, [&](std::size_t x) {
                memory_ += problem_->memory(x);
                position_bits::insert(check, x);
                position_bits::add(check, problem_->predecessors(x), words_);
                position_bits::add(row(read_row), problem_->predecessors(x), words_);
                position_bits::add(row(readers_row), problem_->successors(x), words_);
            });
        bool contradicts = false;
        for (std::size_t k = 0; k < words_; ++k) {
            auto const members = row(members_row)[k];
            row(read_row)[k] &= ~members;
            row(readers_row)[k] &= ~members;
            position_bits::for_each_of_word(check[k] & members & ~row(recomputed_row)[k], k, [&](std::size_t x) {
                if (problem_->pinned(x) || !position_bits::is_subset(problem_->successors(x), row(members_row), words_))
                    return;
                contradicts = contradicts || position_bits::has(row(not_recomputed_row), x);
                position_bits::insert(row(recomputed_row), x);
                time_ += problem_->time(x);
            });
        }
        if (contradicts) return false;
        needed_ = 2 * memory_ + sum(read_row) + sum(readers_row);
        return cutoff.admits(needed_, time_) && find_core(from, v);
    }

    /// The next decision to branch on; nothing where there is none.
    [[nodiscard]] auto next_choice() -> std::optional<choice> {
        if (dead_end_) return std::nullopt;
        for (std::size_t k = 0; k < words_; ++k)
            for (word left = row(core_row)[k] & ~row(recomputed_row)[k] & ~row(not_recomputed_row)[k]; left != 0;) {
                auto const x = k * position_bits::word_bits + static_cast<std::size_t>(std::countl_zero(left));
                if (!problem_->pinned(x)) return choice{x, true};
                left &= ~position_bits::bit_of(x);
            }
        word const* from_core = row(read_row);
        if (!irreducible_) {
            word* const read = row(scratch_row);
            std::fill_n(read, words_, word{0});
            position_bits::for_each(row(core_row), words_, [&](std::size_t x) {
                position_bits::add(read, problem_->predecessors(x), words_);
            });
            for (std::size_t k = 0; k < words_; ++k) read[k] &= ~row(members_row)[k];
            from_core = read;
        }
        for (std::size_t k = words_; k-- > 0;)
            if (word const left = from_core[k] & ~row(excluded_row)[k]; left != 0)  // the latest
                return choice{k * position_bits::word_bits + position_bits::word_bits - 1 -
                                  static_cast<std::size_t>(std::countr_zero(left)),
                              false};
        return std::nullopt;
    }
    /// Decides against a choice.
    void rule_out(choice const& c) {
        if (c.recompute) {
            position_bits::insert(row(not_recomputed_row), c.vertex);
        } else {
            position_bits::add(row(excluded_row), problem_->ancestors(c.vertex), words_);
        }
        if (irreducible_) return;
        // A frequent case: all readers of the ancestors of x are among them or x itself.
        bool const is_end = c.recompute && problem_->is_sealed(c.vertex) &&
                            position_bits::is_subset(row(core_row), problem_->ancestors(c.vertex), words_);
        dead_end_ = is_end || !core_may_grow();
    }

    [[nodiscard]] auto is_irreducible() const noexcept -> bool { return irreducible_; }
    [[nodiscard]] auto members() const -> word const* { return row(members_row); }
    [[nodiscard]] auto recomputed() const -> word const* { return row(recomputed_row); }
    /// Members and their ancestors.
    [[nodiscard]] auto below() const -> word const* { return row(below_row); }
    /// Members and their descendants.
    [[nodiscard]] auto above() const -> word const* { return row(above_row); }
    /// Operands of members that are no members, and readers of members that are no members.
    [[nodiscard]] auto read() const -> word const* { return row(read_row); }
    [[nodiscard]] auto readers() const -> word const* { return row(readers_row); }
    /// T of the recomputed members, and M of all members.
    [[nodiscard]] auto time() const -> std::int64_t { return time_; }
    [[nodiscard]] auto memory() const -> bytes { return memory_; }
    /// A lower bound on formula (2) of every segment with these members: twice their memory, plus that of their
    /// operands and readers.
    [[nodiscard]] auto bytes_needed() const -> bytes { return needed_; }

  private:
    enum row_name : std::size_t {
        members_row,
        recomputed_row,
        core_row,
        above_row,
        below_row,
        read_row,
        readers_row,
        not_recomputed_row,
        excluded_row,
        scratch_row,
        row_count
    };

    [[nodiscard]] auto row(std::size_t k) -> word* { return rows_.data() + k * words_; }
    [[nodiscard]] auto row(std::size_t k) const -> word const* { return rows_.data() + k * words_; }
    [[nodiscard]] auto sum(row_name k) const -> bytes {
        bytes total = 0;
        position_bits::for_each(row(k), words_, [&](std::size_t v) { total += problem_->memory(v); });
        return total;
    }

    /// Takes the convex hull of the members of `from`, v and `added`; returns false where it has excluded vertices.
    [[nodiscard]] auto close(block_enumeration const& from, std::size_t v, word const* added) -> bool {
        word* const above = row(above_row);
        word* const below = row(below_row);
        for (std::size_t k = 0; k < words_; ++k) {
            above[k] = from.row(above_row)[k] | problem_->descendants(v)[k];
            below[k] = from.row(below_row)[k] | problem_->ancestors(v)[k];
        }
        if (added != nullptr)
            position_bits::for_each(added, words_,
                                    [&](std::size_t w) { position_bits::add(below, problem_->ancestors(w), words_); });
        word* const members = row(members_row);
        word* const excluded = row(excluded_row);
        word wrong = 0;
        for (std::size_t k = 0; k < words_; ++k) {
            members[k] = above[k] & below[k];
            excluded[k] = from.row(excluded_row)[k];
            wrong |= members[k] & excluded[k];
        }
        return wrong == 0;
    }

    /// Every member reaches v; so the core are the members that v reaches. Returns false where these are not all and
    /// cannot become all.
    [[nodiscard]] auto find_core(block_enumeration const& from, std::size_t v) -> bool {
        // Where C was irreducible, every vertex between C and v or its successors reaches both and is reached from
        // both.
        irreducible_ =
            from.irreducible_ && (position_bits::has(from.members(), v) || position_bits::has(recomputed(), v));
        if (!irreducible_) {
            reach(
                v, [&](std::size_t x) { return position_bits::has(members(), x); },
                [&](std::size_t x) { return position_bits::has(recomputed(), x); });
            std::copy_n(row(scratch_row), words_, row(core_row));
            irreducible_ = position_bits::equal(row(core_row), row(members_row), words_);
            return irreducible_ || core_may_grow();
        }
        std::copy_n(row(members_row), words_, row(core_row));
        return true;
    }
    /// Whether the core reaches other members where all vertices that may be recomputed are, and all operands that may
    /// become members are.
    [[nodiscard]] auto core_may_grow() -> bool {
        std::size_t first = 0;
        while (row(core_row)[first] == 0) ++first;
        auto const start =
            first * position_bits::word_bits + static_cast<std::size_t>(std::countl_zero(row(core_row)[first]));
        bool reached = false;
        reach(
            start,
            [&](std::size_t x) {
                reached = reached || (position_bits::has(members(), x) && !position_bits::has(row(core_row), x));
                return !reached && !position_bits::has(row(excluded_row), x);
            },
            [&](std::size_t x) { return !problem_->pinned(x) && !position_bits::has(row(not_recomputed_row), x); });
        return reached;
    }
    /// Computes in the scratch row the vertices that v reaches within within(x), by steps to predecessors, and from x
    /// to its successors where up(x).  O(m).
    template <class Within, class Up>
    void reach(std::size_t v, Within const& within, Up const& up) {
        word* const seen = row(scratch_row);
        std::fill_n(seen, words_, word{0});
        position_bits::insert(seen, v);
        open_.assign(1, static_cast<std::uint32_t>(v));
        auto const visit = [&](auto w) {
            if (position_bits::has(seen, w) || !within(w)) return;
            position_bits::insert(seen, w);
            open_.push_back(w);
        };
        while (!open_.empty()) {
            auto const x = open_.back();
            open_.pop_back();
            if (up(x))
                for (auto const w : problem_->graph().successors(x)) visit(w);
            for (auto const u : problem_->graph().predecessors(x)) visit(u);
        }
    }

    positional_problem const* problem_;
    std::size_t words_;
    std::vector<word> rows_;
    std::vector<std::uint32_t> open_;
    bool irreducible_ = false, dead_end_ = false;
    std::int64_t time_{};
    bytes memory_ = 0;
    bytes needed_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
