#ifndef REPEBBLE_GRAPH_DATAFLOW_DATAFLOW_HPP
#define REPEBBLE_GRAPH_DATAFLOW_DATAFLOW_HPP

// The problem of all planning: operations, values and storages, in compact arrays. Strategies, the pebble game and
// allocation work on dataflows only. Made by make_dataflow.hpp (from any graph) or dataflow_builder.hpp. Invariant:
// acyclic; every value has a producer; every owner of a view is read by the view's producers.

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

namespace repebble::inline v0 {

// Declared here for clang 16, which confuses the constraint of a friend that a specialisation declares first.
template <quantity Time>
class dataflow_builder;

namespace detail {
struct reweigh_fn;
struct whole_times_fn;
}  // namespace detail

using operation_index = std::uint32_t;
using value_index = std::uint32_t;
/// An index that no value has.
inline constexpr value_index no_value = std::numeric_limits<value_index>::max();

/// A computation graph of operations, the values that they write and read, and the storages of the values. Immutable.
///
/// - An operation reads values and writes its outputs; it takes time, and workspace while it runs.
/// - A value that owns its storage has a size. A view has none: it refers to the storages of its owners.
/// - A value may have several producers, any one of which suffices.
template <quantity Time = std::int64_t>
class dataflow {
  public:
    /// What is known of an operation beside its values.
    struct operation {
        Time time{};               ///< units that it takes
        bytes workspace = 0;       ///< needed only while it runs
        bool recomputable = true;  ///< whether it may run more than once
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
    /// Values that v reads, ascending, each once.
    [[nodiscard]] constexpr auto reads(std::size_t v) const noexcept { return reads_[v]; }
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
    /// Operations that write the value, and (below) that read it; ascending.
    [[nodiscard]] constexpr auto producers(std::size_t value) const noexcept { return producers_[value]; }
    /// The operations that read the value.
    [[nodiscard]] constexpr auto readers(std::size_t value) const noexcept { return readers_[value]; }
    /// The value as an output of its first producer.  O(outputs of that).
    [[nodiscard]] constexpr auto as_output(std::size_t value) const -> output_ref<operation_index> {
        auto const u = producers_[value].front();
        std::uint32_t j = 0;
        while (writes_[u][j] != value) ++j;
        return {u, j};
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

    /// A topological order of the operations; the index order where that is topological.
    [[nodiscard]] constexpr auto order() const noexcept -> std::span<operation_index const> { return order_; }
    /// The operations as a plain graph: an edge from every producer of a value to every reader.
    [[nodiscard]] constexpr auto graph() const noexcept -> csr_graph const& { return graph_; }
    /// Whether no operation reads a value of v.
    [[nodiscard]] constexpr auto is_sink(std::size_t v) const noexcept -> bool { return graph_.successors(v).empty(); }
    /// Time of computing every value once; of alternative producers the fastest counts.
    [[nodiscard]] constexpr auto time_once() const noexcept -> Time { return time_once_; }

    friend constexpr auto operator==(dataflow const&, dataflow const&) -> bool = default;

  private:
    template <quantity T>
    friend class dataflow_builder;
    friend struct detail::reweigh_fn;
    friend struct detail::whole_times_fn;

    std::vector<operation> operations_;
    std::vector<bytes> sizes_;
    detail::jagged_array<value_index> reads_, writes_, owners_;
    detail::jagged_array<operation_index> producers_, readers_;
    std::vector<operation_index> order_;
    csr_graph graph_;
    Time time_once_{};
};

/// A dataflow is itself a computation graph: of operations.
template <class Time>
struct graph_traits<dataflow<Time>> {
    static constexpr auto vertices(dataflow<Time> const& g) { return graph_traits<csr_graph>::vertices(g.graph()); }
    static constexpr auto successors(dataflow<Time> const& g, operation_index v) { return g.graph().successors(v); }
    static constexpr auto predecessors(dataflow<Time> const& g, operation_index v) { return g.graph().predecessors(v); }
    static constexpr auto vertex_index(dataflow<Time> const&, operation_index v) -> std::size_t { return v; }
    static constexpr auto vertex_count(dataflow<Time> const& g) -> std::size_t { return g.operation_count(); }
};

}  // namespace repebble::inline v0

#endif
