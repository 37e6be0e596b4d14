#ifndef REPEBBLE_DETAIL_SATISFIABILITY_CORE_GUIDED_SEARCH_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_CORE_GUIDED_SEARCH_HPP

// Core-guided MaxSAT: a lower bound on the least cost by unsatisfiable cores, OLL (Andres, Kaufmann, Matheis, Schaub
// 2012), with stratification by cost and hardening. Knows nothing of schedules; the planner's bound by clauses uses it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/detail/satisfiability/conflict_search.hpp>
#include <repebble/detail/satisfiability/literal.hpp>
#include <repebble/detail/satisfiability/totalizer.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

/// Raises a lower bound on the total cost of the true literals. Costly literals that cannot all be false are a core:
/// the least of their costs is added to the bound and taken off each, and from then on each further true literal of the
/// core costs as much, counted by a totalizer. Costly literals are assumed to be false first; cheaper ones join when
/// those assumptions are satisfiable, or when the search takes too long.
class core_guided_search {
  public:
    /// Searches for costs below `enough`: a literal that alone costs more is false. Refers to the search, which has the
    /// clauses and rows.
    core_guided_search(conflict_search& search, std::int64_t enough) : search_(search), enough_(enough) {}

    /// Adds to the cost of a literal where it is true.  Requires: cost ≥ 0; the total cost of each literal fits in 64
    /// bits.
    void add_cost(literal l, std::int64_t cost) { costs_of(l).cost += cost; }

    /// Lowers the target `enough`.
    void lower(std::int64_t enough) {
        if (enough >= enough_) return;
        enough_ = enough;
        drop_costly();
    }
    /// Raises the bound until it is exact or `enough`, or stop() is true, which is asked every thousand conflicts.
    template <class Stop>
    void run(Stop&& stop) {
        constexpr std::size_t between_looks = 1000;
        if (round_ == 0) {
            drop_costly();
            begin_rounds();
        }
        while (!is_done()) {
            auto const assumed = assumptions();
            auto end = satisfaction::limit;
            for (std::size_t met = 0; end == satisfaction::limit && met < patience_; met += between_looks) {
                if (stop()) return;
                end = search_.solve(assumed, between_looks);
            }
            if (end == satisfaction::unsatisfiable) {
                pay(search_.core());
                drop_costly();
                continue;
            }
            auto const next = next_round(round_);
            if (next == 0 && end == satisfaction::satisfiable) {
                is_solved_ = true;
            } else if (next == 0) {
                patience_ *= 3;
                begin_rounds();
            } else {
                round_ = next;
            }
        }
    }

    /// The lower bound, at most `enough`.
    [[nodiscard]] auto bound() const -> std::int64_t {
        return search_.is_contradictory() ? enough_ : std::min(bound_, enough_);
    }
    /// Whether the bound is the least cost, or reaches `enough`.
    [[nodiscard]] auto is_done() const -> bool { return is_solved_ || bound_ >= enough_ || search_.is_contradictory(); }

  private:
    /// A literal with a cost; it may be the output of a totalizer.
    struct costly {
        literal lit{};
        std::int64_t cost = 0;
        std::size_t counted_by = none, count = 0;
    };
    static constexpr auto none = std::numeric_limits<std::size_t>::max();

    auto costs_of(literal l) -> costly& {
        places_.resize(std::max(places_.size(), l.code() + 1), none);
        auto& place = places_[l.code()];
        if (place == none) {
            place = costly_.size();
            costly_.push_back({l});
        }
        return costly_[place];
    }
    void begin_rounds() { round_ = std::max<std::int64_t>(1, next_round(std::numeric_limits<std::int64_t>::max())); }
    /// The next stratum: the greatest cost clearly below `below`; 0 where there is none.
    [[nodiscard]] auto next_round(std::int64_t below) const -> std::int64_t {
        std::int64_t most_clearly = 0, most = 0;
        for (auto const& c : costly_) {
            if (c.cost >= below) continue;
            most = std::max(most, c.cost);
            if (c.cost <= below - below / 7) most_clearly = std::max(most_clearly, c.cost);
        }
        return most_clearly > 0 ? most_clearly : most;
    }
    /// The assumptions of this round: literals whose cost is in the stratum are false, the costliest first.
    [[nodiscard]] auto assumptions() const -> std::vector<literal> {
        std::vector<std::pair<std::int64_t, literal>> by_cost;
        for (auto const& c : costly_)
            if (c.cost >= round_) by_cost.emplace_back(c.cost, !c.lit);
        sort_by(by_cost, [](auto const& a, auto const& b) { return a.first > b.first; });
        std::vector<literal> assumed;
        for (auto const& [cost, l] : by_cost) assumed.push_back(l);
        return assumed;
    }
    /// Accounts for a core: at least one of its literals is true.
    void pay(std::vector<literal> const& core) {
        if (core.empty()) return;  // the constraints alone are contradictory
        auto least = std::numeric_limits<std::int64_t>::max();
        std::vector<literal> some;
        for (auto const l : core) {
            some.push_back(!l);
            least = std::min(least, costs_of(!l).cost);
        }
        bound_ += least;
        search_.add_clause(some);
        for (auto const l : some) {
            auto& c = costs_of(l);
            c.cost -= least;
            if (c.counted_by != none) ask_for(c.counted_by, c.count + 1, least);
        }
        if (some.size() == 1) return;
        totalizers_.emplace_back(some);
        ask_for(totalizers_.size() - 1, 2, least);
    }
    /// Adds a cost to the totalizer's output that is true where at least `count` of its literals are.
    void ask_for(std::size_t totalizer, std::size_t count, std::int64_t cost) {
        if (count > totalizers_[totalizer].size()) return;
        auto& c = costs_of(totalizers_[totalizer].at_least(count, search_));
        c.cost += cost;
        c.counted_by = totalizer;
        c.count = count;
    }
    /// Hardening: a literal whose cost would lift the bound to `enough` is false.
    void drop_costly() {
        for (auto& c : costly_)
            if (c.cost > 0 && c.cost >= enough_ - bound_) {
                search_.add_clause(std::vector{!c.lit});
                c.cost = 0;
            }
    }

    conflict_search& search_;
    std::int64_t enough_, bound_ = 0, round_ = 0;
    std::size_t patience_ = 5000;  // conflicts before the next stratum joins
    bool is_solved_ = false;
    std::vector<costly> costly_;
    std::vector<std::size_t> places_;  // index in `costly_` of every literal's code
    std::vector<totalizer> totalizers_;
};

}  // namespace repebble::inline v0::detail

#endif
