#ifndef REPEBBLE_TRAINING_PLAIN_RUN_HPP
#define REPEBBLE_TRAINING_PLAIN_RUN_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <variant>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/with_values.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/index_bound.hpp>
#include <repebble/training/layout.hpp>
#include <repebble/training/plain_memory.hpp>
#include <repebble/training/random_arrays.hpp>

namespace repebble::training {

struct plain_run_options {
    std::uint64_t seed = 1;     ///< of inputs and parameters
    std::uint64_t rubbish = 7;  ///< seed of what is in memory that is not written yet
    bool training = true;
    bool in_place = false;        ///< outputs over inputs and gradients over gradients, where their kinds allow it
    bool add_parameters = false;  ///< gradients of parameters are added to zeros
};

/// A model run without a plan: every tensor and gradient has memory of its own until the end, and everything is filled
/// with what looks random. What computes a device's results for small models in the simplest way. All float32.
template <computing_device Device>
class plain_run {
  public:
    using storage = typename plain_memory<Device>::storage;

    /// Throws bad_graph for a model with bfloat16 values, and what the device throws.
    plain_run(Device& device, networks::model const& m, plain_run_options options = {})
        : device_(device), model_(m), layouts_(layouts_of(m)), options_(options), memory_(device, options.rubbish) {
        if (networks::has_values_of(m, networks::element::bfloat16))
            throw bad_graph(m.name() + ": models are run without a plan in float32 only");
        random_arrays random(options.seed);
        auto const add = [this](std::vector<storage*>& to, std::vector<std::byte> const& values) {
            to.push_back(&memory_.make(static_cast<bytes>(values.size())));
            write(*to.back(), values);
        };
        for (std::uint32_t i = 0; i < m.inputs().size(); ++i)
            add(inputs_, random.values_of(m.inputs()[i], index_bound(m, i)));
        for (auto const& p : m.parameters()) {
            add(parameters_, random.values_of(p));
            parameter_gradients_.push_back(&memory_.make(p.tensor.size()));
        }
        if (auto const& y = m.operations().back(); y.outputs[0].rank() > 0 && !y.is_view())
            weights_ = random.floats(static_cast<std::size_t>(y.outputs[0].volume()), -1, 1);
        for (std::uint32_t v = 0; v < m.operations().size(); ++v) prepare_forward(v);
        for (auto v = static_cast<std::uint32_t>(m.operations().size()); v-- > 0;) prepare_backward(v);
    }

    void forward() { run(forward_); }
    /// Requires: `forward` ran.
    void backward() {
        if (options_.add_parameters)
            for (auto* const p : parameter_gradients_)
                write(*p, std::vector<std::byte>(static_cast<std::size_t>(p->size)));
        run(backward_);
    }
    /// The last operation's first output, or a weighted sum of its elements.
    [[nodiscard]] auto objective() -> double {
        auto const y = contents<float>(value(last()));
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) sum += (weights_.empty() ? 1 : weights_[i]) * y[i];
        return sum;
    }
    [[nodiscard]] auto input(std::uint32_t i) -> storage& { return *inputs_[i]; }
    [[nodiscard]] auto parameter(std::uint32_t i) -> storage& { return *parameters_[i]; }
    /// nullptr: none.
    [[nodiscard]] auto input_gradient(std::uint32_t i) -> storage* {
        auto const found = gradients_.find({operand::source::input, i, 0});
        return found == gradients_.end() ? nullptr : found->second;
    }
    [[nodiscard]] auto parameter_gradient(std::uint32_t i) -> storage* {
        return touched_parameters_.contains(i) ? parameter_gradients_[i] : nullptr;
    }
    /// Where a tensor, or that of which it is a view, lies.
    [[nodiscard]] auto value(networks::operand const& x) -> storage& {
        auto const owner = owner_of(x);
        return owner.from == operand::source::input ? *inputs_[owner.index] : *values_.at(key_of(owner));
    }
    [[nodiscard]] auto last() const -> networks::operand {
        return {operand::source::operation, static_cast<std::uint32_t>(model_.operations().size() - 1), 0};
    }
    template <class T>
    [[nodiscard]] auto contents(storage const& s) const -> std::vector<T> {
        return memory_.template contents<T>(s);
    }
    template <class T>
    void write(storage& s, std::vector<T> const& all) {
        memory_.write(s, all);
    }
    /// Whether some call wrote behind the end of a storage or of its workspace.
    [[nodiscard]] auto overran() const -> bool { return memory_.overran(); }

  private:
    using operand = networks::operand;
    using key = std::tuple<operand::source, std::uint32_t, std::uint32_t>;

    [[nodiscard]] static auto key_of(operand const& x) -> key { return {x.from, x.index, x.output}; }
    [[nodiscard]] auto owner_of(operand x) const -> operand {
        while (x.from == operand::source::operation && model_.operations()[x.index].is_view())
            x = model_.operations()[x.index].inputs.front();
        return x;
    }
    [[nodiscard]] auto placed(operand const& x) -> placed_tensor { return {layouts_.of(x), value(x).data.data()}; }
    [[nodiscard]] auto uses(operand const& owner) const -> std::size_t {
        std::size_t count = 0;
        for (auto const& v : model_.operations())
            for (auto const& x : v.inputs) count += owner_of(x) == owner ? 1 : 0;
        return count;
    }
    /// Whether the first output of v may lie over its input x, and the gradient of x over that of the output.
    [[nodiscard]] auto fits_over(std::uint32_t v, operand const& x) const -> bool {
        if (!options_.in_place || x.from == operand::source::input || owner_of(x) != x || uses(x) != 1) return false;
        auto const& producer = model_.operations()[x.index];
        bool const needed =
            std::visit([](auto const& k) { return networks::gradient_needs_of(k).output; }, producer.what) &&
            producer.outputs.size() == 1;
        return !needed && x.output == 0 && layouts_.of(x) == layouts_.outputs[v][0];
    }
    template <class Call>
    void add_workspace(Call& call) {
        auto const size = device_.workspace_of(call);
        if (size > 0) call.workspace = {memory_.make(size).data.data(), size};
    }
    void prepare_forward(std::uint32_t v) {
        auto const& op = model_.operations()[v];
        forward_call call{&op, v, 0, options_.training};
        for (auto const& x : op.inputs) call.inputs.push_back(placed(x));
        for (std::uint32_t j = 0; j < op.outputs.size(); ++j) {
            operand const y{operand::source::operation, v, j};
            if (!op.is_view()) {
                bool const over = j == 0 && !op.inputs.empty() && fits_over(v, op.inputs[0]) &&
                                  std::visit([](auto const& k) { return networks::may_overwrite_input(k); }, op.what);
                values_[key_of(y)] = over ? values_.at(key_of(op.inputs[0])) : &memory_.make(op.outputs[j].size());
            }
            call.outputs.push_back(placed(y));
        }
        for (auto const p : op.parameters) call.parameters.push_back(parameters_[p]->data.data());
        add_workspace(call);
        forward_.push_back(device_.make(call));
    }

    /// Kinds whose gradient is computed element by element, or row by row.
    [[nodiscard]] static auto is_elementwise(networks::any_kind const& what) -> bool {
        return std::visit(
            []<class Kind>(Kind const& k) {
                return networks::may_overwrite_input(k) || std::same_as<Kind, networks::multiply> ||
                       std::same_as<Kind, networks::gelu> || std::same_as<Kind, networks::silu>;
            },
            what);
    }
    [[nodiscard]] auto gradient_of(operand const& x) -> placed_tensor {
        auto const found = gradients_.find(key_of(owner_of(x)));
        return {layouts_.of(x), found == gradients_.end() ? nullptr : found->second->data.data()};
    }
    void add_input_gradient(backward_call& call, std::uint32_t v, operand const& x, bool& in_place) {
        auto const& op = model_.operations()[v];
        auto const owner = owner_of(x);
        if (model_.tensor_of(x).type != networks::element::float32) {
            call.input_gradients.push_back({});
            return;
        }
        bool const first = !gradients_.contains(key_of(owner));
        if (first) {
            bool const over = !in_place && is_elementwise(op.what) && fits_over(v, x) &&
                              gradients_.contains({operand::source::operation, v, 0});
            gradients_[key_of(owner)] =
                over ? gradients_.at({operand::source::operation, v, 0}) : &memory_.make(value(owner).size);
            in_place = in_place || over;
        }
        auto const where = gradient_of(x);
        if (first && model_.tensor_of(x).volume() != model_.tensor_of(owner).volume())
            call.clear.push_back({where.storage, value(owner).size});
        call.input_gradients.push_back({where, !first});
    }
    void prepare_backward(std::uint32_t v) {
        auto const& op = model_.operations()[v];
        if (op.is_view()) return;
        bool const is_last = v + 1 == model_.operations().size();
        if (is_last && !weights_.empty())
            gradients_[{operand::source::operation, v, 0}] = &memory_.make(op.outputs[0].size());
        if (!is_last && !gradients_.contains({operand::source::operation, v, 0})) return;
        backward_call call{&op, v};
        auto const needs = std::visit([](auto const& k) { return networks::gradient_needs_of(k); }, op.what);
        for (auto const& x : op.inputs) {
            call.inputs.push_back({layouts_.of(x), nullptr});
            if (needs.inputs || owner_of(x).from == operand::source::input) call.inputs.back() = placed(x);
        }
        for (std::uint32_t j = 0; j < op.outputs.size(); ++j) {
            operand const y{operand::source::operation, v, j};
            call.outputs.push_back({layouts_.of(y), nullptr});
            if (j > 0 || (needs.output && op.outputs.size() == 1)) call.outputs.back() = placed(y);
            call.output_gradients.push_back(gradient_of(y));
        }
        bool in_place = false;
        for (auto const& x : op.inputs) add_input_gradient(call, v, x, in_place);
        for (auto const p : op.parameters) {
            bool const trained = model_.parameters()[p].trained;
            call.parameters.push_back(parameters_[p]->data.data());
            call.parameter_gradients.push_back(trained ? parameter_gradients_[p]->data.data() : nullptr);
            call.add_parameter.push_back(options_.add_parameters || touched_parameters_.contains(p));
            if (trained) touched_parameters_.insert(p);
        }
        add_workspace(call);
        backward_.push_back(device_.make(call));
    }
    void run(std::vector<std::unique_ptr<task>> const& tasks) {
        if (!weights_.empty()) write(*gradients_.at(key_of(last())), weights_);
        for (auto const& t : tasks) t->run();
        device_.finish();
    }

    Device& device_;
    networks::model const& model_;
    model_layouts layouts_;
    plain_run_options options_;
    plain_memory<Device> memory_;
    std::vector<storage*> inputs_{};
    std::vector<storage*> parameters_{};
    std::vector<storage*> parameter_gradients_{};
    std::set<std::uint32_t> touched_parameters_{};
    std::map<key, storage*> values_{};
    std::map<key, storage*> gradients_{};
    std::vector<float> weights_{};
    std::vector<std::unique_ptr<task>> forward_{};
    std::vector<std::unique_ptr<task>> backward_{};
};

}  // namespace repebble::training

#endif
