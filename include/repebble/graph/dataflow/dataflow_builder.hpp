#ifndef REPEBBLE_GRAPH_DATAFLOW_DATAFLOW_BUILDER_HPP
#define REPEBBLE_GRAPH_DATAFLOW_DATAFLOW_BUILDER_HPP

// The builder of dataflows, which checks indices, weights, views and sums. make_dataflow and the training graphs use
// it; so may code that has no graph type of its own.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/find_cycle.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/topological_order.hpp>

namespace repebble::inline v0 {

/// Collects operations and values, and builds a dataflow of them.
template <quantity Time = std::int64_t>
class dataflow_builder {
  public:
    /// Throws bad_weight where the time or the workspace is negative.
    constexpr auto add_operation(Time time, bytes workspace = 0, bool recomputable = true) -> operation_index {
        auto const index = next_index(operations_.size(), "operations");
        check_weights(index, time, workspace);
        operations_.push_back({time, workspace, recomputable, false});
        writes_.emplace_back();
        return index;
    }
    /// An operation without time, workspace and reads, whose outputs are present before all else runs.
    constexpr auto add_input() -> operation_index {
        auto const index = add_operation(Time{}, 0, false);
        operations_.back().is_input = true;
        return index;
    }
    /// An operation, or an input, with the weights of operation v of a dataflow.
    constexpr auto add_copy(dataflow<Time> const& flow, operation_index v) -> operation_index {
        if (flow.is_input(v)) return add_input();
        return add_operation(flow.time(v), flow.workspace(v), flow.recomputable(v));
    }
    /// Next output of `producer`: a value with a storage of its own.  Throws bad_weight where `size` is negative.
    constexpr auto add_value(operation_index producer, bytes size) -> value_index {
        static_cast<void>(
            to_quantity(size, [&] { return "size of an output of operation " + std::to_string(producer); }));
        auto const value = add(producer);
        sizes_.back() = size;
        owners_.push_back({value});
        return value;
    }
    /// Next output of `producer`: a view of the storages of `viewed`.
    constexpr auto add_view(operation_index producer, std::span<value_index const> viewed) -> value_index {
        std::vector<value_index> owners;
        for (auto const v : viewed) {
            check_value(v);
            owners.insert(owners.end(), owners_[v].begin(), owners_[v].end());
        }
        if (owners.empty())
            detail::raise(
                bad_graph("operation " + std::to_string(producer) + " is a view of nothing: it reads no value"));
        detail::sort_unique(owners);
        auto const value = add(producer);
        owners_.push_back(std::move(owners));
        return value;
    }
    /// Makes an existing value the next output of `producer`: any one of its producers suffices.
    constexpr void add_producer(operation_index producer, value_index value) {
        check_value(value);
        check_operation(producer);
        for (auto const written : writes_[producer])
            if (written == value)
                detail::raise(bad_graph("operation " + std::to_string(producer) + " writes value " +
                                        std::to_string(value) + " twice"));
        writes_[producer].push_back(value);
    }
    /// The value is resident at the end of every schedule. Naming it again changes nothing.
    constexpr void add_result(value_index value) {
        check_value(value);
        results_.push_back(value);
    }
    /// `before` has run before each run of `after`, though no value says so.  Throws bad_graph where they are one.
    constexpr void add_control_edge(operation_index before, operation_index after) {
        check_operation(before);
        check_operation(after);
        if (before == after)
            detail::raise(bad_graph("operation " + std::to_string(before) + " has a control edge to itself"));
        control_.emplace_back(after, before);
    }
    /// Output j of the operation is always written over a value that it reads, in whose storage it lies from then on.
    constexpr void add_mutation(operation_index operation, std::uint32_t j, value_index over) {
        mutations_.emplace_back(operation, checked_overwrite(operation, j, over));
    }
    /// Output j of the operation may be written over a value that it reads, where that is the value's last use.
    constexpr void allow_overwrite(operation_index operation, std::uint32_t j, value_index over) {
        allowed_.emplace_back(operation, checked_overwrite(operation, j, over));
    }
    /// The operation reads the value. The order of the calls is that of its operands, which may repeat.
    constexpr void add_read(operation_index reader, value_index value) {
        check_value(value);
        check_operation(reader);
        reads_.emplace_back(reader, value);
    }
    /// The value that is output j of the operation.
    [[nodiscard]] constexpr auto output(operation_index operation, std::size_t j) const -> value_index {
        check_operation(operation);
        if (j >= writes_[operation].size())
            detail::raise(bad_graph("operation " + std::to_string(operation) + " has no output " + std::to_string(j)));
        return writes_[operation][j];
    }
    /// The values in whose storages this one lies: itself, or for a view its owners.
    [[nodiscard]] constexpr auto owners(value_index value) const -> std::span<value_index const> {
        check_value(value);
        return owners_[value];
    }
    /// The number of outputs that the operation has so far.
    [[nodiscard]] constexpr auto output_count(operation_index operation) const -> std::size_t {
        check_operation(operation);
        return writes_[operation].size();
    }

    /// O((n + m) log n).  Throws not_a_dag; bad_graph where an operation does not read the owners of a view that it
    /// writes, or a value that it overwrites, where an input reads or comes after others, or where a mutation is none
    /// (its output is a view or too large, or the value is a result, has several owners, or is overwritten by another
    /// operation, too); and bad_weight where the sum of all bytes or of all times overflows.
    [[nodiscard]] constexpr auto build() && -> dataflow<Time> {
        dataflow<Time> flow;
        check_total(sizes_, operations_, writes_);

        flow.operands_ = {operations_.size(), reads_};
        detail::sort_unique(reads_);
        flow.reads_ = {operations_.size(), reads_};
        for (auto const& row : writes_) flow.writes_.append(row);
        for (auto const& row : owners_) flow.owners_.append(row);
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

        std::vector<csr_graph::edge> edges;
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            for (auto const value : flow.reads(v))
                for (auto const u : flow.producers(value)) edges.emplace_back(u, v);
            for (auto const u : flow.control_predecessors(v)) edges.emplace_back(u, v);
        }
        detail::sort_unique(edges);
        flow.graph_ = csr_graph(flow.operation_count(), edges);
        if (!mutations_.empty()) check_late_reads(flow);
        auto const order = detail::kahn_order(flow.graph_, false, false);
        for (bool const inputs : {true, false})
            for (auto const v : order)
                if (flow.is_input(v) == inputs) flow.order_.push_back(v);
        flow.time_once_ = cheapest_total(flow);
        return flow;
    }

  private:
    friend struct detail::reweigh_fn;
    friend struct detail::whole_times_fn;
    friend struct detail::with_results_fn;

    static constexpr void check_weights(std::size_t operation, Time time, bytes workspace) {
        auto const name = [&](char const* what) {
            return std::string(what) + " of operation " + std::to_string(operation);
        };
        static_cast<void>(to_quantity(time, [&] { return name("time"); }));
        static_cast<void>(to_quantity(workspace, [&] { return name("workspace"); }));
    }
    static constexpr auto next_index(std::size_t count, char const* what) -> std::uint32_t {
        if (count >= std::numeric_limits<std::uint32_t>::max())
            detail::raise(bad_graph(std::string("more ") + what + " than 32 bits can number"));
        return static_cast<std::uint32_t>(count);
    }
    constexpr auto add(operation_index producer) -> value_index {
        check_operation(producer);
        auto const value = next_index(sizes_.size(), "values");
        sizes_.push_back(0);
        writes_[producer].push_back(value);
        return value;
    }
    [[nodiscard]] constexpr auto checked_overwrite(operation_index operation, std::uint32_t j, value_index over) const
        -> overwrite {
        static_cast<void>(output(operation, j));
        check_value(over);
        return {j, over};
    }
    constexpr void check_operation(std::size_t operation) const {
        if (operation >= operations_.size())
            detail::raise(bad_graph("operation " + std::to_string(operation) + " is out of range: there are " +
                                    std::to_string(operations_.size())));
    }
    constexpr void check_value(std::size_t value) const {
        if (value >= owners_.size())
            detail::raise(bad_graph("value " + std::to_string(value) + " is out of range: there are " +
                                    std::to_string(owners_.size())));
    }
    template <class Writes>
    static constexpr void check_total(std::span<bytes const> sizes,
                                      std::span<typename dataflow<Time>::operation const> operations,
                                      Writes const& writes) {
        bytes total = 0;
        for (value_index value = 0; value < sizes.size(); ++value)
            total = checked_add(total, sizes[value], [&] {
                std::size_t v = 0;
                while (std::ranges::find(writes[v], value) == writes[v].end()) ++v;
                return "bytes of all values, up to one of operation " + std::to_string(v) + ",";
            });
        for (std::size_t v = 0; v < operations.size(); ++v)
            total = checked_add(total, operations[v].workspace, [&] {
                return "bytes of all values and workspaces, up to operation " + std::to_string(v) + ",";
            });
    }
    /// The number of each value among the outputs of its first producer.
    static constexpr auto output_numbers(dataflow<Time> const& flow) -> std::vector<std::uint32_t> {
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
    static constexpr void check_views(dataflow<Time> const& flow) {
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
    constexpr void check_inputs(dataflow<Time> const& flow) const {
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
    /// By value: the operation that mutates it; `none` where there is none.
    static constexpr auto mutators(dataflow<Time> const& flow) -> std::vector<operation_index> {
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
    static constexpr void check_results(dataflow<Time> const& flow) {
        auto const by = mutators(flow);
        for (auto const value : flow.results())
            for (auto const owner : flow.owners(value))
                if (by[owner] != none)
                    detail::raise(bad_graph("value " + std::to_string(value) + " is a result, and operation " +
                                            std::to_string(by[owner]) + " overwrites it"));
    }
    /// Checks all overwrites, and notes what mutations end. Other readers of a value that an operation mutates, under
    /// any name, run before it.
    constexpr void order_mutations(dataflow<Time>& flow) {
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
    /// Names a reader that depends on the operation which overwrites what it reads: a cycle, but not of the caller's.
    static constexpr void check_late_reads(dataflow<Time> const& flow) {
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
    static constexpr void check_read(dataflow<Time> const& flow, operation_index v, overwrite const& m) {
        if (!std::ranges::binary_search(flow.reads(v), m.over))
            detail::raise(bad_graph("operation " + std::to_string(v) + " overwrites value " + std::to_string(m.over) +
                                    ", which it does not read"));
    }
    [[noreturn]] static constexpr void deny(operation_index v, overwrite const& m, std::string const& why) {
        detail::raise(bad_graph("output " + std::to_string(m.output) + " of operation " + std::to_string(v) +
                                " overwrites value " + std::to_string(m.over) + why));
    }
    static constexpr void check_mutation(dataflow<Time> const& flow, operation_index v, overwrite const& m) {
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
    /// By value, for one operation at a time: the mutation that writes it, and that of its storage.
    using mutations_by_value = std::vector<std::pair<overwrite const*, overwrite const*>>;
    /// The number of a mutation, among those of all operations, and a value that ends with it.
    using ended_by_mutations = std::vector<std::pair<std::size_t, value_index>>;
    static constexpr void check_mutations(dataflow<Time> const& flow, operation_index v, mutations_by_value& by,
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
    /// Sum of the times of all operations, of each group of alternative producers only the fastest.
    static constexpr auto cheapest_total(dataflow<Time> const& flow) -> Time {
        std::vector<operation_index> group(flow.operation_count(), 0);
        for (operation_index v = 0; v < flow.operation_count(); ++v) group[v] = v;
        auto const root = [&](operation_index v) {
            while (group[v] != v) v = group[v] = group[group[v]];
            return v;
        };
        for (std::size_t value = 0; value < flow.value_count(); ++value)
            for (auto const u : flow.producers(value)) group[root(u)] = root(flow.producers(value).front());
        std::vector<Time> least(flow.operation_count(), Time{-1});
        for (operation_index v = 0; v < flow.operation_count(); ++v) {
            auto& best = least[root(v)];
            if (best < 0 || flow.time(v) < best) best = flow.time(v);
        }
        Time total{};
        for (std::size_t v = 0; v < least.size(); ++v)
            if (least[v] > 0)
                total = checked_add(total, least[v], [&] {
                    return "times of all operations, up to operation " + std::to_string(v) + ",";
                });
        return total;
    }

    std::vector<typename dataflow<Time>::operation> operations_;
    std::vector<bytes> sizes_;
    std::vector<std::vector<value_index>> writes_, owners_;
    static constexpr auto none = std::numeric_limits<operation_index>::max();

    std::vector<std::pair<operation_index, value_index>> reads_;
    std::vector<std::pair<operation_index, operation_index>> control_;  // an operation, and one before it
    std::vector<std::pair<operation_index, overwrite>> mutations_, allowed_;
    std::vector<value_index> results_;
};

#if defined(REPEBBLE_SEPARATE_COMPILATION)
extern template class dataflow_builder<std::int64_t>;  // in planner/separate_compilation.hpp
#endif

}  // namespace repebble::inline v0

#endif
