#ifndef REPEBBLE_PEBBLING_DETAIL_VALLEY_SEARCH_HPP
#define REPEBBLE_PEBBLING_DETAIL_VALLEY_SEARCH_HPP

// The valley search for the order of least peak: splits the lower sets into intervals at minimum cuts, and searches each
// from both of its ends (valley_tree). The bound rises only when one end is exhausted, so that at any time no order has
// a lower peak. Used by `least_peak_order`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/pebbling/detail/one_shot_game.hpp>
#include <repebble/pebbling/detail/valley_tree.hpp>

namespace repebble::inline v0::detail {

/// The outcome of a search; impossible: no order has a peak below `upper`; limit: of states or of time.
enum class valley_end : std::uint8_t { found, impossible, limit };

/// Searches for an order of least peak.
template <class Stop>
class valley_search {
  public:
    /// Searches for orders of a peak below `upper`.  lower: no order has a lower peak.
    valley_search(one_shot_game const& game, bytes lower, bytes upper, std::size_t most_states, Stop& stop)
        : game_(game), bound_(lower), upper_(upper), most_states_(most_states), stop_(stop) {}

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
            if (bound_ >= upper_) return false;
            if (low.set == high.set) break;
            auto waist = game_.least_between(low.set, high.set, true);
            if (waist == high.set || waist == low.set) waist = game_.least_between(low.set, high.set, false);
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
        for (bool again = true; again;) {
            again = false;
            if (auto const v = only_one(low.set, high.set, true)) {
                auto const step = game_.forward(low.set.words(), low.resident, *v);
                bound_ = std::max(bound_, step.during);
                low.set.insert(*v);
                low.resident = step.after;
                order_.push_back(*v);
                again = true;
            }
            if (auto const v = only_one(low.set, high.set, false)) {
                auto const step = game_.backward(high.set.words(), high.resident, *v);
                bound_ = std::max(bound_, step.during);
                high.set.erase(*v);
                high.resident = step.after;
                last.push_back(*v);
                again = true;
            }
        }
    }
    /// The operation that is first, or last, in every order of the interval.
    [[nodiscard]] auto only_one(vertex_set const& low, vertex_set const& high, bool first) const
        -> std::optional<operation_index> {
        auto const between = high - low;
        std::optional<operation_index> found;
        bool several = false;
        between.for_each([&](std::size_t v) {
            if (several) return;
            auto const needed = first ? game_.predecessors(v) : game_.successors(v);
            if (std::ranges::any_of(needed, [&](auto u) { return between.contains(u); })) return;
            several = found.has_value();
            found = static_cast<operation_index>(v);
        });
        return several ? std::nullopt : found;
    }
    /// Searches from both ends until one of them has moved.
    auto search(position& low, position& high, std::vector<operation_index>& last) -> bool {
        valley_tree up(game_, true, low.set, low.resident, high.set, bound_);
        valley_tree down(game_, false, high.set, high.resident, low.set, bound_);
        auto const begin = states_;
        for (std::size_t slice = first_slice;; slice += slice / 2) {
            if (moved(up, low, high, last, true) || moved(down, low, high, last, false)) return true;
            for (auto* side : {&up, &down}) {
                for (std::size_t k = 0; k < slice && !side->exhausted(); ++k) {
                    auto const event = side->expand();
                    if (event != valley_event::reached_end) continue;
                    if (event == valley_event::reached_end) {
                        take_steps(*side, side == &up, last);
                        auto const& rest = side->last_steps();
                        (side == &up ? order_ : last).insert((side == &up ? order_ : last).end(), rest.begin(), rest.end());
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
            if (states_ >= most_states_ || stop_()) return false;
        }
    }
    /// Takes over the root of a side where it has moved.
    auto moved(valley_tree const& side, position& low, position& high, std::vector<operation_index>& last, bool forward)
        -> bool {
        if (side.root_steps().empty()) return false;
        take_steps(side, forward, last);
        (forward ? low : high) = position{side.root(), side.root_bytes()};
        return true;
    }
    void take_steps(valley_tree const& side, bool forward, std::vector<operation_index>& last) {
        auto& to = forward ? order_ : last;
        to.insert(to.end(), side.root_steps().begin(), side.root_steps().end());
    }

    static constexpr std::size_t first_slice = 16;  // expansions of one side before the other's

    one_shot_game const& game_;
    bytes bound_, upper_;
    std::size_t most_states_;
    Stop& stop_;
    std::size_t states_ = 0;
    std::vector<operation_index> order_{};
};

}  // namespace repebble::inline v0::detail

#endif
