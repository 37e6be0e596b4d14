#ifndef REPEBBLE_IO_ONNX_DETAIL_NETWORK_BUILDER_HPP
#define REPEBBLE_IO_ONNX_DETAIL_NETWORK_BUILDER_HPP

// From a flat ONNX graph, of which all shapes are known, to a network: a node for each operation that runs in every
// run. What depends on constants and shapes only is a parameter, views own nothing, and each node says what its
// gradient reads. The body of onnx_network.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network.hpp>
#include <repebble/io/network_node.hpp>
#include <repebble/io/onnx/detail/element_size.hpp>
#include <repebble/io/onnx/detail/gradient_reads.hpp>
#include <repebble/io/onnx/detail/onnx_call.hpp>
#include <repebble/io/onnx/detail/onnx_inline.hpp>
#include <repebble/io/onnx/detail/onnx_preparation.hpp>
#include <repebble/io/onnx/detail/operator_cost.hpp>
#include <repebble/io/onnx/detail/operator_domain.hpp>
#include <repebble/io/onnx/detail/operators_in_place.hpp>
#include <repebble/io/onnx/detail/saved_outputs.hpp>
#include <repebble/io/onnx/onnx_known.hpp>
#include <repebble/io/onnx/onnx_model.hpp>
#include <repebble/io/roofline.hpp>

namespace repebble::inline v0::io::detail {

/// Makes the network of one model.
class network_builder {
  public:
    /// known: of all values that the graph names, which inference has found to be made before they are read.
    /// `open`: names of extents that nobody has given.
    network_builder(onnx_model const& model, std::map<std::string, onnx_known> const& known, roofline const& device,
                    bool training, std::vector<std::string> open)
        : model_(model), known_(known), device_(device), training_(training), open_(std::move(open)) {
        for (auto const& [name, tensor] : model_.graph.initializers) add_initializer(name, tensor);
        for (auto const& node : model_.graph.nodes) {
            auto& operands = operands_.emplace_back(node.inputs);
            add_captured(node, {}, operands);
            add_inner_initializers(node, node.outputs.empty() ? node.name : node.outputs.front(), operands);
        }
        bool const any_trained = choose_trained();
        for (auto const* const input : given_inputs(model_.graph))
            sources_[input->name] = {.is = place::outside,
                                     .outside = input->name,
                                     .passes_gradient = !any_trained && carries_gradient(input->type)};
        find_live();
        find_gradients();
    }

    /// The network, of this name.
    [[nodiscard]] auto build(std::string name) && -> network {
        for (std::size_t i = 0; i < model_.graph.nodes.size(); ++i)
            if (live_[i]) add(model_.graph.nodes[i], operands_[i]);
        for (auto const& output : model_.graph.outputs) {
            auto const& source = sources_.at(output.name);
            if (source.is != place::node) continue;
            auto& results = nodes_[source.of.vertex].results;
            results.push_back(source.of.output);
            repebble::detail::sort_unique(results);
        }
        auto extra = extra_of_model();
        return network(std::move(nodes_), {}, std::move(name), std::move(extra), "ns");
    }

  private:
    enum class place : std::uint8_t { outside, constant, node };
    /// Where a value comes from.
    struct value_source {
        place is = place::constant;
        std::string outside{};                    // the input, where it is one or a view of one
        node_output of{};                         // the output of a node
        bool passes_gradient = false;             // a gradient arrives at it
        std::vector<std::uint32_t> parameters{};  // of a constant: the initializers that it is made of
    };
    struct used_parameter {
        std::string name;
        onnx_tensor const* tensor;
        bool may_train = false, read = false, trained = false;
    };
    static constexpr std::array<std::string_view, 5> views_{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};

    [[noreturn]] void fail(onnx_node const& node, std::string const& why) const {
        repebble::detail::raise(bad_graph(onnx_node_text(node) + ": " + why));
    }
    [[nodiscard]] auto find_known(std::string const& name) const -> onnx_known const* {
        auto const found = known_.find(name);
        return found == known_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] static auto is_random(std::string_view op) -> bool {
        return op.starts_with("Random") || op == "Bernoulli" || op == "Multinomial";
    }

    // ---- initializers ---------------------------------------------------------------------------------------------

    void add_initializer(std::string const& name, onnx_tensor const& tensor) {
        auto& source = sources_[name];
        source = {.is = place::constant};
        if (traits_of(tensor.type) == nullptr) return;
        source.parameters.push_back(static_cast<std::uint32_t>(parameters_.size()));
        parameters_.push_back({name, &tensor});
    }
    /// Adds the initializers of the graphs inside of a node to its operands, under names of their own.
    void add_inner_initializers(onnx_node const& node, std::string const& prefix, std::vector<std::string>& operands) {
        for_each_inner_graph(node, [&](onnx_graph const& g) {
            for (auto const& [own, tensor] : g.initializers) {
                auto name = prefix + "::" + own;
                while (sources_.contains(name)) name += '_';
                add_initializer(name, tensor);
                operands.push_back(std::move(name));
            }
            for (auto const& n : g.nodes) add_inner_initializers(n, prefix, operands);
        });
    }
    /// Chooses the parameters that training may change: floating-point initializers of more than one element; where
    /// there are none, constants, as some exporters write weights. Whether there are any.
    [[nodiscard]] auto choose_trained() -> bool {
        bool any = false;
        for (bool const constants : {false, true}) {
            if (any) break;
            for (auto& p : parameters_) {
                p.may_train = p.tensor->is_constant == constants && carries_gradient(p.tensor->type) &&
                              std::ranges::any_of(p.tensor->shape, [](auto const extent) { return extent > 1; }) &&
                              std::ranges::find(p.tensor->shape, 0) == p.tensor->shape.end();
                any = any || p.may_train;
            }
        }
        return any;
    }

    // ---- which nodes run ------------------------------------------------------------------------------------------

    /// Finds the operands of each node, what is constant, and the nodes that results depend on.
    void find_live() {
        auto const& nodes = model_.graph.nodes;
        std::set<std::string, std::less<>> running;  // made in every run
        for (auto const& [name, source] : sources_)
            if (source.is == place::outside) running.insert(name);
        std::vector<bool> runs(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            auto const& operands = operands_[i];
            auto const is_running = [&](auto const& name) { return running.contains(name); };
            runs[i] =
                (is_random(operator_name(nodes[i])) || std::ranges::any_of(operands, is_running)) &&
                !std::ranges::all_of(nodes[i].outputs, [&](auto const& name) {
                    auto const* const known = find_known(name);
                    return name.empty() || (known != nullptr && (known->constant || known->integers || known->reals));
                });
            for (auto const& name : nodes[i].outputs) {
                if (name.empty()) continue;
                if (runs[i]) running.insert(name);
                auto& source = sources_[name];
                if (runs[i]) continue;
                for (auto const& read : operands) {
                    if (read.empty()) continue;
                    auto const& from = sources_.at(read).parameters;
                    source.parameters.insert(source.parameters.end(), from.begin(), from.end());
                }
                repebble::detail::sort_unique(source.parameters);
            }
        }
        for (auto const& output : model_.graph.outputs) wanted_.insert(output.name);
        live_.assign(nodes.size(), false);
        for (std::size_t i = nodes.size(); i-- > 0;) {
            live_[i] = runs[i] &&
                       std::ranges::any_of(nodes[i].outputs, [&](auto const& name) { return wanted_.contains(name); });
            if (live_[i]) wanted_.insert(operands_[i].begin(), operands_[i].end());
        }
    }

    /// Finds the values that a gradient is sent to from the results.
    void find_gradients() {
        auto const& nodes = model_.graph.nodes;
        for (auto const& output : model_.graph.outputs) gets_gradient_.insert(output.name);
        for (std::size_t i = nodes.size(); i-- > 0;) {
            if (!live_[i] || !sends_gradient(nodes[i])) continue;
            gradient_reads const table(nodes[i].op_type, nodes[i].domain);
            for (std::size_t j = 0; j < operands_[i].size(); ++j)
                if (table.passes(j)) gets_gradient_.insert(operands_[i][j]);
        }
    }
    /// True where a result sends a gradient to an output of the node.
    [[nodiscard]] auto sends_gradient(onnx_node const& node) const -> bool {
        return std::ranges::any_of(
            node.outputs, [&](auto const& name) { return is_real_value(name) && gets_gradient_.contains(name); });
    }

    // ---- one node -------------------------------------------------------------------------------------------------

    /// Bytes of a value.  Throws bad_graph, naming value and node, where they are not known.
    [[nodiscard]] auto bytes_of(onnx_known const* known, std::string const& value, onnx_node const& node) const
        -> bytes {
        if (known != nullptr && known->sequence) {
            bytes all = 0;
            for (auto const& one : *known->sequence) all = checked_add(all, bytes_of(&one, value, node));
            return all;
        }
        if (known == nullptr || !known->shape) {
            fail(node, "the shape of '" + value + "' is not known; give name=value for " +
                           (open_.empty() ? "its extents that depend on data, as '" + value + "[0]=64', or ?=64 for all"
                                          : listed(open_)));
        }
        if (traits_of(known->type) == nullptr) fail(node, "the type of '" + value + "' is not known");
        return size_at(node, value, *known->shape, known->type);
    }
    /// Bytes of a tensor.  Throws bad_weight, naming node and value, where they do not fit in 64 bits.
    [[nodiscard]] static auto size_at(onnx_node const& node, std::string const& value, onnx_shape const& shape,
                                      onnx_type type) -> bytes {
        return in_the_name_of(onnx_node_text(node) + ": '" + value + "'", [&] { return size_of(shape, type); });
    }
    [[nodiscard]] auto call_of(onnx_node const& node) const -> onnx_call {
        auto const version = model_.opsets.find(is_onnx_domain(node.domain) ? "" : node.domain);
        onnx_call call(node, version == model_.opsets.end() ? 1 : version->second);
        for (auto const& name : node.inputs) call.inputs.push_back(name.empty() ? nullptr : find_known(name));
        for (std::size_t k = 0; k < node.outputs.size(); ++k)
            if (auto const* const known = find_known(node.outputs[k])) call.outputs[k] = *known;
        return call;
    }
    /// Whether the node passes its first operand on: what it makes is the same in another shape.
    [[nodiscard]] auto is_view(onnx_node const& node) const -> bool {
        auto const& op = node.op_type;
        if (!is_onnx_domain(node.domain)) return false;
        if (op == "Cast" || op == "CastLike") {
            auto const *from = find_known(node.inputs[0]), *to = find_known(node.outputs[0]);
            return from != nullptr && to != nullptr && from->type == to->type && from->type != onnx_type::undefined;
        }
        bool const masked = node.outputs.size() > 1 && wanted_.contains(node.outputs[1]);
        return std::ranges::find(views_, op) != views_.end() || (op == "Dropout" && !training_ && !masked);
    }

    void add(onnx_node const& node, std::vector<std::string> const& operands) {
        if (node.inputs.empty() || node.inputs[0].empty() || node.outputs.empty() || !is_view(node))
            return add_operation(node, operands);
        auto const& viewed = sources_.at(node.inputs[0]);
        if (viewed.is == place::node) return add_operation(node, operands);
        sources_[node.outputs[0]] = viewed;  // a view of an input of the network, which is no node
    }

    void add_operation(onnx_node const& node, std::vector<std::string> const& operands) {
        auto const call = call_of(node);
        auto const id = static_cast<std::uint32_t>(nodes_.size());
        network_node made{.name = unique_name(node), .op = operator_name(node), .reads = std::vector<node_operand>()};
        bool const view = is_view(node);
        bytes traffic = 0;
        std::int64_t flops = 0;
        std::vector<std::uint32_t> own;
        std::vector<std::size_t> position(operands.size(), operands.size());  // in `reads`
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].empty()) continue;
            auto const& source = sources_.at(operands[k]);
            if (source.is == place::constant) {
                own.insert(own.end(), source.parameters.begin(), source.parameters.end());
            } else {
                position[k] = made.reads->size();
                made.reads->push_back({.of = source.of, .outside = source.outside});
            }
            if (!view) traffic = checked_add(traffic, bytes_read(node, call, k, operands[k]));
        }
        repebble::detail::sort_unique(own);

        std::vector<std::optional<std::uint32_t>> number(
            node.outputs.size());  // of each output, among those of the node
        std::vector<bytes> sizes;
        for (std::size_t k = 0; k < (view ? 1 : node.outputs.size()); ++k) {
            if (node.outputs[k].empty()) continue;
            number[k] = static_cast<std::uint32_t>(sizes.size());
            sizes.push_back(bytes_of(find_known(node.outputs[k]), node.outputs[k], node));
        }
        if (sizes.empty()) return;
        decide_gradient(node, operands, position, made, own);
        if (training_ && made.has_gradient && !view && !is_foreign(node)) add_saved(call, number, sizes, made);
        bytes total = 0;
        for (auto const size : sizes) total = checked_add(total, size);
        made.extra = extra_of(call, own);
        if (view) {
            auto const& viewed = made.reads->front().of.vertex;
            made.alias_of = nodes_[viewed].alias_of.value_or(viewed);
            made.extra["view_bytes"] = sizes.front();
        } else {
            made.memory = total;
            if (sizes.size() > 1) made.outputs_memory = sizes;
            if (!is_foreign(node)) flops = operator_cost(call).flops();
            traffic = checked_add(traffic, total);
            made.time = device_.time_of(flops, traffic, made.name);
            choose_in_place(node, operands, position, made);
        }
        made.extra["flops"] = flops;
        made.extra["bytes"] = traffic;
        for (std::size_t k = 0; k < node.outputs.size(); ++k)
            if (number[k] && !node.outputs[k].empty())
                sources_[node.outputs[k]] = {.is = place::node,
                                             .of = {id, *number[k]},
                                             .passes_gradient = made.has_gradient && is_real_value(node.outputs[k])};
        if (!training_) made.has_gradient = true;
        nodes_.push_back(std::move(made));
    }
    /// Bytes that a node reads of its operand k: of a table only as much as it takes from it.
    [[nodiscard]] auto bytes_read(onnx_node const& node, onnx_call const& call, std::size_t k,
                                  std::string const& name) const -> bytes {
        auto const op = operator_name(node);
        if (k == 0 && (op == "Gather" || op == "GatherElements" || op == "GatherND" || op == "Slice") &&
            call.outputs.front().shape)
            return bytes_of(&call.outputs.front(), node.outputs.front(), node);
        auto const* const known = find_known(name);
        auto const& source = sources_.at(name);
        if (source.is != place::constant || (known != nullptr && known->shape && traits_of(known->type) != nullptr))
            return bytes_of(known, name, node);
        // What folding has left out, and initializers of inner graphs: as much as they are made of.
        bytes size = 0;
        for (auto const p : source.parameters) size = checked_add(size, parameter_bytes(p));
        return size;
    }
    [[nodiscard]] auto parameter_bytes(std::size_t p) const -> bytes {
        auto const& [name, tensor, may_train, read, trained] = parameters_[p];
        return in_the_name_of("initializer '" + name + "'", [&] { return size_of(tensor->shape, tensor->type); });
    }
    [[nodiscard]] auto is_real_value(std::string const& name) const -> bool {
        auto const* const known = find_known(name);
        return known != nullptr && carries_gradient(known->type);
    }

    // ---- gradients ------------------------------------------------------------------------------------------------

    /// Decides whether a gradient passes the node, and what it reads of operands and outputs; marks the parameters that
    /// are trained.
    void decide_gradient(onnx_node const& node, std::vector<std::string> const& operands,
                         std::vector<std::size_t> const& position, network_node& made,
                         std::vector<std::uint32_t> const& own) {
        for (auto const p : own) parameters_[p].read = true;
        gradient_reads const table(node.op_type, node.domain);
        std::set<std::uint32_t> reads_operands, reads_outputs;
        made.has_gradient = false;
        bool const sends = sends_gradient(node);
        for (std::size_t j = 0; sends && j < operands.size(); ++j) {
            if (operands[j].empty() || !table.passes(j)) continue;
            auto const& source = sources_.at(operands[j]);
            bool arrives = source.passes_gradient;
            for (auto const p : source.parameters) {
                if (!parameters_[p].may_train) continue;
                parameters_[p].trained = true;
                arrives = true;
            }
            if (!arrives) continue;
            made.has_gradient = true;
            if (!training_) continue;
            for (std::size_t k = 0; k < operands.size() && reads_operands.size() < made.reads->size(); ++k)
                if (position[k] < operands.size() && table.reads_operand(j, k))
                    reads_operands.insert(static_cast<std::uint32_t>(position[k]));
            std::uint32_t number = 0;
            for (std::size_t k = 0; k < node.outputs.size(); ++k) {
                if (node.outputs[k].empty()) continue;
                if (table.reads_output(j, k)) reads_outputs.insert(number);
                ++number;
            }
        }
        if (!training_) return;
        made.bwd_operands.emplace(reads_operands.begin(), reads_operands.end());
        made.bwd_outputs.emplace(reads_outputs.begin(), reads_outputs.end());
        made.bwd_needs_inputs = !reads_operands.empty();
        made.bwd_needs_output = !reads_outputs.empty();
    }
    /// Adds what training saves beside the node's own outputs.
    void add_saved(onnx_call const& call, std::vector<std::optional<std::uint32_t>> const& number,
                   std::vector<bytes>& sizes, network_node& made) const {
        for (auto const& [slot, shape, type] : saved_outputs(call)) {
            if (slot < number.size() && number[slot]) continue;
            made.bwd_outputs->push_back(static_cast<std::uint32_t>(sizes.size()));
            made.bwd_needs_output = true;
            sizes.push_back(size_at(call.node, "what its gradient reads", shape, type));
        }
        repebble::detail::sort_unique(*made.bwd_outputs);
    }
    /// Lets an operation write over the first operand that it may, unless its gradient reads it.
    void choose_in_place(onnx_node const& node, std::vector<std::string> const& operands,
                         std::vector<std::size_t> const& position, network_node& made) const {
        auto const* const out = find_known(node.outputs.front());
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (!writes_over(made, k, training_) || position[k] >= operands.size() ||
                !(*made.reads)[position[k]].outside.empty())
                continue;
            auto const* const in = find_known(operands[k]);
            // The flag names a node: a convolution over what it reads of that node twice would destroy its input.
            auto const is_from = [from = (*made.reads)[position[k]].of.vertex](auto const& read) {
                return read.outside.empty() && read.of.vertex == from;
            };
            if (made.op == "FusedConv" && std::ranges::count_if(*made.reads, is_from) > 1) continue;
            bool const read = training_ && made.has_gradient &&
                              std::ranges::find(*made.bwd_operands, position[k]) != made.bwd_operands->end();
            if (read || out == nullptr || in == nullptr || in->shape != out->shape || in->type != out->type) continue;
            made.inplace = true;
            made.inplace_src = (*made.reads)[position[k]].of.vertex;
            return;
        }
    }

    // ---- what the file says beside ----------------------------------------------------------------------------------

    [[nodiscard]] auto unique_name(onnx_node const& node) -> std::string {
        auto const base = node.name.empty() ? node.op_type : node.name;
        auto name = node.name.empty() ? base + "_" + std::to_string(nodes_.size()) : base;
        for (auto& used = names_of_base_[base]; !names_.insert(name).second;)
            name = base + "_" + std::to_string(++used + 1);
        return name;
    }
    [[nodiscard]] static auto json_of(onnx_shape const& shape, onnx_type type) -> nlohmann::json {
        return {{"shape", shape}, {"dtype", traits_of(type)->name}};
    }
    [[nodiscard]] auto extra_of(onnx_call const& call, std::vector<std::uint32_t> const& own) const -> nlohmann::json {
        auto extra = nlohmann::json::object();
        for (auto const& output : call.outputs)
            if (output.shape && traits_of(output.type) != nullptr) {
                extra = json_of(*output.shape, output.type);
                break;
            }
        bytes size = 0;
        for (auto const p : own) size = checked_add(size, parameter_bytes(p));
        extra["params_bytes"] = size;
        if (!own.empty()) extra["parameters"] = own;
        return extra;
    }
    /// Inputs and parameters as networks by name list them; parameters that no node reads are left out.
    [[nodiscard]] auto extra_of_model() -> nlohmann::json {
        nlohmann::json extra{
            {"source", "onnx"}, {"inputs", nlohmann::json::array()}, {"parameters", nlohmann::json::array()}};
        bytes input_bytes = 0, trained_bytes = 0;
        for (auto const* const input : given_inputs(model_.graph)) {
            auto const* const known = find_known(input->name);
            if (known == nullptr || !known->shape || traits_of(known->type) == nullptr) continue;
            auto entry = json_of(*known->shape, known->type);
            entry["name"] = input->name;
            entry["trained"] = false;
            extra["inputs"].push_back(std::move(entry));
            input_bytes = checked_add(input_bytes, in_the_name_of("input '" + input->name + "'",
                                                                  [&] { return size_of(*known->shape, known->type); }));
        }
        std::vector<std::uint32_t> number(parameters_.size());
        for (std::size_t p = 0; p < parameters_.size(); ++p) {
            auto const& [name, tensor, may_train, read, trained] = parameters_[p];
            if (!read) continue;
            number[p] = static_cast<std::uint32_t>(extra["parameters"].size());
            auto entry = json_of(tensor->shape, tensor->type);
            entry["name"] = name;
            if (!trained)
                entry["trained"] = false;
            else
                trained_bytes = checked_add(trained_bytes, parameter_bytes(p));
            extra["parameters"].push_back(std::move(entry));
        }
        for (auto& node : nodes_)
            if (auto const own = node.extra.find("parameters"); own != node.extra.end())
                for (auto& p : *own) p = number[p.get<std::size_t>()];
        extra["input_bytes"] = input_bytes;
        extra["total_params_bytes"] = trained_bytes;
        return extra;
    }

    onnx_model const& model_;
    std::map<std::string, onnx_known> const& known_;
    roofline device_;
    bool training_;
    std::vector<std::string> open_;
    std::map<std::string, value_source> sources_;  // by the names of values
    std::vector<used_parameter> parameters_;
    std::vector<std::vector<std::string>> operands_;    // per ONNX node: its inputs, then what its graphs read and have
    std::vector<bool> live_;                            // per ONNX node
    std::set<std::string, std::less<>> wanted_;         // values that live nodes read, and results
    std::set<std::string, std::less<>> gets_gradient_;  // values that results send a gradient to
    std::vector<network_node> nodes_;
    std::set<std::string> names_;                       // of nodes
    std::map<std::string, std::size_t> names_of_base_;  // how many numbers behind a name are used
};

}  // namespace repebble::inline v0::io::detail

#endif
