#ifndef REPEBBLE_ORDERS_DETAIL_BEAM_ORDER_HPP
#define REPEBBLE_ORDERS_DETAIL_BEAM_ORDER_HPP

// An order of low peak by beam search: of all lower sets of one size that are reached, those with the lowest peaks go
// on, of equal ones those with the fewest resident bytes. Width 1 is greedy. `find_least_peak_order` uses it where the
// valley search alone takes long.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>

namespace repebble::inline v0::detail {

/// An order of a peak below `upper`, without inputs; nothing where none is found or `stop` says so.  O(n · width
/// · operations that are ready).
template <class Stop>
[[nodiscard]] auto beam_order(one_shot_game const& game, std::size_t width, bytes upper, paced_stop<Stop>& stop)
    -> std::optional<std::vector<operation_index>> {
    struct state {
        vertex_set set;
        std::vector<operation_index> ready;
        bytes resident, peak;
        std::uint64_t hash;
        std::size_t trace;  // the last step
    };
    struct extension {
        bytes peak, resident;
        std::uint64_t hash;  // of the set
        std::size_t from;
        operation_index step;
    };
    auto const n = game.operation_count();
    auto const is_ready = [&](vertex_set const& set, operation_index v) {
        return !set.contains(v) && std::ranges::all_of(game.predecessors(v), [&](auto u) { return set.contains(u); });
    };
    std::vector<std::uint64_t> names(n);
    split_mix random(n);
    for (auto& name : names) name = random.next();
    std::vector<std::pair<std::size_t, operation_index>> trace;  // of every step: the one before it
    state first{game.start(), {}, game.start_bytes(), game.start_peak(), 0, 0};
    for (operation_index v = 0; v < n; ++v)
        if (is_ready(first.set, v)) first.ready.push_back(v);
    std::vector<state> beam{std::move(first)}, next;
    std::vector<extension> all;
    trace.emplace_back(0, 0);
    for (auto left = n - game.start().size(); left > 0; --left) {
        all.clear();
        for (std::size_t k = 0; k < beam.size(); ++k) {
            if (stop.after(2 * beam[k].ready.size())) return std::nullopt;
            for (auto const v : beam[k].ready) {
                auto const step = game.forward(std::as_const(beam[k].set).words(), beam[k].resident, v);
                auto const peak = std::max(beam[k].peak, step.during);
                if (peak < upper) all.push_back({peak, step.after, beam[k].hash ^ names[v], k, v});
            }
        }
        auto const key = [](extension const& e) { return std::tuple(e.peak, e.resident, e.hash, e.from, e.step); };
        std::ranges::sort(all, {}, key);
        next.clear();
        for (std::size_t k = 0; k < all.size() && next.size() < width; ++k) {
            auto const& e = all[k];
            if (k > 0 && all[k - 1].hash == e.hash) continue;  // the same lower set
            auto& made = next.emplace_back(beam[e.from]);
            made.set.insert(e.step);
            std::erase(made.ready, e.step);
            for (auto const w : game.successors(e.step))
                if (is_ready(made.set, w)) made.ready.push_back(w);
            made.resident = e.resident;
            made.peak = e.peak;
            made.hash = e.hash;
            trace.emplace_back(made.trace, e.step);
            made.trace = trace.size() - 1;
        }
        std::swap(beam, next);
        if (beam.empty() || stop.after(beam.size() * n / 16)) return std::nullopt;
    }
    std::vector<operation_index> order;
    for (auto k = beam.front().trace; k != 0; k = trace[k].first) order.push_back(trace[k].second);
    std::ranges::reverse(order);
    return order;
}

}  // namespace repebble::inline v0::detail

#endif
