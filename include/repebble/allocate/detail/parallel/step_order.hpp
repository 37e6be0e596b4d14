#ifndef REPEBBLE_ALLOCATE_DETAIL_PARALLEL_STEP_ORDER_HPP
#define REPEBBLE_ALLOCATE_DETAIL_PARALLEL_STEP_ORDER_HPP

// The transitive closure of a step graph as bit sets of ancestors, filled in topological order.
// `share_in_parallel`, `find_race` and `find_sharing_dependencies` ask it whether one step ends before another
// starts.
// Invariant: discards and other steps without edges and buffers share number 0 and cost no memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/allocate/step_graph.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// The precedence relation of steps that holds in every run.  n²/8 bytes for n steps with edges or buffers.
class step_order {
  public:
    /// The empty relation on the steps of a graph; `more` are edges to come.
    explicit step_order(step_graph const& steps, std::span<csr_graph::edge const> more = {})
        : number_(steps.dependencies.vertex_count(), 0) {
        auto const& g = steps.dependencies;
        for (std::size_t s = 0; s < number_.size(); ++s)
            if (!g.successors(s).empty() || !g.predecessors(s).empty()) number_[s] = 1;
        for (auto const& touching : steps.touches)
            for (auto const s : touching) number_[s] = 1;
        for (auto const& [a, b] : more) number_[a] = number_[b] = 1;
        std::uint32_t count = 0;  // number 0: steps without edges
        for (auto& n : number_)
            if (n != 0) n = ++count;
        closed_.assign(count + 1, vertex_set(count + 1));
        for (std::size_t n = 0; n <= count; ++n) closed_[n].insert(n);
    }

    /// Puts a, with all its ancestors, before b.  Requires: b has no descendant yet.
    void put_before(std::size_t a, std::size_t b) { closed_[number_[b]] |= closed_[number_[a]]; }

    /// Whether step a ends before step b starts.
    [[nodiscard]] auto before(std::size_t a, std::size_t b) const -> bool {
        return a != b && closed_[number_[b]].contains(number_[a]) && number_[a] != 0;
    }

  private:
    std::vector<std::uint32_t> number_;
    std::vector<vertex_set> closed_{};
};

/// The relation that a step graph and more edges imply.  O(m n / 64).  Throws not_a_dag.
[[nodiscard]] inline auto order_of(step_graph const& steps, std::span<csr_graph::edge const> more = {}) -> step_order {
    auto const& own = steps.dependencies;
    std::vector<csr_graph::edge> edges(more.begin(), more.end());
    for (std::size_t s = 0; s < own.vertex_count(); ++s)
        for (auto const t : own.successors(s)) edges.emplace_back(static_cast<step_index>(s), t);
    csr_graph const all(own.vertex_count(), edges);  // also validates the edges
    step_order order(steps, more);
    for (auto const s : kahn_order(all, false, false))
        for (auto const p : all.predecessors(s)) order.put_before(p, s);
    return order;
}

}  // namespace repebble::inline v0::detail

#endif
