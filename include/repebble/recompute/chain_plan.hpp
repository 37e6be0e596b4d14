#ifndef REPEBBLE_RECOMPUTE_CHAIN_PLAN_HPP
#define REPEBBLE_RECOMPUTE_CHAIN_PLAN_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/gradient_needs.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/recompute/chain.hpp>
#include <repebble/recompute/chain_frontier.hpp>
#include <repebble/recompute/chain_slots.hpp>
#include <repebble/recompute/chain_stages.hpp>
#include <repebble/recompute/forward_plan.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/mirror_plan.hpp>
#include <repebble/recompute/objective.hpp>
#include <repebble/recompute/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/spare_computations.hpp>
#include <repebble/recompute/strategy_options.hpp>

namespace repebble {

/// What is asked of a plan by the stages of a chain.
struct chain_plan_options {
    std::optional<bytes> budget{};    ///< least overhead within so many bytes of replayed peak; none: the least peak
    bool nearest = false;             ///< where no plan fits, return the one that needs least
    segment_candidates candidates{};  ///< where stages may end
    std::size_t savings = 16;         ///< ways in which a stage may save, tried beside one another
    bool drop_saved_inputs = true;    ///< as of `chain_options`; not where memory is counted in slots
    /// Chains of more stages are solved in slots.
    std::size_t exact_stages = 150;
    std::size_t slots = 2000;
    std::size_t most_stages = 400;  ///< of more cuts some are left out, at equal distances
    forward_order order = forward_order::by_index;
    std::size_t threads = 1;  ///< the plan is the same for any number
};

namespace detail {

/// The plans that a chain offers for a training graph, by budget.
template <quantity Time>
class chain_offers {
  public:
    chain_offers(planning_graph<Time> const& graph, chain_plan_options const& options, segment_candidates const& where)
        : graph_(graph),
          order_(ordered_numbers(graph, options.order)),
          stages_(graph, order_, cuts_of<Time>(graph, order_, where), options.savings, options.most_stages) {
        auto const& model = stages_.model();
        if (model.stages.empty()) return;
        if (model.stages.size() <= options.exact_stages) {
            try {
                exact_.emplace(model,
                               chain_options{.drop_saved_inputs = options.drop_saved_inputs, .point_limit = 2'000'000});
                curve_ = exact_->curve();
                return;
            } catch (limit_reached const&) {  // too many different sizes
            }
        }
        auto const all = enough_for(model);
        auto const solve = [&](bytes most) {
            slots_.emplace(
                in_short_times(model), most,
                slot_options{.slots = options.slots, .round = slot_rounding::nearest, .threads = options.threads});
            curve_ = slots_->curve();
        };
        auto const asked = std::clamp<bytes>(options.budget.value_or(all), 0, all);
        solve(asked + std::min(all - asked, all / 16));
        // With few slots what is rounded up may add up to more.
        for (auto most = all; curve_.empty() && most <= std::numeric_limits<bytes>::max() / 2; most *= 2) solve(most);
    }

    [[nodiscard]] auto count() const noexcept { return curve_.size(); }
    [[nodiscard]] auto stages() const noexcept { return stages_.model().stages.size(); }
    /// How many of the first should fit.
    [[nodiscard]] auto within(bytes budget) const -> std::size_t {
        auto const fits = [&](auto const& p) {
            return p.budget <= std::max<bytes>(0, budget) - stages_.always_there();
        };
        return static_cast<std::size_t>(std::partition_point(curve_.begin(), curve_.end(), fits) - curve_.begin());
    }
    /// That number k stands for; where it is within the budget, without computations that the budget spares.
    [[nodiscard]] auto plan(std::size_t k, std::optional<bytes> budget) const -> recompute_plan<Time> {
        auto const actions =
            exact_ ? exact_->actions_within(curve_[k].budget) : slots_->actions_within(curve_[k].budget);
        auto run = stages_.computations(*actions);
        auto made = plan_of(graph_, liveness(graph_.flow(), run));
        if (budget && made.cost.peak <= *budget) {
            spare_computations<Time> spare(graph_.flow(), *budget);
            auto better = plan_of(graph_, liveness(graph_.flow(), spare.left_out_of(std::move(run))));
            if (better.cost.peak <= *budget && better.cost.time < made.cost.time) made = std::move(better);
        }
        made.segments = stages();
        return made;
    }

  private:
    /// Bytes with which every stage can save all, in as many slots, too.
    [[nodiscard]] static auto enough_for(chain<Time> const& model) -> bytes {
        chain_sums<Time> const sums(model);
        bytes saved = 0, alone = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            saved += model.stages[i].savings.front().saved;
            alone = std::max({alone, sums.saving(i, 0), sums.reversing(i, 0)});
        }
        return saved + alone + 1;
    }
    /// Times so rounded that overheads fit into 32 bits: plans are replayed in the end.
    [[nodiscard]] static auto in_short_times(chain<Time> model) -> chain<Time> {
        if constexpr (std::same_as<Time, std::int64_t>) {
            auto const unit = chain_sums<Time>(model).worst_overhead() / (std::int64_t{1} << 28U) + 1;
            for (auto& stage : model.stages) {
                stage.forward_time /= unit;
                stage.backward_time /= unit;
                for (auto& saving : stage.savings) saving.extra_time /= unit;
            }
        }
        return model;
    }

    planning_graph<Time> const& graph_;
    std::vector<std::uint32_t> order_;
    chain_stages<Time> stages_;
    std::optional<chain_frontier<Time>> exact_;
    std::optional<chain_slots<Time>> slots_;
    std::vector<budget_and_time<Time>> curve_;
};

struct chain_plan_fn : on_forward_graphs<chain_plan_fn> {
    using on_forward_graphs<chain_plan_fn>::operator();

    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, chain_plan_options const& options = {}) const
        -> std::optional<recompute_plan<Time>> {
        planning_graph<Time> const graph(training);
        return best_of(graph, options, std::span(&options.candidates, 1));
    }
    /// Of the options of strategies it heeds the budget, the goal, `nearest` and the threads. Stages end both at
    /// articulation points and at narrow places: the better plan is returned.
    template <quantity Time, std::same_as<strategy_options> Options>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, Options const& options) const
        -> std::optional<recompute_plan<Time>> {
        bool const memory = options.goal == objective::memory;
        planning_graph<Time> const graph(training);
        std::vector<segment_candidates> const both{{}, {.where = cut_points::narrow_places}};
        auto best =
            best_of(graph,
                    chain_plan_options{
                        .budget = memory ? std::nullopt : options.budget, .nearest = true, .threads = options.threads},
                    std::span(both));
        if (best && !options.nearest && options.budget && best->cost.peak > *options.budget) return std::nullopt;
        return best;
    }
    /// On any computation graph, with gradients by value_grad, in terms of its own vertices. Candidates are vertex
    /// indices.
    template <computation_graph Graph, class... W, class I = always, class O = always>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, chain_plan_options const& options,
                                  gradient_dependencies<I, O> const& depends = {}) const {
        return plan_forward_graph(g, w, depends, [&](auto const& training) { return (*this)(training, options); });
    }

  private:
    template <quantity Time>
    [[nodiscard]] static auto best_of(planning_graph<Time> const& graph, chain_plan_options const& options,
                                      std::span<segment_candidates const> places)
        -> std::optional<recompute_plan<Time>> {
        strategy_options const asked{.budget = options.budget};
        plan_preference<Time> const prefer{asked, false};
        std::optional<recompute_plan<Time>> best;
        auto const candidate = [](recompute_plan<Time> const& p) {
            return typename plan_preference<Time>::candidate{p.cost.time, p.cost.peak};
        };
        for (auto const& where : places) {
            chain_offers<Time> const offers(graph, options, where);
            auto const fits = [&](std::size_t k) {
                auto plan = offers.plan(k, options.budget);
                bool const does = prefer.fits(candidate(plan));
                if (!best || prefer(candidate(plan), candidate(*best))) best = std::move(plan);
                return does;
            };
            if (offers.count() == 0) continue;
            if (options.budget) {
                auto const last = find_last(offers.within(*options.budget), offers.count(), fits);
                constexpr std::size_t few = 6;  // an earlier one may leave more room to spare computations
                for (std::size_t k = 2; k < few && k <= last; ++k) static_cast<void>(fits(last - k));
            } else {
                constexpr std::size_t few = 4;  // what replays lowest is among the first
                for (std::size_t k = 0; k < std::min(few, offers.count()); ++k) static_cast<void>(fits(k));
            }
        }
        if (best && !prefer.fits(candidate(*best)) && !options.nearest) return std::nullopt;
        return best;
    }

    /// How many there are up to the last that fits, where `expected` should: stages count values twice that lie there
    /// once.
    template <class Fits>
    [[nodiscard]] static auto find_last(std::size_t expected, std::size_t count, Fits const& fits) -> std::size_t {
        std::size_t known = expected, beyond = count;  // all before `known` fit, `beyond` and what follows does not
        if (expected > 0 && !fits(expected - 1)) {
            known = 0;
            beyond = expected - 1;
        }
        for (std::size_t leap = 1; known < beyond; leap *= 2) {
            auto const next = std::min(known + leap, beyond) - 1;
            if (fits(next)) {
                known = next + 1;
                continue;
            }
            beyond = next;
            break;
        }
        while (known < beyond) {
            auto const middle = known + (beyond - known) / 2;
            if (fits(middle)) {
                known = middle + 1;
            } else {
                beyond = middle;
            }
        }
        return known;
    }
};

}  // namespace detail

/// The best plan by the stages of a chain: the forward pass is cut into stages at candidate vertices, each stage runs
/// forward and saves nothing, something or all, and the exact dynamic program of `solve_chain` says which does what and
/// when; what it returns is replayed on the graph, and the last plan on the curve that fits is taken. For networks that
/// are chains of blocks: transformers, residual and recurrent networks (Beaumont et al. 2019; of general graphs:
/// Bulatov 2018, "Support general graphs").
///
/// Takes a training graph and options, those of all strategies included; or any forward graph. Costs what `solve_chain`
/// costs, or `solve_chain_in_slots` for long chains, and some ten replays. Nothing where no plan fits, or the graph is
/// empty.
/// Throws bad_graph where a candidate is no forward operation.
inline constexpr detail::chain_plan_fn chain_plan{};

}  // namespace repebble

#endif
