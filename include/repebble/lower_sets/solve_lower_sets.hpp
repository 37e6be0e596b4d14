#ifndef REPEBBLE_LOWER_SETS_SOLVE_LOWER_SETS_HPP
#define REPEBBLE_LOWER_SETS_SOLVE_LOWER_SETS_HPP

// The dynamic program of Kusumoto et al. 2019, section 4.2, over a family of lower sets, for all budgets at once. The
// passes are in detail/passes; recompute's lower-set strategies call it with the pruned family (section 4.3).
// Invariant: without a resolution the curve is exact over the family.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/detail/passes/solve_segments.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0 {

namespace detail {

/// The segments between the sets of a family, less the dominated ones, as the passes read them (backward_pass.hpp).
class family_segments {
  public:
    family_segments(std::shared_ptr<lower_set_family const> family, lower_set_options const& options)
        : family_(std::move(family)), keep_last_(options.keep_last), least_(options.goal == objective::time) {
        if (least_) splits_ = family_->free_splits();
        for (std::uint32_t i = 0; i < family_->size(); ++i) nodes_.push_back(i);
    }

    [[nodiscard]] auto size() const { return family_->size(); }
    [[nodiscard]] auto vertex_count() const { return family_->problem().vertex_count(); }
    [[nodiscard]] auto time() const { return family_->time(family_->full()); }
    /// T(V ∖ L_i).
    [[nodiscard]] auto time_left(std::size_t i) const { return time() - family_->time(i); }
    [[nodiscard]] auto least_before(std::size_t i) const { return spent{std::int64_t{}, family_->boundary_memory(i)}; }
    [[nodiscard]] auto make(std::size_t i) const -> vertex_set { return (*family_)[i]; }
    [[nodiscard]] auto nodes() const -> std::span<std::uint32_t const> { return nodes_; }
    [[nodiscard]] auto is_serial(std::size_t) const -> bool { return false; }
    [[nodiscard]] auto has_serial() const -> bool { return false; }
    template <class F>
    void for_each_from(std::size_t i, F&& f) const {
        family_->for_each_superset(i, [&](std::size_t j) {
            if (!is_dominated(i, j)) f(static_cast<std::uint32_t>(j), [&] { return family_->cost(i, j, keep_last_); });
        });
    }

  private:
    // Splits do not dominate for the greatest overhead, nor where they would shorten a last segment that is kept.
    [[nodiscard]] auto is_dominated(std::size_t i, std::size_t j) const -> bool {
        if (!least_ || (keep_last_ && j == family_->full())) return false;
        for (auto const s : splits_[j])
            if (s > i && family_->is_subset(i, s)) return true;
        return false;
    }

    std::shared_ptr<lower_set_family const> family_;
    bool keep_last_;
    bool least_;
    jagged_array<std::uint32_t> splits_;
    std::vector<std::uint32_t> nodes_;
};

struct solve_lower_sets_fn {
    template <class Observer = no_progress>
    [[nodiscard]] auto operator()(lower_set_family const& family, lower_set_options const& options,
                                  Observer&& observer = {}) const -> lower_set_curve {
        std::shared_ptr<lower_set_family const> const borrowed(std::shared_ptr<void>{}, &family);
        return solve_segments(family_segments(borrowed, options), options, observer);
    }
};

}  // namespace detail

/// The trade-off curve over a family of lower sets, by the dynamic program of Kusumoto et al. 2019, section 4.2, run
/// backward: for every lower set L the frontier of (remaining overhead, budget of the remaining segments), the cache at
/// L not counted:
///   H[L] = ∪ over L' ⊋ L of { (s + overhead, max(working, cached + h)) : (s, h) ∈ H[L'] },
/// where H[V] = {(0, 0)} and dominated pairs are discarded. H[∅] is the whole curve, and its least h the least budget.
/// Exact over the family where the resolution is 0; otherwise overheads in one cell of that width are merged, the least
/// budget stays exact, and every breakpoint has a bound on the loss by merging.
/// The curve refers to the family, which must outlive it. `observer.progress(x)`, where there is such a member, is
/// called with the share of the work that is done. O(#family² (|∂| + frontier)) time, O(#family · frontier) space.
/// Throws bad_weight where the resolution is negative, bad_option where there are no threads.
inline constexpr detail::solve_lower_sets_fn solve_lower_sets{};

}  // namespace repebble::inline v0

#endif
