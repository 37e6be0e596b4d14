#ifndef REPEBBLE_ONNX_DETAIL_ONNX_INFERENCE_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_INFERENCE_HPP

// Inference over a graph in its order: each node by its rule, or by its declared shapes; graphs inside of nodes too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/read_account.hpp>
#include <repebble/onnx/detail/onnx_call.hpp>
#include <repebble/onnx/detail/onnx_generators.hpp>
#include <repebble/onnx/detail/onnx_rules.hpp>
#include <repebble/onnx/onnx_known.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// The graph that a node has as attribute; null where it has none of that name.
[[nodiscard]] inline auto inner_graph(onnx_node const& node, std::string_view name) -> onnx_graph const* {
    for (auto const& attribute : node.attributes)
        if (auto const* graphs = std::get_if<std::vector<onnx_graph>>(&attribute.value);
            graphs && attribute.name == name && !graphs->empty())
            return &graphs->front();
    return nullptr;
}

/// Opens the account of a model that is in memory: a node counts as so many bytes of a file.
inline void open_account(read_account const& account, onnx_model const& model) {
    constexpr std::size_t bytes_of_node = 100;
    account.open({}, bytes_of_node * model.graph.nodes.size());
}

/// A trip count above this means: until the condition is false.
inline constexpr std::int64_t most_iterations = 1'000'000;

class onnx_inference {
  public:
    using values = std::map<std::string, onnx_known>;

    /// Requires: the account is open.
    onnx_inference(onnx_model const& model, std::map<std::string, std::int64_t> const& dimensions,
                   read_account const& account)
        : dimensions_(dimensions), account_(account) {
        for (auto const& [domain, version] : model.opsets)
            if (is_onnx_domain(domain)) opset_ = version;
        for (auto const& [name, value] : dimensions) {
            if (value < 0) repebble::detail::raise(bad_graph("dimension '" + name + "' is " + std::to_string(value)));
            bracketed_ = bracketed_ || name.ends_with(']');
        }
    }

    /// All values of the model's graph.
    [[nodiscard]] auto run(onnx_graph const& graph) -> values { return infer(graph, nullptr, {}); }

  private:
    struct scope {
        scope const* outer = nullptr;
        values known{};
        std::unordered_map<std::string_view, onnx_value const*> declared{};

        [[nodiscard]] auto find(std::string const& name) const -> onnx_known const* {
            auto const found = known.find(name);
            return found != known.end() ? &found->second : outer ? outer->find(name) : nullptr;
        }
    };

    /// The value of a dimension that the caller gives for axis i of a value: by its declared name, or as `value[i]`.
    [[nodiscard]] auto given_extent(std::string const& value, std::size_t i, std::string const& dimension)
        -> std::optional<std::int64_t> {
        auto found = dimension.empty() ? dimensions_.end() : dimensions_.find(dimension);
        if (found == dimensions_.end() && bracketed_) {
            account_.spend(1 + value.size() / 16, 0, [&] { return "value '" + value + "'"; });
            found = dimensions_.find(value + "[" + std::to_string(i) + "]");
        }
        if (found == dimensions_.end()) return std::nullopt;
        changed_ = true;
        return found->second;
    }

    /// The same for an extent that depends on data: where neither is given, `?` counts.
    [[nodiscard]] auto given_open_extent(std::string const& value, std::size_t i) -> std::int64_t {
        if (auto const given = given_extent(value, i, {})) return *given;
        auto const any = dimensions_.find("?");
        changed_ = changed_ || any != dimensions_.end();
        return any != dimensions_.end() ? any->second : open_extent;
    }

    /// The declared extents, names replaced by the caller's values; open ones where there are none, and where a number
    /// is below the least that says anything.
    [[nodiscard]] auto declared_shape(onnx_value const& value, std::int64_t least) -> onnx_shape {
        onnx_shape shape;
        for (std::size_t i = 0; i < value.shape->size(); ++i) {
            auto const& extent = (*value.shape)[i];
            auto const* number = std::get_if<std::int64_t>(&extent);
            shape.push_back(number && *number >= least
                                ? *number
                                : given_extent(value.name, i, number ? std::string() : std::get<std::string>(extent))
                                      .value_or(open_extent));
        }
        return shape;
    }

    [[nodiscard]] static auto closed(onnx_shape const& shape) -> bool {
        return std::ranges::find(shape, open_extent) == shape.end();
    }

    /// What the file says of an input of the graph. Its numbers may be replaced, too, as `value[i]`.
    [[nodiscard]] auto known_input(onnx_value const& value) -> onnx_known {
        onnx_known known{.type = value.type};
        if (!value.shape) return known;
        auto shape = declared_shape(value, 0);
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (auto const given = given_extent(value.name, i, {})) shape[i] = *given;
        if (closed(shape)) known.shape = std::move(shape);
        return known;
    }

    /// Infers a graph, inside another one or not. `inputs` are those of a graph inside a node, of which more is known
    /// than the file says.
    [[nodiscard]] auto infer(onnx_graph const& graph, scope const* outer, std::vector<onnx_known> inputs) -> values {
        scope here{.outer = outer};
        for (auto const* list : {&graph.outputs, &graph.values, &graph.inputs})
            for (auto const& value : *list)
                if (value.shape || value.type != onnx_type::undefined) here.declared.try_emplace(value.name, &value);
        for (auto const& [name, tensor] : graph.initializers) {
            auto known = known_tensor(tensor, name);
            account_.spend(8, name.size() + bytes_of(known), [&] { return "initializer '" + name + "'"; });
            here.known.emplace(name, std::move(known));
        }
        for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
            auto const& value = graph.inputs[i];
            auto known = i < inputs.size() && inputs[i].shape ? std::move(inputs[i]) : known_input(value);
            account_.spend(8, value.name.size() + bytes_of(known), [&] { return "input '" + value.name + "'"; });
            here.known.try_emplace(value.name, std::move(known));
        }
        for (auto const& node : graph.nodes) infer(node, graph, here);
        for (auto const& output : graph.outputs)
            if (!here.find(output.name))
                repebble::detail::raise(bad_graph("output '" + output.name + "' of the graph is made by no node"));
        return std::move(here.known);
    }

    void infer(onnx_node const& node, onnx_graph const& graph, scope& here) {
        onnx_call call(node, opset_);
        auto const spend = [&](std::size_t work, std::size_t memory) {
            account_.spend(work, memory, [&] { return onnx_node_text(node); });
        };
        spend(128 + node.attributes.size() + 8 * (node.inputs.size() + node.outputs.size()), 0);
        for (auto const& name : node.inputs) {
            auto const* found = name.empty() ? nullptr : here.find(name);
            if (!found && !name.empty()) call.fail("reads '" + name + "', which " + missing(name, graph));
            call.inputs.push_back(found);
        }
        if (!infer_inner(call, here)) {
            if (auto const* rule = rule_of(node); rule && ready(call, rule->needs)) rule->infer(call);
            check_extents(call);
            if (auto const* fold = fold_of(node); fold && foldable(call)) {
                spend(work_of_fold(call), 0);
                fold->fold(call);
            }
            auto const constant = is_constant(call);
            for (auto& out : call.outputs) out.constant = constant || out.integers || out.reals;
        }
        for (std::size_t k = 0; k < node.outputs.size(); ++k) {
            auto const& name = node.outputs[k];
            if (name.empty()) continue;
            merge_declared(call, name, call.outputs[k], here);
            auto const size = name.size() + bytes_of(call.outputs[k]);
            spend(size / 8, size);
            if (!here.known.emplace(name, std::move(call.outputs[k])).second)
                call.fail("makes '" + name + "', which there is already");
        }
    }

    [[nodiscard]] static auto missing(std::string const& name, onnx_graph const& graph) -> std::string {
        for (auto const& node : graph.nodes)
            if (std::ranges::find(node.outputs, name) != node.outputs.end())
                return onnx_node_text(node) + " makes only later";
        return "nothing makes";
    }

    /// Whether the first inputs have known shapes, those that are given.
    [[nodiscard]] static auto ready(onnx_call const& call, std::size_t needs) -> bool {
        for (std::size_t i = 0; i < needs; ++i)
            if (call.given(i) && !call.known(i)) return false;
        return true;
    }

    static void check_extents(onnx_call const& call) {
        for (auto const& out : call.outputs)
            if (out.shape)
                for (auto const extent : *out.shape)
                    if (extent < 0 && extent != open_extent)
                        call.fail("the output would have shape " + shape_text(*out.shape));
    }

    /// Whether all shapes of outputs are known and small.
    [[nodiscard]] static auto foldable(onnx_call const& call) -> bool {
        return !call.outputs.empty() && std::ranges::all_of(call.outputs, [](onnx_known const& out) {
            std::int64_t elements = 1;
            if (!out.shape || !closed(*out.shape)) return false;
            for (auto const extent : *out.shape)
                if (__builtin_mul_overflow(elements, extent, &elements)) return false;
            return elements <= folded_elements;
        });
    }

    /// About the elements and axes that a fold goes through.  Requires: foldable.
    [[nodiscard]] static auto work_of_fold(onnx_call const& call) -> std::size_t {
        std::size_t work = 1;
        for (auto const& out : call.outputs)
            work += static_cast<std::size_t>(call.elements(*out.shape)) * (8 + out.shape->size());
        return work * (1 + call.inputs.size() / 8);
    }

    /// About the bytes that what is known of a value takes.
    [[nodiscard]] static auto bytes_of(onnx_known const& known) -> std::size_t {
        auto size = 64 + sizeof known;
        if (known.shape) size += 8 * known.shape->size();
        if (known.integers) size += 8 * known.integers->size();
        if (known.reals) size += 8 * known.reals->size();
        if (known.sequence)
            for (auto const& one : *known.sequence) size += bytes_of(one);
        return size;
    }

    [[nodiscard]] static auto is_constant(onnx_call const& call) -> bool {
        auto const& op = call.node.op_type;
        if (!rule_of(call.node) || is_random(op)) return false;
        if (op == "Dropout" && call.given(2) && call.integer(2) != 0) return false;
        if (reads_shape_only(op)) return call.known(0);
        return std::ranges::all_of(call.inputs, [](auto const* in) { return !in || in->constant; });
    }

    /// Fills what inference left open from the declared shape and from the caller's dimensions. Numbers that
    /// contradict are errors where the caller gives no extent.
    void merge_declared(onnx_call const& call, std::string const& name, onnx_known& found, scope const& here) {
        auto const entry = here.declared.find(name);
        auto const* declared = entry != here.declared.end() ? entry->second : nullptr;
        if (declared && found.type == onnx_type::undefined) found.type = declared->type;
        if (declared && declared->shape) {
            auto shape = declared_shape(*declared, 1);  // some exporters write 0 for an extent that they do not know
            if (found.shape) {
                auto const differ = [&] {
                    call.fail("value '" + name + "' has shape " + shape_text(*found.shape) + ", but the file says " +
                              shape_text(shape));
                };
                if (found.shape->size() != shape.size()) differ();
                for (std::size_t i = 0; i < shape.size(); ++i) {
                    auto& extent = (*found.shape)[i];
                    if (extent == open_extent)
                        extent = shape[i];
                    else if (!changed_ && shape[i] != open_extent && extent != shape[i])
                        differ();
                }
            } else if (!found.sequence) {
                found.shape = std::move(shape);
            }
        }
        if (!found.shape) return;
        for (std::size_t i = 0; i < found.shape->size(); ++i)
            if (auto& extent = (*found.shape)[i]; extent == open_extent) extent = given_open_extent(name, i);
        if (!closed(*found.shape)) found.shape.reset();
    }

    // ---- nodes with graphs inside ----

    /// Whether the node has graphs inside; then its outputs are set to what they say.
    [[nodiscard]] auto infer_inner(onnx_call& call, scope const& here) -> bool {
        if (!is_onnx_domain(call.node.domain)) return false;
        if (is_branch(call.node)) return infer_branches(call, here), true;
        if (call.node.op_type == "Loop") return infer_loop(call, here), true;
        if (call.node.op_type == "Scan") return infer_scan(call, here), true;
        return false;
    }

    /// What is known of the outputs of an inner graph, in their order.
    [[nodiscard]] auto results(onnx_graph const& graph, scope const& here, std::vector<onnx_known> inputs)
        -> std::vector<onnx_known> {
        auto const left = account_.memory_left();
        auto known = infer(graph, &here, std::move(inputs));
        account_.free_until(left);
        std::vector<onnx_known> found;
        for (auto const& output : graph.outputs) {
            auto const own = known.find(output.name);
            found.push_back(own != known.end() ? own->second : *here.find(output.name));
        }
        return found;
    }

    /// The branch of a known condition; else what both say alike.
    void infer_branches(onnx_call& call, scope const& here) {
        auto const *yes = inner_graph(call.node, "then_branch"), *no = inner_graph(call.node, "else_branch");
        if (!yes || !no) call.fail("has no branches");
        auto const condition = call.integer(0);
        auto const branch = [&](onnx_graph const& graph) {
            auto found = results(graph, here, {});
            if (found.size() != call.outputs.size()) call.fail("a branch has not as many outputs as the node");
            return found;
        };
        if (condition) {
            call.outputs = branch(*condition != 0 ? *yes : *no);
            return;
        }
        // A branch that does not fit these shapes cannot be the one that is taken.
        auto const fitting = [&](onnx_graph const& graph) -> std::vector<onnx_known> {
            return repebble::detail::catching<bad_graph>([&] { return branch(graph); },
                                                         [](bad_graph const&) { return std::vector<onnx_known>(); });
        };
        auto a = fitting(*yes), b = fitting(*no);
        if (a.empty() && b.empty()) return;
        if (a.empty()) a = b;
        if (b.empty()) b = a;
        for (std::size_t k = 0; k < call.outputs.size(); ++k) {
            if (a[k].type == b[k].type) call.outputs[k].type = a[k].type;
            if (a[k].shape == b[k].shape) call.outputs[k].shape = a[k].shape;
        }
    }

    [[nodiscard]] static auto unknown_contents(onnx_known known) -> onnx_known {
        return {.type = known.type, .shape = std::move(known.shape)};
    }

    /// Infers a body whose first `states` inputs after `before` others come back as outputs behind `skipped` ones,
    /// until the shapes that change from one iteration to the next are left open. What is open once stays open, also
    /// where the loop stands in another one and is inferred again: else loops in loops would double at each level.
    [[nodiscard]] auto stable_results(onnx_call const& call, onnx_graph const& body, scope const& here,
                                      std::vector<onnx_known> inputs, std::size_t before, std::size_t states,
                                      std::size_t skipped) -> std::vector<onnx_known> {
        if (body.inputs.size() != inputs.size() || body.outputs.size() != call.outputs.size() + skipped)
            call.fail("the body has not the inputs and outputs that the node needs");
        auto& open = open_states_[&call.node];
        open.resize(states);
        for (;;) {
            for (std::size_t i = 0; i < states; ++i)
                if (open[i]) inputs[before + i].shape.reset();
            auto found = results(body, here, inputs);
            bool stable = true;
            for (std::size_t i = 0; i < states; ++i) {
                auto const& state = inputs[before + i];
                if (!state.shape || state.shape == found[skipped + i].shape) continue;
                open[i] = true;
                stable = false;
            }
            if (stable) return found;
        }
    }

    /// Loop: trip count, condition, states. Values of each iteration are stacked: at most as many as the trip count.
    void infer_loop(onnx_call& call, scope const& here) {
        auto const* body = inner_graph(call.node, "body");
        if (!body) call.fail("has no body");
        auto const states = call.inputs.size() < 2 ? 0 : call.inputs.size() - 2;
        std::vector<onnx_known> inputs{{.type = onnx_type::int64, .shape = onnx_shape{}},
                                       {.type = onnx_type::boolean, .shape = onnx_shape{}}};
        for (std::size_t i = 0; i < states; ++i) inputs.push_back(unknown_contents(call.input(i + 2)));
        auto const found = stable_results(call, *body, here, std::move(inputs), 2, states, 1);
        auto const trips = call.integer(0);
        for (std::size_t k = 0; k < call.outputs.size(); ++k) {
            auto out = unknown_contents(found[k + 1]);
            if (k >= states && out.shape) {
                auto const bounded = trips && *trips >= 0 && *trips <= most_iterations;
                out.shape->insert(out.shape->begin(), bounded ? *trips : open_extent);
            }
            call.outputs[k] = std::move(out);
        }
    }

    /// Scan since opset 9: states, then inputs that the body takes slice by slice.
    void infer_scan(onnx_call& call, scope const& here) {
        auto const* body = inner_graph(call.node, "body");
        if (!body) call.fail("has no body");
        if (opset_ < 9) return;
        auto const scanned = call.required("num_scan_inputs");
        if (scanned < 1 || std::cmp_greater(scanned, call.inputs.size()))
            call.fail("num_scan_inputs is " + std::to_string(scanned));
        auto const states = call.inputs.size() - static_cast<std::size_t>(scanned);
        auto const axis_of = [&](char const* attribute, std::size_t k, std::size_t rank) {
            auto const* axes = call.numbers(attribute);
            return static_cast<std::ptrdiff_t>(call.axis(axes && k < axes->size() ? (*axes)[k] : 0, rank));
        };
        std::vector<onnx_known> inputs;
        auto length = open_extent;
        for (std::size_t i = 0; i < call.inputs.size(); ++i) {
            inputs.push_back(unknown_contents(call.input(i)));
            if (i < states || !call.known(i)) continue;
            auto& shape = *inputs.back().shape;
            auto const at = shape.begin() + axis_of("scan_input_axes", i - states, shape.size());
            length = *at;
            shape.erase(at);
        }
        auto const found = stable_results(call, *body, here, std::move(inputs), 0, states, 0);
        for (std::size_t k = 0; k < call.outputs.size(); ++k) {
            auto out = unknown_contents(found[k]);
            if (k >= states && out.shape) {
                auto const at = axis_of("scan_output_axes", k - states, out.shape->size() + 1);
                out.shape->insert(out.shape->begin() + at, length);
            }
            call.outputs[k] = std::move(out);
        }
    }

    std::map<std::string, std::int64_t> const& dimensions_;
    read_account const& account_;
    std::map<onnx_node const*, std::vector<bool>> open_states_{};  // of each loop: states of an open shape
    std::int64_t opset_ = 0;
    bool bracketed_ = false;  ///< some dimension is given as `value[i]`
    bool changed_ = false;    ///< some extent is the caller's
};

}  // namespace repebble::inline v0::io::detail

#endif
