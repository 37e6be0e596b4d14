#ifndef REPEBBLE_GRAPH_DATAFLOW_PLAIN_DATAFLOW_HPP
#define REPEBBLE_GRAPH_DATAFLOW_PLAIN_DATAFLOW_HPP

// Results, control edges, inputs and mutations expressed by operations, values and reads alone, so that a search need
// not know of them. The planner's model and the exact searches are made from it. Invariant: operations and values of
// the dataflow keep their numbers; a sequence of the plain dataflow without its last operation is one of the dataflow,
// with the same loads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

/// A dataflow without results, control edges, inputs and mutations that has the same sequences.
template <quantity Time>
struct plain_dataflow {
    dataflow<Time> flow;  ///< the operations and values of the other, and some more
    /// Reads all results when all else has run; empty where there is no need of it.
    std::optional<operation_index> end{};
    /// By operation, the usable overwrites: outputs by their numbers in the given dataflow, and for what lies in
    /// the storage of another value by mutations, that value.
    detail::jagged_array<overwrite> overwrites{};
};

/// Whether reads alone order the operations: there are no control edges, inputs or mutations.  O(operations).
template <quantity Time>
[[nodiscard]] constexpr auto is_ordered_by_data(dataflow<Time> const& flow) -> bool {
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (flow.is_input(v) || !flow.control_predecessors(v).empty() || !flow.mutations(v).empty()) return false;
    return true;
}

/// Whether a dataflow has neither results nor control edges, inputs or mutations.  O(operations).
template <quantity Time>
[[nodiscard]] constexpr auto is_plain(dataflow<Time> const& flow) -> bool {
    return flow.results().empty() && is_ordered_by_data(flow);
}

/// How the output of a mutation is expressed: as a value of no bytes whose readers read the overwritten value, too,
/// which keeps the storage alive; or as any other value.
enum class mutation_form : std::uint8_t {
    in_storage,  ///< no bytes; the overwritten value lives on
    value,       ///< bytes of its own; whoever counts them knows which value has ended
};

namespace detail {

/// Makes a dataflow plain. A control edge u -> v becomes a value of no bytes that u writes and v reads. Inputs come
/// before all sources by such values, too. With `mutation_form::in_storage`, what reads, makes or overwrites a mutated
/// value runs once, so that every sequence is one of the dataflow.
template <quantity Time>
class plain_builder {
  public:
    plain_builder(dataflow<Time> const& flow, mutation_form form)
        : flow_(flow), form_(form), first_(firsts_in_storage(flow)), token_(flow.operation_count(), no_value) {}

    [[nodiscard]] auto build() && -> plain_dataflow<Time> {
        add_operations();
        add_values();
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            for (auto const value : flow_.operands(v)) add_read(v, value);
        add_control_edges();
        order_inputs();
        plain_dataflow<Time> made;
        if (!flow_.results().empty() || hides_sinks()) made.end = add_end();
        std::vector<overwrite> row;
        auto const usable = usable_overwrites(flow_);
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            row.clear();
            for (auto const& o : usable[v]) row.push_back({o.output, lies_in(o.over)});
            made.overwrites.append(row);
        }
        if (made.end) made.overwrites.append(std::vector<overwrite>{});
        made.flow = std::move(builder_).build();
        return made;
    }

  private:
    void add_operations() {
        auto const once = running_once();
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            builder_.add_operation(flow_.time(v), flow_.workspace(v), flow_.recomputable(v) && !once[v]);
    }
    /// What makes or reads a mutated value under any name, where mutations stay in storage.
    [[nodiscard]] auto running_once() const -> std::vector<bool> {
        std::vector<bool> once(flow_.operation_count(), false);
        if (form_ != mutation_form::in_storage) return once;
        vertex_set mutated(flow_.value_count());
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            for (auto const& m : flow_.mutations(v)) mutated.insert(flow_.owners(m.over).front());
        for (value_index value = 0; value < flow_.value_count(); ++value) {
            if (std::ranges::none_of(flow_.owners(value), [&](auto owner) { return mutated.contains(owner); }))
                continue;
            for (auto const u : flow_.producers(value)) once[u] = true;
            for (auto const u : flow_.readers(value)) once[u] = true;
        }
        return once;
    }
    void add_values() {
        // Each value has the number that it has here; outputs may be in another order where there are alternatives.
        for (value_index value = 0; value < flow_.value_count(); ++value) {
            auto const u = flow_.producers(value).front();
            if (flow_.is_view(value))
                builder_.add_view(u, flow_.owners(value));
            else  // of the size of its storage
                builder_.add_value(u, lies_in(value) == value ? flow_.size(first_[value]) : 0);
            for (auto const other : flow_.producers(value).subspan(1)) builder_.add_producer(other, value);
        }
    }
    /// The value whose storage an owner lies in.
    [[nodiscard]] auto lies_in(value_index owner) const -> value_index {
        return form_ == mutation_form::in_storage ? first_[owner] : owner;
    }
    /// Reads a value, and those in whose storages it lies by mutations.
    void add_read(operation_index v, value_index value) {
        builder_.add_read(v, value);
        for (auto const owner : flow_.owners(value))
            if (lies_in(owner) != owner) builder_.add_read(v, lies_in(owner));
    }
    /// Control edges, but from operations that must have run for what is read.
    void add_control_edges() {
        std::vector<std::size_t> read_by(flow_.operation_count(), flow_.operation_count());  // by which last
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            for (auto const value : flow_.reads(v))
                if (flow_.producers(value).size() == 1) read_by[flow_.producers(value).front()] = v;
            for (auto const u : flow_.control_predecessors(v))
                if (read_by[u] != v) builder_.add_read(v, token_of(u));
        }
    }
    /// Whether a sink has a reader now, which need not run itself, as others may compute what it writes.
    [[nodiscard]] auto hides_sinks() const -> bool {
        bool alternatives = false, hidden = false;
        for (value_index value = 0; value < flow_.value_count(); ++value)
            alternatives = alternatives || flow_.producers(value).size() > 1;
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            hidden = hidden || (token_[v] != no_value && flow_.is_sink(v));
        return alternatives && hidden;
    }
    /// A value of no bytes that says that u has run.
    auto token_of(operation_index u) -> value_index {
        if (token_[u] == no_value) token_[u] = builder_.add_value(u, 0);
        return token_[u];
    }
    /// All inputs are there before anything else runs, and before one of them is let go.
    void order_inputs() {
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
    auto add_end() -> operation_index {
        auto const end = builder_.add_operation(Time{}, 0, false);
        std::vector<bool> needed(flow_.operation_count(), false);
        for (auto const value : flow_.results()) {
            add_read(end, value);
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

    /// Some producer of the value runs before v.
    void read_any(operation_index v, value_index value) {
        auto const all = flow_.producers(value);
        if (all.front() == v) return;
        auto const token = builder_.add_value(all.front(), 0);
        for (auto const u : all.subspan(1)) builder_.add_producer(u, token);
        builder_.add_read(v, token);
    }

    dataflow<Time> const& flow_;
    mutation_form form_;
    dataflow_builder<Time> builder_;
    std::vector<value_index> first_;  // of a value: the first one in its storage
    std::vector<value_index> token_;  // of an operation: the value that says that it has run
};

struct make_plain_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, mutation_form form) const -> plain_dataflow<Time> {
        if (is_plain(flow)) return {flow, {}, usable_overwrites(flow)};
        return plain_builder<Time>(flow, form).build();
    }
};

}  // namespace detail

/// The plain dataflow of any dataflow; a copy where it is plain. Views of values of several operations stay views.
/// With `mutation_form::in_storage`, operations that make, read or overwrite a mutated value are not recomputable, so
/// that every sequence is one of the dataflow.  O((n + m) log n).
inline constexpr detail::make_plain_fn make_plain{};

}  // namespace repebble::inline v0

#endif
