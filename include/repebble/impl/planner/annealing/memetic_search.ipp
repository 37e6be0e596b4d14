#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_MEMETIC_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_MEMETIC_SEARCH_IPP

#include <repebble/planner/detail/annealing/memetic_search.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void memetic_search::search(double moves, function_ref<walk_results(annealing_stage const&)> run, stop_test is_over,
            function_ref<double()> share_left) {
    // Children in a row no better than their parents, before a restart.
    auto const patience = limited_to(m_.effort.least_patience, m_.operation_count(), m_.effort.most_patience);
    while (!is_over()) {
        if (population_.size() > 0 && failures_ <= patience) {
            auto const offspring = next_generation(moves, share_left());
            auto walked = run(offspring.stage);
            learn(offspring, std::move(walked), !is_over());
            continue;
        }
        if (population_.size() > 0 && m_.without.contains(technique::hot_walks)) {
            population_.keep_best();
            failures_ = 0;
            continue;
        }
        auto walked = run(hot_walks(moves));
        if (!is_over()) {
            population_.keep_best();
            failures_ = 0;
        }
        add(std::move(walked));
    }
}

REPEBBLE_INLINE auto memetic_search::next_generation(double moves, double share_left) -> generation {
    auto const& e = m_.effort;
    auto const n = static_cast<double>(m_.operation_count() + 1);
    auto const share = std::max(e.child_walk_per_operation * n, e.least_child_walk) / moves;
    bool const can_perturb =
        moves > e.perturbing_moves_per_operation * n && !m_.without.contains(technique::perturbation);
    generation offspring;
    for (std::size_t k = 0; k < e.children; ++k) {
        bool const may_perturb =
            can_perturb && failures_ >= e.failures_before_perturbing && random_.chance(e.perturbing_chance);
        auto child = may_perturb ? population_.make_perturbed_child(random_) : population_.make_child(random_);
        bool const is_perturbed = child.tabu.has_value();
        offspring.parents.push_back(child.parent);
        bool const values_only = draw(values_only_) && !m_.without.contains(technique::values_only);
        bool const forward = !values_only && draw(forward_);
        offspring.stage.push_back(
            {{std::move(child.sequence),
              {is_perturbed ? e.perturbed_temperature : e.child_temperature, e.cold_temperature},
              is_perturbed
                  ? std::max(share, std::min(e.perturbed_walk * share, share_left / static_cast<double>(e.children)))
                  : share,
              {.with_inputs = !values_only, .brings_forward = forward, .tabu = child.tabu}}});
    }
    return offspring;
}

REPEBBLE_INLINE void memetic_search::learn(generation const& offspring, walk_results walked, bool is_whole) {
    for (std::size_t k = 0; k < walked.found.size(); ++k) {
        auto& [computations, time] = walked.found[k];
        bool const better =
            computations && population_.replace(offspring.parents[k], std::move(*computations), time);
        if (!is_whole) continue;
        failures_ = better ? 0 : failures_ + 1;
        auto const& rules = offspring.stage[k].front().rules;
        values_only_.note(!rules.with_inputs, better);
        if (rules.with_inputs) forward_.note(rules.brings_forward, better);
    }
}

}  // namespace repebble::inline v0::detail

#endif
