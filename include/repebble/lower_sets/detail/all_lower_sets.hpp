#ifndef REPEBBLE_LOWER_SETS_DETAIL_ALL_LOWER_SETS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_ALL_LOWER_SETS_HPP

// The exact curve over all lower sets of a graph, by irreducible blocks (detail/lattice) and windows of overhead
// (detail/passes/exact_curve.hpp). Where there are too many blocks, by the program over all pairs of lower sets.
// Invariant: without a resolution the curve is that of solve_lower_sets over the family of all lower sets.

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <repebble/lower_sets/detail/passes/exact_curve.hpp>
#include <repebble/lower_sets/detail/passes/solve_segments.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>

namespace repebble::inline v0::detail {

/// All lower sets of a problem, enumerated once and searched with different options. The result of `solve_lower_sets`
/// over the family of all of them, for the least overhead much faster. Sequences consist of irreducible blocks, of
/// which a graph has far fewer than pairs of lower sets (proof at `irreducible_blocks`); each is found once and then
/// listed for all lower sets that it can follow. Curves refer to the problem, which must outlive them. O(#L (n / 64 +
/// degree²)
/// + blocks · n / 64 + arcs · frontier) time, where an arc is a pair of a lower set and a block that can follow it.
class all_lower_sets {
  public:
    /// Refers to the problem. Throws limit_reached where there are more lower sets than `limit`.
    all_lower_sets(lower_set_problem const& problem, std::size_t limit)
        : all_lower_sets(problem, limit, exact_curve_search(problem, limit)) {
        search_.require_complete();
    }
    /// Nothing where there are more lower sets than `limit`, or stop() returned true.
    [[nodiscard]] static auto within(lower_set_problem const& problem, std::size_t limit, stop_test stop = never_stop{})
        -> std::optional<all_lower_sets> {
        exact_curve_search search(problem, limit, stop);
        if (!search.complete()) return std::nullopt;
        return all_lower_sets(problem, limit, std::move(search));
    }

    static constexpr bool finds_best = true;  ///< the search with `best_only` is faster than the whole curve

    [[nodiscard]] auto size() const noexcept -> std::size_t { return search_.lower_set_count(); }
    [[nodiscard]] auto problem() const noexcept -> lower_set_problem const& { return *problem_; }

    template <class Observer>
    [[nodiscard]] auto curve(lower_set_options const& options, Observer&& observer) const -> lower_set_curve {
        if (auto found = search_.run(options, observer)) return *std::move(found);
        auto family = std::make_shared<lower_set_family const>(
            lower_set_family::all(*problem_, limit_, [&] { return is_over(observer); }));
        return solve_family(std::move(family), options, observer);
    }

  private:
    all_lower_sets(lower_set_problem const& problem, std::size_t limit, exact_curve_search search)
        : problem_(&problem), limit_(limit), search_(std::move(search)) {}

    lower_set_problem const* problem_;
    std::size_t limit_;
    exact_curve_search search_;
};

}  // namespace repebble::inline v0::detail

#endif
