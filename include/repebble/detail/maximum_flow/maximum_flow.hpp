#ifndef REPEBBLE_DETAIL_MAXIMUM_FLOW_MAXIMUM_FLOW_HPP
#define REPEBBLE_DETAIL_MAXIMUM_FLOW_MAXIMUM_FLOW_HPP

// Maximum flow and both extreme minimum cuts, resumable after capacities have grown, as parametric minimum cuts need
// (Gallo, Grigoriadis, Tarjan 1989). On integers, so that values are exact. Knows nothing of schedules; the planner's
// cut relaxations use it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/maximum_flow/push_relabel.hpp>
#include <repebble/detail/maximum_flow/residual_network.hpp>
#include <repebble/detail/never_stop.hpp>

namespace repebble::inline v0::detail {

/// A flow problem: add arcs, `build`, then `maximise`, again whenever capacities have grown; cuts can be read after
/// each.
///
/// What is asked for are minimum cuts, so the first phase of push-relabel is enough. It ends with a preflow, in which
/// no node with excess reaches the sink in the residual network. Let S be the nodes that cannot reach it. All arcs that
/// leave S are full, and nothing flows back into S, so that what has arrived at the sink is the capacity of the cut
/// (S, rest); no flow carries more than a cut can hold, so both are extreme (Goldberg, Tarjan 1988). S is the largest
/// source side: beyond it each node has a path of residual arcs to the sink, and the arcs that leave the source side of
/// a minimum cut are full. The least source side has the nodes that residual arcs reach from the source or from a node
/// with excess: a second phase would send that excess back, and leave residual arcs on the way that it came.
///
/// Where capacities only grow, the preflow stays one, and the next call goes on from it, with labels made anew. The
/// relaxation at one cut raises a multiplier λ, and with it the capacities λ s(x): parametric minimum cuts (Gallo,
/// Grigoriadis, Tarjan 1989).
///
/// A minimum cut finds the best closure (Picard 1976): of operations that run again at a cut (`closure_network`), of
/// all cuts together (`multi_cut_relaxation`), and the lower set of the fewest bytes between two others
/// (`one_shot_game::least_between`).
class maximum_flow {
  public:
    using node = residual_network::node;
    using arc = residual_network::arc;
    static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;  // two of them can be added

    maximum_flow(std::size_t nodes, node source, node sink) : nodes_(nodes), net_{source, sink} {}

    /// Adds an arc and returns its number.  Requires: it is called before `build`; limited capacities sum to less than
    /// `unlimited`.
    auto add_arc(node from, node to, std::int64_t capacity) -> arc {
        added_.push_back({from, to, capacity});
        return static_cast<arc>(added_.size() - 1);
    }
    /// Builds the network. Nodes that arcs of unlimited capacity connect from the source are merged with it.
    void build() {
        place_ = net_.assign(nodes_, added_);
        with_source_ = net_.reached_from({net_.source}, [&](arc e) { return net_.residual[e] >= unlimited; });
        is_limited_ = !with_source_[net_.sink];
        for (auto& a : added_) {
            if (with_source_[a.from]) a.from = net_.source;
            if (with_source_[a.to]) a.to = net_.source;
        }
        place_ = net_.assign(nodes_, added_);
        added_ = {};
    }
    /// Raises the capacity of an arc that was added.
    void grow(arc e, std::int64_t more) { net_.residual[place_[e]] += more; }

    /// Augments the flow to a maximum one.  Returns its value, `unlimited` where no minimum cut is finite; where stop()
    /// returned true, that of a smaller flow, whose cuts are none.
    auto maximise(stop_test stop = never_stop{}) -> std::int64_t {
        if (!is_limited_) return unlimited;
        for (auto e = net_.start[net_.source]; e < net_.start[net_.source + 1]; ++e)
            if (net_.residual[e] > 0 && net_.to[e] != net_.source) net_.push(net_.source, e, net_.residual[e]);
        push_relabel(net_).run(stop);
        return net_.excess[net_.sink];
    }
    /// Source side of the minimum cut with the fewest nodes on that side.  Requires: `maximise` has been called.
    [[nodiscard]] auto source_side() const -> std::vector<bool> {
        std::vector<node> start{net_.source};
        for (node v = 0; v < nodes_; ++v)
            if ((net_.excess[v] > 0 && v != net_.sink) || with_source_[v]) start.push_back(v);
        return net_.reached_from(std::move(start), [&](arc e) { return net_.residual[e] > 0; });
    }
    /// Source side of the minimum cut with the most nodes on that side.  Requires: `maximise` has been called.
    [[nodiscard]] auto largest_source_side() const -> std::vector<bool> {
        auto side = net_.reached_from({net_.sink}, [&](arc e) { return net_.residual[net_.reverse[e]] > 0; });
        side.flip();
        return side;
    }

  private:
    std::size_t nodes_;
    residual_network net_;
    std::vector<residual_network::new_arc> added_;
    std::vector<arc> place_;         // of every added arc: its index in the network
    std::vector<bool> with_source_;  // of every node: merged with the source
    bool is_limited_ = true;
};

}  // namespace repebble::inline v0::detail

#endif
