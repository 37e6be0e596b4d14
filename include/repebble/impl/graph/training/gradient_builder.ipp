#ifndef REPEBBLE_IMPL_GRAPH_TRAINING_GRADIENT_BUILDER_IPP
#define REPEBBLE_IMPL_GRAPH_TRAINING_GRADIENT_BUILDER_IPP

#include <repebble/graph/training/detail/gradient_builder.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE gradient_builder::gradient_builder(dataflow const& forward, gradient_needs const& needs, std::vector<bytes> const& gradient_memory,
                 std::span<trained_parameter const> parameters,
                 std::span<operation_index const> without_gradient,
                 std::span<value_index const> values_without_gradient) : forward_(forward), contracted_(contract_views(forward)), parameters_(parameters) {
    if (needs.size() != forward.operation_count())
        detail::raise(bad_graph("gradient needs are given for " + std::to_string(needs.size()) + " of " +
                                std::to_string(forward.operation_count()) + " operations"));
    copy_forward();
    collect_needs(needs);
    passes_gradients_.assign(contracted_.flow().operation_count(), 1);
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

REPEBBLE_INLINE auto gradient_builder::build(convention how) && -> training_graph {
    auto const& flow = contracted_.flow();
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

REPEBBLE_INLINE void gradient_builder::copy_forward() {
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

REPEBBLE_INLINE auto gradient_builder::readers_of(operation_index c) const -> std::vector<operation_index> {
    auto const& flow = contracted_.flow();
    return united(flow.writes(c), [&](value_index value) { return flow.readers(value); });
}

REPEBBLE_INLINE auto gradient_builder::sources_of(operation_index c) const -> std::vector<operation_index> {
    auto const& flow = contracted_.flow();
    return united(flow.reads(c), [&](value_index value) { return flow.producers(value); });
}

REPEBBLE_INLINE void gradient_builder::collect_needs(gradient_needs const& needs) {
    auto const& flow = contracted_.flow();
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

REPEBBLE_INLINE void gradient_builder::measure_gradients(std::vector<bytes> const& given) {
    auto const& flow = contracted_.flow();
    if (!given.empty() && given.size() != forward_.operation_count())
        detail::raise(bad_graph("gradient sizes are given for " + std::to_string(given.size()) + " of " +
                                std::to_string(forward_.operation_count()) + " operations"));
    for (operation_index c = 0; c < flow.operation_count(); ++c) {
        bytes size = flow.writes(c).empty() ? 0 : size_of(leading_output(c));
        if (!given.empty()) size = given[contracted_.members[c].front()];
        size_.push_back(size);
    }
}

REPEBBLE_INLINE void gradient_builder::collect_parameters() {
    parameters_of_.resize(contracted_.flow().operation_count());
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

REPEBBLE_INLINE auto gradient_builder::leading_output(operation_index c) const -> value_index {
    auto const outputs = contracted_.flow().writes(c);
    auto const found = std::ranges::find_if(outputs, [&](auto const value) { return has_gradient(value); });
    return found != outputs.end() ? *found : outputs.front();
}

REPEBBLE_INLINE auto gradient_builder::size_of(value_index value) const -> bytes {
    bytes total = 0;
    for (auto const owner : contracted_.flow().owners(value))
        total = checked_add(total, contracted_.flow().size(owner));
    return total;
}

REPEBBLE_INLINE auto gradient_builder::add_operation(operation_index c, pass which, std::uint32_t part) -> operation_index {
    std::int64_t const time = which == pass::backward
                                  ? checked_multiply(contracted_.flow().time(c), std::int64_t{2}, "times")
                                  : std::int64_t{};
    origin_.push_back({contracted_.members[c].front(), which, part});
    return builder_.add_operation(time);
}

REPEBBLE_INLINE auto gradient_builder::add_gradient(operation_index op, bytes size, value_index of) -> value_index {
    gradient_of_.push_back(of == no_value ? no_value : training_value(of));
    return builder_.add_value(op, size);
}

REPEBBLE_INLINE void gradient_builder::add_value_gradient(operation_index c) {
    auto const op = add_operation(c, pass::backward);
    auto const consumers = readers_of(c);
    for (auto const w : consumers) {
        builder_.add_read(op, gradient_[w]);
        read_needs(op, w);
    }
    if (consumers.empty())
        for (auto const value : contracted_.flow().writes(c)) read_forward(op, value);
    gradient_[c] = add_gradient(op, size_[c], contracted_.flow().writes(c).empty() ? no_value : leading_output(c));
    arriving_.push_back(gradient_[c]);
}

REPEBBLE_INLINE void gradient_builder::add_backward(operation_index c) {
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

REPEBBLE_INLINE void gradient_builder::add_executable(operation_index c) {
    auto const& flow = contracted_.flow();
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

REPEBBLE_INLINE void gradient_builder::accumulate(value_index value, value_index gradient) {
    auto& sum = gradient_sum_[value];
    if (sum == no_value) {
        sum = gradient;
        return;
    }
    auto const producer = contracted_.flow().producers(value).front();
    auto const add = add_operation(producer, pass::accumulate, additions_[producer]++);
    builder_.add_read(add, sum);
    builder_.add_read(add, gradient);
    sum = add_gradient(add, size_of(value), value);
}

REPEBBLE_INLINE void gradient_builder::add_parameter_gradients(operation_index c) {
    for (auto const p : parameters_of_[c]) {
        auto const op = add_operation(c, pass::parameter, p);
        for (auto const gradient : arriving_) builder_.add_read(op, gradient);
        read_needs(op, c);
        if (sum_[p] != no_value) builder_.add_read(op, sum_[p]);
        sum_[p] = add_gradient(op, parameters_[p].size, no_value);
    }
}

}  // namespace repebble::inline v0::detail

#endif
