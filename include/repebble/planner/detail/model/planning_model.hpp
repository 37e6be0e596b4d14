#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_PLANNING_MODEL_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_PLANNING_MODEL_HPP

// The model that all searches of the planner work on: a dataflow with integer times and without views, in flat arrays.
// Times are whole numbers, so all bounds are exact: floating times of the caller are rounded down to multiples of one
// unit before, so a lower bound holds for them, too. Invariant: sums and products of times fit in 64 bits
// (`most_time`).

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/planner/effort.hpp>
#include <repebble/planner/technique.hpp>

namespace repebble::inline v0::detail {

/// A dataflow with whole times and without views. An operation that reads a view reads the view (0 bytes) and its
/// owners.
struct planning_model {
    struct operation {
        std::int64_t time = 0;
        std::int64_t again = 0;  ///< least time of a recomputation: without views that were merged into it
        bytes own = 0;           ///< bytes of its workspace and of outputs in storages of their own
        bool recomputable = true;

        friend auto operator==(operation const&, operation const&) -> bool = default;
    };

    std::vector<operation> operations{};
    std::vector<bytes> sizes{};                            ///< by value; 0 for views
    jagged_array<value_index> reads{}, writes{};           ///< by operation; reads are sorted
    jagged_array<operation_index> producers{}, readers{};  ///< by value
    jagged_array<value_index> overwritable{};  ///< by operation: reads that it may write over, largest first; or empty
    jagged_array<value_index> ended{};         ///< by operation: reads that end with it, as it overwrites their storage
    bytes illegal = 0;                         ///< added to the load of a step that ends a value which is read later
    std::vector<operation_index> order{};
    bool has_views = false;                ///< they may keep storages of older computations: loads do not count these
    std::int64_t time_once = 0;            ///< time of what every schedule runs, once
    std::vector<bool> required{};          ///< by operation: it runs in every schedule
    std::vector<bool> chosen{};            ///< by operation: it runs where nothing is recomputed
    std::optional<operation_index> end{};  ///< the operation that reads all results, the last of each sequence
    technique_set without{};               ///< techniques that are switched off
    repebble::effort effort{};             ///< how much work the searches may do

    /// Whether there are steps that may write over a value, or must.
    [[nodiscard]] auto has_overwrites() const noexcept -> bool {
        return overwritable.item_count() > 0 || ended.item_count() > 0;
    }
    /// More bytes than any legal step needs: steps that are not legal are above it.
    [[nodiscard]] auto most_useful_budget() const noexcept -> bytes {
        return ended.item_count() > 0 ? illegal - 1 : std::numeric_limits<bytes>::max();
    }
    [[nodiscard]] auto operation_count() const noexcept -> std::size_t { return operations.size(); }
    [[nodiscard]] auto value_count() const noexcept -> std::size_t { return sizes.size(); }
};

/// Largest sum of the times of required operations: with it, sums and products with recomputations fit in 64 bits.
inline constexpr std::int64_t most_time = std::int64_t{1} << 58U;

/// Returns the model of a dataflow, in its order.  O((n + m) log n).  Throws bad_weight where the bytes of an operation
/// overflow, or where times sum to more than `most_time`.
[[nodiscard]] auto make_planning_model(dataflow const& flow) -> planning_model;
/// The same; nothing where stop() returns true before it is made.
[[nodiscard]] auto make_planning_model_until(dataflow const& flow, stop_test stop) -> std::optional<planning_model>;

/// The most bytes that v can spare by an allowed step in place over a storage of the output's size. Storages with views
/// count, too: a plan does not count on these, but a schedule may write over them.
[[nodiscard]] auto most_spared(dataflow const& flow, std::span<value_index const> firsts, operation_index v) -> bytes;

/// Returns the model without what only a schedule can tell: an operation needs no more than it does in place, and a
/// value that is overwritten may be read later. A lower bound for it holds for every schedule of the dataflow. Nothing
/// where no operation may write in place: the model itself is one.  O(n + m).
[[nodiscard]] auto relaxed_model(planning_model const& m, dataflow const& flow) -> std::optional<planning_model>;

/// Returns the model in which the chosen operations alone run, so that each value has one producer: what is legal there
/// is legal in the model. The other operations and the values that only they write are left without bytes, time and
/// readers. Nothing where two chosen operations write one value, or the chosen ones take more than `most_time`.
/// O(n + m).
[[nodiscard]] auto only_chosen(planning_model m) -> std::optional<planning_model>;

/// A lower bound on the peak of every schedule, and the operation that causes it.
struct operation_floor {
    bytes size = 0;
    operation_index operation = 0;
};

[[nodiscard]] inline auto floor_of(planning_model const& m) -> operation_floor {
    operation_floor floor;
    for (operation_index v = 0; v < m.operation_count(); ++v) {
        if (!m.required[v]) continue;
        bytes needed = m.operations[v].own;
        for (auto const x : m.reads[v]) needed = checked_add(needed, m.sizes[x]);
        if (needed > floor.size) floor = {needed, v};
    }
    return floor;
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/model/planning_model.ipp>
#endif

#endif
