#ifndef REPEBBLE_IMPL_GRAPH_DATAFLOW_PLAIN_DATAFLOW_IPP
#define REPEBBLE_IMPL_GRAPH_DATAFLOW_PLAIN_DATAFLOW_IPP

#include <repebble/graph/dataflow/detail/plain_dataflow.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto is_ordered_by_data(dataflow const& flow) -> bool {
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (flow.is_input(v) || !flow.control_predecessors(v).empty() || !flow.mutations(v).empty()) return false;
    return true;
}

REPEBBLE_INLINE auto mutated_owners(dataflow const& flow) -> jagged_array<value_index> {
    jagged_array<value_index> all;
    all.reserve(flow.operation_count(), 0);
    std::vector<value_index> row;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        row.clear();
        for (auto const& m : flow.mutations(v)) row.push_back(flow.owners(m.over).front());
        all.append(row);
    }
    return all;
}

REPEBBLE_INLINE auto plain_builder::build() && -> plain_dataflow {
    add_operations();
    add_values();
    for (operation_index v = 0; v < flow_.operation_count(); ++v)
        for (auto const value : flow_.operands(v)) builder_.add_read(v, value);
    add_control_edges();
    order_inputs();
    plain_dataflow made;
    if (!flow_.results().empty() || hides_sinks()) made.end = add_end();
    made.overwrites = find_usable_overwrites(flow_);
    made.ended = mutated_owners(flow_);
    if (made.end) {
        made.overwrites.append(std::vector<overwrite>{});
        made.ended.append(std::vector<value_index>{});
    }
    made.flow = std::move(builder_).build();
    return made;
}

REPEBBLE_INLINE void plain_builder::add_operations() {
    for (operation_index v = 0; v < flow_.operation_count(); ++v)
        builder_.add_operation(flow_.time(v), flow_.workspace(v), flow_.recomputable(v));
}

REPEBBLE_INLINE void plain_builder::add_values() {
    // Each value has the number that it has here; outputs may be in another order where there are alternatives.
    for (value_index value = 0; value < flow_.value_count(); ++value) {
        auto const u = flow_.producers(value).front();
        if (flow_.is_view(value))
            builder_.add_view(u, flow_.owners(value));
        else  // of the size of its storage
            builder_.add_value(u, flow_.size(first_[value]));
        for (auto const other : flow_.producers(value).subspan(1)) builder_.add_producer(other, value);
    }
}

REPEBBLE_INLINE void plain_builder::add_control_edges() {
    std::vector<std::size_t> read_by(flow_.operation_count(), flow_.operation_count());  // by which last
    for (operation_index v = 0; v < flow_.operation_count(); ++v) {
        for (auto const value : flow_.reads(v))
            if (flow_.producers(value).size() == 1) read_by[flow_.producers(value).front()] = v;
        for (auto const u : flow_.control_predecessors(v))
            if (read_by[u] != v) builder_.add_read(v, token_of(u));
    }
}

REPEBBLE_INLINE auto plain_builder::hides_sinks() const -> bool {
    bool alternatives = false, hidden = false;
    for (value_index value = 0; value < flow_.value_count(); ++value)
        alternatives = alternatives || flow_.producers(value).size() > 1;
    for (operation_index v = 0; v < flow_.operation_count(); ++v)
        hidden = hidden || (token_[v] != no_value && flow_.is_sink(v));
    return alternatives && hidden;
}

REPEBBLE_INLINE void plain_builder::order_inputs() {
    std::optional<operation_index> last;
    for (auto const v : flow_.order()) {
        if (!flow_.is_input(v)) break;
        if (last) builder_.add_read(v, token_of(*last));
        last = v;
    }
    if (!last) return;
    for (operation_index v = 0; v < flow_.operation_count(); ++v) {
        if (!flow_.is_input(v)) {
            if (std::ranges::all_of(flow_.graph().predecessors(v), [&](auto u) { return flow_.is_input(u); }))
                builder_.add_read(v, token_of(*last));
        } else if (v != *last) {
            for (auto const value : flow_.writes(v)) builder_.add_read(*last, value);
        }
    }
}

REPEBBLE_INLINE auto plain_builder::add_end() -> operation_index {
    auto const end = builder_.add_operation(std::int64_t{}, 0, false);
    std::vector<bool> needed(flow_.operation_count(), false);
    for (auto const value : flow_.results()) {
        builder_.add_read(end, value);
        if (flow_.producers(value).size() == 1) needed[flow_.producers(value).front()] = true;
    }
    for (operation_index v = 0; v < flow_.operation_count(); ++v) {
        if (!flow_.is_sink(v) || needed[v]) continue;
        bool const must_run = flow_.writes(v).empty() || std::ranges::any_of(flow_.writes(v), [&](auto value) {
                                  return flow_.producers(value).size() == 1;
                              });
        if (must_run) {
            builder_.add_read(end, token_of(v));
        } else {
            for (auto const value : flow_.writes(v)) read_any(end, value);
        }
    }
    return end;
}

REPEBBLE_INLINE void plain_builder::read_any(operation_index v, value_index value) {
    auto const all = flow_.producers(value);
    if (all.front() == v) return;
    auto const token = builder_.add_value(all.front(), 0);
    for (auto const u : all.subspan(1)) builder_.add_producer(u, token);
    builder_.add_read(v, token);
}

}  // namespace repebble::inline v0::detail

#endif
