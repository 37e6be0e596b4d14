#ifndef REPEBBLE_TRAINING_PLAIN_RUN_HPP
#define REPEBBLE_TRAINING_PLAIN_RUN_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/layout.hpp>
#include <repebble/training/random_values.hpp>

namespace repebble::training {

struct plain_run_options {
    std::uint64_t seed = 1;     ///< of inputs and parameters
    std::uint64_t rubbish = 7;  ///< seed of what is in memory that is not written yet
    bool training = true;
    bool in_place = false;        ///< outputs over inputs and gradients over gradients, where their kinds allow it
    bool add_parameters = false;  ///< gradients of parameters are added to zeros
};

/// A model run without a plan: every tensor and gradient has memory of its own until the end, and everything is filled
/// with what looks random. What computes a device's results for small models in the simplest way.
template <computing_device Device>
class plain_run {
  public:
    using block = decltype(std::declval<Device&>().allocate(pool::device, bytes{}, bytes{}));
    /// A storage, and behind it bytes that nobody may change.
    struct memory {
        block data;
        bytes size = 0;
    };

    plain_run(Device& device, networks::model const& m, plain_run_options options = {})
        : device_(device), model_(m), layouts_(layouts_of(m)), options_(options), random_(options.seed) {
        for (auto const& x : m.inputs()) inputs_.push_back(make_memory(x.tensor.size()));
        for (auto const& p : m.parameters()) {
            parameters_.push_back(make_memory(p.tensor.size()));
            parameter_gradients_.push_back(make_memory(p.tensor.size()));
        }
        for (std::uint32_t i = 0; i < m.inputs().size(); ++i) randomize(inputs_[i], m.inputs()[i]);
        for (std::uint32_t i = 0; i < m.parameters().size(); ++i) randomize(parameters_[i], m.parameters()[i]);
        for (auto const& v : m.operations()) set_limits(v);
        for (std::uint32_t v = 0; v < m.operations().size(); ++v) prepare_forward(v);
        for (auto v = static_cast<std::uint32_t>(m.operations().size()); v-- > 0;) prepare_backward(v);
    }

    void forward() { run(forward_); }
    /// Requires: `forward` ran.
    void backward() {
        if (options_.add_parameters)
            for (auto& p : parameter_gradients_) write(p, std::vector<std::byte>(static_cast<std::size_t>(p.size)));
        run(backward_);
    }
    /// The last operation's first output, or a weighted sum of its elements.
    [[nodiscard]] auto objective() -> double {
        auto const y = contents<float>(value(last()));
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) sum += (weights_.empty() ? 1 : weights_[i]) * y[i];
        return sum;
    }
    [[nodiscard]] auto input(std::uint32_t i) -> memory& { return inputs_[i]; }
    [[nodiscard]] auto parameter(std::uint32_t i) -> memory& { return parameters_[i]; }
    /// nullptr: none.
    [[nodiscard]] auto input_gradient(std::uint32_t i) -> memory* {
        auto const found = gradients_.find({operand::source::input, i, 0});
        return found == gradients_.end() ? nullptr : found->second.get();
    }
    [[nodiscard]] auto parameter_gradient(std::uint32_t i) -> memory* {
        return touched_parameters_.contains(i) ? &parameter_gradients_[i] : nullptr;
    }
    /// Where a tensor, or that of which it is a view, lies.
    [[nodiscard]] auto value(networks::operand const& x) -> memory& {
        auto const owner = owner_of(x);
        return owner.from == operand::source::input ? inputs_[owner.index] : *values_.at(key_of(owner));
    }
    [[nodiscard]] auto last() const -> networks::operand {
        return {operand::source::operation, static_cast<std::uint32_t>(model_.operations().size() - 1), 0};
    }
    template <class T>
    [[nodiscard]] auto contents(memory const& m) -> std::vector<T> {
        std::vector<T> all(static_cast<std::size_t>(m.size) / sizeof(T));
        device_.finish();
        device_.download(all.data(), m.data.data(), m.size);
        return all;
    }
    template <class T>
    void write(memory& m, std::vector<T> const& all) {
        device_.upload(m.data.data(), all.data(), m.size);
    }
    /// Whether some call wrote behind the end of a storage or of its workspace.
    [[nodiscard]] auto overran() -> bool {
        device_.finish();
        auto const changed = [this](memory const& m) {
            return device_.highest_change(m.data.data() + rounded(m.size), margin, options_.rubbish) != 0;
        };
        return std::ranges::any_of(inputs_, changed) || std::ranges::any_of(parameters_, changed) ||
               std::ranges::any_of(parameter_gradients_, changed) ||
               std::ranges::any_of(kept_, [&](auto const& m) { return changed(*m); });
    }

  private:
    using operand = networks::operand;
    using key = std::tuple<operand::source, std::uint32_t, std::uint32_t>;
    static constexpr bytes margin = 64;

    [[nodiscard]] static auto rounded(bytes size) -> bytes { return (size + 63) / 64 * 64; }
    [[nodiscard]] static auto key_of(operand const& x) -> key { return {x.from, x.index, x.output}; }

    [[nodiscard]] auto make_memory(bytes size) -> memory {
        memory made{device_.allocate(pool::device, rounded(size) + margin, bytes{64}), size};
        device_.fill(made.data.data(), rounded(size), options_.rubbish);
        device_.fill(made.data.data() + rounded(size), margin, options_.rubbish);
        return made;
    }
    [[nodiscard]] auto make_shared_memory(bytes size) -> std::shared_ptr<memory> {
        auto made = std::make_shared<memory>(make_memory(size));
        kept_.push_back(made);
        return made;
    }
    void randomize(memory& m, networks::parameter const& p) {
        auto const n = static_cast<std::size_t>(p.tensor.volume());
        bool const positive = !p.trained && p.name.ends_with("running_var");
        switch (p.tensor.type) {
            case networks::element::float32:
                return write(m, random_.floats(n, positive ? 0.5 : -1, positive ? 1.5 : 1));
            case networks::element::int64:
                return write(m, random_.indices(n, static_cast<std::int64_t>(n)));
            case networks::element::boolean:
                return write(m, random_values::triangle(p.tensor.shape.back()));
            case networks::element::bfloat16:
                throw bad_graph(p.name + ": models are run without a plan in float32 only");
        }
    }
    /// Labels are classes, and indices rows of the table.
    void set_limits(networks::operation const& v) {
        auto const limit = [&](operand const& x, std::int64_t end) {
            auto const n = static_cast<std::size_t>(model_.tensor_of(x).volume());
            if (x.from == operand::source::input) write(inputs_[x.index], random_.indices(n, end));
        };
        if (auto const* const table = std::get_if<networks::embedding>(&v.what)) limit(v.inputs[0], table->rows);
        if (std::holds_alternative<networks::nll_loss>(v.what))
            limit(v.inputs[1], model_.tensor_of(v.inputs[0]).shape[1]);
    }

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
        if (size > 0) {
            auto const m = make_shared_memory(size);
            call.workspace = {m->data.data(), size};
        }
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
                values_[key_of(y)] = over ? values_.at(key_of(op.inputs[0])) : make_shared_memory(op.outputs[j].size());
            }
            call.outputs.push_back(placed(y));
        }
        for (auto const p : op.parameters) call.parameters.push_back(parameters_[p].data.data());
        add_workspace(call);
        forward_.push_back(device_.make(call));
    }

    /// Kinds whose gradient is computed element by element, or row by row.
    [[nodiscard]] static auto is_elementwise(networks::any_kind const& what) -> bool {
        return std::visit(
            []<class Kind>(Kind const& k) {
                return networks::may_overwrite_input(k) || std::same_as<Kind, networks::multiply> ||
                       std::same_as<Kind, networks::gelu>;
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
                over ? gradients_.at({operand::source::operation, v, 0}) : make_shared_memory(value(owner).size);
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
        if (is_last && op.outputs[0].rank() > 0) {
            auto& made = *(gradients_[{operand::source::operation, v, 0}] = make_shared_memory(op.outputs[0].size()));
            weights_ = random_.floats(static_cast<std::size_t>(op.outputs[0].volume()), -1, 1);
            write(made, weights_);
        }
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
            call.parameters.push_back(parameters_[p].data.data());
            call.parameter_gradients.push_back(trained ? parameter_gradients_[p].data.data() : nullptr);
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
    random_values random_;
    std::vector<memory> inputs_{};
    std::vector<memory> parameters_{};
    std::vector<memory> parameter_gradients_{};
    std::set<std::uint32_t> touched_parameters_{};
    std::map<key, std::shared_ptr<memory>> values_{};
    std::map<key, std::shared_ptr<memory>> gradients_{};
    std::vector<std::shared_ptr<memory>> kept_{};
    std::vector<float> weights_{};
    std::vector<std::unique_ptr<task>> forward_{};
    std::vector<std::unique_ptr<task>> backward_{};
};

}  // namespace repebble::training

#endif
