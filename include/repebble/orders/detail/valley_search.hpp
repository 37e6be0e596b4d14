#ifndef REPEBBLE_ORDERS_DETAIL_VALLEY_SEARCH_HPP
#define REPEBBLE_ORDERS_DETAIL_VALLEY_SEARCH_HPP

// The valley search for the order of least peak: splits the lower sets into intervals at minimum cuts, and searches
// each from both of its ends (valley_tree). The bound rises only when one end is exhausted, so that at any time no
// order has a lower peak. Used by `find_least_peak_order`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>
#include <repebble/orders/detail/valley_tree.hpp>

namespace repebble::inline v0::detail {

/// The outcome of a search; impossible: no order has a peak below `upper`; limit: of states or of time.
enum class valley_end : std::uint8_t { found, impossible, limit };

/// Searches for an order of least peak.
template <class Stop>
class valley_search {
  public:
    /// Searches for orders of a peak below `upper`.  lower: no order has a lower peak.  share: of the states, after
    /// which it ends when some expansions have ended.
    valley_search(one_shot_game const& game, bytes lower, bytes upper, std::size_t share, std::size_t most_states,
                  paced_stop<Stop>& stop)
        : game_(game), bound_(lower), upper_(upper), share_(share), most_states_(most_states), stop_(stop) {}

    auto run() -> valley_end {
        auto all = vertex_set::full(game_.operation_count());
        auto const end_bytes = game_.resident(all);
        if (bound_ < upper_ && solve({game_.start(), game_.start_bytes()}, {std::move(all), end_bytes}))
            return valley_end::found;
        return bound_ < upper_ ? valley_end::limit : valley_end::impossible;
    }
    /// No order has a lower peak, as none has a lower one than `lower`.
    [[nodiscard]] auto bound() const -> bytes { return bound_; }
    /// Where one was found: an order of peak `bound`, without inputs.
    [[nodiscard]] auto order() const -> std::vector<operation_index> const& { return order_; }
    [[nodiscard]] auto states() const -> std::size_t { return states_; }

  private:
    struct position {
        vertex_set set;
        bytes resident;
    };

    /// Appends to the order the operations between two lower sets, in an order whose peak is within the bound, which
    /// rises as it must. Returns false where it reaches `upper`, or a limit.
    auto solve(position low, position high) -> bool {
        std::vector<operation_index> last;  // operations before `high`, in reverse
        for (;;) {
            squeeze(low, high, last);
            if (bound_ >= upper_ || stop_.now()) return false;
            if (low.set == high.set) break;
            if (auto const middle = before_serial(low.set, high.set)) {
                auto const resident = game_.resident(*middle);
                if (!solve(low, {*middle, resident}) || !solve({*middle, resident}, high)) return false;
                break;
            }
            auto const stop = [&] { return stop_.now(); };
            auto waist = game_.least_between(low.set, high.set, true, stop);
            if (waist == high.set || waist == low.set) waist = game_.least_between(low.set, high.set, false, stop);
            if (stop()) return false;
            if (waist != high.set && waist != low.set) {
                auto const resident = game_.resident(waist);
                if (!solve(low, {waist, resident}) || !solve({waist, resident}, high)) return false;
                break;
            }
            if (!search(low, high, last)) return false;
        }
        order_.insert(order_.end(), last.rbegin(), last.rend());
        return true;
    }
    /// Runs operations that are the only ones at an end of the interval.
    void squeeze(position& low, position& high, std::vector<operation_index>& last) {
        while (!stop_.after(game_.operation_count()) &&
               (run_only_ones(low, high.set, true, order_) || run_only_ones(high, low.set, false, last))) {
        }
    }
    /// Those that are first, or last, in every order of the interval.  Returns whether there was any.
    auto run_only_ones(position& from, vertex_set const& end, bool forward, std::vector<operation_index>& steps)
        -> bool {
        auto const is_ready = [&](std::size_t v) {
            if (from.set.contains(v) == forward || end.contains(v) != forward) return false;
            auto const needed = forward ? game_.predecessors(v) : game_.successors(v);
            return std::ranges::all_of(needed, [&](auto u) { return from.set.contains(u) == forward; });
        };
        std::vector<operation_index> ready;
        (forward ? end - from.set : from.set - end).for_each([&](std::size_t v) {
            if (ready.size() < 2 && is_ready(v)) ready.push_back(static_cast<operation_index>(v));
        });
        bool any = false;
        for (; ready.size() == 1; any = true) {
            auto const v = ready.front();
            auto const words = std::as_const(from.set).words();
            auto const step =
                forward ? game_.forward(words, from.resident, v) : game_.backward(words, from.resident, v);
            bound_ = std::max(bound_, step.during);
            from.resident = step.after;
            forward ? from.set.insert(v) : from.set.erase(v);
            steps.push_back(v);
            ready.clear();
            for (auto const w : forward ? game_.successors(v) : game_.predecessors(v))
                if (is_ready(w)) ready.push_back(w);
        }
        return any;
    }
    /// The lower set before an operation that is comparable with every other one of the interval, of several the middle
    /// one: all orders pass it. Nothing where there is none.  O(n + m).
    [[nodiscard]] auto before_serial(vertex_set const& low, vertex_set const& high) const -> std::optional<vertex_set> {
        auto const between = high - low;
        // Beside such an operation none is ready in any order, forwards or backwards, and all others are before it in
        // one of the two.
        auto const order = kahn_order(between, true), reverse = kahn_order(between, false);
        std::vector<std::size_t> after(game_.operation_count(), order.size());
        for (std::size_t k = 0; k < reverse.size(); ++k)
            if (reverse[k].second == 0) after[reverse[k].first] = k;
        std::vector<std::size_t> serial;
        for (std::size_t k = 0; k < order.size(); ++k)
            if (order[k].second == 0 && k + after[order[k].first] + 1 == order.size()) serial.push_back(k);
        if (serial.empty()) return std::nullopt;
        auto middle = low;
        for (std::size_t k = 0; k < serial[serial.size() / 2]; ++k) middle.insert(order[k].first);
        return middle;
    }
    /// A topological order of some operations, and how many others are ready beside each.
    [[nodiscard]] auto kahn_order(vertex_set const& some, bool forward) const
        -> std::vector<std::pair<operation_index, std::size_t>> {
        std::vector<std::pair<operation_index, std::size_t>> order;
        std::vector<std::uint32_t> waits(game_.operation_count(), 0);
        std::vector<operation_index> ready;
        some.for_each([&](std::size_t v) {
            for (auto const u : forward ? game_.predecessors(v) : game_.successors(v))
                waits[v] += some.contains(u) ? 1U : 0U;
            if (waits[v] == 0) ready.push_back(static_cast<operation_index>(v));
        });
        for (std::size_t k = 0; k < ready.size(); ++k) {
            order.emplace_back(ready[k], ready.size() - k - 1);
            for (auto const w : forward ? game_.successors(ready[k]) : game_.predecessors(ready[k]))
                if (some.contains(w) && --waits[w] == 0) ready.push_back(w);
        }
        return order;
    }
    /// Searches from both ends until one of them has moved.
    auto search(position& low, position& high, std::vector<operation_index>& last) -> bool {
        valley_tree up(game_, true, low.set, low.resident, high.set, bound_, stop_);
        valley_tree down(game_, false, high.set, high.resident, low.set, bound_, stop_);
        auto const begin = states_;
        for (std::size_t slice = first_slice;; slice += slice / 2) {
            if (moved(up, low, high, last, true) || moved(down, low, high, last, false)) return true;
            for (auto* side : {&up, &down}) {
                for (std::size_t k = 0; k < slice && !side->exhausted(); ++k) {
                    auto const& other = side == &up ? down : up;
                    auto const event = side->expand(most_states_ - std::min(most_states_, begin + other.states()),
                                                    most_bytes - std::min(most_bytes, other.bytes_held()));
                    if (event == valley_event::limit) {
                        states_ = begin + up.states() + down.states();
                        return false;
                    }
                    if (event != valley_event::reached_end) continue;
                    if (event == valley_event::reached_end) {
                        take_steps(*side, side == &up, last);
                        auto const& rest = side->last_steps();
                        (side == &up ? order_ : last)
                            .insert((side == &up ? order_ : last).end(), rest.begin(), rest.end());
                        (side == &up ? low : high) = side == &up ? high : low;
                    }
                    break;
                }
                states_ = begin + up.states() + down.states();
                if (low.set == high.set) return true;
                if (side->exhausted()) {
                    bound_ = std::max(bound_, side->next_bound());
                    slice = first_slice;
                    if (bound_ >= upper_) return false;
                    up.raise_bound(bound_);
                    down.raise_bound(bound_);
                }
                if (!side->root_steps().empty()) break;
            }
            if (states_ >= std::min(share_, most_states_) || stop_.now()) return false;
        }
    }
    /// Takes over the root of a side where it has moved.
    auto moved(valley_tree<Stop> const& side, position& low, position& high, std::vector<operation_index>& last,
               bool forward) -> bool {
        if (side.root_steps().empty()) return false;
        take_steps(side, forward, last);
        (forward ? low : high) = position{side.root(), side.root_bytes()};
        return true;
    }
    void take_steps(valley_tree<Stop> const& side, bool forward, std::vector<operation_index>& last) {
        auto& to = forward ? order_ : last;
        to.insert(to.end(), side.root_steps().begin(), side.root_steps().end());
    }

    static constexpr std::size_t most_bytes = std::size_t{1} << 30U;  // of both sides
    static constexpr std::size_t first_slice = 16;                    // expansions of one side before the other's

    one_shot_game const& game_;
    bytes bound_, upper_;
    std::size_t share_, most_states_;
    paced_stop<Stop>& stop_;
    std::size_t states_ = 0;
    std::vector<operation_index> order_{};
};

}  // namespace repebble::inline v0::detail

#endif
