#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_CHAIN_CANDIDATES_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_CHAIN_CANDIDATES_HPP

// The candidate plans of chain_plan for one division into stages: solves the chain (exactly, or in slots where it is
// long) and converts points of its curve to replayed plans.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_frontier.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/recompute/chain_plan_options.hpp>
#include <repebble/recompute/detail/chain_stages/drop_recomputations.hpp>
#include <repebble/recompute/detail/chain_stages/graph_as_chain.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/detail/within_budget.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// Candidate plans of a training graph from the curve of its chain, by ascending budget.
class chain_candidates {
  public:
    /// Makes and solves the chain with stages that end at every `every`-th of `ends`; there are no candidates where
    /// stop() returns true.
    chain_candidates(planning_graph const& graph, within_budget<chain_plan_options> const& options,
                     std::span<std::uint32_t const> order, std::span<std::size_t const> ends, std::size_t every,
                     stop_test stop)
        : graph_(graph), stages_(graph, order, ends, every, options.tapes, stop) {
        auto const& model = stages_.model();
        if (model.stages.empty() || stop() || !sums_fit(model)) return;
        solve(worst_overhead(model) < 0x1p60 ? model : in_short_times(model), options, stop);
    }

    [[nodiscard]] auto count() const noexcept { return solved_ ? solved_->curve().size() : 0; }
    [[nodiscard]] auto stages() const noexcept { return stages_.model().stages.size(); }
    /// Number of leading candidates that fit the budget according to the chain.
    [[nodiscard]] auto within(bytes budget) const -> std::size_t {
        auto const capacity = std::max<bytes>(0, budget) - stages_.always_resident();
        if (!solved_) return 0;
        auto const& curve = solved_->curve();
        auto const fits = [&](auto const& p) { return p.budget <= capacity; };
        return static_cast<std::size_t>(std::partition_point(curve.begin(), curve.end(), fits) - curve.begin());
    }
    /// Returns candidate k as a plan; where it is within the budget, without recomputations that the budget allows to
    /// drop, as long as stop() returns false.
    [[nodiscard]] auto plan(std::size_t k, std::optional<bytes> budget, stop_test stop) const -> recompute_plan<> {
        auto const actions = solved_->actions_within(solved_->curve()[k].budget);
        auto run = stages_.computations(*actions);
        auto made = trial_of(graph_, make_schedule(graph_.flow(), run));
        if (budget && made.cost.peak <= *budget) {
            drop_recomputations drop(graph_.flow(), *budget);
            auto better = trial_of(graph_, make_schedule(graph_.flow(), drop.dropped_from(std::move(run), stop)));
            if (better.cost.peak <= *budget && better.cost.time < made.cost.time) made = std::move(better);
        }
        made.segments = stages();
        return made;
    }

  private:
    void solve(chain const& model, within_budget<chain_plan_options> const& options, stop_test stop) {
        if (model.stages.size() <= options.exact_stages) {
            solved_ = chain_frontier::within_limits(
                model, {.drop_saved_inputs = options.drop_saved_inputs, .limits = {.work = 2'000'000, .stop = stop}});
            if (solved_) return;
        }
        if (stop()) return;
        auto const in_slots = in_short_times(model);
        auto const all = enough_for(model);
        auto const solve_up_to = [&](bytes most) {
            solved_ = chain_frontier::within_limits(in_slots, {.slots = options.slots,
                                                               .round = slot_rounding::nearest,
                                                               .fit_slots = true,
                                                               .last_budget = most,
                                                               .threads = options.threads,
                                                               .limits = {.stop = stop}});
        };
        auto const limit = std::clamp<bytes>(options.budget.value_or(all), 0, all);
        solve_up_to(limit + std::min(all - limit, all / 16));
        // With few slots the rounding up may sum to more.
        for (auto most = all; solved_ && solved_->curve().empty() && most <= std::numeric_limits<bytes>::max() / 2;
             most *= 2)
            solve_up_to(most);
    }
    /// Bytes with which every stage can save all its values.
    [[nodiscard]] static auto enough_for(chain const& model) -> bytes {
        chain_sums const sums(model);
        bytes saved = 0, alone = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            saved += model.stages[i].tapes.front().saved;
            alone = std::max({alone, sums.recording_bytes(i, 0), sums.backward_bytes(i, 0)});
        }
        return saved + alone + 1;
    }
    /// Whether all sums of a chain fit in 64 bits: a value that crosses many cuts is counted at each.
    [[nodiscard]] static auto sums_fit(chain const& model) -> bool {
        double sizes = static_cast<double>(model.input) + static_cast<double>(model.input_gradient), times = 0;
        auto const add = [](double& sum, auto weight) { sum += std::max(0.0, static_cast<double>(weight)); };
        for (auto const& stage : model.stages) {
            add(sizes, stage.output);
            add(sizes, stage.gradient);
            add(sizes, stage.workspace);
            for (auto const& tape : stage.tapes) {
                add(sizes, tape.saved);
                add(sizes, tape.forward_workspace);
                add(sizes, tape.backward_workspace);
            }
            add(times, stage.forward_time);
            add(times, stage.backward_time);
        }
        return sizes < 0x1p62 && times < 0x1p62;
    }
    [[nodiscard]] static auto worst_overhead(chain const& model) -> double {
        double before = 0, worst = 0;
        for (auto const& stage : model.stages) {
            before += static_cast<double>(stage.forward_time);
            worst += before;
            for (auto const& tape : stage.tapes) worst += static_cast<double>(tape.extra_time);
        }
        return worst;
    }
    /// Returns the chain with times rounded so that overheads fit in 32 bits; the replay restores exact times.
    [[nodiscard]] static auto in_short_times(chain model) -> chain {
        auto const unit = static_cast<std::int64_t>(worst_overhead(model) / 0x1p28) + 1;
        for (auto& stage : model.stages) {
            stage.forward_time /= unit;
            stage.backward_time /= unit;
            for (auto& tape : stage.tapes) tape.extra_time /= unit;
        }
        return model;
    }

    planning_graph const& graph_;
    graph_as_chain stages_;
    std::optional<chain_frontier> solved_{};
};

}  // namespace repebble::inline v0::detail

#endif
