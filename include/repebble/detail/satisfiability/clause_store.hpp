#ifndef REPEBBLE_DETAIL_SATISFIABILITY_CLAUSE_STORE_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_CLAUSE_STORE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/assignment.hpp>
#include <repebble/detail/satisfiability/literal.hpp>

namespace repebble::inline v0::detail {

/// Clauses of two and more literals, of which one at least is true. Two of each are watched (Moskewicz et al. 2001,
/// section 2): only where one of them becomes false is the clause looked at.
class clause_store {
  public:
    /// No clause.
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    void add_variable() { watches_.resize(watches_.size() + 2); }
    /// Returns its index.  `spread`: 0 of those that are given, and of those that are learned the levels that it spans,
    /// by which they are forgotten.  Requires: two literals, the first two of which are open, or become so last.
    auto add(std::span<literal const> literals, std::uint32_t spread) -> std::uint32_t {
        auto const index = static_cast<std::uint32_t>(clauses_.size());
        clauses_.push_back({literals_.size(), static_cast<std::uint32_t>(literals.size()), spread});
        literals_.insert(literals_.end(), literals.begin(), literals.end());
        if (spread > 0) ++learned_;
        watch(index);
        return index;
    }
    /// How many of them were learned.
    [[nodiscard]] auto learned_count() const noexcept -> std::size_t { return learned_; }
    /// Its literals; the first of them is the one that it made true, if it did.
    [[nodiscard]] auto literals_of(std::uint32_t index) const -> std::span<literal const> {
        return std::span(literals_).subspan(clauses_[index].begin, clauses_[index].size);
    }

    /// What the clauses make true where the literal is. Returns a clause of which all are false, or none.
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
            auto const clause = std::span(literals_).subspan(clauses_[w.clause].begin, clauses_[w.clause].size);
            if (clause[0] == falsified) std::swap(clause[0], clause[1]);
            auto const first = clause[0];
            if (!now.is_true(first)) {
                auto const next =
                    std::find_if(clause.begin() + 2, clause.end(), [&](literal other) { return !now.is_false(other); });
                if (next != clause.end()) {
                    std::swap(clause[1], *next);
                    watches_[(!clause[1]).code()].push_back({w.clause, first});
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

    /// Forgets half of what was learned, of the widest spread and the oldest, but for what spans two levels, and what
    /// is true for good.  O(all).  Requires: level 0; no clause is asked for as a reason any more.
    void forget(assignment const& now) {
        constexpr std::uint32_t for_good = 2;
        std::vector<std::uint32_t> oldest;
        for (std::uint32_t c = 0; c < clauses_.size(); ++c)
            if (clauses_[c].spread > for_good) oldest.push_back(c);
        std::ranges::stable_sort(oldest, std::greater<>{}, [&](std::uint32_t c) { return clauses_[c].spread; });
        std::vector<bool> goes(clauses_.size(), false);
        for (std::size_t k = 0; k < oldest.size() / 2; ++k) goes[oldest[k]] = true;
        auto const clauses = std::exchange(clauses_, {});
        auto const literals = std::exchange(literals_, {});
        for (auto& w : watches_) w.clear();
        learned_ = 0;
        std::vector<literal> left;
        for (std::size_t c = 0; c < clauses.size(); ++c) {
            auto const all = std::span(literals).subspan(clauses[c].begin, clauses[c].size);
            if (goes[c] || std::ranges::any_of(all, [&](literal l) { return now.is_true(l); })) continue;
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
    /// Of a clause, whose other literal may be true already.
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
