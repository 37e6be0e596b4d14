#ifndef REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_LOCAL_IMPROVEMENT_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_IMPROVE_LOCAL_IMPROVEMENT_HPP

// Local improvement of tree decompositions (Fichte, Lodha, Szeider 2017, there by a SAT solver): a region around a
// widest bag is decomposed anew, by an exact decision if small, else by random heuristics, and replaced if that narrows
// it. `best_elimination` runs rounds of proposals in parallel.
// Invariant: (width, number of widest eliminations) never increases.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/treewidth/detail/improve/decomposition_region.hpp>

namespace repebble::inline v0::detail {

/// The width of an order, and the number of vertices with that degree at their elimination.
struct width_count {
    std::size_t width = 0, count = 0;

    friend auto operator<=>(width_count const&, width_count const&) = default;
};
[[nodiscard]] auto widths_of(undirected_graph const& g, std::span<undirected_graph::vertex const> order) -> width_count;

/// An elimination order that improves by regions. The graph must outlive it.
class local_improvement {
  public:
    using vertex = undirected_graph::vertex;

    /// A replacement for a region.
    struct proposal {
        decomposition_region region;
        elimination_order order;  // of the region's graph
        width_count before, after;

        /// The decrease in the number of eliminations of the former width.
        [[nodiscard]] auto gain() const -> std::size_t {
            return before.count - (after.width == before.width ? after.count : 0);
        }
    };

    local_improvement(undirected_graph const& g, elimination_order start) : g_(g) { begin(std::move(start)); }

    [[nodiscard]] auto width() const noexcept -> std::size_t { return current_.width; }
    [[nodiscard]] auto order() const noexcept -> elimination_order const& { return order_; }

    /// A replacement for a random region, no wider than the region; nullopt if none is found. Thread-safe. Stops early
    /// when `is_over()` returns true.
    [[nodiscard]] auto propose(std::uint64_t seed, stop_test is_over = never_stop{}) const -> std::optional<proposal>;
    /// Applies a proposal.  Requires: it was made after the last one applied.
    void take(proposal const& better) { begin(better.region.complete_order(better.order)); }

  private:
    static constexpr std::size_t most_vertices = 20'000, tries = 4;
    static constexpr std::size_t most_decided = 256, most_decided_width = 24,
                                 decided_states = 10'000;  // limits of exact decisions

    void begin(elimination_order order);

    undirected_graph const& g_;
    elimination_order order_;
    width_count current_;
    std::unique_ptr<bag_tree const> tree_;  // stable address for proposals
    std::vector<std::uint32_t> widest_;     // the widest bags
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/local_improvement.ipp>
#endif

#endif
