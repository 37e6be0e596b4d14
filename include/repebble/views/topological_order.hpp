#ifndef REPEBBLE_VIEWS_TOPOLOGICAL_ORDER_HPP
#define REPEBBLE_VIEWS_TOPOLOGICAL_ORDER_HPP

// Topological orders of graph/topological_order.hpp as views of range-v3.
// Invariant: copies of a view share one order, so that a copy is O(1).

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <range/v3/view/interface.hpp>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0::views {

/// A random-access view of range-v3 of an order of vertices, which it shares with its copies.
template <class Vertex>
class order_view : public ranges::view_interface<order_view<Vertex>, ranges::finite> {
  public:
    order_view() = default;
    /// The vertices in this order.
    explicit order_view(std::vector<Vertex> order)
        : order_(std::make_shared<std::vector<Vertex> const>(std::move(order))) {}

    [[nodiscard]] auto begin() const noexcept -> Vertex const* { return order_ ? order_->data() : nullptr; }
    [[nodiscard]] auto end() const noexcept -> Vertex const* { return begin() + (order_ ? order_->size() : 0); }

  private:
    std::shared_ptr<std::vector<Vertex> const> order_{};
};

namespace detail {

struct topological_order_fn : repebble::detail::takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g, order_rule rule = order_rule::by_index) const
        -> order_view<vertex_t<Graph>> {
        return order_view<vertex_t<Graph>>(repebble::topological_order(g, rule));
    }
};

}  // namespace detail

/// The caller's vertices in a topological order by a rule, as a random-access view that owns the order.  Costs what
/// the order costs; a copy O(1).  Throws not_a_dag.
inline constexpr detail::topological_order_fn topological_order{};

}  // namespace repebble::inline v0::views

#endif
