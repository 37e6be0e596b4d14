#ifndef REPEBBLE_ORDERS_DETAIL_TIME_BOUND_HPP
#define REPEBBLE_ORDERS_DETAIL_TIME_BOUND_HPP

// A lower bound for the A* search of small games: the time of operations that must run, plus the greatest knapsack
// relaxation of recomputations over all operations. Admissible.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/orders/detail/small_game.hpp>

namespace repebble::inline v0::detail {

/// A bound on the rest of a game.
struct remainder {
    std::int64_t time{};   ///< no continuation takes less
    bit_set must_run = 0;  ///< operations that run at least once more in every continuation
};

/// A lower bound on the time from a state of a game to its end. Every operation that a waiting sink needs, and whose
/// value is not resident, runs once. And when such an operation p runs for the first time, each value that is read
/// after it, and is resident or was computed for p, either stays resident beside the inputs and outputs of p or is
/// recomputed: the cheapest per byte are, until the rest fits the budget. The tightest p counts.  O(operations + reads)
/// words per state.
class time_bound {
  public:
    /// Refers to the game, which must outlive it.
    time_bound(small_game const& game, bytes budget) : game_(game) {
        for (std::size_t v = 0; v < game.size(); ++v) capacity_[v] = budget - game.needed_by(v);
    }

    /// Bounds the time from state s. Where `excess` bytes of the resident values `droppable` are about to be discarded,
    /// their least cost counts, too. Empty where no end can be reached.
    [[nodiscard]] auto operator()(game_state const& s, bit_set droppable = 0, bytes excess = 0)
        -> std::optional<remainder> {
        remainder least;
        bit_set const spent = game_.once() & s.done;
        bit_set const absent = ~s.resident & game_.singly_written();
        bit_set read = 0;
        bit_set written = 0;
        read_after_.fill(0);
        bit_set found = game_.demanded(s.done);
        for (bit_set rest = found; rest != 0; rest = found & ~least.must_run) {  // readers before producers
            auto const v = small_game::most - 1 - static_cast<std::size_t>(std::countl_zero(rest));
            if (has_bit(spent, v)) return {};
            auto const& o = game_[v];
            least.must_run |= bit(v);
            least.time += o.time;
            read |= o.reads;
            written |= o.writes;
            bit_set const later = o.reads | read_after_[v];
            for_each_bit(o.reads & absent, [&](std::size_t x) {
                found |= bit(game_.value_at(x).producer);
                read_after_[game_.value_at(x).producer] |= later;
            });
        }
        bit_set const settled = game_.singly_written() & ~written;  // their producers need not run again
        auto most = least_cost(droppable, read & settled, excess);
        for (bit_set rest = least.must_run; most && rest != 0; rest &= rest - 1) {
            auto const p = static_cast<std::size_t>(std::countr_zero(rest));
            auto const& o = game_[p];
            bit_set before = 0;  // values computed before the first run of p
            for_each_bit(o.reads & absent, [&](std::size_t x) {
                auto const u = game_.value_at(x).producer;
                before |= made_before_[u] | game_[u].writes;
            });
            made_before_[p] = before;
            bit_set const live =
                read_after_[p] & ~(o.reads | o.writes) & ((s.resident & settled) | (before & game_.singly_written()));
            auto const cost = least_cost(live, live, game_.bytes_of(live) - capacity_[p]);
            most = cost ? std::optional(std::max(*most, *cost)) : std::nullopt;
        }
        if (!most) return {};
        least.time += whole_units(*most);
        return least;
    }

  private:
    /// The least time of discarding `excess` bytes of these values when only the `needed` ones are recomputed (and
    /// parts of values can be discarded: a fractional knapsack). Empty where it is impossible.
    [[nodiscard]] auto least_cost(bit_set values, bit_set needed, bytes excess) const -> std::optional<double> {
        double cost = 0;
        if (excess <= 0) return cost;
        excess -= game_.bytes_of(values & ~needed);
        for (bit_set rest = values & needed; excess > 0; rest &= rest - 1) {  // cheapest per byte first
            auto const x = static_cast<std::size_t>(std::countr_zero(rest));
            if (rest == 0 || has_bit(game_.written_once(), x)) return {};
            auto const& value = game_.value_at(x);
            cost += static_cast<double>(std::min(excess, value.size)) * value.density;
            excess -= value.size;
        }
        return cost;
    }
    /// Rounds down by more than the rounding errors; integer times are then rounded up, for they are sums of integers.
    static auto whole_units(double time) -> std::int64_t {
        time *= 1 - 1e-9;
        return static_cast<std::int64_t>(std::ceil(time));
    }

    small_game const& game_;
    std::array<bytes, small_game::most> capacity_{};      // beside inputs, outputs and workspace of the operation
    std::array<bit_set, small_game::most> read_after_{};  // values, after its first run
    std::array<bit_set, small_game::most> made_before_{};
};

}  // namespace repebble::inline v0::detail

#endif
