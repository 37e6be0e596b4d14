#ifndef REPEBBLE_ONNX_DETAIL_NETWORK_BUILDER_HPP
#define REPEBBLE_ONNX_DETAIL_NETWORK_BUILDER_HPP

// From a flat ONNX graph, of which all shapes are known, to a network: a node for each operation that runs in every
// run. What depends on constants and shapes only is a parameter, views own nothing, and each node says what its
// gradient reads. The body of onnx_network; live_graph.hpp finds what runs.

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
#include <repebble/io/roofline.hpp>
#include <repebble/onnx/detail/element_size.hpp>
#include <repebble/onnx/detail/gradient_reads.hpp>
#include <repebble/onnx/detail/live_graph.hpp>
#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_preparation.hpp>
#include <repebble/onnx/detail/operator_cost.hpp>
#include <repebble/onnx/detail/operator_domain.hpp>
#include <repebble/onnx/detail/operators_in_place.hpp>
#include <repebble/onnx/detail/saved_outputs.hpp>
#include <repebble/onnx/onnx_known.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// Makes the network of one model.
class network_builder {
  public:
    /// known: of all values that the graph names, which inference has found to be made before they are read.
    /// `open`: names of extents that nobody has given.
    network_builder(onnx_model const& model, std::map<std::string, onnx_known> const& known, roofline const& device,
                    bool training, std::vector<std::string> open, read_account const& account)
        : model_(model),
          account_(account),
          graph_(model, known, account),
          device_(device),
          training_(training),
          open_(std::move(open)) {}

    /// The network, of this name.
    [[nodiscard]] auto build(std::string name) && -> network {
        for (std::size_t i = 0; i < model_.graph.nodes.size(); ++i)
            if (graph_.live[i])
                repebble::detail::catching<bad_weight>(
                    [&] { add(i); },
                    [&](bad_weight const& e) {
                        repebble::detail::raise(bad_weight(onnx_node_text(model_.graph.nodes[i]) + ": " + e.what()));
                    });
        for (auto const& output : model_.graph.outputs) {
            auto const& source = graph_.sources.at(output.name);
            if (source.is != value_place::node) continue;
            auto& results = nodes_[source.of.vertex].results;
            results.push_back(source.of.output);
            repebble::detail::sort_unique(results);
        }
        auto extra = extra_of_model();
        return network(std::move(nodes_), {}, std::move(name), std::move(extra), "ns", {}, account_);
    }

  private:
    static constexpr std::array<std::string_view, 5> views_{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};

    [[noreturn]] void fail(onnx_node const& node, std::string const& why) const {
        repebble::detail::raise(bad_graph(onnx_node_text(node) + ": " + why));
    }
    // ---- one node -------------------------------------------------------------------------------------------------

    /// Bytes of a value.  Throws bad_graph, naming value and node, where they are not known, and bad_weight, naming the
    /// value, where they do not fit in 64 bits.
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
        return in_the_name_of("'" + value + "'", [&] { return size_of(*known->shape, known->type); });
    }
    [[nodiscard]] auto call_of(onnx_node const& node) const -> onnx_call {
        auto const version = model_.opsets.find(is_onnx_domain(node.domain) ? "" : node.domain);
        onnx_call call(node, version == model_.opsets.end() ? 1 : version->second);
        for (auto const& name : node.inputs) call.inputs.push_back(name.empty() ? nullptr : graph_.find_known(name));
        for (std::size_t k = 0; k < node.outputs.size(); ++k)
            if (auto const* const known = graph_.find_known(node.outputs[k])) call.outputs[k] = *known;
        return call;
    }
    /// Whether the node passes its first operand on: what it makes is the same in another shape.
    [[nodiscard]] auto is_view(onnx_node const& node) const -> bool {
        auto const& op = node.op_type;
        if (!is_onnx_domain(node.domain)) return false;
        if (op == "Cast" || op == "CastLike") {
            auto const *from = graph_.find_known(node.inputs[0]), *to = graph_.find_known(node.outputs[0]);
            return from != nullptr && to != nullptr && from->type == to->type && from->type != onnx_type::undefined;
        }
        bool const masked = node.outputs.size() > 1 && graph_.wanted.contains(node.outputs[1]);
        return std::ranges::find(views_, op) != views_.end() || (op == "Dropout" && !training_ && !masked);
    }

    void add(std::size_t i) {
        auto const& node = model_.graph.nodes[i];
        if (node.inputs.empty() || node.inputs[0].empty() || node.outputs.empty() || !is_view(node))
            return add_operation(i);
        auto const& viewed = graph_.sources.at(node.inputs[0]);
        if (viewed.is == value_place::node) return add_operation(i);
        graph_.sources[node.outputs[0]] = viewed;  // a view of an input of the network, which is no node
    }

    void add_operation(std::size_t i) {
        auto const& node = model_.graph.nodes[i];
        auto const& operands = graph_.operands[i];
        auto const call = call_of(node);
        auto const id = static_cast<std::uint32_t>(nodes_.size());
        network_node made{.name = unique_name(node), .op = operator_name(node), .reads = std::vector<node_operand>()};
        bool const view = is_view(node);
        bytes traffic = 0;
        std::int64_t flops = 0;
        std::vector<std::uint32_t> own;
        spend_for(node, call, operands.size());
        std::vector<std::size_t> position(operands.size(), operands.size());  // in `reads`
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].empty()) continue;
            auto const& source = graph_.sources.at(operands[k]);
            if (source.is == value_place::constant) {
                auto const& more = source.parameters;
                account_.spend(more.size(), 8 * more.size(), [&] { return onnx_node_text(node); });
                own.insert(own.end(), more.begin(), more.end());
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
        std::vector<std::string> names;
        for (std::size_t k = 0; k < (view ? 1 : node.outputs.size()); ++k) {
            if (node.outputs[k].empty()) continue;
            number[k] = static_cast<std::uint32_t>(sizes.size());
            names.push_back(node.outputs[k]);
            sizes.push_back(bytes_of(graph_.find_known(node.outputs[k]), node.outputs[k], node));
        }
        if (sizes.empty()) return;
        decide_gradient(i, position, made, own);
        if (training_ && made.has_gradient && !view && !is_foreign(node)) add_saved(call, number, sizes, made);
        bytes total = 0;
        for (auto const size : sizes) total = checked_add(total, size);
        made.extra = extra_of(call, own);
        made.extra["output_names"] = std::move(names);
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
        std::vector<std::uint32_t> with_gradient;
        std::size_t outputs = 0;
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
            if (!number[k]) continue;
            bool const passes = made.has_gradient && graph_.may_get_gradient(node, k);
            graph_.sources[node.outputs[k]] = {
                .is = value_place::node, .of = {id, *number[k]}, .passes_gradient = passes};
            if (passes) with_gradient.push_back(*number[k]);
            ++outputs;
        }
        if (training_ && made.has_gradient && with_gradient.size() < outputs) made.gradient_outputs = with_gradient;
        if (!training_) made.has_gradient = true;
        nodes_.push_back(std::move(made));
    }
    /// Spends for the node of the network: with its names, its operands, and the shape among its extra fields.
    void spend_for(onnx_node const& node, onnx_call const& call, std::size_t operands) const {
        std::size_t axes = 0;
        for (auto const& output : call.outputs)
            if (output.shape) axes += output.shape->size();
        auto names = 4 * (node.name.size() + node.op_type.size());
        for (auto const& output : node.outputs) names += 2 * (output.size() + sizeof(std::string));
        account_.spend(64 + axes / 16, 2 * sizeof(network_node) + 1024 + names + 64 * operands + 32 * axes,
                       [&] { return onnx_node_text(node); });
    }
    /// Bytes that a node reads of its operand k: of a table only as much as it takes from it, of an example none.
    [[nodiscard]] auto bytes_read(onnx_node const& node, onnx_call const& call, std::size_t k,
                                  std::string const& name) const -> bytes {
        auto const op = operator_name(node);
        if (k == 1 && op == "CastLike") return 0;  // only its type
        if (k == 0 && (op == "Gather" || op == "GatherElements" || op == "GatherND" || op == "Slice") &&
            call.outputs.front().shape)
            return bytes_of(&call.outputs.front(), node.outputs.front(), node);
        auto const* const known = graph_.find_known(name);
        auto const& source = graph_.sources.at(name);
        if (source.is != value_place::constant ||
            (known != nullptr && known->shape && traits_of(known->type) != nullptr))
            return bytes_of(known, name, node);
        // What folding has left out, and initializers of inner graphs: as much as they are made of.
        bytes size = 0;
        for (auto const p : source.parameters) size = checked_add(size, parameter_bytes(p));
        return size;
    }
    [[nodiscard]] auto parameter_bytes(std::size_t p) const -> bytes {
        auto const& [name, tensor, gets_gradient, read, trained] = graph_.parameters[p];
        return in_the_name_of("initializer '" + name + "'", [&] { return size_of(tensor->shape, tensor->type); });
    }
    // ---- gradients ------------------------------------------------------------------------------------------------

    /// Decides whether a gradient passes the node, and what it reads of operands and outputs.
    void decide_gradient(std::size_t i, std::vector<std::size_t> const& position, network_node& made,
                         std::vector<std::uint32_t> const& own) {
        auto const& node = model_.graph.nodes[i];
        auto const& operands = graph_.operands[i];
        for (auto const p : own) graph_.parameters[p].read = true;
        gradient_reads const table(node.op_type, node.domain);
        std::set<std::uint32_t> reads_operands, reads_outputs;
        made.has_gradient = false;
        bool const sends = graph_.sends_gradient(node);
        auto const is_trained = [&](std::uint32_t const p) { return graph_.parameters[p].trained; };
        gradient_union gradients;
        for (std::size_t j = 0; sends && j < operands.size(); ++j) {
            if (operands[j].empty() || !graph_.passes[i][j]) continue;
            auto const& source = graph_.sources.at(operands[j]);
            account_.spend(1 + source.trains.size(), 0, [&] { return onnx_node_text(node); });
            if (!source.passes_gradient && std::ranges::none_of(source.trains, is_trained)) continue;
            made.has_gradient = true;
            gradients.add(table, j);
        }
        if (!training_) return;
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (position[k] < operands.size() && gradients.reads_operand(k))
                reads_operands.insert(static_cast<std::uint32_t>(position[k]));
        std::uint32_t number = 0;
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
            if (node.outputs[k].empty()) continue;
            if (gradients.reads_output(k)) reads_outputs.insert(number);
            ++number;
        }
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
            sizes.push_back(in_the_name_of("an output for its gradient", [&] { return size_of(shape, type); }));
        }
        repebble::detail::sort_unique(*made.bwd_outputs);
    }
    /// Lets an operation write over the first operand that it may, unless its gradient reads it.
    void choose_in_place(onnx_node const& node, std::vector<std::string> const& operands,
                         std::vector<std::size_t> const& position, network_node& made) const {
        auto const* const out = graph_.find_known(node.outputs.front());
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (!writes_over(made, k, training_) || position[k] >= operands.size() ||
                !(*made.reads)[position[k]].outside.empty())
                continue;
            auto const* const in = graph_.find_known(operands[k]);
            // The flag names a node: a convolution over what it reads of that node twice would destroy its input.
            auto const is_from = [from = (*made.reads)[position[k]].of.vertex](auto const& read) {
                return read.outside.empty() && read.of.vertex == from;
            };
            if (made.op == "FusedConv" && std::ranges::count_if(*made.reads, is_from) > 1) continue;
            bool const read = training_ && made.has_gradient &&
                              std::ranges::binary_search(*made.bwd_operands, static_cast<std::uint32_t>(position[k]));
            if (read || out == nullptr || in == nullptr || in->shape != out->shape || in->type != out->type) continue;
            made.inplace = true;
            made.inplace_src = (*made.reads)[position[k]].of.vertex;
            return;
        }
    }

    // ---- what the file says beside ----------------------------------------------------------------------------------

    [[nodiscard]] auto unique_name(onnx_node const& node) -> std::string {
        auto const base = node.name.empty() ? node.op_type : node.name;
        return first_free(node.name.empty() ? base + "_" + std::to_string(nodes_.size()) : base, base,
                          names_of_base_[base], [&](auto const& name) { return names_.insert(name).second; });
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
            auto const* const known = graph_.find_known(input->name);
            if (known == nullptr || !known->shape || traits_of(known->type) == nullptr) continue;
            auto entry = json_of(*known->shape, known->type);
            entry["name"] = input->name;
            entry["trained"] = false;
            extra["inputs"].push_back(std::move(entry));
            input_bytes = checked_add(
                input_bytes,
                in_the_name_of("input '" + input->name + "'", [&] { return size_of(*known->shape, known->type); }),
                "input bytes");
        }
        std::vector<std::uint32_t> number(graph_.parameters.size());
        for (std::size_t p = 0; p < graph_.parameters.size(); ++p) {
            auto const& [name, tensor, gets_gradient, read, trained] = graph_.parameters[p];
            if (!read) continue;
            number[p] = static_cast<std::uint32_t>(extra["parameters"].size());
            auto entry = json_of(tensor->shape, tensor->type);
            entry["name"] = name;
            entry["size"] = parameter_bytes(p);
            if (!trained)
                entry["trained"] = false;
            else
                trained_bytes = checked_add(trained_bytes, parameter_bytes(p), "bytes of trained parameters");
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
    read_account const& account_;
    live_graph graph_;
    roofline device_;
    bool training_;
    std::vector<std::string> open_;
    std::vector<network_node> nodes_;
    std::set<std::string> names_;                       // of nodes
    std::map<std::string, std::size_t> names_of_base_;  // how many numbers behind a name are used
};

}  // namespace repebble::inline v0::io::detail

#endif
