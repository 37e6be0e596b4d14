#ifndef REPEBBLE_GRAPH_DATAFLOW_DATAFLOW_HPP
#define REPEBBLE_GRAPH_DATAFLOW_DATAFLOW_HPP

// The problem of all planning: operations, values and storages, in compact arrays. Strategies, the pebble game and
// allocation work on dataflows only. Made by make_dataflow.hpp (from any graph) or dataflow_builder.hpp. Invariant:
// there is an order of the operations in which each value has a producer before its readers; every owner of a view is
// read by the view's producers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/time_unit.hpp>

namespace repebble::inline v0 {

// Declared here for clang 16, which confuses the constraint of a friend that a specialisation declares first.
class dataflow_builder;

namespace detail {
class dataflow_editor;
}  // namespace detail

using operation_index = std::uint32_t;
using value_index = std::uint32_t;
/// An index that no value has.
inline constexpr value_index no_value = std::numeric_limits<value_index>::max();

/// An output that is written into the storage of a value that its operation reads.
struct overwrite {
    std::uint32_t output = 0;  ///< number of the output
    value_index over = 0;      ///< the value in whose storage it is written
    friend constexpr auto operator==(overwrite const&, overwrite const&) -> bool = default;
};

/// A computation graph of operations, the values that they write and read, and the storages of the values. Immutable.
///
/// - An operation reads values and writes its outputs; it takes time, and workspace while it runs.
/// - A value that owns its storage has a size. A view has none: it refers to the storages of its owners.
/// - A value may have several producers, any one of which suffices. They may lead in a circle: a value made again of
/// its
///   copy, and the copy of the value.
/// - A result is resident at the end of every schedule.
/// - An input is present before all else: an operation that reads nothing, takes no time, runs once and first.
/// - A control edge u -> v says that u has run before each run of v. It carries no value: when either runs again, the
///   other need not.
/// - An operation that mutates a value writes an output into the storage of that value, which ends with it: what else
///   reads the value runs before, or after the value was computed again.
/// - An output may be allowed to take over the storage of a value whose last reader its operation is (in place).
class dataflow {
  public:
    /// What is known of an operation beside its values.
    struct operation {
        std::int64_t time{};       ///< units that it takes
        bytes workspace = 0;       ///< needed only while it runs
        bool recomputable = true;  ///< whether it may run more than once
        bool is_input = false;     ///< whether its values are present before all else runs
        friend constexpr auto operator==(operation const&, operation const&) -> bool = default;
    };

    constexpr dataflow() = default;

    /// Operations are numbered from 0 on.
    [[nodiscard]] constexpr auto operation_count() const noexcept -> std::size_t { return operations_.size(); }
    /// Values are numbered from 0 on.
    [[nodiscard]] constexpr auto value_count() const noexcept -> std::size_t { return sizes_.size(); }

    /// Time units that the operation takes.
    [[nodiscard]] constexpr auto time(std::size_t v) const { return operations_[v].time; }
    /// Bytes that the operation needs only while it runs.
    [[nodiscard]] constexpr auto workspace(std::size_t v) const { return operations_[v].workspace; }
    /// Whether the operation may run more than once.
    [[nodiscard]] constexpr auto recomputable(std::size_t v) const { return operations_[v].recomputable; }
    /// Whether the values of v are present before all operations that are no inputs run.
    [[nodiscard]] constexpr auto is_input(std::size_t v) const { return operations_[v].is_input; }
    /// Values that v reads, ascending, each once.
    [[nodiscard]] constexpr auto reads(std::size_t v) const noexcept { return reads_[v]; }
    /// Values that v reads in the order of its arguments, with repetitions.
    [[nodiscard]] constexpr auto operands(std::size_t v) const noexcept { return operands_[v]; }
    /// Operations that have run before each run of v, though v need not read a value of them; ascending.
    [[nodiscard]] constexpr auto control_predecessors(std::size_t v) const noexcept { return control_[v]; }
    /// Outputs of v that are always written over a value, which ends with that.
    [[nodiscard]] constexpr auto mutations(std::size_t v) const noexcept { return mutations_[v]; }
    /// Values that v reads in the storages that its mutations overwrite: of one mutation after the other.
    [[nodiscard]] constexpr auto ended(std::size_t v) const noexcept {
        return ended_.joined(mutations_.start(v), mutations_.start(v + 1));
    }
    /// Values that v reads in the storage that its mutation k overwrites, ascending.
    [[nodiscard]] constexpr auto ended(std::size_t v, std::size_t k) const noexcept {
        return ended_[mutations_.start(v) + k];
    }
    /// Outputs of v that may be written over a value in its last use.
    [[nodiscard]] constexpr auto allowed_overwrites(std::size_t v) const noexcept { return allowed_[v]; }
    /// Values that v writes: output j of v is writes(v)[j].
    [[nodiscard]] constexpr auto writes(std::size_t v) const noexcept { return writes_[v]; }

    /// Bytes of the storage that the value owns; 0 for a view.
    [[nodiscard]] constexpr auto size(std::size_t value) const { return sizes_[value]; }
    /// The values in whose storages this one lies: itself, or for a view its owners.
    [[nodiscard]] constexpr auto owners(std::size_t value) const noexcept { return owners_[value]; }
    /// Whether the value refers to the storages of others.
    [[nodiscard]] constexpr auto is_view(std::size_t value) const noexcept -> bool {
        return owners_[value].size() != 1 || owners_[value].front() != value;
    }
    /// Operations that write the value. The first comes before all readers; ascending but for that.
    [[nodiscard]] constexpr auto producers(std::size_t value) const noexcept { return producers_[value]; }
    /// The operations that read the value, ascending.
    [[nodiscard]] constexpr auto readers(std::size_t value) const noexcept { return readers_[value]; }
    /// Values that are resident at the end of every schedule, ascending.
    [[nodiscard]] constexpr auto results() const noexcept -> std::span<value_index const> { return results_; }
    /// Whether the value is resident at the end of every schedule.  O(log results).
    [[nodiscard]] constexpr auto is_result(value_index value) const noexcept -> bool {
        return std::ranges::binary_search(results_, value);
    }
    /// The value as an output of its first producer.
    [[nodiscard]] constexpr auto as_output(std::size_t value) const -> output_ref<operation_index> {
        return {producers_[value].front(), output_numbers_[value]};
    }
    /// Slot of the value's first owner in an array with one entry per (value, owner); `owner_slots` in all.
    [[nodiscard]] constexpr auto owner_start(std::size_t value) const noexcept { return owners_.start(value); }
    /// The number of pairs of a value and an owner of it.
    [[nodiscard]] constexpr auto owner_slots() const noexcept { return owners_.item_count(); }

    /// The slot by which v reads a storage: that of the first value read by v that is the owner or a view of it; empty
    /// where v reads none.  O(owners of the values that v reads).
    [[nodiscard]] constexpr auto slot_seen(std::size_t v, value_index owner) const -> std::optional<std::size_t> {
        for (auto const value : reads_[v])
            for (std::size_t k = 0; k < owners_[value].size(); ++k)
                if (owners_[value][k] == owner) return owners_.start(value) + k;
        return std::nullopt;
    }

    /// A topological order of the operations, inputs first; the index order where that is one.
    [[nodiscard]] constexpr auto order() const noexcept -> std::span<operation_index const> { return order_; }
    /// The operations as a plain graph, which is acyclic: an edge from every producer of a value to every reader, and
    /// the control edges. Where producers lead in a circle, there is none from a producer to what `order` has before
    /// it.
    [[nodiscard]] constexpr auto graph() const noexcept -> csr_graph const& { return graph_; }
    /// Whether no operation reads a value of v.
    [[nodiscard]] constexpr auto is_sink(std::size_t v) const noexcept -> bool {
        return std::ranges::all_of(writes_[v], [&](value_index value) { return readers_[value].empty(); });
    }
    /// Time of what every schedule runs, once: everything where no value has several producers. Otherwise what
    /// only some alternatives need does not count, and of the producers of a needed value the fastest does.
    [[nodiscard]] constexpr auto time_once() const noexcept -> std::int64_t { return time_once_; }
    /// The caller's time units in one of these times.
    [[nodiscard]] constexpr auto unit() const noexcept -> time_unit const& { return unit_; }

    friend constexpr auto operator==(dataflow const&, dataflow const&) -> bool = default;

  private:
    friend class dataflow_builder;
    friend class detail::dataflow_editor;

    std::vector<operation> operations_;
    std::vector<bytes> sizes_;
    detail::jagged_array<value_index> reads_, operands_, writes_, owners_;
    detail::jagged_array<operation_index> control_;
    detail::jagged_array<overwrite> mutations_, allowed_;
    detail::jagged_array<value_index> ended_;  // by mutation: those of v from mutations_.start(v) on
    std::vector<value_index> results_;
    detail::jagged_array<operation_index> producers_, readers_;
    std::vector<std::uint32_t> output_numbers_;  // of each value, among those of its first producer
    std::vector<operation_index> order_;
    csr_graph graph_;
    std::int64_t time_once_{};
    time_unit unit_{};
};

/// A dataflow is itself a computation graph: of operations.
template <>
struct graph_traits<dataflow> {
    static constexpr auto vertices(dataflow const& g) { return graph_traits<csr_graph>::vertices(g.graph()); }
    static constexpr auto successors(dataflow const& g, operation_index v) { return g.graph().successors(v); }
    static constexpr auto predecessors(dataflow const& g, operation_index v) { return g.graph().predecessors(v); }
    static constexpr auto vertex_index(dataflow const&, operation_index v) -> std::size_t { return v; }
    static constexpr auto vertex_count(dataflow const& g) -> std::size_t { return g.operation_count(); }
};

}  // namespace repebble::inline v0

#endif
