#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DECOMPOSITION_ASCENT_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_DECOMPOSITION_ASCENT_HPP

// Maximizes the bound of the Lagrangian decomposition (`cost_split`) by scaled subgradients with deflection (Camerini,
// Fratta, Maffioli 1975). The path is in floating point; each bound is computed in integers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/cost_split.hpp>
#include <repebble/planner/detail/bounds/several_cuts/cost_split_subgradient.hpp>
#include <repebble/planner/detail/bounds/several_cuts/interval_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_relaxation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multiplier_scale.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>
#include <repebble/planner/detail/bounds/several_cuts/relaxed_choice.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The ascent of one chain of cuts.
class decomposition_ascent {
  public:
    /// Refers to the capacities.  `flows`: counts maximum flows, those of blocks by half.  Requires: more than one cut.
    decomposition_ascent(capacity_rows const& capacities, multiplier_scale const& scale, std::size_t& flows)
        : capacities_(capacities),
          decided_(capacities.decided()),
          m_(decided_.model()),
          scale_(scale),
          k_(capacities.cut_count()),
          slopes_(capacities),
          flows_(flows) {
        for (auto const& b : slopes_.blocks) networks_.emplace_back(decided_, b.first, b.second);
        answers_.resize(networks_.size());
    }

    /// Returns the best bound, scaled, from these multipliers of whole capacities, in at most so many steps, or until
    /// it is `target` or `stop()` returns true. Nothing where no schedule fits.
    [[nodiscard]] auto run(std::span<double const> multipliers, double target, std::size_t steps, stop_test stop)
        -> std::optional<std::int64_t> {
        constexpr double cooling = 0.7, coolest = 0.01, worth_it = 0.05;
        constexpr std::size_t most_in_vain = 20;
        for (std::size_t r = 0; r < capacities_.count(); ++r) slopes_.multipliers[r].at = multipliers[r];
        std::int64_t top = 0;
        double reached = 0, heat = 1;
        std::size_t in_vain = 0;
        for (std::size_t step = 0; step < steps && heat > coolest && !slopes_.is_too_large(scale_.scale) && !stop();
             ++step) {
            auto const scaled = evaluate();
            if (!scaled) return std::nullopt;
            auto const value = scale_.unscaled(*scaled);
            auto const missing = heat * std::min(target - value, scale_.time / 8);
            in_vain = value > reached + worth_it * missing ? 0 : in_vain + 1;
            top = std::max(top, *scaled);
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

  private:
    using slope = cost_split_subgradient::slope;

    /// Returns the bound of the present split, scaled; nothing where no schedule fits.
    auto evaluate() -> std::optional<std::int64_t> {
        auto const split = slopes_.make_whole(scale_.scale);
        multi_cut_relaxation const chain(capacities_, scale_.scale, &split);
        std::vector<double> multipliers;
        for (auto const& s : slopes_.multipliers) multipliers.push_back(s.at);
        auto const [answer, lower_bound, time] = choice_at(capacities_, chain, multipliers, scale_);
        flows_ += 1 + (networks_.size() + 1) / 2;
        if (!answer.feasible) return std::nullopt;
        auto value = lower_bound;
        used_ = answer.used;
        kept_.assign(k_, std::vector<std::uint8_t>(m_.value_count(), 0));
        for (std::size_t h = 0; h < chain.checkpoints().size(); ++h)
            if (answer.is_kept[h]) kept_[chain.checkpoints()[h].cut][chain.checkpoints()[h].value] = 1;
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
    /// Makes a step; returns false where the subgradient is zero.
    auto go(double missing) -> bool {
        double all = 0;
        for (std::size_t r = 0; r < capacities_.count(); ++r)
            turn(slopes_.multipliers[r], static_cast<double>(used_[r]) / capacities_.positive(r) - 1, 1, all);
        for (operation_index p = 0; p < m_.operation_count(); ++p)
            if (slopes_.first_cut(p) < k_ && m_.operations[p].recomputable) turn_runs(p, all);
        for (std::size_t b = 0; b < networks_.size(); ++b) {
            auto& block = slopes_.blocks[b];
            for (value_index x = 0; x < m_.value_count(); ++x) {
                if (m_.producers[x].size() != 1) continue;
                auto const scaling = scaling_of(m_.producers[x].front());
                auto const kept = kept_[block.first][x], wanted = kept_[block.second][x];
                if (decided_.is_candidate(block.first, x))
                    turn(block.kept[x], (answers_[b].kept[x] ? 1 : 0) - kept, scaling, all);
                if (decided_.is_candidate(block.second, x))
                    turn(block.delivered[x], wanted - (answers_[b].delivered[x] ? 1 : 0), scaling, all);
            }
        }
        if (all <= 0) return false;
        slopes_.go(missing / all, 2 * scale_.time);
        return true;
    }
    void turn_runs(operation_index p, double& all) {
        auto const scaling = scaling_of(p);
        auto const first = slopes_.first_cut(p);
        // By interval; the relaxation that takes the remainder decides.
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
        if (gradient <= 0 && gradient >= 0 && s.is_at_rest()) return;
        s.direction = gradient * scaling + memory * s.direction;
        all += s.direction * s.direction / scaling;
    }
    [[nodiscard]] auto scaling_of(operation_index p) const -> double {
        constexpr double span = 0.05, least = 1e-6;  // of all time
        auto const share =
            std::max(static_cast<double>(m_.operations[p].again), least * scale_.time) / (span * scale_.time);
        return share * share;
    }

    capacity_rows const& capacities_;
    propagation const& decided_;
    planning_model const& m_;
    multiplier_scale scale_;
    std::size_t k_;
    cost_split_subgradient slopes_;
    std::vector<interval_relaxation> networks_;
    std::vector<interval_relaxation::answer> answers_;
    std::vector<bytes> used_;                             // by row
    std::vector<std::vector<std::uint8_t>> kept_, runs_;  // by cut: values, and operations
    std::size_t& flows_;
};

}  // namespace repebble::inline v0::detail

#endif
