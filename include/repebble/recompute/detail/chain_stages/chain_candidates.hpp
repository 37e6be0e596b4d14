#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_CHAIN_CANDIDATES_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_CHAIN_CANDIDATES_HPP

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
#include <repebble/chains/solve_chain.hpp>
#include <repebble/chains/solve_chain_in_slots.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/recompute/chain_plan_options.hpp>
#include <repebble/recompute/detail/chain_stages/drop_recomputations.hpp>
#include <repebble/recompute/detail/chain_stages/graph_as_chain.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/mirror_counts.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::detail {

/// The plans that a chain offers for a training graph, by budget.
template <quantity Time>
class chain_candidates {
  public:
    /// With stages that end at every so many of `ends`.
    chain_candidates(planning_graph<Time> const& graph, chain_plan_options const& options,
                     std::span<std::uint32_t const> order, std::span<std::size_t const> ends, std::size_t every)
        : graph_(graph), stages_(graph, order, ends, every, options.tapes) {
        auto const& model = stages_.model();
        if (model.stages.empty()) return;
        try {
            solve(worst_overhead(model) < 0x1p60 ? model : in_short_times(model), options);
        } catch (bad_weight const&) {
            // What crosses many cuts is counted at each: all that together may not fit in 64 bits.
        }
    }

    [[nodiscard]] auto count() const noexcept { return curve_.size(); }
    [[nodiscard]] auto stages() const noexcept { return stages_.model().stages.size(); }
    /// How many of the first should fit.
    [[nodiscard]] auto within(bytes budget) const -> std::size_t {
        auto const room = std::max<bytes>(0, budget) - stages_.always_there();
        auto const fits = [&](auto const& p) { return p.budget <= room; };
        return static_cast<std::size_t>(std::partition_point(curve_.begin(), curve_.end(), fits) - curve_.begin());
    }
    /// That number k stands for; where it is within the budget, without computations that the budget spares.
    [[nodiscard]] auto plan(std::size_t k, std::optional<bytes> budget) const -> recompute_plan<Time> {
        auto const actions =
            exact_ ? exact_->actions_within(curve_[k].budget) : slots_->actions_within(curve_[k].budget);
        auto run = stages_.computations(*actions);
        auto made = plan_of(graph_, liveness(graph_.flow(), run));
        if (budget && made.cost.peak <= *budget) {
            drop_recomputations<Time> spare(graph_.flow(), *budget);
            auto better = plan_of(graph_, liveness(graph_.flow(), spare.left_out_of(std::move(run))));
            if (better.cost.peak <= *budget && better.cost.time < made.cost.time) made = std::move(better);
        }
        made.segments = stages();
        return made;
    }

  private:
    void solve(chain<Time> const& model, chain_plan_options const& options) {
        if (model.stages.size() <= options.exact_stages) {
            try {
                exact_.emplace(model,
                               chain_options{.drop_saved_inputs = options.drop_saved_inputs, .point_limit = 2'000'000});
                curve_ = exact_->curve();
                return;
            } catch (limit_reached const&) {  // too many different sizes
            }
        }
        auto const in_slots = in_short_times(model);
        auto const all = enough_for(model);
        auto const solve_up_to = [&](bytes most) {
            slots_.emplace(in_slots, most,
                           slot_options{.slots = options.slots,
                                        .round = slot_rounding::nearest,
                                        .fit_unit = true,
                                        .threads = options.threads});
            curve_ = slots_->curve();
        };
        auto const asked = std::clamp<bytes>(options.budget.value_or(all), 0, all);
        solve_up_to(asked + std::min(all - asked, all / 16));
        // With few slots what is rounded up may add up to more.
        for (auto most = all; curve_.empty() && most <= std::numeric_limits<bytes>::max() / 2; most *= 2)
            solve_up_to(most);
    }
    /// Bytes with which every stage can save all.
    [[nodiscard]] static auto enough_for(chain<Time> const& model) -> bytes {
        chain_sums<Time> const sums(model);
        bytes saved = 0, alone = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            saved += model.stages[i].tapes.front().saved;
            alone = std::max({alone, sums.recording_bytes(i, 0), sums.backward_bytes(i, 0)});
        }
        return saved + alone + 1;
    }
    [[nodiscard]] static auto worst_overhead(chain<Time> const& model) -> double {
        double before = 0, worst = 0;
        for (auto const& stage : model.stages) {
            before += static_cast<double>(stage.forward_time);
            worst += before;
            for (auto const& saving : stage.tapes) worst += static_cast<double>(saving.extra_time);
        }
        return worst;
    }
    /// Times so rounded that overheads fit into 32 bits: plans are replayed in the end.
    [[nodiscard]] static auto in_short_times(chain<Time> model) -> chain<Time> {
        if constexpr (std::same_as<Time, std::int64_t>) {
            auto const unit = static_cast<std::int64_t>(worst_overhead(model) / 0x1p28) + 1;
            for (auto& stage : model.stages) {
                stage.forward_time /= unit;
                stage.backward_time /= unit;
                for (auto& saving : stage.tapes) saving.extra_time /= unit;
            }
        }
        return model;
    }

    planning_graph<Time> const& graph_;
    graph_as_chain<Time> stages_;
    std::optional<chain_frontier<Time>> exact_{};
    std::optional<chain_frontier_in_slots<Time>> slots_{};
    std::vector<budget_and_time<Time>> curve_{};
};

}  // namespace repebble::inline v0::detail

#endif
