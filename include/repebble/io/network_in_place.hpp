#ifndef REPEBBLE_IO_NETWORK_IN_PLACE_HPP
#define REPEBBLE_IO_NETWORK_IN_PLACE_HPP

// Which outputs of a network's operations may overwrite which inputs, by the flags of the file and by the names of
// operations. `write_in_place` applies the table.

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/detail/op_names.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_node.hpp>

namespace repebble::inline v0::io {

/// Whether a node is elementwise: each element of its first output depends only on the elements at the same position of
/// its inputs. Then so does its gradient, on the gradient of that output. Decided by its name, ignoring case;
/// normalisations and softmax, which first reduce, are not elementwise (though an implementation may do even these in
/// place).
struct elementwise_by_name {
    /// The operations that are elementwise, in lower case.
    static constexpr std::array<std::string_view, 12> names{
        "add", "div", "dropout", "gelu", "masked_fill", "mul", "mulconstant", "relu", "sigmoid", "silu", "sub", "tanh"};

    [[nodiscard]] auto operator()(network_node const& node) const -> bool { return detail::is_called(node.op, names); }
};

namespace detail {

/// Collects the pairs of outputs and inputs that operations of a dataflow may overwrite, from the nodes of the network.
template <class Elementwise>
class overwrite_finder {
  public:
    /// node_of: the node of every operation of the flow, or of the first of them.
    overwrite_finder(network const& net, dataflow const& flow, std::vector<network::vertex> node_of,
                     Elementwise const& is_elementwise)
        : net_(net),
          flow_(flow),
          node_of_(std::move(node_of)),
          is_elementwise_(is_elementwise),
          works_(node_of_.size()) {}

    /// By the flags of the file: output 0 of the node over its inputs from `inplace_src`, or from any node.
    void by_flags(operation_index v) {
        auto const& node = net_.node(node_of_[v]);
        if (!node.inplace) return;
        for (auto const x : flow_.reads(v))
            if (!node.inplace_src || node_of_[flow_.producers(x).front()] == *node.inplace_src) allow(v, 0, x);
    }
    /// Where the operation is elementwise: output 0 over any input of the same size.
    void over_inputs(operation_index v) {
        if (!works_elementwise(v)) return;
        for (auto const x : flow_.reads(v))
            if (same_bytes(v, 0, x)) allow(v, 0, x);
    }
    /// Output j over every gradient of the same size that v reads from an operation u with `allowed(u)`.
    template <class Allowed>
    void over_gradients(operation_index v, std::uint32_t j, Allowed&& allowed) {
        for (auto const x : flow_.reads(v)) {
            auto const u = flow_.producers(x).front();
            if (u >= node_of_.size() && same_bytes(v, j, x) && allowed(u)) allow(v, j, x);
        }
    }

    /// Whether an operation of the network is elementwise in the storages that it reads: it reads none under two names
    /// (a matrix and its transpose), and none through a view of a part (which might be repeated).
    [[nodiscard]] auto works_elementwise(operation_index v) -> bool {
        if (!works_[v]) works_[v] = find_elementwise(v);
        return *works_[v];
    }

    [[nodiscard]] auto finish() && -> overwrite_table { return overwrite_table(std::move(found_)); }

  private:
    [[nodiscard]] auto find_elementwise(operation_index v) const -> bool {
        if (!std::invoke(is_elementwise_, net_.node(node_of_[v]))) return false;
        std::vector<value_index> owners;
        for (auto const x : flow_.reads(v)) {
            owners.insert(owners.end(), flow_.owners(x).begin(), flow_.owners(x).end());
            if (!covers_storage(x)) return false;
        }
        auto const count = owners.size();
        repebble::detail::sort_unique(owners);
        return owners.size() == count;
    }
    void allow(operation_index v, std::uint32_t output, value_index over) {
        if (output < flow_.writes(v).size()) found_.push_back({v, output, over});
    }
    [[nodiscard]] auto same_bytes(operation_index v, std::uint32_t output, value_index over) const -> bool {
        auto const owners = flow_.owners(over);
        return output < flow_.writes(v).size() && owners.size() == 1 &&
               flow_.size(owners.front()) == flow_.size(flow_.writes(v)[output]);
    }
    /// Whether x is not a view, or is a view of all bytes of its storage, as far as the nodes describe views.
    [[nodiscard]] auto covers_storage(value_index x) const -> bool {
        bytes size = 0;
        for (auto const owner : flow_.owners(x)) size += flow_.size(owner);
        auto const [producer, output] = flow_.as_output(x);
        for (node_output of{node_of_[producer], output}; !net_.views(of).empty(); of = net_.views(of).front()) {
            auto const& node = net_.node(of.vertex);
            auto const seen = node.extra.find("view_bytes");
            if (node.is_view() && seen != node.extra.end() && *seen != size) return false;
        }
        return true;
    }

    network const& net_;
    dataflow const& flow_;
    std::vector<network::vertex> node_of_;
    Elementwise const& is_elementwise_;
    std::vector<std::optional<bool>> works_;  // of each operation: whether it is elementwise, once that was asked
    std::vector<allowed_overwrite> found_;
};

struct find_overwrites_fn {
    template <std::predicate<network_node const&> Elementwise = elementwise_by_name>
    [[nodiscard]] auto operator()(network const& net, training_graph const& training,
                                  Elementwise const& is_elementwise = {}) const -> overwrite_table {
        auto const& flow = training.flow;
        REPEBBLE_ASSERT(flow.operation_count() >= net.nodes().size());
        std::vector<network::vertex> nodes(net.nodes().size());
        std::iota(nodes.begin(), nodes.end(), network::vertex{0});
        overwrite_finder finder(net, flow, std::move(nodes), is_elementwise);
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            auto const& origin = training.origin[v];
            if (v < net.nodes().size()) {
                finder.by_flags(v);
            } else if (origin.pass == pass::accumulate) {
                finder.over_gradients(v, 0, [](operation_index) { return true; });
            } else if (origin.pass == pass::parameter) {
                finder.over_gradients(v, 0, [&](operation_index before) {
                    return training.origin[before].pass == pass::parameter;  // the only sum that it reads is its own
                });
            } else if (training.made_by == convention::value_grad) {
                finder.over_gradients(v, 0, [&](operation_index gradient) {
                    return finder.works_elementwise(training.origin[gradient].vertex);
                });
            } else if (finder.works_elementwise(origin.vertex)) {
                for (std::uint32_t j = 0; j < flow.writes(v).size(); ++j)
                    finder.over_gradients(v, j, [](operation_index) { return true; });
            }
        }
        return std::move(finder).finish();
    }

    template <std::predicate<network_node const&> Elementwise = elementwise_by_name>
    [[nodiscard]] auto operator()(network const& net, forward_dataflow const& forward,
                                  Elementwise const& is_elementwise = {}) const -> overwrite_table {
        overwrite_finder finder(net, forward.flow, forward.operations, is_elementwise);
        for (operation_index v = 0; v < forward.flow.operation_count(); ++v) {
            finder.by_flags(v);
            finder.over_inputs(v);
        }
        return std::move(finder).finish();
    }
};

}  // namespace detail

/// The table of overwrites that the operations of a network's training graph allow, regardless of other readers: a rule
/// for write_in_place.
/// - Nodes of the network, the backward ones of a joint file too: by their flags `inplace` and `inplace_src`, output 0.
/// - Built gradients: over gradients of the same size, where the forward operation between them is elementwise. Under
/// value_grad, where several gradients arrive, they are then added in place; the additions of executable may write over
/// either summand.
/// - Gradients of parameters: over the sum so far.
/// For inference, pass the `forward_part` of a training graph: by the flags, which describe training, and where the
/// operation is elementwise over any input of the same size.
/// Requires: the training graph was made of the network, as by make_training_graph.  O(n + m log m).
inline constexpr detail::find_overwrites_fn find_overwrites{};

}  // namespace repebble::inline v0::io

#endif
