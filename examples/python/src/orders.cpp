// Orders of least peak, lower sets, elimination orders, and reversals of chains of equal steps, over lists of numbers.
#include "orders.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <repebble/chains/online_snapshots.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/orders/find_least_peak_order.hpp>

#include "caller.hpp"
#include "problem.hpp"

namespace repebble_python {
namespace {

/// The order of the operations, its peak, and the bound that no order is below.
[[nodiscard]] auto least_peak_order(problem const& of, std::optional<double> seconds, std::optional<std::size_t> work,
                                    nb::object stop) {
    caller from(seconds, work, std::move(stop));
    auto const found = from.run([&] { return repebble::find_least_peak_order(of.flow(), {.limits = from.limits()}); });
    from.finish(true);
    std::vector<std::size_t> order;
    for (auto const v : found.order)
        if (of.is_operation(v)) order.push_back(v);
    return std::tuple(std::move(order), found.peak, found.lower_bound);
}

/// The lower sets of a graph's operations, some at a time.
class lower_set_stream {
  public:
    explicit lower_set_stream(problem const& of) : view_(graph_of(of)), next_(view_.begin()) {}
    lower_set_stream(lower_set_stream const&) = delete;
    auto operator=(lower_set_stream const&) -> lower_set_stream& = delete;

    [[nodiscard]] auto some(std::size_t most) -> std::vector<std::vector<std::size_t>> {
        std::vector<std::vector<std::size_t>> sets;
        for (; sets.size() < most && next_ != view_.end(); ++next_) sets.push_back(next_->to_vector());
        return sets;
    }

  private:
    /// Without the inputs, which come behind the operations.
    [[nodiscard]] static auto graph_of(problem const& of) -> repebble::csr_graph {
        std::vector<repebble::csr_graph::edge> edges;
        auto const& all = of.flow().graph();
        std::size_t count = 0;
        for (repebble::operation_index v = 0; v < all.vertex_count(); ++v) {
            if (!of.is_operation(v)) continue;
            ++count;
            for (auto const u : all.predecessors(v))
                if (of.is_operation(u)) edges.emplace_back(u, v);
        }
        return {count, edges};
    }

    repebble::lower_set_view view_;
    repebble::lower_set_view::iterator next_;
};

using edge_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The order, and its width.
[[nodiscard]] auto elimination_order(std::size_t vertices, edge_list const& edges, std::string const& rule) {
    auto const* const how = rule == "fill"                ? &repebble::least_fill
                            : rule == "degree"            ? &repebble::least_degree
                            : rule == "fill_per_neighbor" ? &repebble::least_fill_per_neighbor
                                                          : nullptr;
    if (how == nullptr)
        throw repebble::bad_option("no rule \"" + rule + "\": there are fill, degree, fill_per_neighbor");
    without_gil const released;
    auto found = repebble::find_elimination_order(repebble::undirected_graph(vertices, edges), {.rule = *how});
    return std::pair(std::move(found.order), found.width);
}

/// Bags, and the edges between them.
[[nodiscard]] auto tree_decomposition(std::size_t vertices, edge_list const& edges,
                                      std::vector<std::uint32_t> const& order) {
    without_gil const released;
    auto made = repebble::make_tree_decomposition(repebble::undirected_graph(vertices, edges), order);
    return std::pair(std::move(made.bags), std::move(made.edges));
}

/// The actions of a reversal, some at a time: a number of `_KINDS` in _reversal.py, slot, begin and end.
template <class Actions>
class action_stream {
  public:
    using row = std::tuple<int, std::uint32_t, std::uint64_t, std::uint64_t>;

    explicit action_stream(Actions&& actions) : actions_(std::move(actions)) {}

    [[nodiscard]] auto some(std::size_t most) -> std::vector<row> {
        std::vector<row> rows;
        for (auto next = actions_.begin(); rows.size() < most && next != actions_.end(); ++next) {
            auto const& [what, slot, begin, end] = *next;
            rows.emplace_back(static_cast<int>(what), slot, begin, end);
        }
        return rows;
    }

  private:
    Actions actions_;
};
using revolve_stream = action_stream<repebble::revolve_schedule>;
using reversal_stream = action_stream<repebble::online_reversal>;

}  // namespace

void add_orders(nb::module_& m) {
    using namespace nb::literals;
    m.def("least_peak_order", &least_peak_order, "problem"_a, "seconds"_a.none(), "work"_a.none(), "stop"_a.none());
    nb::class_<lower_set_stream>(m, "LowerSetStream")
        .def(nb::init<problem const&>(), "problem"_a)
        .def("some", &lower_set_stream::some, "most"_a);
    m.def("elimination_order", &elimination_order, "vertices"_a, "edges"_a, "rule"_a);
    m.def("tree_decomposition", &tree_decomposition, "vertices"_a, "edges"_a, "order"_a);
    nb::class_<revolve_stream>(m, "RevolveStream")
        .def(
            "__init__",
            [](revolve_stream* self, std::uint64_t steps, std::uint32_t snapshots, bool first_is_free) {
                using enum repebble::initial_state;
                new (self) revolve_stream(repebble::revolve(steps, snapshots, first_is_free ? free : counted));
            },
            "steps"_a, "snapshots"_a, "first_is_free"_a)
        .def("some", &revolve_stream::some, "most"_a);
    nb::class_<reversal_stream>(m, "ReversalStream").def("some", &reversal_stream::some, "most"_a);
    nb::class_<repebble::online_snapshots>(m, "OnlineSnapshots")
        .def(nb::init<std::uint32_t>(), "slots"_a)
        .def("before_step", &repebble::online_snapshots::before_step)
        .def_prop_ro("steps", &repebble::online_snapshots::steps)
        .def("snapshots",
             [](repebble::online_snapshots const& of) {
                 std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
                 for (auto const& [state, slot] : of.snapshots()) all.emplace_back(state, slot);
                 return all;
             })
        .def("reversal", [](repebble::online_snapshots const& of) { return reversal_stream(of.reversal()); });
}

}  // namespace repebble_python
