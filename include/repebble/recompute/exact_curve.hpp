#ifndef REPEBBLE_RECOMPUTE_EXACT_CURVE_HPP
#define REPEBBLE_RECOMPUTE_EXACT_CURVE_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/recompute/block_arcs.hpp>
#include <repebble/recompute/lattice_segments.hpp>
#include <repebble/recompute/least_budget_proof.hpp>
#include <repebble/recompute/lower_set_curve.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/lower_set_lattice.hpp>
#include <repebble/recompute/lower_set_problem.hpp>
#include <repebble/recompute/ordered_problem.hpp>
#include <repebble/recompute/overhead_ceiling.hpp>
#include <repebble/recompute/solve_lower_sets.hpp>
#include <repebble/recompute/solve_segments.hpp>

namespace repebble::detail {

/// Curves of which each speaks of less budget, and more overhead, than the one before it.
template <quantity Time>
class joined_curves final : public sequence_source {
  public:
    [[nodiscard]] static auto join(std::vector<lower_set_curve<Time>> parts) -> lower_set_curve<Time> {
        if (parts.size() == 1) return std::move(parts.front());
        std::vector<typename lower_set_curve<Time>::breakpoint> all;
        for (auto const& p : parts) all.insert(all.end(), p.breakpoints().begin(), p.breakpoints().end());
        return {std::move(all), std::make_shared<joined_curves>(std::move(parts))};
    }
    explicit joined_curves(std::vector<lower_set_curve<Time>> parts) : parts_(std::move(parts)) {}

    [[nodiscard]] auto sequence(std::size_t breakpoint) const -> lower_set_sequence override {
        std::size_t part = 0;
        for (; breakpoint >= parts_[part].breakpoints().size(); ++part) breakpoint -= parts_[part].breakpoints().size();
        return parts_[part].sequence(breakpoint);
    }

  private:
    std::vector<lower_set_curve<Time>> parts_;
};

/// The curve of the least overhead over all lower sets, by irreducible blocks.
///
/// How many blocks there are depends on how much overhead one may have, and only those matter that need less memory
/// than known sequences that have no more overhead. The pruned family knows some. Where with these there are about as
/// many blocks as in a chain, that is all. If not, the curve is found from its cheap end, in parts: with blocks of
/// little overhead, and then, doubling, with blocks of more, for what needs less than the parts before. It ends where
/// it has reached the least budget, which `is_least_budget` may see early.
template <quantity Time>
class exact_curve_search {
  public:
    /// Refers to the problem. Throws limit_reached where there are more lower sets than `lower_set_limit`.
    exact_curve_search(lower_set_problem<Time> const& problem, std::size_t lower_set_limit)
        : problem_(&problem),
          lattice_(std::make_shared<lower_set_lattice<Time> const>(ordered_problem<Time>(problem), lower_set_limit)) {}

    [[nodiscard]] auto lower_set_count() const noexcept -> std::size_t { return lattice_->size(); }

    /// Nothing where there are too many blocks to keep. Requires: the least overhead is wanted.
    template <class Observer>
    [[nodiscard]] auto run(lower_set_options<Time> options, Observer&& observer) const
        -> std::optional<lower_set_curve<Time>> {
        Time const whole = lattice_->time(lattice_->full());
        Time const most = std::min(options.overhead.value_or(whole), whole);
        auto const family = lower_set_family<Time>::pruned(*problem_);
        auto const known = solve_lower_sets(family, options, no_progress{});
        auto const n = problem_->vertex_count();
        std::size_t blocks = 0;
        options.overhead = most;
        if (auto found = solve(options, known, std::max(n * n / 2, few_sets), blocks, observer)) return found;
        std::vector<lower_set_curve<Time>> parts;
        for (Time window = std::max(static_cast<Time>(whole / 64), Time{1});; window = window + window) {
            bool const last = !(window < most);
            options.overhead = last ? most : window;
            auto found = solve(options, known, most_sets, blocks, observer);
            if (!found) return std::nullopt;
            if (last || !found->breakpoints().empty()) parts.push_back(std::move(*found));
            if (last || (!parts.empty() && (options.best_only || is_whole(parts.back(), blocks / 4)))) break;
            if (!parts.empty()) options.budget = *parts.back().least_budget() - 1;
        }
        return joined_curves<Time>::join(std::move(parts));
    }

  private:
    static constexpr std::size_t few_sets = 8'192;
    static constexpr std::size_t most_sets = 20'000'000;
    static constexpr std::size_t most_arcs = 20'000'000;

    /// The curve within the options, of blocks found among so many convex sets; nothing where these are not enough.
    template <class Observer>
    [[nodiscard]] auto solve(lower_set_options<Time> const& options, lower_set_curve<Time> const& known,
                             std::size_t sets, std::size_t& blocks, Observer& observer) const
        -> std::optional<lower_set_curve<Time>> {
        overhead_ceiling<Time> ceiling(*options.overhead, options.budget.value_or(std::numeric_limits<bytes>::max()));
        for (auto const& b : known.breakpoints()) ceiling.learn(b.budget, b.overhead);
        block_arcs<Time> arcs(*lattice_, ceiling, sets, most_arcs);
        if (!arcs.complete()) return std::nullopt;
        blocks = arcs.block_count();
        return solve_segments(lattice_segments<Time>(lattice_, std::move(arcs), ceiling, options.keep_last), options,
                              observer);
    }

    /// Whether a curve surely ends at the least budget.
    [[nodiscard]] auto is_whole(lower_set_curve<Time> const& curve, std::size_t effort) const -> bool {
        return is_least_budget(*problem_, lattice_->problem(), curve.sequence(curve.breakpoints().size() - 1), effort);
    }

    lower_set_problem<Time> const* problem_;
    std::shared_ptr<lower_set_lattice<Time> const> lattice_;
};

}  // namespace repebble::detail

#endif
