#ifndef REPEBBLE_DECOMPOSITION_EXACT_TREEWIDTH_HPP
#define REPEBBLE_DECOMPOSITION_EXACT_TREEWIDTH_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/join_orders.hpp>
#include <repebble/decomposition/safe_reductions.hpp>
#include <repebble/decomposition/safe_separators.hpp>
#include <repebble/decomposition/treewidth_at_most.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_bounds.hpp>
#include <repebble/decomposition/width_decision.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble {

/// Between what a treewidth lies, both proven, and an order of the upper width.
struct treewidth_bounds {
    std::size_t lower = 0, upper = 0;
    elimination_order order{};

    [[nodiscard]] auto is_exact() const noexcept -> bool { return lower == upper; }
    friend auto operator==(treewidth_bounds const&, treewidth_bounds const&) -> bool = default;
};

namespace detail {

class treewidth_search {
  public:
    explicit treewidth_search(width_limits limits) : limits_(limits) {}

    [[nodiscard]] auto run(undirected_graph const& g) -> treewidth_bounds {
        low_ = contraction_bound(g, tries);
        treewidth_bounds found;
        found.order = order_of_any(g);
        found.upper = eliminate(g, found.order).width;
        found.lower = low_;
        return found;
    }

  private:
    static constexpr std::size_t tries = 5;

    /// As wide as the treewidth or as `low_`, unless a limit was reached.
    [[nodiscard]] auto order_of_any(undirected_graph const& g) -> elimination_order {
        auto reduced = reduce_safely(g, low_);
        low_ = reduced.low;
        auto order = std::move(reduced.eliminated);
        if (reduced.kernel.vertex_count() == 0) return order;
        auto const rest = order_of_reduced(reduced.kernel);
        for (auto const v : rest) order.push_back(reduced.names[v]);
        return order;
    }
    [[nodiscard]] auto order_of_reduced(undirected_graph const& g) -> elimination_order {
        auto const filled = min_fill(g);
        if (filled.width <= low_) return filled.order;
        auto const atoms = split_safely(g);
        for (auto const& atom : atoms) low_ = std::max(low_, contraction_bound(atom.graph, tries));
        if (filled.width <= low_) return filled.order;
        if (atoms.size() == 1) return order_of_atom(g, filled);
        std::vector<elimination_order> orders;
        for (auto const& atom : atoms) orders.push_back(order_of_any(atom.graph));
        return join_orders(g.vertex_count(), atoms, orders);
    }
    [[nodiscard]] auto order_of_atom(undirected_graph const& g, ordered_elimination const& filled)
        -> elimination_order {
        for (auto k = low_; k < filled.width; ++k) {
            auto const reduced = reduce_safely(g, k);
            if (reduced.kernel.vertex_count() < g.vertex_count()) return order_of_any(g);
            auto decided = treewidth_at_most(g, k, left());
            if (!decided.answer) break;
            if (*decided.answer) return std::move(decided.order);
            low_ = k + 1;
        }
        return filled.order;
    }
    [[nodiscard]] auto left() const -> width_limits {
        auto limits = limits_;
        if (limits.seconds) *limits.seconds -= (thread_clock::now() - begin_).count();
        return limits;
    }

    width_limits limits_;
    thread_clock::time_point begin_ = thread_clock::now();
    std::size_t low_ = 0;  // the treewidth of the whole graph is not below
};

struct exact_treewidth_fn {
    [[nodiscard]] auto operator()(undirected_graph const& g, width_limits limits = {}) const -> treewidth_bounds {
        return treewidth_search(limits).run(g);
    }
};

}  // namespace detail

/// The treewidth of a graph and an order of that width, or bounds where a limit was reached. Reductions and separators
/// that lose nothing take the graph apart; of what is left, widths are tried from the lower bound of
/// `contraction_bound` up to that of `min_fill`. For graphs with a small treewidth, or a small gap between those.
inline constexpr detail::exact_treewidth_fn exact_treewidth{};

}  // namespace repebble

#endif
