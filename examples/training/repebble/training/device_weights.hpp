#ifndef REPEBBLE_TRAINING_DEVICE_WEIGHTS_HPP
#define REPEBBLE_TRAINING_DEVICE_WEIGHTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/shared_parameters.hpp>

namespace repebble::training {

namespace detail {

/// Addresses for one operation alone, at which nothing lies.
class imagined_step {
  public:
    imagined_step(dataflow const& flow, operation_index v) {
        for (auto const value : flow.reads(v)) place(flow, value, reads_);
        for (auto const value : flow.writes(v)) place(flow, value, writes_);
        step_.operation = v;
        step_.reads = reads_;
        step_.writes = writes_;
    }
    imagined_step(imagined_step const&) = delete;
    auto operator=(imagined_step const&) -> imagined_step& = delete;

    [[nodiscard]] auto step() const -> bound_step const& { return step_; }

  private:
    void place(dataflow const& flow, value_index value, std::vector<placed_value>& into) {
        for (auto const owner : flow.owners(value)) {
            into.push_back({{value, 0}, owner, {next_, flow.size(owner)}});
            next_ += 64;
        }
    }

    bytes next_ = 64;
    std::vector<placed_value> reads_{}, writes_{};
    bound_step step_{};
};

/// An address that is there, and nothing more.
[[nodiscard]] inline auto imagined_address() -> std::byte* {
    static std::byte nowhere[64];
    return nowhere;
}

}  // namespace detail

/// Bytes of workspace that every operation of a model's training graph needs on a device.
template <computing_device Device>
[[nodiscard]] auto workspaces_on(Device& device, executable_model const& m) -> std::vector<bytes> {
    auto* const somewhere = detail::imagined_address();
    resident_memory resident{.inputs = std::vector(m.model().inputs().size(), somewhere),
                             .parameters = std::vector(m.model().parameters().size(), somewhere),
                             .copies = std::vector(m.model().parameters().size(), somewhere)};
    for (auto const& p : m.model().parameters()) resident.gradients.push_back(p.trained ? somewhere : nullptr);
    pool_memory const memory{somewhere, somewhere};
    auto const& flow = m.training().flow;
    auto const users = user_counts(m.model());  // who shares a parameter may have to add to it
    std::vector<bytes> sizes(flow.operation_count(), 0);
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        if (m.only_keeps_order(v)) continue;
        detail::imagined_step const alone(flow, v);
        auto const which = m.origin(v).pass;
        if (which == pass::forward) {
            sizes[v] = device.workspace_of(m.forward(alone.step(), memory, resident));
        } else if (which == pass::backward) {
            auto call = m.backward(alone.step(), memory, resident);
            sizes[v] = device.workspace_of(call);
            for (std::size_t k = 0; k < call.add_parameter.size(); ++k)
                call.add_parameter[k] = users[call.operation->parameters[k]] > 1;
            sizes[v] = std::max(sizes[v], device.workspace_of(call));
        }
    }
    return sizes;
}

/// Times of operations by their names in a training graph ("conv1", "conv1 backward"), in nanoseconds.
using operation_times = std::map<std::string, std::int64_t>;

/// A model's training graph as it runs on a device: with the workspaces that it needs there and, where there are any,
/// with measured times.  Throws bad_graph, naming it, for an operation whose time is not among them.
[[nodiscard]] inline auto weighed(executable_model const& m, std::vector<bytes> const& workspaces,
                                  std::optional<operation_times> const& times = std::nullopt) -> training_graph {
    dataflow_changes changes{.workspaces = workspaces};
    for (operation_index v = 0; times && v < m.training().flow.operation_count(); ++v) {
        auto const found = times->find(m.name(v));
        if (found == times->end()) throw bad_graph("the table of times has no time of " + m.name(v));
        changes.times.push_back(found->second);
    }
    return edit(m.training(), changes);
}

}  // namespace repebble::training

#endif
