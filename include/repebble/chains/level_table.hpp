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
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/detail/action_iterator.hpp>
#include <repebble/chains/detail/offset_reversal.hpp>
#include <repebble/chains/detail/split_row.hpp>
#include <repebble/chains/detail/table_size.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/chains/storage_level.hpp>
#include <repebble/graph/error.hpp>

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
    level_table(std::uint64_t steps, std::vector<storage_level> levels, step_costs step = {})
        : steps_(steps), levels_(std::move(levels)), step_(step) {
        detail::check_levels(levels_, step_);
        check_sizes();
        std::size_t const size = steps + 1;
        std::vector<std::int64_t> lower(size, detail::no_reversal);
        if (size > 1) lower[1] = 0;
        for (auto const& of : levels_) {
            rows_.push_back({lower, {}});
            if (is_binomial(rows_.size() - 1))
                fill_binomial(lower, of.slots);
            else
                fill_level(lower, of);
        }
        least_ = std::move(lower);
    }

    /// The number of steps of the table.
    [[nodiscard]] auto steps() const noexcept -> std::uint64_t { return steps_; }
    /// The levels.
    [[nodiscard]] auto levels() const noexcept -> std::vector<storage_level> const& { return levels_; }
    /// Costs of a step.
    [[nodiscard]] auto step() const noexcept -> step_costs const& { return step_; }
    /// The least cost of reversing so many steps, with all advances, reversals, snapshots and restores.  O(1).
    /// Requires: steps <= steps().
    [[nodiscard]] auto least_cost(std::uint64_t steps) const -> std::int64_t {
        REPEBBLE_ASSERT(steps <= steps_);
        if (steps == 0) return 0;
        return least_[steps] + static_cast<std::int64_t>(steps) * step_.reverse;
    }
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
    [[nodiscard]] auto best_place(place at, std::uint64_t steps) const -> place {
        std::size_t const n = steps;
        while (at.level > 0 &&
               (at.slots == 0 || rows_[at.level].lower[n] <= levels_[at.level].write + row_of(at).least[n])) {
            --at.level;
            at.slots = levels_[at.level].slots;
        }
        return at;
    }

    void check_sizes() const {
        __extension__ using wide = __int128;
        auto const of_steps = std::to_string(steps_) + " steps";
        if (steps_ >= std::uint64_t{1} << 32U)
            detail::raise(bad_weight("a table of " + of_steps + " is too large: 2^32 - 1 are allowed"));
        auto const advances = binomial_bounds::least_advances(steps_, is_binomial(0) ? levels_[0].slots : 1);
        wide all = 0;
        auto const add = [&](std::uint64_t times, std::int64_t cost, std::string const& what) {
            all += wide{times} * cost;
            if (all >= wide{1} << 60U)
                detail::raise(bad_weight("the costs of " + of_steps + ", up to those of " + what + ", each " +
                                         std::to_string(cost) + ", do not fit in 60 bits"));
        };
        add(advances, step_.advance, "advances");
        add(steps_, step_.reverse, "reversed steps");
        std::uint64_t slots = 0;
        for (std::size_t k = 0; k < levels_.size(); ++k) {
            add(steps_, levels_[k].write, "snapshots into level " + std::to_string(k));
            add(steps_, levels_[k].read, "restores from level " + std::to_string(k));
            if (!is_binomial(k)) slots += rows_on(levels_[k]);
        }
        constexpr std::uint64_t of_row = sizeof(std::int64_t) + sizeof(std::uint32_t);
        detail::check_table_size(steps_ + 1, of_row * slots + sizeof(std::int64_t) * (levels_.size() + 1),
                                 "a table of " + of_steps + " and " + std::to_string(slots) + " slots");
    }
    /// An upper bound on the rows of a level.
    [[nodiscard]] auto rows_on(storage_level const& of) const -> std::uint64_t {
        return of.slots == storage_level::unlimited ? 1 : std::min<std::uint64_t>(of.slots, steps_);
    }
    void fill_binomial(std::vector<std::int64_t>& least, std::uint32_t slots) const {
        std::uint64_t repetitions = 0, most = 1;
        for (std::size_t n = 2; n < least.size(); ++n) {
            while (most < n) most = binomial_bounds::most_steps(slots, ++repetitions);
            if (n == 2) least[1] = 0;
            least[n] = least[n - 1] + static_cast<std::int64_t>(repetitions) * step_.advance;
        }
    }
    /// The row of a lowest level with one slot: every step but the first is advanced to from the first state.
    void fill_one_slot(row& now, std::vector<std::int64_t>& kept, storage_level const& of) const {
        for (std::size_t n = 2; n < now.least.size(); ++n) {
            now.split[n] = static_cast<std::uint32_t>(n - 1);
            now.least[n] = now.least[n - 1] + static_cast<std::int64_t>(n - 1) * step_.advance + of.read;
            kept[n] = of.write + now.least[n];
        }
    }
    void fill_level(std::vector<std::int64_t>& lower, storage_level const& of) {
        auto& level = rows_.back();
        auto const size = lower.size();
        bool const unlimited = of.slots == storage_level::unlimited;
        auto later = lower;
        for (std::uint32_t s = 1; s <= of.slots; ++s) {
            row now{std::vector<std::int64_t>(size), std::vector<std::uint32_t>(size)};
            std::vector<std::int64_t> kept(unlimited ? 0 : size);
            if (rows_.size() == 1 && s == 1 && !unlimited)
                fill_one_slot(now, kept, of);
            else
                detail::fill({level.lower, later, step_.advance, of.read, of.write, now.least, now.split,
                              unlimited ? std::span(later) : std::span(kept)});
            if (!unlimited) later.swap(kept);
            bool const is_last = unlimited || (s > 1 && now.least == level.by_slots.back().least);
            level.by_slots.push_back(std::move(now));
            if (is_last) break;
        }
        lower = std::move(later);
    }

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
    explicit level_schedule(level_table const& of) : of_(&of), end_(of.steps()) {
        if (end_ == 0)
            over_ = true;
        else
            begin_at(0, top_level());
    }
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

    void advance() {
        if (!below_.is_over()) {
            below_.advance();
            if (below_.is_over())
                restore_before(below_.first());
            else
                now_ = below_.current();
            return;
        }
        switch (now_.what) {
            case kind::reverse:
                restore_before(now_.begin);
                return;
            case kind::advance: {
                auto const below = stack_.back().at;
                begin_at(now_.end, {below.level, below.slots - 1});
                return;
            }
            case kind::snapshot:
            case kind::restore:
                break;
        }
        auto const [state, at] = stack_.back();
        auto const steps = end_ - state;
        if (steps == 1) {
            now_ = {{kind::reverse, 0, state, state}, 0};
        } else if (auto const split = of_->row_of(at).split[static_cast<std::size_t>(steps)]; split > 0) {
            now_ = {{kind::advance, 0, state, state + split}, 0};
        } else {  // the slot is of no more use
            stack_.pop_back();
            begin_at(state, {at.level - 1, of_->levels()[at.level - 1].slots});
        }
    }
    /// The steps from the current state on are reversed with so many slots of one level, and those of the levels below.
    void begin_at(std::uint64_t state, place at) {
        auto const steps = end_ - state;
        if (steps == 1) {
            now_ = {{kind::reverse, 0, state, state}, 0};
            return;
        }
        at = of_->best_place(at, steps);
        if (of_->is_binomial(at.level)) {
            below_.begin(state, steps, at.slots);
            now_ = below_.current();
            return;
        }
        stack_.push_back({state, at});
        now_ = {{kind::snapshot, slot_of(at), state, state}, at.level};
    }
    /// All steps from this state on are reversed: the last snapshot before it is restored.
    void restore_before(std::uint64_t state) {
        end_ = state;
        if (!stack_.empty() && stack_.back().state == state) stack_.pop_back();
        over_ = stack_.empty();
        if (over_) return;
        auto const& top = stack_.back();
        now_ = {{kind::restore, slot_of(top.at), top.state, top.state}, top.at.level};
    }
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

#endif
