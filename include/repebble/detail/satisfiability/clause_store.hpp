#ifndef REPEBBLE_DETAIL_SATISFIABILITY_CLAUSE_STORE_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_CLAUSE_STORE_HPP

// Clauses with two watched literals (Moskewicz et al. 2001, section 2), and deletion of learned clauses by literal
// block distance, here "spread" (Audemard, Simon 2009). Used by the conflict-driven search.
// Invariant: the first two literals of a clause are watched; a clause that propagated has the propagated literal first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/assignment.hpp>
#include <repebble/detail/satisfiability/literal.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

/// Clauses of at least two literals. A clause is looked at only when one of its watched literals becomes false.
class clause_store {
  public:
    /// The index of no clause.
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    void add_variable() { watches_.resize(watches_.size() + 2); }
    /// Adds a clause and returns its index.  spread: 0 for given clauses, for learned ones the number of decision
    /// levels of their literals, by which they are deleted.  Requires: two literals; the first two are unassigned, or
    /// were unassigned last.
    auto add(std::span<literal const> literals, std::uint32_t spread) -> std::uint32_t {
        auto const index = static_cast<std::uint32_t>(clauses_.size());
        clauses_.push_back({literals_.size(), static_cast<std::uint32_t>(literals.size()), spread});
        literals_.insert(literals_.end(), literals.begin(), literals.end());
        if (spread > 0) ++learned_;
        watch(index);
        return index;
    }
    /// Number of learned clauses.
    [[nodiscard]] auto learned_count() const noexcept -> std::size_t { return learned_; }
    /// The literals of a clause; where it propagated a literal, that one is first.
    [[nodiscard]] auto literals_of(std::uint32_t index) const -> std::span<literal const> {
        return std::span(literals_).subspan(clauses_[index].begin, clauses_[index].size);
    }

    /// Unit propagation of a true literal. Returns a clause all of whose literals are false, or `none`.
    auto propagate(literal l, assignment& now) -> std::uint32_t {
        auto& watches = watches_[l.code()];
        auto const falsified = !l;
        auto conflict = none;
        std::size_t kept = 0, k = 0;
        for (; k < watches.size() && conflict == none; ++k) {
            auto const w = watches[k];
            if (now.is_true(w.other)) {
                watches[kept++] = w;
                continue;
            }
            auto const all = std::span(literals_).subspan(clauses_[w.clause].begin, clauses_[w.clause].size);
            if (all[0] == falsified) std::swap(all[0], all[1]);
            auto const first = all[0];
            if (!now.is_true(first)) {
                auto const next =
                    std::find_if(all.begin() + 2, all.end(), [&](literal other) { return !now.is_false(other); });
                if (next != all.end()) {
                    std::swap(all[1], *next);
                    watches_[(!all[1]).code()].push_back({w.clause, first});
                    continue;
                }
                if (now.is_false(first)) {
                    conflict = w.clause;
                } else {
                    now.make_true(first, {literal_reason::kind::clause, w.clause});
                }
            }
            watches[kept++] = {w.clause, first};
        }
        for (; k < watches.size(); ++k) watches[kept++] = watches[k];
        watches.resize(kept);
        return conflict;
    }

    /// Deletes half of the learned clauses, those with the widest spread and among equals the oldest, but none that
    /// spans two levels; and all clauses that are true at level 0.  O(total length).  Requires: level 0; no clause is
    /// the reason of a literal that may still be asked for.
    void forget(assignment const& now) {
        constexpr std::uint32_t for_good = 2;
        std::vector<std::uint32_t> oldest;
        for (std::uint32_t c = 0; c < clauses_.size(); ++c)
            if (clauses_[c].spread > for_good) oldest.push_back(c);
        sort_numbers(oldest, [&](std::uint32_t a, std::uint32_t b) { return clauses_[a].spread > clauses_[b].spread; });
        std::vector<bool> is_deleted(clauses_.size(), false);
        for (std::size_t k = 0; k < oldest.size() / 2; ++k) is_deleted[oldest[k]] = true;
        auto const clauses = std::exchange(clauses_, {});
        auto const literals = std::exchange(literals_, {});
        for (auto& w : watches_) w.clear();
        learned_ = 0;
        std::vector<literal> left;
        for (std::size_t c = 0; c < clauses.size(); ++c) {
            auto const all = std::span(literals).subspan(clauses[c].begin, clauses[c].size);
            if (is_deleted[c] || std::ranges::any_of(all, [&](literal l) { return now.is_true(l); })) continue;
            left.clear();
            std::ranges::copy_if(all, std::back_inserter(left), [&](literal l) { return now.is_open(l); });
            static_cast<void>(add(left, clauses[c].spread));
        }
    }

  private:
    struct clause {
        std::size_t begin;
        std::uint32_t size, spread;
    };
    /// A watch of a clause, with another of its literals: where that is true the clause need not be visited.
    struct watch_entry {
        std::uint32_t clause;
        literal other;
    };
    void watch(std::uint32_t index) {
        auto const all = literals_of(index);
        watches_[(!all[0]).code()].push_back({index, all[1]});
        watches_[(!all[1]).code()].push_back({index, all[0]});
    }

    std::vector<clause> clauses_;
    std::vector<literal> literals_;                  // of the clauses, one after the other
    std::vector<std::vector<watch_entry>> watches_;  // of every literal: those that watch its negation
    std::size_t learned_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
