#ifndef REPEBBLE_IMPL_GRAPH_DATAFLOW_DATAFLOW_BUILDER_IPP
#define REPEBBLE_IMPL_GRAPH_DATAFLOW_DATAFLOW_BUILDER_IPP

#include <repebble/graph/dataflow/dataflow_builder.hpp>

#include <set>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>
#include <repebble/graph/find_cycle.hpp>
#include <repebble/graph/topological_order.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto dataflow_builder::add_operation(std::int64_t time, bytes workspace, bool recomputable) -> operation_index {
    auto const index = next_index(operations_.size(), "operations");
    check_weights(index, time, workspace);
    operations_.push_back({time, workspace, recomputable, false});
    writes_.emplace_back();
    return index;
}

REPEBBLE_INLINE auto dataflow_builder::add_input() -> operation_index {
    auto const index = add_operation(std::int64_t{}, 0, false);
    operations_.back().is_input = true;
    return index;
}

REPEBBLE_INLINE auto dataflow_builder::add_value(operation_index producer, bytes size) -> value_index {
    detail::check_weight(size, [&] { return "size of an output of operation " + std::to_string(producer); });
    auto const value = add(producer);
    sizes_.back() = size;
    owner_.push_back(value);
    return value;
}

REPEBBLE_INLINE auto dataflow_builder::add_view(operation_index producer, std::span<value_index const> viewed) -> value_index {
    std::vector<value_index> owners;
    for (auto const v : viewed) {
        auto const of = this->owners(v);
        owners.insert(owners.end(), of.begin(), of.end());
    }
    if (owners.empty())
        detail::raise(
            bad_graph("operation " + std::to_string(producer) + " is a view of nothing: it reads no value"));
    detail::sort_unique(owners);
    auto const value = add(producer);
    owner_.push_back(owners.front());
    if (owners.size() > 1) several_owners_.emplace_back(value, std::move(owners));
    return value;
}

REPEBBLE_INLINE void dataflow_builder::add_producer(operation_index producer, value_index value) {
    check_value(value);
    check_operation(producer);
    for (auto const written : writes_[producer])
        if (written == value)
            detail::raise(bad_graph("operation " + std::to_string(producer) + " writes value " +
                                    std::to_string(value) + " twice"));
    writes_[producer].push_back(value);
}

REPEBBLE_INLINE void dataflow_builder::add_control_edge(operation_index before, operation_index after) {
    check_operation(before);
    check_operation(after);
    if (before == after)
        detail::raise(bad_graph("operation " + std::to_string(before) + " has a control edge to itself"));
    control_.emplace_back(after, before);
}

REPEBBLE_INLINE void dataflow_builder::add_read(operation_index reader, value_index value) {
    check_value(value);
    check_operation(reader);
    reads_.emplace_back(reader, value);
}

REPEBBLE_INLINE auto dataflow_builder::output(operation_index operation, std::size_t j) const -> value_index {
    check_operation(operation);
    if (j >= writes_[operation].size())
        detail::raise(bad_graph("operation " + std::to_string(operation) + " has no output " + std::to_string(j)));
    return writes_[operation][j];
}

REPEBBLE_INLINE auto dataflow_builder::build() && -> dataflow {
    dataflow flow;
    check_total(sizes_, operations_, writes_);

    flow.operands_ = {operations_.size(), reads_};
    std::vector<std::uint32_t> row;
    for (operation_index v = 0; v < operations_.size(); ++v) {
        row.assign(flow.operands_[v].begin(), flow.operands_[v].end());
        detail::sort_unique(row);
        flow.reads_.append(row);
    }
    for (auto const& values : writes_) flow.writes_.append(values);
    for (value_index value = 0; value < sizes_.size(); ++value) flow.owners_.append(owners(value));
    flow.producers_ = flow.writes_.template transposed<operation_index>(sizes_.size());
    flow.readers_ = flow.reads_.template transposed<operation_index>(sizes_.size());
    flow.mutations_ = {operations_.size(), mutations_};
    flow.allowed_ = {operations_.size(), allowed_};
    detail::sort_unique(results_);
    flow.results_ = std::move(results_);
    flow.operations_ = std::move(operations_);
    flow.sizes_ = std::move(sizes_);
    flow.output_numbers_ = output_numbers(flow);
    check_views(flow);
    check_inputs(flow);
    order_mutations(flow);
    detail::sort_unique(control_);
    flow.control_ = {flow.operations_.size(), control_};

    flow.graph_ = graph_of(flow, {});
    if (flow.writes_.item_count() > flow.value_count() && !find_cycle(flow.graph_).empty()) open_cycles(flow);
    if (!mutations_.empty()) check_late_reads(flow);
    auto const order = detail::kahn_order(flow.graph_, false, false);
    for (bool const inputs : {true, false})
        for (auto const v : order)
            if (flow.is_input(v) == inputs) flow.order_.push_back(v);
    flow.time_once_ = least_time(flow);
    flow.unit_ = unit_;
    return flow;
}

REPEBBLE_INLINE auto dataflow_builder::graph_of(dataflow const& flow, std::span<std::size_t const> place) -> csr_graph {
    std::vector<csr_graph::edge> edges;
    std::vector<operation_index> before;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        before.assign(flow.control_predecessors(v).begin(), flow.control_predecessors(v).end());
        for (auto const value : flow.reads(v))
            for (auto const u : flow.producers(value))
                if (place.empty() || place[u] < place[v] || u == v) before.push_back(u);
        detail::sort_unique(before);
        for (auto const u : before) edges.emplace_back(u, v);
    }
    return {flow.operation_count(), edges};
}

REPEBBLE_INLINE void dataflow_builder::open_cycles(dataflow& flow) {
    auto const place = places_with_one_producer(flow);
    if (place.empty()) return;
    detail::jagged_array<operation_index> producers;
    std::vector<operation_index> row;
    for (value_index x = 0; x < flow.value_count(); ++x) {
        row.assign(flow.producers(x).begin(), flow.producers(x).end());
        auto const first = std::ranges::min_element(row, {}, [&](operation_index u) { return place[u]; });
        if (std::ranges::any_of(flow.readers(x), [&](operation_index v) { return place[row.front()] > place[v]; }))
            std::rotate(row.begin(), first, first + 1);
        producers.append(row);
    }
    flow.producers_ = std::move(producers);
    flow.output_numbers_ = output_numbers(flow);
    flow.graph_ = graph_of(flow, place);
}

REPEBBLE_INLINE auto dataflow_builder::places_with_one_producer(dataflow const& flow) -> std::vector<std::size_t> {
    auto const n = flow.operation_count();
    // By operation: control predecessors and values that are missing; and all that come before it in the graph.
    std::vector<std::size_t> waits(n, 0), waits_for_all(n, 0), place(n, n);
    for (operation_index v = 0; v < n; ++v) {
        waits[v] = flow.control_predecessors(v).size() + flow.reads(v).size();
        waits_for_all[v] = flow.graph().predecessors(v).size();
    }
    auto const after = flow.control_.transposed<operation_index>(n);
    std::set<operation_index> one, all;  // ready, and not run
    for (operation_index v = 0; v < n; ++v)
        if (waits[v] == 0) (waits_for_all[v] == 0 ? all : one).insert(v);
    auto const enlist = [&](operation_index v) {
        if (place[v] < n || waits[v] > 0) return;
        if (waits_for_all[v] == 0) one.erase(v);
        (waits_for_all[v] == 0 ? all : one).insert(v);
    };
    std::vector<bool> made(flow.value_count(), false);
    for (std::size_t at = 0; at < n; ++at) {
        auto& ready = all.empty() ? one : all;
        if (ready.empty()) return {};
        auto const v = *ready.begin();
        ready.erase(ready.begin());
        place[v] = at;
        for (auto const x : flow.writes(v)) {
            if (made[x]) continue;
            made[x] = true;
            for (auto const w : flow.readers(x)) --waits[w];
        }
        for (auto const w : after[v]) --waits[w];
        for (auto const w : flow.graph().successors(v)) {
            --waits_for_all[w];
            enlist(w);
        }
    }
    return place;
}

REPEBBLE_INLINE void dataflow_builder::check_weights(std::size_t operation, std::int64_t time, bytes workspace) {
    auto const name = [&](char const* what) {
        return std::string(what) + " of operation " + std::to_string(operation);
    };
    detail::check_weight(time, [&] { return name("time"); });
    detail::check_weight(workspace, [&] { return name("workspace"); });
}

REPEBBLE_INLINE auto dataflow_builder::next_index(std::size_t count, char const* what) -> std::uint32_t {
    if (count >= std::numeric_limits<std::uint32_t>::max())
        detail::raise(bad_graph(std::string("more ") + what + " than 32 bits can number"));
    return static_cast<std::uint32_t>(count);
}

REPEBBLE_INLINE auto dataflow_builder::add(operation_index producer) -> value_index {
    check_operation(producer);
    auto const value = next_index(sizes_.size(), "values");
    sizes_.push_back(0);
    writes_[producer].push_back(value);
    return value;
}

REPEBBLE_INLINE auto dataflow_builder::checked_overwrite(operation_index operation, std::uint32_t j, value_index over) const
    -> overwrite {
    static_cast<void>(output(operation, j));
    check_value(over);
    return {j, over};
}

REPEBBLE_INLINE void dataflow_builder::check_operation(std::size_t operation) const {
    if (operation >= operations_.size())
        detail::raise(bad_graph("operation " + std::to_string(operation) + " is out of range: there are " +
                                std::to_string(operations_.size())));
}

REPEBBLE_INLINE void dataflow_builder::check_value(std::size_t value) const {
    if (value >= owner_.size())
        detail::raise(bad_graph("value " + std::to_string(value) + " is out of range: there are " +
                                std::to_string(owner_.size())));
}

REPEBBLE_INLINE auto dataflow_builder::output_numbers(dataflow const& flow) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> numbers(flow.value_count(), 0);
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        std::uint32_t j = 0;
        for (auto const value : flow.writes(v)) {
            if (flow.producers(value).front() == v) numbers[value] = j;
            ++j;
        }
    }
    return numbers;
}

REPEBBLE_INLINE void dataflow_builder::check_views(dataflow const& flow) {
    std::vector<std::size_t> read_by(flow.value_count(),
                                     flow.operation_count());  // the last operation that reads it or a view of it
    for (std::size_t v = 0; v < flow.operation_count(); ++v) {
        for (auto const value : flow.reads(v))
            for (auto const owner : flow.owners(value)) read_by[owner] = v;
        for (auto const value : flow.writes(v))
            for (auto const owner : flow.owners(value))
                if (flow.is_view(value) && read_by[owner] != v)
                    detail::raise(bad_graph("operation " + std::to_string(v) + " writes a view of value " +
                                            std::to_string(owner) + ", which it does not read"));
    }
}

REPEBBLE_INLINE void dataflow_builder::check_inputs(dataflow const& flow) const {
    for (auto const& [after, before] : control_)
        if (flow.is_input(after) && !flow.is_input(before))
            detail::raise(bad_graph("operation " + std::to_string(after) + " is an input, and operation " +
                                    std::to_string(before) + ", which is none, is to run before it"));
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        if (!flow.is_input(v)) continue;
        if (!flow.reads(v).empty())
            detail::raise(bad_graph("operation " + std::to_string(v) + " is an input and reads value " +
                                    std::to_string(flow.reads(v).front())));
        for (auto const value : flow.writes(v))
            if (flow.producers(value).size() > 1)
                detail::raise(bad_graph("value " + std::to_string(value) + " of input " + std::to_string(v) +
                                        " has another producer, too"));
    }
}

REPEBBLE_INLINE auto dataflow_builder::mutators(dataflow const& flow) -> std::vector<operation_index> {
    std::vector<operation_index> by(flow.value_count(), none);
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const& m : flow.mutations(v)) {
            auto& other = by[flow.owners(m.over).front()];
            if (other != none)
                detail::raise(bad_graph("value " + std::to_string(flow.owners(m.over).front()) +
                                        " is overwritten by operation " + std::to_string(other) + " and by " +
                                        std::to_string(v) + ": let the later one overwrite what the first wrote"));
            other = v;
        }
    return by;
}

REPEBBLE_INLINE void dataflow_builder::check_results(dataflow const& flow) {
    auto const by = mutators(flow);
    for (auto const value : flow.results())
        for (auto const owner : flow.owners(value))
            if (by[owner] != none)
                detail::raise(bad_graph("value " + std::to_string(value) + " is a result, and operation " +
                                        std::to_string(by[owner]) + " overwrites it"));
}

REPEBBLE_INLINE void dataflow_builder::order_mutations(dataflow& flow) {
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const& m : flow.allowed_overwrites(v)) check_read(flow, v, m);
    if (mutations_.empty()) return;
    mutations_by_value mutations(flow.value_count());
    ended_by_mutations ended;
    for (operation_index v = 0; v < flow.operation_count(); ++v) check_mutations(flow, v, mutations, ended);
    flow.ended_ = {mutations_.size(), ended};
    check_results(flow);
    auto const by = mutators(flow);
    for (value_index value = 0; value < flow.value_count(); ++value)
        for (auto const owner : flow.owners(value))
            for (auto const reader : flow.readers(value))
                if (by[owner] != none && reader != by[owner]) control_.emplace_back(by[owner], reader);
}

REPEBBLE_INLINE void dataflow_builder::check_late_reads(dataflow const& flow) {
    auto const cycle = find_cycle(flow.graph_);
    for (std::size_t k = 0; k < cycle.size(); ++k) {
        auto const reader = cycle[k], v = cycle[(k + 1) % cycle.size()];
        for (auto const& m : flow.mutations(v))
            for (auto const value : flow.reads(reader))
                if (std::ranges::find(flow.owners(value), flow.owners(m.over).front()) != flow.owners(value).end())
                    detail::raise(bad_graph("operation " + std::to_string(reader) + " reads value " +
                                            std::to_string(value) + " and comes after operation " +
                                            std::to_string(v) + ", which overwrites it with output " +
                                            std::to_string(m.output)));
    }
}

REPEBBLE_INLINE void dataflow_builder::check_read(dataflow const& flow, operation_index v, overwrite const& m) {
    if (!std::ranges::binary_search(flow.reads(v), m.over))
        detail::raise(bad_graph("operation " + std::to_string(v) + " overwrites value " + std::to_string(m.over) +
                                ", which it does not read"));
}

REPEBBLE_INLINE void dataflow_builder::check_mutation(dataflow const& flow, operation_index v, overwrite const& m) {
    check_read(flow, v, m);
    auto const output = flow.writes(v)[m.output];
    if (flow.is_view(output)) deny(v, m, " and is a view");
    if (flow.owners(m.over).size() != 1) deny(v, m, ", a view of several storages");
    auto const owner = flow.owners(m.over).front();
    if (owner == output) deny(v, m, ", which it writes itself");
    if (flow.size(output) > flow.size(owner))
        deny(v, m, " of " + std::to_string(flow.size(owner)) + " bytes with " + std::to_string(flow.size(output)));
    if (flow.producers(output).size() > 1) deny(v, m, ", though others may compute that output, too");
}

REPEBBLE_INLINE void dataflow_builder::check_mutations(dataflow const& flow, operation_index v, mutations_by_value& by,
                                      ended_by_mutations& ended) {
    for (auto const& m : flow.mutations(v)) {
        check_mutation(flow, v, m);
        auto& of_output = by[flow.writes(v)[m.output]].first;
        if (of_output != nullptr && of_output->over != m.over)
            deny(v, *of_output, " and value " + std::to_string(m.over) + ", too");
        of_output = by[flow.owners(m.over).front()].second = &m;
    }
    for (auto const value : flow.reads(v))
        for (auto const owner : flow.owners(value))
            if (auto const* const m = by[owner].second; m != nullptr) {
                if (flow.owners(value).size() > 1)
                    deny(v, *m,
                         ", of which it reads value " + std::to_string(value) + ", a view of several storages");
                auto const k = static_cast<std::size_t>(m - flow.mutations(v).data());
                ended.emplace_back(flow.mutations_.start(v) + k, value);
            }
    for (auto const written : flow.writes(v))
        for (auto const owner : flow.owners(written))
            if (auto const* const m = by[owner].second; m != nullptr && flow.is_view(written))
                deny(v, *m, ", of which another output is a view");
    for (auto const& m : flow.mutations(v)) by[flow.writes(v)[m.output]] = by[flow.owners(m.over).front()] = {};
}

REPEBBLE_INLINE auto dataflow_builder::least_time(dataflow const& flow) -> std::int64_t {
    std::vector<std::int64_t> times;
    for (auto const& o : flow.operations_) times.push_back(o.time);
    return detail::least_time_once(flow, detail::find_needed(flow), times);
}

}  // namespace repebble::inline v0

#endif
