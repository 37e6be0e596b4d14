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

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Collects operations and values, and builds a dataflow of them.
class dataflow_builder {
  public:
    /// Throws bad_weight where the time or the workspace is negative.
    auto add_operation(std::int64_t time, bytes workspace = 0, bool recomputable = true) -> operation_index;
    /// An operation without time, workspace and reads, whose outputs are present before all else runs.
    auto add_input() -> operation_index;
    /// An operation, or an input, with the weights of operation v of a dataflow.
    auto add_copy(dataflow const& flow, operation_index v) -> operation_index {
        if (flow.is_input(v)) return add_input();
        return add_operation(flow.time(v), flow.workspace(v), flow.recomputable(v));
    }
    /// The caller's time units in one time of the operations: 1 where it is not set.
    constexpr void set_unit(time_unit const& unit) { unit_ = unit; }
    /// Next output of `producer`: a value with a storage of its own.  Throws bad_weight where `size` is negative.
    auto add_value(operation_index producer, bytes size) -> value_index;
    /// Next output of `producer`: a view of the storages of `viewed`.
    auto add_view(operation_index producer, std::span<value_index const> viewed) -> value_index;
    /// Makes an existing value the next output of `producer`: any one of its producers suffices.
    void add_producer(operation_index producer, value_index value);
    /// The value is resident at the end of every schedule. Naming it again changes nothing.
    void add_result(value_index value) {
        check_value(value);
        results_.push_back(value);
    }
    /// `before` has run before each run of `after`, though no value says so.  Throws bad_graph where they are one.
    void add_control_edge(operation_index before, operation_index after);
    /// Output j of the operation is always written over a value that it reads, in whose storage it lies from then on.
    void add_mutation(operation_index operation, std::uint32_t j, value_index over) {
        mutations_.emplace_back(operation, checked_overwrite(operation, j, over));
    }
    /// Output j of the operation may be written over a value that it reads, where that is the value's last use.
    void allow_overwrite(operation_index operation, std::uint32_t j, value_index over) {
        allowed_.emplace_back(operation, checked_overwrite(operation, j, over));
    }
    /// The operation reads the value. The order of the calls is that of its operands, which may repeat.
    void add_read(operation_index reader, value_index value);
    /// The value that is output j of the operation.
    [[nodiscard]] auto output(operation_index operation, std::size_t j) const -> value_index;
    /// The values in whose storages this one lies: itself, or for a view its owners.
    [[nodiscard]] auto owners(value_index value) const -> std::span<value_index const> {
        check_value(value);
        auto const several =
            std::ranges::lower_bound(several_owners_, value, {}, [](auto const& of) { return of.first; });
        if (several != several_owners_.end() && several->first == value) return several->second;
        return {&owner_[value], 1};
    }
    /// The number of outputs that the operation has so far.
    [[nodiscard]] auto output_count(operation_index operation) const -> std::size_t {
        check_operation(operation);
        return writes_[operation].size();
    }

    /// O((n + m) log n).  Throws not_a_dag; bad_graph where an operation does not read the owners of a view that it
    /// writes, or a value that it overwrites, where an input reads or comes after others, or where a mutation is none
    /// (its output is a view or too large, or the value is a result, has several owners, or is overwritten by another
    /// operation, too); and bad_weight where the sum of all bytes or of all times overflows.
    [[nodiscard]] auto build() && -> dataflow;

  private:
    friend class detail::dataflow_editor;

    static void check_weights(std::size_t operation, std::int64_t time, bytes workspace);
    static auto next_index(std::size_t count, char const* what) -> std::uint32_t;
    auto add(operation_index producer) -> value_index;
    [[nodiscard]] auto checked_overwrite(operation_index operation, std::uint32_t j, value_index over) const
        -> overwrite;
    void check_operation(std::size_t operation) const;
    void check_value(std::size_t value) const;
    template <class Writes>
    static constexpr void check_total(std::span<bytes const> sizes, std::span<dataflow::operation const> operations,
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
    static auto output_numbers(dataflow const& flow) -> std::vector<std::uint32_t>;
    static void check_views(dataflow const& flow);
    void check_inputs(dataflow const& flow) const;
    /// By value: the operation that mutates it; `none` where there is none.
    static auto mutators(dataflow const& flow) -> std::vector<operation_index>;
    static void check_results(dataflow const& flow);
    /// Checks all overwrites, and notes what mutations end. Other readers of a value that an operation mutates, under
    /// any name, run before it.
    void order_mutations(dataflow& flow);
    /// An edge from every producer of a value to every reader, and the control edges; where places are given, none from
    /// a producer of a later place than the reader.
    static auto graph_of(dataflow const& flow, std::span<std::size_t const> place) -> csr_graph;
    /// Alternatives may lead in a circle. Drops the edges from producers that come after a reader in an order in which
    /// every value that is read has a producer by then, and lets the first of these stand first, if need be.
    static void open_cycles(dataflow& flow);
    /// By operation, its place in an order in which every value that is read has a producer by then; all producers as
    /// far as they do not wait for the reader, ties by index. Empty where there is none.  O((n + m) log n).
    static auto places_with_one_producer(dataflow const& flow) -> std::vector<std::size_t>;
    /// Names a reader that depends on the operation which overwrites what it reads: a cycle, but not of the caller's.
    static void check_late_reads(dataflow const& flow);
    static void check_read(dataflow const& flow, operation_index v, overwrite const& m);
    [[noreturn]] static void deny(operation_index v, overwrite const& m, std::string const& why) {
        detail::raise(bad_graph("output " + std::to_string(m.output) + " of operation " + std::to_string(v) +
                                " overwrites value " + std::to_string(m.over) + why));
    }
    static void check_mutation(dataflow const& flow, operation_index v, overwrite const& m);
    /// By value, for one operation at a time: the mutation that writes it, and that of its storage.
    using mutations_by_value = std::vector<std::pair<overwrite const*, overwrite const*>>;
    /// The number of a mutation, among those of all operations, and a value that ends with it.
    using ended_by_mutations = std::vector<std::pair<std::size_t, value_index>>;
    static void check_mutations(dataflow const& flow, operation_index v, mutations_by_value& by,
                                ended_by_mutations& ended);
    /// Least time of what every schedule runs.
    static auto least_time(dataflow const& flow) -> std::int64_t;

    std::vector<typename dataflow::operation> operations_;
    std::vector<bytes> sizes_;
    std::vector<std::vector<value_index>> writes_;
    std::vector<value_index> owner_;  // of each value, the first
    std::vector<std::pair<value_index, std::vector<value_index>>>
        several_owners_;  // all, where it has several; ascending
    static constexpr auto none = std::numeric_limits<operation_index>::max();

    std::vector<std::pair<operation_index, value_index>> reads_;
    std::vector<std::pair<operation_index, operation_index>> control_;  // an operation, and one before it
    std::vector<std::pair<operation_index, overwrite>> mutations_, allowed_;
    std::vector<value_index> results_;
    time_unit unit_{};
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/dataflow/dataflow_builder.ipp>
#endif

#endif
