#ifndef REPEBBLE_DETAIL_MAXIMUM_FLOW_RESIDUAL_NETWORK_HPP
#define REPEBBLE_DETAIL_MAXIMUM_FLOW_RESIDUAL_NETWORK_HPP

// The residual network of a flow problem in compressed rows, with preflow excess at the nodes. Shared by the
// push-relabel method and the cuts read from it.  Invariant: arc e and reverse[e] together have the capacity of the arc
// that was added.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace repebble::inline v0::detail {

/// A flow network with residual capacities; each arc lies in the row of the node where it begins, and has a reverse
/// arc.
struct residual_network {
    using node = std::uint32_t;
    using arc = std::uint32_t;

    struct new_arc {
        node from, to;
        std::int64_t capacity;
    };

    node source = 0, sink = 0;
    std::vector<arc> start{};              ///< of every node: its first arc; the last entry is their number
    std::vector<node> to{};                ///< of every arc: the node where it ends
    std::vector<arc> reverse{};            ///< of every arc: its reverse
    std::vector<std::int64_t> residual{};  ///< of every arc: its residual capacity
    std::vector<std::int64_t> excess{};    ///< of every node: inflow minus outflow

    [[nodiscard]] auto nodes() const noexcept -> std::size_t { return start.size() - 1; }

    /// Replaces all arcs. Returns the index in the network of each given arc.  O(nodes + arcs).
    auto assign(std::size_t node_count, std::vector<new_arc> const& arcs) -> std::vector<arc> {
        start.assign(node_count + 1, 0);
        for (auto const& a : arcs) {
            ++start[a.from + 1];
            ++start[a.to + 1];
        }
        for (std::size_t v = 0; v < node_count; ++v) start[v + 1] += start[v];
        auto next = start;
        to.assign(2 * arcs.size(), 0);
        reverse.assign(2 * arcs.size(), 0);
        residual.assign(2 * arcs.size(), 0);
        excess.assign(node_count, 0);
        std::vector<arc> places;
        places.reserve(arcs.size());
        for (auto const& a : arcs) {
            auto const e = next[a.from]++;
            auto const r = next[a.to]++;
            to[e] = a.to;
            to[r] = a.from;
            reverse[e] = r;
            reverse[r] = e;
            residual[e] = a.capacity;
            places.push_back(e);
        }
        return places;
    }
    void push(node from, arc e, std::int64_t amount) {
        residual[e] -= amount;
        residual[reverse[e]] += amount;
        excess[to[e]] += amount;
        if (from != source) excess[from] -= amount;
    }
    /// Which nodes can be reached from the given ones over arcs for which `is_open` is true.  O(nodes + arcs).
    template <class Open>
    [[nodiscard]] auto reached_from(std::vector<node> stack, Open&& is_open) const -> std::vector<bool> {
        std::vector<bool> seen(nodes(), false);
        for (auto const v : stack) seen[v] = true;
        while (!stack.empty()) {
            auto const v = stack.back();
            stack.pop_back();
            for (auto e = start[v]; e < start[v + 1]; ++e)
                if (!seen[to[e]] && is_open(e)) {
                    seen[to[e]] = true;
                    stack.push_back(to[e]);
                }
        }
        return seen;
    }
};

}  // namespace repebble::inline v0::detail

#endif
