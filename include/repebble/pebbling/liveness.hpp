#ifndef REPEBBLE_PEBBLING_LIVENESS_HPP
#define REPEBBLE_PEBBLING_LIVENESS_HPP

// Liveness analysis: from a sequence of operations to a schedule with the earliest discards. Every strategy that
// decides on a sequence only ends with it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

struct liveness_fn {
    /// `kept`: values that stay resident at the end.
    template <quantity Time>
    [[nodiscard]] constexpr auto operator()(dataflow<Time> const& flow, std::span<operation_index const> computations,
                                            std::span<value_index const> kept = {}) const -> schedule<> {
        // Backwards: a value is dead after its last read before it is recomputed, or at once if it has no reader.
        vertex_set live(flow.value_count());
        for (auto const value : kept) {
            REPEBBLE_ASSERT(value < flow.value_count());
            live.insert(value);
        }
        std::vector<value_index> dead;  // those of the last position first
        std::vector<std::uint32_t> dead_after(computations.size(), 0);
        auto const add_dead = [&](std::size_t position, value_index value) {
            dead.push_back(value);
            ++dead_after[position];
        };
        for (std::size_t position = computations.size(); position-- > 0;) {
            auto const v = computations[position];
            if (v >= flow.operation_count())
                detail::raise(bad_graph("computation " + std::to_string(position) + ": operation " + std::to_string(v) +
                                        " is out of range: there are " + std::to_string(flow.operation_count())));
            for (auto const value : flow.writes(v)) {
                if (!live.contains(value)) add_dead(position, value);
                live.erase(value);
            }
            for (auto const value : flow.reads(v)) {
                if (live.contains(value)) continue;
                add_dead(position, value);
                live.insert(value);
            }
        }
        schedule_builder<Time> out(flow);
        for (std::size_t position = 0; position < computations.size(); ++position) {
            out.compute(computations[position]);
            for (; dead_after[position] > 0; --dead_after[position]) {
                out.discard(dead.back());
                dead.pop_back();
            }
        }
        return std::move(out).finish();
    }

    template <quantity Time>
    [[nodiscard]] constexpr auto operator()(dataflow<Time> const& flow) const -> schedule<> {
        return (*this)(flow, flow.order());
    }
};

}  // namespace detail

/// Turns a sequence of operations, with repetitions, into a schedule with the earliest legal discards: every value is
/// discarded right after its last use before it is recomputed. Without a sequence: every operation once, in index
/// order.  O(sum of reads and writes of the steps). Does not check that the sequence is legal: `replay` does.
inline constexpr detail::liveness_fn liveness{};

}  // namespace repebble::inline v0

#endif
