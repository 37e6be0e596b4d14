#ifndef REPEBBLE_RECOMPUTE_LOWER_SET_CURVE_HPP
#define REPEBBLE_RECOMPUTE_LOWER_SET_CURVE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/recompute/frontier_merge.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/lower_set_problem.hpp>

namespace repebble {

/// How to search a family of lower sets.
template <quantity Time = std::int64_t>
struct lower_set_options {
    objective goal = objective::time;
    bool keep_last = false;        ///< the last segment is kept, not recomputed: formula (1) without its term
    Time resolution{};             ///< overheads closer than this may be taken for equal; 0: exact
    std::optional<bytes> budget{}; ///< what needs more by formula (2) is left out; none: the whole curve
};

/// The trade-off between overhead, formula (1), and budget, formula (2), over a family of lower sets: every breakpoint,
/// and the sequence behind it.
template <quantity Time = std::int64_t>
class lower_set_curve {
  public:
    struct breakpoint {
        Time overhead{};
        bytes budget = 0;    ///< formula (2) of the sequence
        Time bound{};        ///< no sequence within this budget has less overhead (objective memory: more)
        friend auto operator==(breakpoint const&, breakpoint const&) -> bool = default;
    };

    /// Budgets descending; overheads ascending (objective memory: descending). Empty where nothing fits.
    [[nodiscard]] auto breakpoints() const noexcept -> std::span<breakpoint const> { return breakpoints_; }
    /// The least budget that any sequence needs.
    [[nodiscard]] auto least_budget() const -> std::optional<bytes> {
        if (breakpoints_.empty()) return std::nullopt;
        return breakpoints_.back().budget;
    }
    /// Position of the best breakpoint within the budget; nothing where none fits.
    [[nodiscard]] auto best_within(bytes budget) const -> std::optional<std::size_t> {
        auto const at = std::ranges::find_if(breakpoints_, [&](auto const& b) { return b.budget <= budget; });
        if (at == breakpoints_.end()) return std::nullopt;
        return static_cast<std::size_t>(at - breakpoints_.begin());
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
    template <quantity T>
    friend auto solve_lower_sets(lower_set_family<T> const& family, lower_set_options<T> const& options)
        -> lower_set_curve<T>;

    std::vector<breakpoint> breakpoints_;
    std::vector<std::size_t> starts_;           // per set: its first entry
    std::vector<detail::frontier_link> links_;  // per entry: the entry that it continues with
};

/// Section 4.2 of Kusumoto et al. 2019 run backwards, for all budgets at once: for every lower set L the frontier of
/// (overhead still to come, budget needed from here on), the cache at L not counted:
///   H[L] = ∪ over L' ⊋ L of { (s + overhead, max(working, cached + h)) : (s, h) ∈ H[L'] },
/// where H[V] = {(0, 0)} and dominated pairs are dropped. H[∅] is the whole curve, and its least h the least budget.
/// Exact over the family where the resolution is 0; otherwise overheads that fall into one cell of that width are
/// merged, the least budget stays exact, and every breakpoint carries a bound on what merging may have cost.
/// O(#family² (|∂| + frontier)) time, O(#family · frontier) space.
template <quantity Time>
[[nodiscard]] auto solve_lower_sets(lower_set_family<Time> const& family, lower_set_options<Time> const& options)
    -> lower_set_curve<Time> {
    constexpr auto none = std::numeric_limits<bytes>::max();
    bytes const budget = options.budget.value_or(none);
    lower_set_curve<Time> curve;
    curve.starts_.assign(family.size() + 1, 0);
    std::vector<detail::frontier<Time>> frontiers(family.size());
    detail::frontier_merge<Time> merge(options.goal, family.time(family.full()), options.resolution);
    frontiers[family.full()].points.push_back({});
    for (std::size_t i = family.full(); i-- > 0;) {
        bytes const cached_at_least = family.boundary_memory(i);
        family.for_each_superset(i, [&](std::size_t j) {
            if (frontiers[j].points.empty()) return;
            auto const segment = family.cost(i, j, options.keep_last);
            if (segment.working > budget - cached_at_least) return;
            merge.add(frontiers[j], segment.overhead, segment.working, segment.cached, budget - cached_at_least,
                      static_cast<std::uint32_t>(j));
        });
        frontiers[i] = merge.finish();
    }
    for (std::size_t i = 0; i < family.size(); ++i) {
        curve.starts_[i + 1] = curve.starts_[i] + frontiers[i].points.size();
        for (auto const& e : frontiers[i].points) curve.links_.push_back(e.next);
    }
    // A merged cell may hide a better overhead than the one kept; what is hidden anywhere at or below a budget counts.
    for (auto const& e : frontiers[0].points) curve.breakpoints_.push_back({e.overhead, e.budget, e.bound});
    bool const least = options.goal == objective::time;
    for (std::size_t k = curve.breakpoints_.size(); k-- > 1;) {
        auto const& worse = curve.breakpoints_[k];
        auto& bound = curve.breakpoints_[k - 1].bound;
        bound = least ? std::min(bound, worse.bound) : std::max(bound, worse.bound);
    }
    return curve;
}

}  // namespace repebble

#endif
