#ifndef REPEBBLE_TRAINING_EXECUTABLE_MODEL_HPP
#define REPEBBLE_TRAINING_EXECUTABLE_MODEL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/backend.hpp>
#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training_graph.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/training/calls.hpp>
#include <repebble/training/layout.hpp>

namespace repebble::training {

/// Memory that lies outside of every plan: one block for each tensor.
struct resident_memory {
    std::vector<std::byte*> inputs{};      ///< of every input of the model
    std::vector<std::byte*> parameters{};  ///< of every parameter
    std::vector<std::byte*> gradients{};   ///< of every parameter; nullptr where it is not trained
};

/// A model with its executable training graph, and the way from a step of a schedule to what a device is to compute.
/// Operation v of the model is operation v of the training graph, and its output j the output j there.
class executable_model {
  public:
    /// Throws bad_graph where a view cannot be one or two operations have one name.
    explicit executable_model(networks::model m)
        : model_(std::move(m)),
          layouts_(layouts_of(model_)),
          network_(networks::network_of(model_)),
          training_(io::training_graph_of(network_, convention::executable)) {}

    [[nodiscard]] auto model() const noexcept -> networks::model const& { return model_; }
    [[nodiscard]] auto layouts() const noexcept -> model_layouts const& { return layouts_; }
    [[nodiscard]] auto network() const noexcept -> io::network const& { return network_; }
    /// Its times are a roofline's; workspaces are not in it.
    [[nodiscard]] auto training() const noexcept -> training_graph<> const& { return training_; }

    [[nodiscard]] auto origin(operation_index v) const -> training_vertex<operation_index> const& {
        return training_.origin[v];
    }
    /// "conv1", "conv1 backward", "conv1 accumulate 0"
    [[nodiscard]] auto name(operation_index v) const -> std::string {
        auto const& from = origin(v);
        auto text = model_.operations()[from.vertex].name;
        if (from.pass != pass::forward) text += std::string(" ") + to_string(from.pass);
        if (from.pass == pass::accumulate) text += " " + std::to_string(from.part);
        return text;
    }

    /// What a step that computes asks for, by its pass.  Requires: origin(s.operation).pass is that.
    [[nodiscard]] auto forward(bound_step const& s, pool_memory const& memory, resident_memory const& resident) const
        -> forward_call {
        auto const v = s.operation;
        auto const& op = model_.operations()[v];
        forward_call call{.operation = &op, .index = v, .repetition = s.repetition};
        for (auto const& x : op.inputs) call.inputs.push_back(placed(x, s.reads, memory, resident));
        for (std::uint32_t j = 0; j < op.outputs.size(); ++j)
            call.outputs.push_back({layouts_.outputs[v][j], find(s.writes, training_.flow.writes(v)[j], memory)});
        for (auto const p : op.parameters) call.parameters.push_back(resident.parameters[p]);
        call.workspace = workspace_of(s, memory);
        return call;
    }
    [[nodiscard]] auto backward(bound_step const& s, pool_memory const& memory, resident_memory const& resident) const
        -> backward_call {
        auto const v = origin(s.operation).vertex;
        auto const& op = model_.operations()[v];
        backward_call call{.operation = &op, .index = v};
        for (auto const& x : op.inputs) {
            call.inputs.push_back(placed(x, s.reads, memory, resident));
            add_input_gradient(call, x, s, memory);
        }
        for (std::uint32_t j = 0; j < op.outputs.size(); ++j) {
            auto const value = training_.flow.writes(v)[j];
            auto const& where = layouts_.outputs[v][j];
            call.outputs.push_back({where, find(s.reads, value, memory)});
            call.output_gradients.push_back({where, find_gradient(s.reads, value, memory)});
        }
        for (auto const p : op.parameters) {
            call.parameters.push_back(resident.parameters[p]);
            call.parameter_gradients.push_back(resident.gradients[p]);
        }
        call.add_parameter.assign(op.parameters.size(), false);
        call.workspace = workspace_of(s, memory);
        return call;
    }
    [[nodiscard]] auto accumulate(bound_step const& s, pool_memory const& memory) const -> accumulate_call {
        // Reads are in the order of values: the first part of the gradient, or the sum so far, is not always first.
        // Which comes first does not matter: a + b = b + a, to the last bit.
        return {.sum = memory.at(s.writes.front().where),
                .first = memory.at(s.reads.front().where),
                .second = memory.at(s.reads.back().where),
                .size = s.writes.front().where.size};
    }

  private:
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
    [[nodiscard]] auto value_of(networks::operand const& x) const -> value_index {
        return training_.flow.writes(x.index)[x.output];
    }
    /// Where an operand lies: as itself, or, since gradients read the owners of views, as the owner of it.
    [[nodiscard]] auto placed(networks::operand const& x, std::span<placed_value const> reads,
                              pool_memory const& memory, resident_memory const& resident) const -> placed_tensor {
        auto const& where = layouts_.of(x);
        if (x.from == networks::operand::source::input) return {where, resident.inputs[x.index]};
        auto const value = value_of(x);
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
        auto const owner = training_.flow.owners(value_of(x)).front();
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
    io::network network_;
    training_graph<> training_;
};

}  // namespace repebble::training

#endif
