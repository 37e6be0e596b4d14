#ifndef REPEBBLE_GRAPH_TRAINING_DETAIL_GRADIENT_BUILDER_HPP
#define REPEBBLE_GRAPH_TRAINING_DETAIL_GRADIENT_BUILDER_HPP

// Reverse-mode differentiation of a dataflow at the level of operations: appends gradients in reverse topological order
// under one of three conventions. The body of make_training_graph. Invariant: forward operations keep their indices.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/contract_views.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/convention.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/trained_parameter.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/training_vertex.hpp>

namespace repebble::inline v0::detail {

/// Adds gradients to a forward dataflow. Works on the dataflow with views contracted, whose operations are called c
/// below.
class gradient_builder {
  public:
    gradient_builder(dataflow const& forward, gradient_needs const& needs, std::vector<bytes> const& gradient_memory,
                     std::span<trained_parameter const> parameters,
                     std::span<operation_index const> without_gradient = {},
                     std::span<value_index const> values_without_gradient = {})
        : forward_(forward), contracted_(contract_views(forward)), parameters_(parameters) {
        if (needs.size() != forward.operation_count())
            detail::raise(bad_graph("gradient needs are given for " + std::to_string(needs.size()) + " of " +
                                    std::to_string(forward.operation_count()) + " operations"));
        copy_forward();
        collect_needs(needs);
        passes_gradients_.assign(contracted_.flow.operation_count(), 1);
        for (auto const v : without_gradient) {
            if (v >= forward.operation_count())
                detail::raise(bad_graph("no gradient passes vertex " + std::to_string(v) + ", but there are " +
                                        std::to_string(forward.operation_count()) + " vertices"));
            auto const c = contracted_.representative[v];
            if (contracted_.members[c].front() == v) passes_gradients_[c] = 0;
        }
        has_gradient_.assign(forward.value_count(), 1);
        for (auto const value : values_without_gradient) {
            if (value >= forward.value_count())
                detail::raise(bad_graph("value " + std::to_string(value) + " has no gradient, but there are " +
                                        std::to_string(forward.value_count()) + " values"));
            has_gradient_[value] = 0;
        }
        measure_gradients(gradient_memory);
        collect_parameters();
    }

    [[nodiscard]] auto build(convention how) && -> training_graph {
        auto const& flow = contracted_.flow;
        gradient_.assign(flow.operation_count(), 0);
        gradient_sum_.resize(flow.value_count(), no_value);
        additions_.resize(flow.operation_count());
        last_reader_.resize(flow.value_count());
        auto const order = flow.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            if (passes_gradients_[order[i]] == 0) continue;
            arriving_.clear();
            if (how == convention::value_grad) add_value_gradient(order[i]);
            if (how == convention::op_backward) add_backward(order[i]);
            if (how == convention::executable) add_executable(order[i]);
            add_parameter_gradients(order[i]);
        }
        if (how == convention::joint)
            detail::raise(bad_graph("a joint training graph is not built: it comes from a framework"));
        return {std::move(builder_).build(), std::move(origin_), how, std::move(gradient_of_)};
    }

  private:
    void copy_forward() {
        builder_.set_unit(forward_.unit());
        for (operation_index v = 0; v < forward_.operation_count(); ++v) {
            builder_.add_copy(forward_, v);
            origin_.push_back({v, pass::forward, 0});
        }
        value_.resize(forward_.value_count());
        for (auto const v : forward_.order()) {
            for (auto const value : forward_.writes(v)) {
                if (forward_.producers(value).size() != 1)
                    detail::raise(bad_graph("a value of vertex " + std::to_string(v) +
                                            " has several producers: its gradients cannot be built"));
                std::vector<value_index> owners;
                for (auto const owner : forward_.owners(value)) owners.push_back(value_[owner]);
                value_[value] = forward_.is_view(value) ? builder_.add_view(v, owners)
                                                        : builder_.add_value(v, forward_.size(value));
            }
        }
        gradient_of_.assign(forward_.value_count(), no_value);
        for (operation_index v = 0; v < forward_.operation_count(); ++v) {
            for (auto const value : forward_.operands(v)) builder_.add_read(v, value_[value]);
            for (auto const u : forward_.control_predecessors(v)) builder_.add_control_edge(u, v);
            for (auto const& m : forward_.mutations(v)) builder_.add_mutation(v, m.output, value_[m.over]);
            for (auto const& o : forward_.allowed_overwrites(v)) builder_.allow_overwrite(v, o.output, value_[o.over]);
        }
        for (auto const value : forward_.results()) builder_.add_result(value_[value]);
    }
    /// The operations with gradients that read values of c, ascending.
    [[nodiscard]] auto readers_of(operation_index c) const -> std::vector<operation_index> {
        auto const& flow = contracted_.flow;
        return united(flow.writes(c), [&](value_index value) { return flow.readers(value); });
    }
    /// The operations with gradients that write values which c reads, ascending.
    [[nodiscard]] auto sources_of(operation_index c) const -> std::vector<operation_index> {
        auto const& flow = contracted_.flow;
        return united(flow.reads(c), [&](value_index value) { return flow.producers(value); });
    }
    /// The operations with gradients of any of these values, ascending.
    template <class Of>
    [[nodiscard]] auto united(std::span<value_index const> values, Of const& operations_of) const
        -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const value : values) {
            if (!has_gradient(value)) continue;
            auto const some = operations_of(value);
            for (auto const c : some)
                if (passes_gradients_[c] != 0) all.push_back(c);
        }
        sort_unique(all);
        return all;
    }

    /// Translates the needs to contracted values: gradients read the owners of merged views, in whose storages they
    /// lie.
    void collect_needs(gradient_needs const& needs) {
        auto const& flow = contracted_.flow;
        std::vector<value_index> contracted_value(forward_.value_count(), no_value);
        for (value_index value = 0; value < flow.value_count(); ++value)
            contracted_value[contracted_.original_value[value]] = value;
        needs_.resize(flow.operation_count());
        for (operation_index c = 0; c < flow.operation_count(); ++c)
            for (auto const value : needs[contracted_.members[c].front()]) {
                if (value >= forward_.value_count())
                    detail::raise(bad_graph("the gradient of vertex " + std::to_string(contracted_.members[c].front()) +
                                            " needs a value that does not exist"));
                if (contracted_value[value] != no_value) {
                    needs_[c].push_back(contracted_value[value]);
                } else {
                    for (auto const owner : forward_.owners(value)) needs_[c].push_back(contracted_value[owner]);
                }
            }
    }

    void measure_gradients(std::vector<bytes> const& given) {
        auto const& flow = contracted_.flow;
        if (!given.empty() && given.size() != forward_.operation_count())
            detail::raise(bad_graph("gradient sizes are given for " + std::to_string(given.size()) + " of " +
                                    std::to_string(forward_.operation_count()) + " operations"));
        for (operation_index c = 0; c < flow.operation_count(); ++c) {
            bytes size = flow.writes(c).empty() ? 0 : size_of(leading_output(c));
            if (!given.empty()) size = given[contracted_.members[c].front()];
            size_.push_back(size);
        }
    }
    void collect_parameters() {
        parameters_of_.resize(contracted_.flow.operation_count());
        sum_.assign(parameters_.size(), no_value);
        for (std::uint32_t p = 0; p < parameters_.size(); ++p)
            for (auto const v : parameters_[p].users) {
                if (v >= forward_.operation_count())
                    detail::raise(bad_graph("parameter " + std::to_string(p) + " has the user " + std::to_string(v) +
                                            ", which is no vertex: there are " +
                                            std::to_string(forward_.operation_count())));
                auto& own = parameters_of_[contracted_.representative[v]];
                if (own.empty() || own.back() != p) own.push_back(p);
            }
    }
    [[nodiscard]] auto has_gradient(value_index value) const -> bool {
        return has_gradient_[contracted_.original_value[value]] != 0;
    }
    /// The first output of c that has a gradient, or the first.  Requires: c has outputs.
    [[nodiscard]] auto leading_output(operation_index c) const -> value_index {
        auto const outputs = contracted_.flow.writes(c);
        auto const found = std::ranges::find_if(outputs, [&](auto const value) { return has_gradient(value); });
        return found != outputs.end() ? *found : outputs.front();
    }
    /// Bytes of a value; of a view that was not merged, those of its owners.
    [[nodiscard]] auto size_of(value_index value) const -> bytes {
        bytes total = 0;
        for (auto const owner : contracted_.flow.owners(value))
            total = checked_add(total, contracted_.flow.size(owner));
        return total;
    }

    auto add_operation(operation_index c, pass which, std::uint32_t part = 0) -> operation_index {
        std::int64_t const time = which == pass::backward
                                      ? checked_multiply(contracted_.flow.time(c), std::int64_t{2}, "times")
                                      : std::int64_t{};
        origin_.push_back({contracted_.members[c].front(), which, part});
        return builder_.add_operation(time);
    }
    /// Adds a value: the gradient, or a part of the gradient, of a contracted value.
    auto add_gradient(operation_index op, bytes size, value_index of) -> value_index {
        gradient_of_.push_back(of == no_value ? no_value : training_value(of));
        return builder_.add_value(op, size);
    }
    /// The value of the training graph for a contracted value.
    [[nodiscard]] auto training_value(value_index value) const -> value_index {
        return value_[contracted_.original_value[value]];
    }
    /// Reads a contracted value, once however many need it.
    void read_forward(operation_index op, value_index value) {
        if (std::exchange(last_reader_[value], op) != op) builder_.add_read(op, training_value(value));
    }
    void read_needs(operation_index op, operation_index c) {
        for (auto const value : needs_[c]) read_forward(op, value);
    }

    void add_value_gradient(operation_index c) {
        auto const op = add_operation(c, pass::backward);
        auto const consumers = readers_of(c);
        for (auto const w : consumers) {
            builder_.add_read(op, gradient_[w]);
            read_needs(op, w);
        }
        if (consumers.empty())
            for (auto const value : contracted_.flow.writes(c)) read_forward(op, value);
        gradient_[c] = add_gradient(op, size_[c], contracted_.flow.writes(c).empty() ? no_value : leading_output(c));
        arriving_.push_back(gradient_[c]);
    }

    void add_backward(operation_index c) {
        auto const op = add_operation(c, pass::backward);
        for (auto const w : readers_of(c)) {
            builder_.add_read(op, gradient_[w]);
            arriving_.push_back(gradient_[w]);
        }
        read_needs(op, c);
        bytes size = 0;
        for (auto const u : sources_of(c)) size = checked_add(size, size_[u]);
        gradient_[c] = add_gradient(op, size, no_value);
    }

    void add_executable(operation_index c) {
        auto const& flow = contracted_.flow;
        for (auto const value : flow.writes(c))
            if (gradient_sum_[value] != no_value) arriving_.push_back(gradient_sum_[value]);
        auto const op = add_operation(c, pass::backward);
        for (auto const gradient : arriving_) builder_.add_read(op, gradient);
        read_needs(op, c);
        std::vector<std::pair<value_index, value_index>> made;  // forward values and their gradients at c
        for (auto const value : flow.reads(c))
            if (has_gradient(value) && passes_gradients_[flow.producers(value).front()] != 0)
                made.emplace_back(value, add_gradient(op, size_of(value), value));
        for (auto const& [value, gradient] : made) accumulate(value, gradient);
    }
    /// Adds a gradient of a value to the sum of those before, as soon as it is there.
    void accumulate(value_index value, value_index gradient) {
        auto& sum = gradient_sum_[value];
        if (sum == no_value) {
            sum = gradient;
            return;
        }
        auto const producer = contracted_.flow.producers(value).front();
        auto const add = add_operation(producer, pass::accumulate, additions_[producer]++);
        builder_.add_read(add, sum);
        builder_.add_read(add, gradient);
        sum = add_gradient(add, size_of(value), value);
    }

    /// For every parameter of c: its gradient at c, added to the sum over the users before.
    void add_parameter_gradients(operation_index c) {
        for (auto const p : parameters_of_[c]) {
            auto const op = add_operation(c, pass::parameter, p);
            for (auto const gradient : arriving_) builder_.add_read(op, gradient);
            read_needs(op, c);
            if (sum_[p] != no_value) builder_.add_read(op, sum_[p]);
            sum_[p] = add_gradient(op, parameters_[p].size, no_value);
        }
    }

    dataflow const& forward_;
    contracted_dataflow contracted_;
    std::span<trained_parameter const> parameters_;
    dataflow_builder builder_;
    std::vector<training_vertex<operation_index>> origin_;
    std::vector<value_index> value_;               // of every forward value: the same in the training graph
    std::vector<std::vector<value_index>> needs_;  // per c: contracted values
    std::vector<char> passes_gradients_;           // per c
    std::vector<char> has_gradient_;               // per forward value
    std::vector<bytes> size_;                      // per c: bytes of the gradient of its leading output
    std::vector<value_index> gradient_;            // per c: its gradient
    std::vector<value_index> gradient_sum_;        // per contracted value: of its readers so far, last one first
    std::vector<std::uint32_t> additions_;         // per c: how many there are of gradients of its values
    std::vector<operation_index> last_reader_;     // per contracted value: the gradient that read it last, none: 0
    std::vector<value_index> arriving_;            // gradients that arrive at c, read by its parameters' gradients
    std::vector<std::vector<std::uint32_t>> parameters_of_;  // per c: positions in `parameters_`
    std::vector<value_index> sum_;                           // per parameter: its gradient so far
    std::vector<value_index> gradient_of_;                   // per value of the training graph
};

}  // namespace repebble::inline v0::detail

#endif
