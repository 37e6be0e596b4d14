#ifndef REPEBBLE_DECOMPOSITION_MINOR_BOUND_HPP
#define REPEBBLE_DECOMPOSITION_MINOR_BOUND_HPP

// Lower bounds on treewidth from minors that are decided exactly: no minor has a larger treewidth than its graph.
// Minors come from the contractions of `contraction_bound` or from regions of a tree decomposition; `treewidth_at_most`
// decides them. `treewidth` calls both forms.
// Invariant: the bound only rises, and each rise is proven.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/decomposition/detail/improve/decomposition_region.hpp>
#include <repebble/decomposition/safe_reductions.hpp>
#include <repebble/decomposition/treewidth_at_most.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_bounds.hpp>
#include <repebble/decomposition/width_decision.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble::inline v0 {

namespace detail {

/// A lower bound on the treewidth of a graph, raised by its minors.
class rising_bound {
  public:
    rising_bound(std::size_t low, width_limits limits) : low_(low), limits_(limits) {}

    [[nodiscard]] auto value() const noexcept -> std::size_t { return low_; }
    [[nodiscard]] auto is_over() const -> bool { return limits_.seconds && seconds_left() <= 0; }

    /// Whether the treewidth of a minor exceeds the bound, which then rises by at least one; nullopt if the limits end
    /// the decision. Uses 1 / part of the states.
    [[nodiscard]] auto try_minor(undirected_graph const& minor, std::size_t part = 1) -> std::optional<bool> {
        auto limits = limits_;
        limits.most_states /= part;
        if (limits.seconds) limits.seconds = seconds_left();
        auto const reduced = reduce_safely(minor, low_);
        if (reduced.low <= low_) {
            auto const decided = treewidth_at_most(reduced.kernel, low_, limits);
            if (decided.answer != std::optional(false)) return decided.answer ? std::optional(false) : std::nullopt;
        }
        low_ = std::max(low_ + 1, reduced.low);
        return true;
    }

  private:
    [[nodiscard]] auto seconds_left() const -> double {
        return *limits_.seconds - (thread_clock::now() - begin_).count();
    }

    std::size_t low_;
    width_limits limits_;
    thread_clock::time_point begin_ = thread_clock::now();
};

struct minor_bound_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, std::size_t low, width_limits limits = {}) const
        -> std::size_t {
        static constexpr std::array<std::size_t, 6> sizes{400, 250, 150, 100, 60, 40};
        rising_bound bound(low, limits);
        std::vector<undirected_graph> minors;
        contraction run(g, 0);
        for (auto const size : sizes)
            if (g.vertex_count() > size) minors.push_back(run.minor(size));
        while (!minors.empty() && !bound.is_over())
            if (bound.try_minor(minors.back()) != std::optional(true)) minors.pop_back();
        return bound.value();
    }
    [[nodiscard]] auto operator()(undirected_graph const& g, std::span<undirected_graph::vertex const> order,
                                  std::size_t low, width_limits limits = {}, std::uint64_t seed = 1) const
        -> std::size_t {
        rising_bound bound(low, limits);
        bag_tree const tree(g, order);
        auto const width = tree.made.width();
        auto const widest = tree.widest();
        split_mix random(seed);
        auto const is_over = [&] { return bound.value() >= width || bound.is_over(); };
        // Few states first: decisions that need many take long and often stay open.
        for (auto const part : {std::size_t{16}, std::size_t{4}, std::size_t{1}}) {
            auto size_limit = std::min<std::size_t>(g.vertex_count(), 1000);  // vertices of a region
            for (auto size = 2 * width + 10; size < size_limit && !is_over(); size += size / 2) {
                decomposition_region const region(g, tree, widest[random.below(widest.size())], size, random);
                auto const minor = region.minor();
                auto raised = bound.try_minor(minor, part);
                while (raised == std::optional(true) && !is_over()) raised = bound.try_minor(minor, part);
                if (!raised) size_limit = size;  // larger ones are not easier
            }
        }
        return bound.value();
    }
};

}  // namespace detail

/// A lower bound on treewidth, from a known bound `low`.
///
/// `minor_bound(g, low)` decides minors from the contractions of `contraction_bound`. `minor_bound(g, order, low)`
/// decides regions around the widest bags of the order's tree decomposition, with the rest of the graph contracted into
/// them: larger and larger regions as long as they can be decided. The cause of a large width is often local: ten of a
/// network's sixty-four steps are as wide as all of them. The bound ends at the order's width.
///
/// The states limit each decision, the seconds all of them together.  Throws bad_graph unless the order names every
/// vertex once.
inline constexpr detail::minor_bound_fn minor_bound{};

}  // namespace repebble::inline v0

#endif
