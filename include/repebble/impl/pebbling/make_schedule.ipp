#ifndef REPEBBLE_IMPL_PEBBLING_MAKE_SCHEDULE_IPP
#define REPEBBLE_IMPL_PEBBLING_MAKE_SCHEDULE_IPP

#include <repebble/pebbling/make_schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

[[nodiscard]] constexpr auto has_inputs(dataflow const& flow) -> bool {
    // The order has inputs first.
    return !flow.order().empty() && flow.is_input(flow.order().front());
}

REPEBBLE_INLINE auto inputs_first(dataflow const& flow, std::span<operation_index const> given)
    -> std::vector<operation_index> {
    std::vector<operation_index> all;
    for (auto const v : flow.order())
        if (flow.is_input(v)) all.push_back(v);
    for (auto const v : given)
        if (v >= flow.operation_count() || !flow.is_input(v)) all.push_back(v);
    return all;
}

[[nodiscard]] inline auto discarded_early(dataflow const& flow, std::span<operation_index const> computations,
                                          std::span<value_index const> kept, stop_test stop)
    -> std::optional<schedule<>> {
    constexpr std::size_t often = 1U << 16U;  // positions between two questions
    // Backwards: a value is dead after its last read before it is recomputed, or at once if it has no reader.
    vertex_set live(flow.value_count()), marked(flow.value_count());
    for (auto const value : flow.results()) live.insert(value);
    for (auto const value : kept) {
        REPEBBLE_ASSERT(value < flow.value_count());
        live.insert(value);
    }
    std::vector<value_index> dead;  // those of the last position first
    std::vector<std::uint32_t> dead_after(computations.size(), 0);
    // Nothing is discarded before all inputs are present.
    std::size_t inputs = 0;
    while (inputs < computations.size() && computations[inputs] < flow.operation_count() &&
           flow.is_input(computations[inputs]))
        ++inputs;
    auto const add_dead = [&](std::size_t position, value_index value) {
        dead.push_back(value);
        ++dead_after[position + 1 < inputs ? inputs - 1 : position];
    };
    for (std::size_t position = computations.size(); position-- > 0;) {
        if (position % often == often - 1 && stop()) return std::nullopt;
        auto const v = computations[position];
        if (v >= flow.operation_count())
            detail::raise(bad_graph("computation " + std::to_string(position) + ": operation " + std::to_string(v) +
                                    " is out of range: there are " + std::to_string(flow.operation_count())));
        for (auto const value : flow.writes(v)) {
            if (!live.contains(value)) add_dead(position, value);
            live.erase(value);
        }
        for (auto const value : flow.ended(v)) live.insert(value);  // not by a discard
        for (auto const value : flow.reads(v)) {
            if (live.contains(value)) continue;
            add_dead(position, value);
            live.insert(value);
        }
    }
    auto const usable = find_usable_overwrites(flow);
    std::vector<std::uint32_t> names(flow.value_count(), 0);  // by owner: the resident values that lie in its storage
    vertex_set resident(flow.value_count());
    auto const is_alone = [&](value_index over) { return names[flow.owners(over).front()] == 1; };
    auto const come = [&](value_index value) {
        if (resident.contains(value)) return;
        resident.insert(value);
        for (auto const owner : flow.owners(value)) ++names[owner];
    };
    auto const go = [&](value_index value) {
        if (!resident.contains(value)) return;
        resident.erase(value);
        for (auto const owner : flow.owners(value)) --names[owner];
    };
    schedule_builder out(flow);
    for (std::size_t position = 0; position < computations.size(); ++position) {
        if (position % often == often - 1 && stop()) return std::nullopt;
        auto const v = computations[position];
        auto const ended = std::span(dead).last(dead_after[position]);
        for (auto const value : ended) marked.insert(value);
        auto const over = std::ranges::find_if(
            usable[v], [&](overwrite const& o) { return marked.contains(o.over) && is_alone(o.over); });
        for (auto const value : ended) marked.erase(value);
        auto const is_over = over != usable[v].end();
        is_over ? out.compute_in_place(v, over->output, over->over) : out.compute(v);
        for (auto const value : flow.ended(v)) go(value);
        for (auto const value : flow.writes(v)) come(value);
        for (; dead_after[position] > 0; --dead_after[position]) {
            if (!is_over || dead.back() != over->over) out.discard(dead.back());
            go(dead.back());
            dead.pop_back();
        }
    }
    return std::move(out).finish();
}

REPEBBLE_INLINE auto make_schedule_until(dataflow const& flow, std::span<operation_index const> given,
                                         std::span<value_index const> kept, stop_test stop)
    -> std::optional<schedule<>> {
    if (!has_inputs(flow)) return discarded_early(flow, given, kept, stop);
    auto const in_order = inputs_first(flow, given);
    return discarded_early(flow, in_order, kept, stop);
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto make_schedule(dataflow const& flow, std::span<operation_index const> given,
                                   std::span<value_index const> kept) -> schedule<> {
    return std::move(*detail::make_schedule_until(flow, given, kept, detail::never_stop{}));
}

}  // namespace repebble::inline v0

#endif
