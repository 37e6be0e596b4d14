#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_PLANNING_MODEL_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_PLANNING_MODEL_HPP

// The model that all searches of the planner work on: a dataflow with integer times and without views, in flat arrays.
// Times are whole numbers, so all bounds are exact: floating times of the caller are rounded down to multiples of one
// unit before, so a lower bound holds for them, too. Invariant: sums and products of times fit in 64 bits
// (`most_time`).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/plain_dataflow.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/planner/technique.hpp>

namespace repebble::inline v0::detail {

/// A dataflow with whole times and without views. An operation that reads a view reads the view (0 bytes) and its
/// owners.
struct planning_model {
    struct operation {
        std::int64_t time = 0;
        std::int64_t again = 0;  ///< least time of a recomputation: without views that were merged into it
        bytes own = 0;           ///< bytes of its outputs and its workspace, in addition to the resident values
        bool recomputable = true;
    };

    std::vector<operation> operations{};
    std::vector<bytes> sizes{};                            ///< by value; 0 for views
    jagged_array<value_index> reads{}, writes{};           ///< by operation; reads are sorted
    jagged_array<operation_index> producers{}, readers{};  ///< by value
    jagged_array<value_index> overwritable{};  ///< by operation: reads that it may write over, largest first; or empty
    std::vector<operation_index> order{};
    std::int64_t time_once = 0;            ///< sum of the times of all required operations, once each
    std::vector<bool> required{};          ///< by operation: it runs in every schedule
    std::optional<operation_index> end{};  ///< the operation that reads all results, the last of each sequence
    technique_set without{};               ///< techniques that are switched off

    [[nodiscard]] auto operation_count() const noexcept -> std::size_t { return operations.size(); }
    [[nodiscard]] auto value_count() const noexcept -> std::size_t { return sizes.size(); }
};

/// Returns, by operation, whether it runs in every schedule: sinks, except those whose results other operations may
/// compute, and each only producer of a value that a required operation reads.  O(n + m).
[[nodiscard]] inline auto required_operations(planning_model const& m) -> std::vector<bool> {
    std::vector<bool> required(m.operation_count(), false);
    for (auto v = m.order.rbegin(); v != m.order.rend(); ++v) {
        bool const sink = std::ranges::all_of(m.writes[*v], [&](auto const x) { return m.readers[x].empty(); });
        required[*v] =
            required[*v] || (sink && (m.writes[*v].empty() || std::ranges::any_of(m.writes[*v], [&](auto const x) {
                                          return m.producers[x].size() == 1;
                                      })));
        if (!required[*v]) continue;
        for (auto const x : m.reads[*v])
            if (m.producers[x].size() == 1) required[m.producers[x].front()] = true;
    }
    return required;
}

/// Largest sum of the times of required operations: with it, sums and products with recomputations fit in 64 bits.
inline constexpr std::int64_t most_time = std::int64_t{1} << 58U;

/// Returns the model of a plain dataflow.  O(n + m).  Throws bad_weight where the bytes of an operation overflow, or
/// where times sum to more than `most_time`.
[[nodiscard]] inline auto make_planning_model(plain_dataflow<std::int64_t> const& plain) -> planning_model {
    auto const& flow = plain.flow;
    planning_model m{.end = plain.end};
    std::vector<value_index> read;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        bytes own = flow.workspace(v);
        for (auto const value : flow.writes(v)) own = checked_add(own, flow.size(value));
        auto const time = flow.time(v);
        m.operations.push_back({time, time, own, flow.recomputable(v)});
        read.clear();
        for (auto const value : flow.reads(v)) {
            read.push_back(value);
            if (flow.is_view(value)) read.insert(read.end(), flow.owners(value).begin(), flow.owners(value).end());
        }
        sort_unique(read);
        m.reads.append(read);
        m.writes.append(flow.writes(v));
    }
    for (value_index x = 0; x < flow.value_count(); ++x) {
        m.sizes.push_back(flow.size(x));
        m.producers.append(flow.producers(x));
    }
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        read.clear();
        for (auto const& o : plain.overwrites[v])
            if (std::ranges::find(read, o.over) == read.end()) read.push_back(o.over);
        m.overwritable.append(read);
    }
    m.readers = m.reads.transposed<operation_index>(flow.value_count());
    m.order.assign(flow.order().begin(), flow.order().end());
    m.required = required_operations(m);
    std::int64_t all = 0;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        all = checked_add(all, m.operations[v].time, "times");
        if (!m.required[v]) continue;
        m.time_once += m.operations[v].time;  // never more than the checked sum
        if (m.time_once > most_time)
            detail::raise(bad_weight("times up to that of operation " + std::to_string(v) + " sum to " +
                                     std::to_string(m.time_once) + ": at most 2^58 can be planned for"));
    }
    return m;
}

/// The same for any dataflow, in its order.
[[nodiscard]] inline auto make_planning_model(dataflow<> const& flow) -> planning_model {
    auto m = make_planning_model(make_plain(flow, mutation_form::in_storage));
    m.order.assign(flow.order().begin(), flow.order().end());
    if (m.end) m.order.push_back(*m.end);
    return m;
}

/// The most bytes that v can spare by an allowed step in place over a storage of the output's size. Storages with views
/// count, too: a plan does not count on these, but a schedule may write over them.
[[nodiscard]] inline auto most_spared(dataflow<> const& flow, std::span<value_index const> firsts, operation_index v)
    -> bytes {
    bytes most = 0;
    for (auto const& o : flow.allowed_overwrites(v)) {
        auto const output = flow.writes(v)[o.output];
        bool fits = !flow.is_view(output) && flow.owners(o.over).size() == 1;
        fits = fits && firsts[output] == output;  // no mutation writes it
        fits = fits && flow.size(output) == flow.size(firsts[flow.owners(o.over).front()]);
        if (fits) most = std::max(most, flow.size(output));
    }
    return most;
}

/// Returns the model without what only a schedule can tell: an operation needs no more than it does in place, and what
/// mutations touch may run again. A lower bound for it holds for every schedule of the dataflow.  O(n + m).
[[nodiscard]] inline auto relaxed_model(planning_model m, dataflow<> const& flow) -> planning_model {
    auto const firsts = firsts_in_storage(flow);
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        auto& o = m.operations[v];
        o.own -= most_spared(flow, firsts, v);
        o.recomputable = flow.recomputable(v);
    }
    m.overwritable = {};
    return m;
}

}  // namespace repebble::inline v0::detail

#endif
