#ifndef REPEBBLE_IMPL_PLANNER_MODEL_PLANNING_MODEL_IPP
#define REPEBBLE_IMPL_PLANNER_MODEL_PLANNING_MODEL_IPP

#include <repebble/planner/detail/model/planning_model.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/detail/needed_operations.hpp>
#include <repebble/graph/dataflow/detail/plain_dataflow.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>

namespace repebble::inline v0::detail {

/// More than all values with the largest operation take, or than any device has.
REPEBBLE_INLINE auto illegal_load(planning_model const& m) -> bytes {
    constexpr bytes limit = 0x1000'0000'0000'0000;
    bytes all = 1;
    for (auto const& o : m.operations) all = std::max(all, std::min(o.own, limit) + 1);
    for (auto const size : m.sizes) all = std::min(limit, all + std::min(size, limit));
    return all;
}

/// The rest of a plain_dataflow, beside its flow.
struct beside_plain {
    std::optional<operation_index> end;
    jagged_array<overwrite> overwrites;
    jagged_array<value_index> ended;
};

/// The model of a plain dataflow; nothing where stop() returns true before it is made.
[[nodiscard]] inline auto model_of(dataflow const& flow, beside_plain beside, stop_test stop)
    -> std::optional<planning_model> {
    paced_stop is_over(stop);
    auto const n = flow.operation_count(), values = flow.value_count();
    planning_model m{.end = beside.end};
    m.operations.reserve(n);
    m.reads.reserve(n, flow.graph().edge_count());
    m.writes.reserve(n, values);
    std::vector<value_index> read, made;
    std::vector<operation_index> makers;
    for (operation_index v = 0; v < n; ++v) {
        if (is_over.after(1)) return std::nullopt;
        bytes own = flow.workspace(v);
        for (auto const value : flow.writes(v)) own = checked_add(own, flow.size(value));
        for (auto const x : beside.ended[v]) own -= flow.size(x);
        auto const time = flow.time(v);
        m.operations.push_back({time, time, own, flow.recomputable(v)});
        read.clear();
        for (auto const value : flow.reads(v)) {
            read.push_back(value);
            if (flow.is_view(value)) read.insert(read.end(), flow.owners(value).begin(), flow.owners(value).end());
        }
        sort_unique(read);
        m.reads.append(read);
        // An alternative that reads a view of what it makes finds that in memory.
        made.clear();
        std::ranges::copy_if(flow.writes(v), std::back_inserter(made),
                             [&](value_index x) { return !std::ranges::binary_search(read, x); });
        m.writes.append(made);
    }
    m.sizes.reserve(values);
    m.producers.reserve(values, m.writes.item_count());
    for (value_index x = 0; x < values; ++x) {
        if (is_over.after(1)) return std::nullopt;
        m.sizes.push_back(flow.size(x));
        m.has_views = m.has_views || flow.is_view(x);
        makers.clear();
        std::ranges::copy_if(flow.producers(x), std::back_inserter(makers), [&](operation_index v) {
            return std::ranges::find(m.writes[v], x) != m.writes[v].end();
        });
        m.producers.append(makers);
    }
    m.overwritable.reserve(n, beside.overwrites.item_count());
    for (operation_index v = 0; v < n; ++v) {
        read.clear();
        for (auto const& o : beside.overwrites[v])
            if (auto const owner = flow.owners(o.over).front(); std::ranges::find(read, owner) == read.end())
                read.push_back(owner);
        m.overwritable.append(read);
    }
    m.ended = std::move(beside.ended);
    m.illegal = illegal_load(m);
    if (is_over.after(n)) return std::nullopt;
    m.readers = m.reads.transposed<operation_index>(values);
    std::int64_t all = 0;
    std::optional<operation_index> beyond;  // with it, times sum to too much
    std::vector<std::int64_t> times;
    for (operation_index v = 0; v < n; ++v) {
        all = checked_add(all, m.operations[v].time, "times");
        times.push_back(m.operations[v].time);
        if (all > most_time && !beyond) beyond = v;
    }
    if (is_over.after(n)) return std::nullopt;
    auto needed = find_needed(flow);
    if (is_over.after(n)) return std::nullopt;
    m.time_once = least_time_once(flow, needed, times);
    if (m.time_once > most_time)
        detail::raise(bad_weight("times up to that of operation " + std::to_string(*beyond) + " sum to more than " +
                                 std::to_string(most_time) + ": at most 2^58 can be planned for"));
    m.chosen.assign(n, false);
    for (auto const v : cheapest_operations(flow, needed)) m.chosen[v] = true;
    m.required = std::move(needed.required);
    return m;
}

REPEBBLE_INLINE auto make_planning_model_until(dataflow const& flow, stop_test stop) -> std::optional<planning_model> {
    if (paced_stop(stop).after(flow.operation_count())) return std::nullopt;
    auto made = [&] {
        if (is_plain(flow)) return model_of(flow, {{}, find_usable_overwrites(flow), mutated_owners(flow)}, stop);
        auto plain = plain_builder(flow).build();
        return model_of(plain.flow, {plain.end, std::move(plain.overwrites), std::move(plain.ended)}, stop);
    }();
    if (!made) return made;
    made->order.assign(flow.order().begin(), flow.order().end());
    if (made->end) made->order.push_back(*made->end);
    return made;
}

REPEBBLE_INLINE auto make_planning_model(dataflow const& flow) -> planning_model {
    return std::move(*make_planning_model_until(flow, never_stop{}));
}

REPEBBLE_INLINE auto most_spared(dataflow const& flow, std::span<value_index const> firsts, operation_index v)
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

REPEBBLE_INLINE auto relaxed_model(planning_model const& m, dataflow const& flow) -> std::optional<planning_model> {
    bool in_place = m.has_overwrites();
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        in_place = in_place || !flow.allowed_overwrites(v).empty();
    if (!in_place) return std::nullopt;
    auto relaxed = m;
    auto const firsts = firsts_in_storage(flow);
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        relaxed.operations[v].own -= most_spared(flow, firsts, v);
    relaxed.overwritable = relaxed.ended = {};
    return relaxed;
}

REPEBBLE_INLINE auto only_chosen(planning_model m) -> std::optional<planning_model> {
    jagged_array<operation_index> producers;
    for (value_index x = 0; x < m.value_count(); ++x) {
        auto const all = m.producers[x];
        auto const is_chosen = [&](operation_index v) { return m.chosen[v]; };
        auto const first = std::ranges::find_if(all, is_chosen);
        if (std::ranges::count_if(all, is_chosen) > 1) return std::nullopt;
        if (first == all.end()) m.sizes[x] = 0;
        producers.append(std::span(first == all.end() ? all.begin() : first, 1));
    }
    m.producers = std::move(producers);
    auto const of_chosen = [&](jagged_array<value_index> const& rows) {
        jagged_array<value_index> out;
        for (operation_index v = 0; v < rows.size(); ++v)
            out.append(m.chosen[v] ? rows[v] : std::span<value_index const>{});
        return out;
    };
    m.reads = of_chosen(m.reads);
    m.readers = m.reads.transposed<operation_index>(m.value_count());
    m.overwritable = of_chosen(m.overwritable);
    m.ended = of_chosen(m.ended);
    m.writes = m.producers.transposed<value_index>(m.operation_count());
    m.time_once = 0;
    for (operation_index v = 0; v < m.operation_count(); ++v) {
        if (!m.chosen[v]) m.operations[v] = {};
        m.time_once += m.operations[v].again;
    }
    m.required = m.chosen;
    if (m.time_once > most_time) return std::nullopt;
    return m;
}

}  // namespace repebble::inline v0::detail

#endif
