#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_CURVE_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_CURVE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/recompute/frontier_merge.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/lower_set_problem.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble {

/// How to search a family of lower sets.
template <quantity Time = std::int64_t>
struct lower_set_options {
    objective goal = objective::time;
    bool keep_last = false;        ///< the last segment is kept, not recomputed: formula (1) without its term
    Time resolution{};             ///< overheads closer than this may be taken for equal; 0: exact
    std::optional<bytes> budget{}; ///< what needs more by formula (2) is left out; none: the whole curve
    std::optional<Time> overhead{};  ///< what certainly has more by formula (1) is left out; objective time only
};

/// The trade-off between overhead, formula (1), and budget, formula (2), over a family of lower sets: every breakpoint,
/// and the sequence behind it.
template <quantity Time = std::int64_t>
class lower_set_curve {
  public:
    struct breakpoint {
        Time overhead{};
        bytes budget = 0;    ///< formula (2) of the sequence
        Time bound{};        ///< no sequence has less overhead (objective memory: more) within any budget for which
                             ///< `best_within` picks this breakpoint
        friend auto operator==(breakpoint const&, breakpoint const&) -> bool = default;
    };

    lower_set_curve() = default;
    /// From the frontier of ∅, and for every entry of every set (those of set i from starts[i] on) what it continues with.
    lower_set_curve(std::vector<breakpoint> breakpoints, std::vector<std::size_t> starts,
                    std::vector<detail::frontier_link> links)
        : breakpoints_(std::move(breakpoints)), starts_(std::move(starts)), links_(std::move(links)) {}

    /// Budgets descending; overheads ascending (objective memory: descending). Empty where nothing fits.
    [[nodiscard]] auto breakpoints() const noexcept -> std::span<breakpoint const> { return breakpoints_; }
    /// The least budget that any sequence needs.
    [[nodiscard]] auto least_budget() const -> std::optional<bytes> {
        if (breakpoints_.empty()) return std::nullopt;
        return breakpoints_.back().budget;
    }
    /// Position of the best breakpoint within the budget; nothing where none fits.
    [[nodiscard]] auto best_within(bytes budget) const -> std::optional<std::size_t> {
        for (std::size_t k = 0; k < breakpoints_.size(); ++k)
            if (breakpoints_[k].budget <= budget) return k;
        return std::nullopt;
    }
    /// The lower sets behind a breakpoint.  O(k n / 64).
    [[nodiscard]] auto sequence(lower_set_family<Time> const& family, std::size_t breakpoint) const
        -> lower_set_sequence {
        REPEBBLE_ASSERT(breakpoint < breakpoints_.size());
        std::vector<vertex_set> sets;
        std::size_t set = 0;
        std::size_t position = starts_[0] + breakpoint;
        while (set != family.full()) {
            auto const link = links_[position];
            set = link.set;
            position = starts_[set] + link.position;
            sets.push_back(family[set]);
        }
        return sequence_of(sets, family.problem().vertex_count());
    }

  private:
    std::vector<breakpoint> breakpoints_;
    std::vector<std::size_t> starts_;           // per set: its first entry
    std::vector<detail::frontier_link> links_;  // per entry: the entry that it continues with
};

namespace detail {

struct solve_lower_sets_fn {
    template <quantity Time, class Observer = no_progress>
    [[nodiscard]] auto operator()(lower_set_family<Time> const& family, lower_set_options<Time> const& options,
                                  Observer&& observer = {}) const -> lower_set_curve<Time> {
        constexpr auto unlimited = std::numeric_limits<bytes>::max();
        bytes const budget = options.budget.value_or(unlimited);
        std::vector<frontier<Time>> frontiers(family.size());
        auto const most = options.goal == objective::time ? options.overhead : std::nullopt;
        frontier_merge<Time> merge(options.goal, family.time(family.full()), options.resolution,
                                   most.value_or(std::numeric_limits<Time>::max()));
        // Splits are of no use for the greatest overhead, nor where the last segment is kept and they would end that.
        auto const splits = options.goal == objective::time ? family.free_splits() : jagged_array<std::uint32_t>{};
        auto const useless = [&](std::size_t i, std::size_t j) {
            if (options.goal != objective::time || (options.keep_last && j == family.full())) return false;
            for (auto const s : splits[j])
                if (s > i && family.is_subset(i, s)) return true;
            return false;
        };
        frontiers[family.full()] = {{{}}, {Time{}}, {Time{}}};
        [[maybe_unused]] double const all_pairs = static_cast<double>(family.size()) * static_cast<double>(family.size());
        for (std::size_t i = family.full(); i-- > 0;) {
            bytes const left = budget - family.boundary_memory(i);
            family.for_each_superset(i, [&](std::size_t j) {
                if (frontiers[j].points.empty() || useless(i, j)) return;
                auto const segment = family.cost(i, j, options.keep_last);
                if (segment.working <= left) merge.add(frontiers[j], segment, left, static_cast<std::uint32_t>(j));
            });
            frontiers[i] = merge.finish();
            if constexpr (requires { observer.progress(0.5); })
                observer.progress(static_cast<double>(family.size() - i) * static_cast<double>(family.size() - i) / all_pairs);
        }
        return trace(frontiers, options.goal);
    }

  private:
    template <quantity Time>
    static auto trace(std::vector<frontier<Time>> const& frontiers, objective goal) -> lower_set_curve<Time> {
        // Of ∅, whose points are the breakpoints, only those that no other beats in true overhead and budget.
        frontier_order<Time> const order{goal == objective::time};
        auto const& by_budget = frontiers[0].points;
        auto points = by_budget;
        order.sort(points);
        std::vector<typename lower_set_curve<Time>::breakpoint> breakpoints;
        std::vector<frontier_link> links;
        for (auto const& e : points) {
            if (!breakpoints.empty() && e.budget >= breakpoints.back().budget) continue;
            breakpoints.push_back({e.overhead, e.budget, e.bound});
            links.push_back(e.next);
        }
        // A breakpoint stands for all budgets below that of the one before it, and so must its bound.
        std::size_t left = by_budget.size();
        for (std::size_t k = breakpoints.size(); k-- > 0;) {
            auto& bound = breakpoints[k].bound;
            auto const improve = [&](Time other) { bound = order.better(other, bound) ? other : bound; };
            if (k + 1 < breakpoints.size()) improve(breakpoints[k + 1].bound);
            for (; left > 0 && (k == 0 || by_budget[left - 1].budget < breakpoints[k - 1].budget); --left)
                improve(by_budget[left - 1].bound);
        }
        std::vector<std::size_t> starts(1, 0);
        for (std::size_t i = 1; i < frontiers.size(); ++i) {
            starts.push_back(links.size());
            for (auto const& e : frontiers[i].points) links.push_back(e.next);
        }
        return {std::move(breakpoints), std::move(starts), std::move(links)};
    }
};

}  // namespace detail

/// Section 4.2 of Kusumoto et al. 2019 run backwards, for all budgets at once: for every lower set L the frontier of
/// (overhead still to come, budget needed from here on), the cache at L not counted:
///   H[L] = ∪ over L' ⊋ L of { (s + overhead, max(working, cached + h)) : (s, h) ∈ H[L'] },
/// where H[V] = {(0, 0)} and dominated pairs are dropped. H[∅] is the whole curve, and its least h the least budget.
/// Exact over the family where the resolution is 0; otherwise overheads that fall into one cell of that width are
/// merged, the least budget stays exact, and every breakpoint carries a bound on what merging may have cost.
/// `observer.progress(x)`, where there is such a member, hears the share of the work that is done.
/// O(#family² (|∂| + frontier)) time, O(#family · frontier) space.
inline constexpr detail::solve_lower_sets_fn solve_lower_sets{};

}  // namespace repebble

#endif
