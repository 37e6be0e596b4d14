#ifndef REPEBBLE_RECOMPUTE_MOMENTS_ASCENT_HPP
#define REPEBBLE_RECOMPUTE_MOMENTS_ASCENT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/recompute/block_network.hpp>
#include <repebble/recompute/hold_moments.hpp>
#include <repebble/recompute/moments_decisions.hpp>
#include <repebble/recompute/moments_split.hpp>
#include <repebble/recompute/search_model.hpp>
#include <repebble/recompute/split_slopes.hpp>

namespace repebble::detail {

/// Looks for the split of a chain's costs that says most: by subgradients that are scaled by what an operation takes,
/// and deflected by those before (Camerini, Fratta, Maffioli 1975). The way there is in floating point; what a split
/// says is computed in whole numbers.
class moments_ascent {
  public:
    /// Refers to the decisions. `highest`: no price of a unit is above.  Requires: more than one moment.
    moments_ascent(moments_decisions const& decided, std::int64_t scale, std::int64_t highest)
        : decided_(decided),
          m_(decided.model()),
          scale_(scale),
          highest_(highest),
          k_(decided.cuts().size()),
          all_time_(static_cast<double>(std::max<std::int64_t>(1, m_.time_once))),
          slopes_(decided) {
        for (auto const& b : slopes_.blocks) networks_.emplace_back(decided, b.first, b.second);
        answers_.resize(networks_.size());
    }

    /// The most that is said, scaled, from these prices of all bytes that are left at each moment on: in as many steps,
    /// or until it is `target` or `stop()` says so. Nothing where no schedule is like that.
    template <class Stop>
    [[nodiscard]] auto climb(std::span<double const> prices, double target, std::size_t steps, Stop&& stop)
        -> std::optional<std::int64_t> {
        constexpr double cooling = 0.7, coolest = 0.01, worth_it = 0.05;
        constexpr std::size_t most_in_vain = 20;
        for (std::size_t i = 0; i < k_; ++i) slopes_.prices[i].at = prices[i];
        std::int64_t top = 0;
        double reached = 0, heat = 1;
        std::size_t in_vain = 0;
        for (std::size_t step = 0; step < steps && heat > coolest && !slopes_.is_too_large(scale_) && !stop(); ++step) {
            auto const says = evaluate();
            if (!says) return std::nullopt;
            auto const value = static_cast<double>(*says) / static_cast<double>(scale_);
            auto const missing = heat * std::min(target - value, all_time_ / 8);
            in_vain = value > reached + worth_it * missing ? 0 : in_vain + 1;
            top = std::max(top, *says);
            reached = std::max(reached, value);
            if (value >= target) break;
            if (in_vain > most_in_vain) {
                in_vain = 0;
                heat *= cooling;
            }
            if (!go(missing)) break;
        }
        return top;
    }
    /// Maximum flows that were computed, those of blocks by half.
    [[nodiscard]] auto flows() const noexcept -> std::size_t { return flows_; }

  private:
    using slope = split_slopes::slope;

    /// What the split says, scaled; nothing where no schedule is like that.
    auto evaluate() -> std::optional<std::int64_t> {
        auto const split = slopes_.make_whole(scale_);
        std::vector<std::int64_t> whole(k_);
        std::int64_t value = 0;
        for (std::size_t i = 0; i < k_; ++i) {
            whole[i] = decided_.unit_price(i, slopes_.prices[i].at, scale_, highest_);
            value -= whole[i] * decided_.room(i);
        }
        hold_moments const chain(decided_, scale_, &split);
        auto const answer = chain.solve(whole);
        flows_ += 1 + (networks_.size() + 1) / 2;
        if (!answer.feasible) return std::nullopt;
        value += answer.value;
        used_ = answer.used;
        held_.assign(k_, std::vector<std::uint8_t>(m_.value_count(), 0));
        for (std::size_t h = 0; h < chain.holds().size(); ++h)
            if (answer.is_held[h]) held_[chain.holds()[h].moment][chain.holds()[h].value] = 1;
        runs_.assign(k_, std::vector<std::uint8_t>(m_.operation_count(), 0));
        for (std::size_t i = 0; i < k_; ++i)
            for (operation_index p = 0; p < m_.operation_count(); ++p)
                runs_[i][p] = chain.runs_after(answer, i, p) ? 1 : 0;
        for (std::size_t b = 0; b < networks_.size(); ++b) {
            answers_[b] = networks_[b].solve(split.blocks[b]);
            if (!answers_[b].feasible) return std::nullopt;
            value += answers_[b].value;
        }
        return value;
    }
    /// A step upwards; false where there is none.
    auto go(double missing) -> bool {
        double all = 0;
        for (std::size_t i = 0; i < k_; ++i)
            turn(slopes_.prices[i], static_cast<double>(used_[i]) / decided_.positive_room(i) - 1, 1, all);
        for (operation_index p = 0; p < m_.operation_count(); ++p)
            if (slopes_.first_moment(p) < k_ && m_.operations[p].recomputable) turn_runs(p, all);
        for (std::size_t b = 0; b < networks_.size(); ++b) {
            auto& block = slopes_.blocks[b];
            for (value_index x = 0; x < m_.value_count(); ++x) {
                if (m_.producers[x].size() != 1) continue;
                auto const scaling = scaling_of(m_.producers[x].front());
                auto const held = held_[block.first][x], wanted = held_[block.second][x];
                if (decided_.is_paid_for(block.first, x))
                    turn(block.held[x], (answers_[b].held[x] ? 1 : 0) - held, scaling, all);
                if (decided_.is_paid_for(block.second, x))
                    turn(block.handed[x], wanted - (answers_[b].handed[x] ? 1 : 0), scaling, all);
            }
        }
        if (all <= 0) return false;
        slopes_.go(missing / all, 2 * all_time_);
        return true;
    }
    void turn_runs(operation_index p, double& all) {
        auto const scaling = scaling_of(p);
        auto const first = slopes_.first_moment(p);
        // In each interval; what takes the rest says so.
        std::vector<int> ran(k_ + 1, 0);
        for (auto t = first + 1; t < k_; ++t) ran[t] = answers_[slopes_.adjacent(t)].runs[p] ? 1 : 0;
        ran[k_] = runs_[k_ - 1][p];
        for (auto i = first; i + 1 < k_; ++i) {
            int gradient = runs_[i][p];
            for (auto t = i + 1; t <= k_; ++t) gradient -= ran[t];
            turn(slopes_.after[i][p], gradient, scaling, all);
        }
        for (std::size_t b = 0; b < networks_.size(); ++b) {
            auto& block = slopes_.blocks[b];
            if (block.is_adjacent() || block.first < first) continue;
            int gradient = answers_[b].runs[p] ? 1 : 0;
            for (auto t = block.first + 1; t <= block.second; ++t) gradient -= ran[t];
            turn(block.runs[p], gradient, scaling, all);
        }
    }
    static void turn(slope& s, double gradient, double scaling, double& all) {
        constexpr double memory = 0.8;
        if (gradient < 0 && s.at <= 0) gradient = 0;
        if (gradient == 0 && s.direction == 0) return;
        s.direction = gradient * scaling + memory * s.direction;
        all += s.direction * s.direction / scaling;
    }
    [[nodiscard]] auto scaling_of(operation_index p) const -> double {
        constexpr double span = 0.05, least = 1e-6;  // of all time
        auto const share =
            std::max(static_cast<double>(m_.operations[p].again), least * all_time_) / (span * all_time_);
        return share * share;
    }

    moments_decisions const& decided_;
    search_model const& m_;
    std::int64_t scale_, highest_;
    std::size_t k_;
    double all_time_;  // the time of everything once
    split_slopes slopes_;
    std::vector<block_network> networks_;
    std::vector<block_network::answer> answers_;
    std::vector<bytes> used_;                             // of each moment
    std::vector<std::vector<std::uint8_t>> held_, runs_;  // of each moment: values, and operations
    std::size_t flows_ = 0;
};

}  // namespace repebble::detail

#endif
