#ifndef REPEBBLE_PEBBLING_LIVENESS_HPP
#define REPEBBLE_PEBBLING_LIVENESS_HPP

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
    /// `kept` names values that stay resident at the end.
    template <quantity Time>
    [[nodiscard]] constexpr auto operator()(dataflow<Time> const& flow, std::span<operation_index const> computations,
                                            std::span<value_index const> kept = {}) const -> schedule<> {
        // Backwards: a value dies after the last read before it is computed again, or at once if nobody reads it.
        vertex_set wanted(flow.value_count());
        for (auto const value : kept) {
            REPEBBLE_ASSERT(value < flow.value_count());
            wanted.insert(value);
        }
        std::vector<value_index> dying;  // those of the last position first
        std::vector<std::uint32_t> deaths(computations.size(), 0);
        auto const die = [&](std::size_t position, value_index value) {
            dying.push_back(value);
            ++deaths[position];
        };
        for (std::size_t position = computations.size(); position-- > 0;) {
            auto const v = computations[position];
            if (v >= flow.operation_count())
                detail::raise(bad_graph("computation " + std::to_string(position) + ": operation " + std::to_string(v) +
                                        " is out of range: there are " + std::to_string(flow.operation_count())));
            for (auto const value : flow.writes(v)) {
                if (!wanted.contains(value)) die(position, value);
                wanted.erase(value);
            }
            for (auto const value : flow.reads(v)) {
                if (wanted.contains(value)) continue;
                die(position, value);
                wanted.insert(value);
            }
        }
        schedule_builder<Time> out(flow);
        for (std::size_t position = 0; position < computations.size(); ++position) {
            out.compute(computations[position]);
            for (; deaths[position] > 0; --deaths[position]) {
                out.discard(dying.back());
                dying.pop_back();
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

/// Turns an order of computations (of operations, with repetitions) into a schedule with the earliest legal discards:
/// every value goes right after its last use before it is computed again. Without an order: everything once, in index
/// order.  O(sum of reads and writes of the steps). Does not check that the order is legal: `replay` does.
inline constexpr detail::liveness_fn liveness{};

}  // namespace repebble::inline v0

#endif
