#ifndef REPEBBLE_IMPL_TREEWIDTH_MINOR_BOUND_IPP
#define REPEBBLE_IMPL_TREEWIDTH_MINOR_BOUND_IPP

#include <repebble/treewidth/detail/bounds/minor_bound.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/treewidth/detail/exact/safe_reductions.hpp>
#include <repebble/treewidth/detail/exact/treewidth_at_most.hpp>
#include <repebble/treewidth/detail/improve/decomposition_region.hpp>
#include <repebble/treewidth/width_bounds.hpp>

namespace repebble::inline v0::detail {

/// A lower bound on the treewidth of a graph, raised by its minors.
class rising_bound {
  public:
    rising_bound(std::size_t low, width_limits limits) : low_(low), limits_(limits) {}

    [[nodiscard]] auto value() const noexcept -> std::size_t { return low_; }
    [[nodiscard]] auto is_over() const -> bool {
        return (limits_.stop && (*limits_.stop)()) || (limits_.seconds && seconds_left() <= 0);
    }

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
        return *limits_.seconds - (wall_clock::now() - begin_).count();
    }

    std::size_t low_;
    width_limits limits_;
    wall_clock::time_point begin_ = wall_clock::now();
};

REPEBBLE_INLINE auto minor_bound(undirected_graph const& g, std::size_t low, width_limits limits) -> std::size_t {
    static constexpr std::array<std::size_t, 6> sizes{400, 250, 150, 100, 60, 40};
    detail::rising_bound bound(low, limits);
    std::vector<undirected_graph> minors;
    detail::contraction run(g, 0);
    for (auto const size : sizes)
        if (g.vertex_count() > size) minors.push_back(run.minor(size));
    while (!minors.empty() && !bound.is_over())
        if (bound.try_minor(minors.back()) != std::optional(true)) minors.pop_back();
    return bound.value();
}

REPEBBLE_INLINE auto minor_bound(undirected_graph const& g, std::span<undirected_graph::vertex const> order,
                                 std::size_t low, width_limits limits, std::uint64_t seed) -> std::size_t {
    detail::rising_bound bound(low, limits);
    detail::bag_tree const tree(g, order);
    auto const width = tree.made.width();
    auto const widest = tree.widest();
    detail::split_mix random(seed);
    auto const is_over = [&] { return bound.value() >= width || bound.is_over(); };
    // Few states first: decisions that need many take long and often stay open.
    for (auto const part : {std::size_t{16}, std::size_t{4}, std::size_t{1}}) {
        auto size_limit = std::min<std::size_t>(g.vertex_count(), 1000);  // vertices of a region
        for (auto size = 2 * width + 10; size < size_limit && !is_over(); size += size / 2) {
            detail::decomposition_region const region(g, tree, widest[random.below(widest.size())], size, random);
            auto const minor = region.minor();
            auto raised = bound.try_minor(minor, part);
            while (raised == std::optional(true) && !is_over()) raised = bound.try_minor(minor, part);
            if (!raised) size_limit = size;  // larger ones are not easier
        }
    }
    return bound.value();
}

}  // namespace repebble::inline v0::detail

#endif
