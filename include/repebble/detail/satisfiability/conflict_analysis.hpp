#ifndef REPEBBLE_DETAIL_SATISFIABILITY_CONFLICT_ANALYSIS_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_CONFLICT_ANALYSIS_HPP

// Conflict analysis: first unique implication points (Marques-Silva, Sakallah 1999), recursive minimisation of learned
// clauses (Sörensson, Biere 2009), and cores over assumptions. Used by the conflict-driven search.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/assignment.hpp>
#include <repebble/detail/satisfiability/literal.hpp>

namespace repebble::inline v0::detail {

/// Derives clauses and cores from conflicts. In each function `because(l)` returns the literals, all false, that imply
/// l; `false_` is the conflict: literals that cannot all be false.
class conflict_analysis {
  public:
    void add_variable() { is_seen_.push_back(0); }

    /// Returns the learned clause, implied by the constraints: exactly one of its literals is of the conflict level,
    /// the first unique implication point, and stands first; the second is of the next lower level. Calls
    /// bump(variable) for each variable of the conflict.  Requires: a literal of the conflict level, which is not 0.
    template <class Because, class Bump>
    auto learn(std::span<literal const> false_, assignment const& now, Because&& because, Bump&& bump)
        -> std::vector<literal> const& {
        learned_.assign(1, {});
        std::size_t open = 0;
        auto const look_at = [&](std::span<literal const> why) {
            for (auto const l : why) {
                if (!see(l, now)) continue;
                bump(l.variable());
                if (now.level_of(l) == now.level())
                    ++open;
                else
                    learned_.push_back(l);
            }
        };
        look_at(false_);
        auto const& trail = now.trail();
        for (auto place = trail.size();;) {
            while (!is_seen(trail[--place])) {
            }
            auto const l = trail[place];
            learned_.front() = !l;
            if (--open == 0) break;
            look_at(because(l));
        }
        std::erase_if(learned_, [&](literal l) {
            return !(l == learned_.front()) && !now.is_decision(l) && follows(l, now, because);
        });
        if (learned_.size() > 1)
            std::iter_swap(learned_.begin() + 1, std::ranges::max_element(learned_.begin() + 1, learned_.end(), {},
                                                                          [&](literal l) { return now.level_of(l); }));
        forget_seen();
        return learned_;
    }
    /// Number of decision levels among the literals (literal block distance).
    [[nodiscard]] auto spread_of(std::span<literal const> literals, assignment const& now) -> std::uint32_t {
        stamps_.resize(std::max(stamps_.size(), now.level() + 1), 0);
        ++stamp_;
        std::uint32_t spread = 0;
        for (auto const l : literals)
            if (std::exchange(stamps_[now.level_of(l)], stamp_) != stamp_) ++spread;
        return spread;
    }
    /// Appends the decisions that imply the conflict.  Requires: all decisions were made at level 1.
    template <class Because>
    void trace(std::span<literal const> false_, assignment const& now, Because&& because,
               std::vector<literal>& decisions) {
        for (auto const l : false_) see(l, now);
        auto const& trail = now.trail();
        for (auto place = trail.size(); place-- > now.first_decision();) {
            auto const l = trail[place];
            if (!is_seen(l)) continue;
            if (now.is_decision(l)) {
                decisions.push_back(l);
            } else {
                for (auto const why : because(l)) see(why, now);
            }
        }
        forget_seen();
    }

  private:
    [[nodiscard]] auto is_seen(literal l) const -> bool { return is_seen_[l.variable()] != 0; }
    /// Marks a literal. Returns false where it was marked before, or is assigned at level 0.
    auto see(literal l, assignment const& now) -> bool {
        if (is_seen(l) || now.level_of(l) == 0) return false;
        is_seen_[l.variable()] = 1;
        seen_.push_back(l.variable());
        return true;
    }
    void forget_seen(std::size_t but = 0) {
        for (auto k = but; k < seen_.size(); ++k) is_seen_[seen_[k]] = 0;
        seen_.resize(but);
    }
    /// Whether a literal is implied by marked ones, so that it may be left out (Sörensson, Biere 2009); the literals on
    /// the way are marked then.
    template <class Because>
    auto follows(literal l, assignment const& now, Because&& because) -> bool {
        constexpr std::size_t most = 200;  // literals visited
        auto const before = seen_.size();
        open_.assign(1, l);
        while (!open_.empty()) {
            auto const next = open_.back();
            open_.pop_back();
            for (auto const why : because(!next)) {
                if (!see(why, now)) continue;
                if (now.is_decision(why) || seen_.size() > before + most) {
                    forget_seen(before);
                    return false;
                }
                open_.push_back(why);
            }
        }
        return true;
    }

    std::vector<std::uint8_t> is_seen_;  // of every variable
    std::vector<std::uint32_t> seen_;
    std::vector<literal> learned_, open_;
    std::vector<std::uint64_t> stamps_;  // of every level
    std::uint64_t stamp_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
