#ifndef REPEBBLE_CHAINS_LEVEL_TABLE_HPP
#define REPEBBLE_CHAINS_LEVEL_TABLE_HPP

// H-Revolve: reversal of a chain of equal steps with snapshots on several levels of memory, each with slots and costs
// of its own (J. Herrmann, G. Pallez: H-Revolve, ACM TOMS 46.2, 2020). A highest level without limit of slots makes it
// Disk-Revolve (G. Aupy, J. Herrmann, P. Hovland, Y. Robert, SIAM J. Sci. Comput. 38, 2016).
// The table of least costs is filled by detail/split_row.hpp; level_schedule reads the actions from it.
// Invariant: what is reversed below a snapshot of level k uses slots of the levels 0 … k only.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/detail/action_iterator.hpp>
#include <repebble/chains/detail/offset_reversal.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/chains/storage_level.hpp>

namespace repebble::inline v0 {

class level_schedule;

/// The least costs of reversing chains of up to a number of equal steps, over several levels of memory.
class level_table {
  public:
    /// Levels from the fastest to the slowest. Let N be the steps and κ the kinks of a row of costs: O(N κ) time and
    /// 12 N bytes for each slot; a level without limit of slots counts as one slot, and a lowest level without costs
    /// takes none. There are tens to hundreds of kinks, but up to N where the lowest level has one slot. Slots beyond
    /// those that bring anything are left out.
    /// Throws bad_weight where there is no level, the lowest has no slot, a cost is negative or below that of the level
    /// before, there are 2^32 steps or more, a sum of costs does not fit in 60 bits, or the rows of all slots, up to N
    /// on a level, take more than 8 GiB.
    level_table(std::uint64_t steps, std::vector<storage_level> levels, step_costs step = {});

    /// The number of steps of the table.
    [[nodiscard]] auto steps() const noexcept -> std::uint64_t { return steps_; }
    /// The levels.
    [[nodiscard]] auto levels() const noexcept -> std::vector<storage_level> const& { return levels_; }
    /// Costs of a step.
    [[nodiscard]] auto step() const noexcept -> step_costs const& { return step_; }
    /// The least cost of reversing so many steps, with all advances, reversals, snapshots and restores.  O(1).
    /// Requires: steps <= steps().
    [[nodiscard]] auto least_cost(std::uint64_t steps) const -> std::int64_t;
    /// The same for all steps of the table.
    [[nodiscard]] auto least_cost() const -> std::int64_t { return least_cost(steps_); }
    /// The actions of a reversal of least cost: a lazy, single-pass input range. Keeps a reference to the table.
    [[nodiscard]] auto schedule() const& -> level_schedule;
    auto schedule() const&& -> level_schedule = delete;

  private:
    friend level_schedule;

    /// Costs and splits by the slots left, where the state before the first step is in one of them.
    struct row {
        std::vector<std::int64_t> least;
        std::vector<std::uint32_t> split;
    };
    struct rows_of_level {
        std::vector<std::int64_t> lower;  ///< least costs without this level
        std::vector<row> by_slots;        ///< from one slot on; more slots than rows cost as much as the last row
    };
    /// A level, and how many of its slots are left.
    struct place {
        std::uint32_t level = 0;
        std::uint32_t slots = 0;
    };

    /// REVOLVE's closed forms hold on the lowest level, where that costs nothing.
    [[nodiscard]] auto is_binomial(std::size_t level) const -> bool {
        return level == 0 && levels_[0].write == 0 && levels_[0].read == 0;
    }
    [[nodiscard]] auto row_of(place at) const -> row const& {
        auto const& rows = rows_[at.level].by_slots;
        return rows[std::min<std::size_t>(at.slots, rows.size()) - 1];
    }
    /// Where the state before so many steps is stored at least cost, given the levels below and so many slots of one.
    [[nodiscard]] auto best_place(place at, std::uint64_t steps) const -> place;

    void check_sizes() const;
    /// An upper bound on the rows of a level.
    [[nodiscard]] auto rows_on(storage_level const& of) const -> std::uint64_t {
        return of.slots == storage_level::unlimited ? 1 : std::min<std::uint64_t>(of.slots, steps_);
    }
    void fill_binomial(std::vector<std::int64_t>& least, std::uint32_t slots) const;
    /// The row of a lowest level with one slot: every step but the first is advanced to from the first state.
    void fill_one_slot(row& now, std::vector<std::int64_t>& kept, storage_level const& of) const;
    void fill_level(std::vector<std::int64_t>& lower, storage_level const& of);

    std::uint64_t steps_;
    std::vector<storage_level> levels_;
    step_costs step_;
    std::vector<rows_of_level> rows_;
    std::vector<std::int64_t> least_;  ///< by steps, without the reversals
};

/// The actions of a reversal of least cost, in order: a lazy, single-pass input range from a stack with a frame for
/// each stored snapshot. What the lowest level reverses alone, where it costs nothing, comes from REVOLVE.
class level_schedule {
  public:
    /// A single-pass iterator over the actions.
    using iterator = detail::action_iterator<level_schedule, level_action>;

    /// The actions that reverse all steps of a table, which must outlive them.
    explicit level_schedule(level_table const& of);
    explicit level_schedule(level_table const&&) = delete;

    [[nodiscard]] auto begin() -> iterator { return iterator(*this); }
    [[nodiscard]] auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    friend iterator;
    using kind = revolve_action::kind;
    using place = level_table::place;

    /// A stored state, its level, and how many slots of the level were left for it and those above.
    struct frame {
        std::uint64_t state = 0;
        place at;
    };

    [[nodiscard]] auto current() const noexcept -> level_action const& { return now_; }
    [[nodiscard]] auto is_over() const noexcept -> bool { return over_; }
    [[nodiscard]] auto top_level() const -> place {
        auto const level = static_cast<std::uint32_t>(of_->levels().size() - 1);
        return {level, of_->levels()[level].slots};
    }

    void advance();
    /// The steps from the current state on are reversed with so many slots of one level, and those of the levels below.
    void begin_at(std::uint64_t state, place at);
    /// All steps from this state on are reversed: the last snapshot before it is restored.
    void restore_before(std::uint64_t state);
    [[nodiscard]] auto slot_of(place at) const -> std::uint32_t { return of_->levels()[at.level].slots - at.slots; }

    level_table const* of_;
    std::vector<frame> stack_{};
    std::uint64_t end_;  ///< of the steps that are not reversed yet
    level_action now_{};
    detail::offset_reversal below_{};  ///< in the lowest level
    bool over_ = false;
};

inline auto level_table::schedule() const& -> level_schedule { return level_schedule(*this); }

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/level_table.ipp>
#endif

#endif
