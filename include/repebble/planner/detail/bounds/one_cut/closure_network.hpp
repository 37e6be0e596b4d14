#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CLOSURE_NETWORK_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CLOSURE_NETWORK_HPP

// The network whose minimum cuts are the closures at one cut: operations that run after it are on the source's side,
// and each value that they read and do not make crosses to the sink's. The relaxations at one cut give it capacities.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// Nodes are the operations that may run after the cut for its live values, and the values that several of them read.
class closure_network {
  public:
    using node = maximum_flow::node;
    struct required_value {
        node from, to;
        value_index value;
        bool is_choice;             ///< else an arc to the node of a value, which several operations read
        maximum_flow::arc arc = 0;  ///< in the flow that was made last
    };

    /// The network of no cut.
    closure_network() = default;
    /// The network of the values with has_node(value), as far as they can be made after the cut; refers to it.
    /// O(n + m).
    template <class HasNode>
    closure_network(first_run_cut const& cut, HasNode&& has_node)
        : cut_(&cut), node_(cut.model().operation_count(), none) {
        auto const& m = cut.model();
        std::vector<node> shared(m.value_count(), none);
        auto const require = [&](node reader, value_index x) {
            if (!cut.can_be_made_after(x) || !has_node(x)) return;
            auto const p = m.producers[x].front();
            if (node_[p] == none) {
                node_[p] = nodes_++;
                operations_.push_back(p);
            }
            bool const first = shared[x] == none;
            if (reader == source || (first && m.readers[x].size() == 1)) {
                if (first) required_.push_back({reader, node_[p], x, true});
                shared[x] = reader;
                return;
            }
            if (first) required_.push_back({shared[x] = nodes_++, node_[p], x, true});
            if (shared[x] != source) required_.push_back({reader, shared[x], x, false});
        };
        for (auto const x : cut.live_values()) require(source, x);
        for (std::size_t k = 0; k < operations_.size(); ++k)
            for (auto const x : m.reads[operations_[k]]) require(node_[operations_[k]], x);
    }

    /// The flow where a unit of time costs so much, and keeping a value capacity(value).  O(n + m).
    template <class Capacity>
    [[nodiscard]] auto flow(std::int64_t per_time, Capacity&& capacity) -> maximum_flow {
        maximum_flow made(nodes_, source, 1);
        for (auto const p : operations_)
            if (auto const& o = cut_->model().operations[p]; cut_->is_before(p))
                made.add_arc(node_[p], 1, o.recomputable ? per_time * o.again : maximum_flow::unlimited);
        for (auto& r : required_)
            r.arc = made.add_arc(r.from, r.to, r.is_choice ? capacity(r.value) : maximum_flow::unlimited);
        made.build();
        return made;
    }
    /// The operation is on the source's side.
    [[nodiscard]] auto runs(operation_index v, std::vector<bool> const& side) const -> bool {
        return node_[v] != none && side[node_[v]];
    }
    /// The operations that have nodes.
    [[nodiscard]] auto operations() const noexcept -> std::vector<operation_index> const& { return operations_; }
    [[nodiscard]] auto required() const noexcept -> std::vector<required_value> const& { return required_; }

  private:
    static constexpr auto none = std::numeric_limits<node>::max();
    static constexpr node source = 0;

    first_run_cut const* cut_ = nullptr;
    std::vector<node> node_;  // by operation
    std::vector<operation_index> operations_;
    std::vector<required_value> required_;
    node nodes_ = 2;
};

}  // namespace repebble::inline v0::detail

#endif
