#ifndef REPEBBLE_TRAINING_EXECUTABLE_MODEL_HPP
#define REPEBBLE_TRAINING_EXECUTABLE_MODEL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/execution_backend.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/training/calls.hpp>
#include <repebble/training/layout.hpp>
#include <repebble/training/planned_gradients.hpp>
#include <repebble/training/shared_parameters.hpp>

namespace repebble::training {

/// Memory that lies outside of every plan: one block for each tensor.
struct resident_memory {
    std::vector<std::byte*> inputs{};      ///< of every input of the model
    std::vector<std::byte*> parameters{};  ///< of every parameter
    std::vector<std::byte*>
        gradients{};  ///< of every parameter; nullptr where it is not trained, or none if in the plan
    /// Copies of all trained parameters as bfloat16, nullptr for the others; empty where no value is bfloat16. Filters
    /// lie as the device wants them: see `filter_arranging_device`.
    std::vector<std::byte*> copies{};
};

/// Where gradients of parameters lie: in memory outside of every plan, or as results in the arena of the plan.
enum class gradient_place : std::uint8_t { beside_plan, in_plan };

/// What a model is run for.
enum class purpose : std::uint8_t { training, inference };

/// A model with its executable training graph, or for inference its forward part only, and the way from a step of a
/// schedule to what a device is to compute. Operations of the model, the nodes of its graph and the forward operations
/// of the training graph are the same, but that nodes which only keep order come between them (see
/// `with_ordered_users`).
class executable_model {
  public:
    /// Throws bad_graph where a view cannot be one or two operations have one name.
    explicit executable_model(networks::model m, purpose what_for = purpose::training,
                              gradient_place where = gradient_place::beside_plan)
        : model_(std::move(m)),
          layouts_(layouts_of(model_)),
          graph_(with_ordered_users(model_, networks::network_of(model_))),
          training_(what_for == purpose::training ? with_gradients(graph_) : forward_only(graph_.network)),
          purpose_(what_for) {
        if (what_for == purpose::training && where == gradient_place::in_plan) plan_gradients();
    }

    [[nodiscard]] auto model() const noexcept -> networks::model const& { return model_; }
    [[nodiscard]] auto layouts() const noexcept -> model_layouts const& { return layouts_; }
    [[nodiscard]] auto network() const noexcept -> io::network const& { return graph_.network; }
    /// Its times are a roofline's; workspaces are not in it.
    [[nodiscard]] auto training() const noexcept -> training_graph const& { return training_; }

    /// Whether gradients of parameters are results of the training graph.
    [[nodiscard]] auto plans_gradients() const noexcept -> bool { return !planned_.written.empty(); }
    /// The value that is the gradient of a parameter; no_value where there is none, or it lies beside the plan.
    [[nodiscard]] auto gradient_value(std::size_t p) const -> value_index {
        return plans_gradients() ? planned_.results[p] : no_value;
    }
    [[nodiscard]] auto origin(operation_index v) const -> training_vertex<operation_index> const& {
        return training_.origin[v];
    }
    /// Whether an operation of the training graph computes nothing, but comes between others to keep their order.
    [[nodiscard]] auto only_keeps_order(operation_index v) const -> bool {
        return !graph_.operation_of[origin(v).vertex];
    }
    /// "conv1", "conv1 backward", "conv1 accumulate 0"
    [[nodiscard]] auto name(operation_index v) const -> std::string {
        auto const& from = origin(v);
        auto text = graph_.network.node(from.vertex).name;
        if (from.pass != pass::forward) text += std::string(" ") + to_string(from.pass);
        if (from.pass == pass::accumulate) text += " " + std::to_string(from.part);
        return text;
    }

    /// What a step that computes asks for, by its pass.  Requires: origin(s.operation).pass is that, and it does
    /// not only keep order.
    [[nodiscard]] auto forward(bound_step const& s, pool_memory const& memory, resident_memory const& resident) const
        -> forward_call {
        auto const v = *graph_.operation_of[s.operation];
        auto const& op = model_.operations()[v];
        forward_call call{
            .operation = &op, .index = v, .repetition = s.repetition, .training = purpose_ == purpose::training};
        for (auto const& x : op.inputs) call.inputs.push_back(placed(x, s.reads, memory, resident));
        for (std::uint32_t j = 0; j < op.outputs.size(); ++j)
            call.outputs.push_back({layouts_.outputs[v][j], find(s.writes, value_of(v, j), memory)});
        for (auto const p : op.parameters) add_parameter(call, p, resident);
        call.workspace = workspace_of(s, memory);
        return call;
    }
    [[nodiscard]] auto backward(bound_step const& s, pool_memory const& memory, resident_memory const& resident) const
        -> backward_call {
        auto const v = *graph_.operation_of[origin(s.operation).vertex];
        auto const& op = model_.operations()[v];
        backward_call call{.operation = &op, .index = v};
        for (auto const& x : op.inputs) {
            call.inputs.push_back(placed(x, s.reads, memory, resident));
            add_input_gradient(call, x, s, memory);
        }
        for (std::uint32_t j = 0; j < op.outputs.size(); ++j) {
            auto const value = value_of(v, j);
            auto const& where = layouts_.outputs[v][j];
            call.outputs.push_back({where, find(s.reads, value, memory)});
            call.output_gradients.push_back({where, find_gradient(s.reads, value, memory)});
        }
        call.add_parameter.assign(op.parameters.size(), false);
        for (std::size_t k = 0; k < op.parameters.size(); ++k) {
            auto const p = op.parameters[k];
            add_parameter(call, p, resident);
            call.parameter_gradients.push_back(plans_gradients() ? planned_gradient(s, k, memory)
                                                                 : resident.gradients[p]);
            call.add_parameter[k] = plans_gradients() && adds_to_sum(s.operation, k);
        }
        call.workspace = workspace_of(s, memory);
        return call;
    }
    [[nodiscard]] auto accumulate(bound_step const& s, pool_memory const& memory) const -> accumulate_call {
        // Reads are in the order of values: the first part of the gradient, or the sum so far, is not always first.
        // Which comes first does not matter: a + b = b + a, to the last bit.
        return {.sum = memory.at(s.writes.front().where),
                .first = memory.at(s.reads.front().where),
                .second = memory.at(s.reads.back().where),
                .size = s.writes.front().where.size,
                .type = type_of(training_.gradient_of[s.writes.front().what.value])};
    }

  private:
    /// Gradients read what the nodes' flags say, but no tokens.
    [[nodiscard]] static auto with_gradients(ordered_network const& graph) -> training_graph {
        auto const& net = graph.network;
        auto const inputs = [&](io::network::vertex v, io::network::vertex u) {
            return graph.operation_of[u].has_value() && io::input_needed_by{&net}(v, u);
        };
        auto const outputs = [&](io::network::vertex v, std::uint32_t j) {
            auto const& node = net.node(v);
            bool const token = !node.is_view() && node.output_memory(j) == 0;
            return graph.operation_of[v].has_value() && !token &&
                   (node.output_count() == 1 ? node.bwd_needs_output : io::output_needed_by{&net}(v, j));
        };
        return make_training_graph(net, net.weights(), gradient_dependencies{inputs, outputs}, convention::executable);
    }
    void plan_gradients() {
        auto const parameters_of = [this](operation_index node) -> std::vector<std::uint32_t> {
            auto const v = graph_.operation_of[node];
            if (!v) return {};
            auto const& own = model_.operations()[*v].parameters;
            return {own.begin(), own.end()};
        };
        std::vector<bytes> sizes;
        for (auto const& p : model_.parameters()) sizes.push_back(p.trained ? p.tensor.size() : 0);
        planned_ = add_gradients_of_parameters(training_, parameters_of, sizes);
    }
    /// The gradient of an operation's k-th parameter among those that a step writes.
    [[nodiscard]] auto planned_gradient(bound_step const& s, std::size_t k, pool_memory const& memory) const
        -> std::byte* {
        auto const value = planned_.written[s.operation][k];
        return value == no_value ? nullptr : find(s.writes, value, memory);
    }
    /// Whether an operation writes a sum of gradients over the sum before.
    [[nodiscard]] auto adds_to_sum(operation_index v, std::size_t k) const -> bool {
        return std::ranges::any_of(training_.flow.mutations(v), [&](overwrite const& m) {
            return training_.flow.writes(v)[m.output] == planned_.written[v][k];
        });
    }
    [[nodiscard]] static auto forward_only(io::network const& net) -> training_graph {
        training_graph forward{make_dataflow(net, net.weights()), {}, convention::executable};
        for (operation_index v = 0; v < forward.flow.operation_count(); ++v) forward.origin.push_back({.vertex = v});
        forward.gradient_of.assign(forward.flow.value_count(), no_value);
        return forward;
    }
    template <class Call>
    static void add_parameter(Call& call, std::uint32_t p, resident_memory const& resident) {
        call.parameters.push_back(resident.parameters[p]);
        call.parameter_copies.push_back(p < resident.copies.size() ? resident.copies[p] : nullptr);
    }
    /// The element type of a forward value; of those that only keep order, float32.
    [[nodiscard]] auto type_of(value_index value) const -> networks::element {
        auto const [v, j] = training_.flow.as_output(value);
        auto const of = graph_.operation_of[v];
        if (!of || j >= model_.operations()[*of].outputs.size()) return networks::element::float32;
        return model_.operations()[*of].outputs[j].type;
    }
    [[nodiscard]] static auto find(std::span<placed_value const> values, value_index value, pool_memory const& memory)
        -> std::byte* {
        auto const at = std::ranges::find(values, value, [](auto const& p) { return p.what.value; });
        return at == values.end() ? nullptr : memory.at(at->where);
    }
    /// The gradient of a forward value among those that a step touches.
    [[nodiscard]] auto find_gradient(std::span<placed_value const> values, value_index of,
                                     pool_memory const& memory) const -> std::byte* {
        auto const at =
            std::ranges::find(values, of, [&](auto const& p) { return training_.gradient_of[p.what.value]; });
        return at == values.end() ? nullptr : memory.at(at->where);
    }
    /// Output j of operation v of the model.
    [[nodiscard]] auto value_of(std::uint32_t v, std::uint32_t j) const -> value_index {
        return training_.flow.writes(graph_.node_of[v])[j];
    }
    /// Where an operand lies: as itself, or, since gradients read the owners of views, as the owner of it.
    [[nodiscard]] auto placed(networks::operand const& x, std::span<placed_value const> reads,
                              pool_memory const& memory, resident_memory const& resident) const -> placed_tensor {
        auto const& where = layouts_.of(x);
        if (x.from == networks::operand::source::input) return {where, resident.inputs[x.index]};
        auto const value = value_of(x.index, x.output);
        auto* storage = find(reads, value, memory);
        if (storage == nullptr) storage = find(reads, training_.flow.owners(value).front(), memory);
        return {where, storage};
    }
    void add_input_gradient(backward_call& call, networks::operand const& x, bound_step const& s,
                            pool_memory const& memory) const {
        auto const& where = layouts_.of(x);
        call.input_gradients.push_back({{where, nullptr}, false});
        if (x.from == networks::operand::source::input) return;
        auto& gradient = call.input_gradients.back();
        auto const owner = training_.flow.owners(value_of(x.index, x.output)).front();
        gradient.where.storage = find_gradient(s.writes, owner, memory);
        if (gradient.where.storage == nullptr) return;
        auto const size = training_.flow.size(owner);
        for (std::size_t k = 0; k + 1 < call.input_gradients.size(); ++k)
            gradient.add = gradient.add || call.input_gradients[k].where.storage == gradient.where.storage;
        if (!gradient.add && where.tensor.size() != size) call.clear.push_back({gradient.where.storage, size});
    }
    [[nodiscard]] static auto workspace_of(bound_step const& s, pool_memory const& memory) -> memory_block {
        if (!s.workspace) return {};
        return {memory.at(*s.workspace), s.workspace->size};
    }

    networks::model model_;
    model_layouts layouts_;
    ordered_network graph_;
    training_graph training_;
    purpose purpose_;
    planned_gradients planned_{};
};

}  // namespace repebble::training

#endif
