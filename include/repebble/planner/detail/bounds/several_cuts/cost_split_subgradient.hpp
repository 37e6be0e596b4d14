#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_COST_SPLIT_SUBGRADIENT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_COST_SPLIT_SUBGRADIENT_HPP

// The variables of the Lagrangian decomposition (`cost_split`) with their search directions: floating point on the way,
// integers for the bound. `decomposition_ascent` moves them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/cost_split.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// A cost split under optimization, in time units. The costs of an operation in the last interval, and in each block
/// between neighbours, are the remainder of its time.
class cost_split_subgradient {
  public:
    struct slope {
        double at = 0, direction = 0;
        [[nodiscard]] auto is_at_rest() const -> bool { return direction <= 0 && direction >= 0; }
    };
    struct block {
        std::size_t first, second;
        std::vector<slope> runs, kept, delivered;  // of every operation; of every value
        [[nodiscard]] auto is_adjacent() const -> bool { return second == first + 1; }
        [[nodiscard]] auto is_around(std::size_t interval) const -> bool {
            return first < interval && interval <= second;
        }
    };

    /// Starts with all costs at the first cut after each operation.  Requires: more than one cut.
    explicit cost_split_subgradient(capacity_rows const& capacities)
        : multipliers(capacities.count()),
          capacities_(capacities),
          m_(capacities.decided().model()),
          k_(capacities.cut_count()),
          first_(m_.operation_count(), k_),
          adjacent_(k_, 0) {
        auto const cuts = capacities.decided().cuts();
        auto const n = m_.operation_count();
        auto const values = m_.value_count();
        after.assign(k_, std::vector<slope>(n));
        for (operation_index p = 0; p < n; ++p) {
            for (std::size_t i = k_; i-- > 0;)
                if (cuts[i].is_before(p)) first_[p] = i;
            if (first_[p] < k_) after[first_[p]][p].at = static_cast<double>(m_.operations[p].again);
        }
        for (std::size_t i = 0; i < k_; ++i)
            for (std::size_t j = i + 1; j < k_; ++j) {
                if (j == i + 1) adjacent_[j] = blocks.size();
                blocks.push_back({i, j, std::vector<slope>(n), std::vector<slope>(values), std::vector<slope>(values)});
            }
    }

    std::vector<slope> multipliers;         ///< by row: the multiplier of its whole capacity
    std::vector<std::vector<slope>> after;  ///< by cut and operation
    std::vector<block> blocks;

    /// Index of the first cut after the operation in every schedule, or the number of cuts.
    [[nodiscard]] auto first_cut(operation_index p) const -> std::size_t { return first_[p]; }
    /// Index of the block of one interval, which is not the last one.
    [[nodiscard]] auto adjacent(std::size_t interval) const -> std::size_t { return adjacent_[interval]; }

    /// Makes a step in all directions, and projects onto the feasible splits.
    void go(double step, double most) {
        auto const move = [&](slope& s) {
            if (!s.is_at_rest()) s.at = std::clamp(s.at + step * s.direction, 0.0, most);
        };
        std::ranges::for_each(multipliers, move);
        for (auto& some : after) std::ranges::for_each(some, move);
        for (auto& b : blocks)
            for (auto* some : {&b.runs, &b.kept, &b.delivered}) std::ranges::for_each(*some, move);
        limit_runs();
        limit_checkpoints();
    }
    /// Whether sums of integer costs might overflow.
    [[nodiscard]] auto is_too_large(std::int64_t scale) const -> bool {
        double all = 0;
        for (auto const& b : blocks)
            for (auto const* some : {&b.kept, &b.delivered})
                for (auto const& s : *some) all += s.at;
        return all * static_cast<double>(scale) > 0x1p57;
    }
    /// Returns the split in scaled integers, feasible exactly.
    [[nodiscard]] auto make_whole(std::int64_t scale) const -> cost_split {
        cost_split split;
        split.runs.assign(k_, std::vector<std::int64_t>(m_.operation_count(), 0));
        split.checkpoints.assign(k_, std::vector<std::int64_t>(m_.value_count(), 0));
        auto const whole = [&](slope const& s) { return static_cast<std::int64_t>(s.at * static_cast<double>(scale)); };
        for (auto const& from : blocks) {
            cost_block to{from.first, from.second, std::vector<std::int64_t>(m_.operation_count(), 0), {}, {}};
            for (auto const& s : from.kept) to.kept.push_back(whole(s));
            for (auto const& s : from.delivered) to.delivered.push_back(whole(s));
            for (value_index x = 0; x < m_.value_count(); ++x) {
                split.checkpoints[to.first][x] -= to.kept[x];
                split.checkpoints[to.second][x] += to.delivered[x];
            }
            split.blocks.push_back(std::move(to));
        }
        for (operation_index p = 0; p < m_.operation_count(); ++p) {
            for (auto i = first_[p]; i + 1 < k_; ++i) split.runs[i][p] = whole(after[i][p]);
            for (std::size_t b = 0; b < blocks.size(); ++b)
                if (!blocks[b].is_adjacent()) split.blocks[b].runs[p] = whole(blocks[b].runs[p]);
            for (auto interval = first_[p] + 1; interval <= k_; ++interval) {
                auto left = scale * m_.operations[p].again;
                auto const take = [&](std::int64_t& part) { left -= part = std::min(part, left); };
                for (auto i = first_[p]; i < interval && i + 1 < k_; ++i) take(split.runs[i][p]);
                for (std::size_t b = 0; b < blocks.size(); ++b)
                    if (!blocks[b].is_adjacent() && blocks[b].is_around(interval)) take(split.blocks[b].runs[p]);
                (interval < k_ ? split.blocks[adjacent_[interval]].runs[p] : split.runs[k_ - 1][p]) = left;
            }
        }
        return split;
    }

  private:
    /// Scales the costs of each run down to its time.
    void limit_runs() {
        for (operation_index p = 0; p < m_.operation_count(); ++p) {
            auto const cost = static_cast<double>(m_.operations[p].again);
            for (auto interval = first_[p] + 1; interval <= k_; ++interval) {
                double taken = 0;
                auto const for_each = [&](auto&& visit) {
                    for (auto i = first_[p]; i < interval && i + 1 < k_; ++i) visit(after[i][p]);
                    for (auto& b : blocks)
                        if (!b.is_adjacent() && b.is_around(interval)) visit(b.runs[p]);
                };
                for_each([&](slope const& s) { taken += s.at; });
                if (taken > cost) for_each([&](slope& s) { s.at *= cost / taken; });
            }
        }
    }
    /// Scales the costs of each checkpoint down to its multiplier and rewards.
    void limit_checkpoints() {
        for (std::size_t i = 0; i < k_; ++i) {
            for (value_index x = 0; x < m_.value_count(); ++x) {
                double taken = 0, most = 0;
                capacities_.for_each_at(i, [&](std::size_t r) {
                    most += multipliers[r].at * static_cast<double>(capacities_.size(r, x)) / capacities_.positive(r);
                });
                for (auto const& b : blocks) {
                    if (b.first == i) taken += b.kept[x].at;
                    if (b.second == i) most += b.delivered[x].at;
                }
                if (taken <= most) continue;
                for (auto& b : blocks)
                    if (b.first == i) b.kept[x].at *= most / taken;
            }
        }
    }

    capacity_rows const& capacities_;
    planning_model const& m_;
    std::size_t k_;
    std::vector<std::size_t> first_;     // of every operation
    std::vector<std::size_t> adjacent_;  // of every interval but the last
};

}  // namespace repebble::inline v0::detail

#endif
