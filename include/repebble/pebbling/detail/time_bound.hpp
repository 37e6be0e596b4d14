#ifndef REPEBBLE_PEBBLING_DETAIL_TIME_BOUND_HPP
#define REPEBBLE_PEBBLING_DETAIL_TIME_BOUND_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/detail/small_game.hpp>

namespace repebble::inline v0::detail {

/// What must yet happen in a game.
template <quantity Time>
struct remainder {
    Time time{};           ///< no way to the end takes less
    bit_set must_run = 0;  ///< operations that run at least once more on every way
};

/// A lower bound on the time from a state of a game to its end. Everything that a waiting sink needs and that is not
/// resident runs once. And when such an operation p runs for the first time, what is read after it and is there
/// already, or was made for it, lies beside what p reads and writes, or is computed once more: the cheapest per byte,
/// until the rest fits. Of all p the one that says most counts.  O(operations + reads) words per state.
template <quantity Time>
class time_bound {
  public:
    /// Refers to the game, which must outlive it.
    time_bound(small_game<Time> const& game, bytes budget) : game_(game) {
        for (std::size_t v = 0; v < game.size(); ++v) capacity_[v] = budget - game.needed_by(v);
    }

    /// Where `excess` bytes of the resident values `droppable` are about to go, their least cost counts, too. Returns
    /// nothing where the end cannot be reached.
    [[nodiscard]] auto operator()(game_state const& s, bit_set droppable = 0, bytes excess = 0)
        -> std::optional<remainder<Time>> {
        remainder<Time> least;
        bit_set const spent = game_.once() & s.done;
        bit_set const absent = ~s.resident & game_.singly_written();
        bit_set read = 0;
        bit_set written = 0;
        read_after_.fill(0);
        bit_set found = game_.demanded(s.done);
        for (bit_set rest = found; rest != 0; rest = found & ~least.must_run) {  // who reads before whom it reads
            auto const v = static_cast<std::size_t>(std::bit_width(rest)) - 1;
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
        bit_set const settled = game_.singly_written() & ~written;  // who makes it need not run any more
        auto most = least_cost(droppable, read & settled, excess);
        for (bit_set rest = least.must_run; most && rest != 0; rest &= rest - 1) {
            auto const p = static_cast<std::size_t>(std::countr_zero(rest));
            auto const& o = game_[p];
            bit_set before = 0;  // values that are made before p runs first
            for_each_bit(o.reads & absent, [&](std::size_t x) {
                auto const u = game_.value_at(x).producer;
                before |= made_before_[u] | game_[u].writes;
            });
            made_before_[p] = before;
            bit_set const held =
                read_after_[p] & ~(o.reads | o.writes) & ((s.resident & settled) | (before & game_.singly_written()));
            auto const cost = least_cost(held, held, game_.bytes_of(held) - capacity_[p]);
            most = cost ? std::optional(std::max(*most, *cost)) : std::nullopt;
        }
        if (!most) return {};
        least.time += whole_units(*most);
        return least;
    }

  private:
    /// The least time that dropping `excess` bytes of these values costs when only the dear ones are wanted again (and
    /// parts of values can be dropped, too). Nothing where it cannot be.
    [[nodiscard]] auto least_cost(bit_set values, bit_set dear, bytes excess) const -> std::optional<double> {
        double cost = 0;
        if (excess <= 0) return cost;
        excess -= game_.bytes_of(values & ~dear);
        for (bit_set rest = values & dear; excess > 0; rest &= rest - 1) {  // cheapest per byte first
            auto const x = static_cast<std::size_t>(std::countr_zero(rest));
            if (rest == 0 || has_bit(game_.written_once(), x)) return {};
            auto const& value = game_.value_at(x);
            cost += static_cast<double>(std::min(excess, value.size)) * value.density;
            excess -= value.size;
        }
        return cost;
    }
    /// Safely below rounding errors; whole times are sums of whole numbers.
    static auto whole_units(double time) -> Time {
        time *= 1 - 1e-9;
        if constexpr (std::same_as<Time, double>)
            return time;
        else
            return static_cast<Time>(std::ceil(time));
    }

    small_game<Time> const& game_;
    std::array<bytes, small_game<Time>::most> capacity_{};      // beside what the operation reads and writes
    std::array<bit_set, small_game<Time>::most> read_after_{};  // values, after its first run
    std::array<bit_set, small_game<Time>::most> made_before_{};
};

}  // namespace repebble::inline v0::detail

#endif
