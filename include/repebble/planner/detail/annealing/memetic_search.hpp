#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_MEMETIC_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_MEMETIC_SEARCH_HPP

// Memetic search: a genetic algorithm whose children are improved by short annealing walks. Children
// come from crossover; after long failure the population restarts from its
// best member and hot walks. `annealing_search` drives it. Nothing is learned from a stage that is cut short, so that
// results do not depend on the speed of the machine.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/annealing/cooling_plan.hpp>
#include <repebble/planner/detail/annealing/parallel_walks.hpp>
#include <repebble/planner/detail/annealing/population.hpp>
#include <repebble/planner/detail/model/effort.hpp>

namespace repebble::inline v0::detail {

/// A population with its generations: walks of one generation run beside one another.
class memetic_search {
  public:
    memetic_search(planning_model const& m, std::uint64_t seed) : m_(m), population_(m), random_(seed) {}

    void add(std::vector<operation_index> computations, std::int64_t time) {
        population_.add(std::move(computations), time);
    }
    /// Adds all sequences that walks found.
    void add(walk_results walked) {
        for (auto& [computations, time] : walked.found)
            if (computations) add(std::move(*computations), time);
    }
    /// Returns the next stage of hot walks, with shares of so many moves.
    [[nodiscard]] auto hot_walks(double moves) -> annealing_stage {
        hotter_ = !hotter_;
        return hot_stage(m_.operation_count(), moves, !hotter_);
    }
    /// Runs stages by run(stage), which returns the sequences found, until is_over(). Nothing is learned from a stage
    /// that is cut short. Stages have shares of `moves`.
    void search(double moves, function_ref<walk_results(annealing_stage const&)> run, stop_test is_over) {
        auto const patience =
            std::clamp(m_.operation_count(), effort::least_patience,
                       effort::most_patience);  // children in a row no better than their parents, before a restart
        while (!is_over()) {
            if (population_.size() > 0 && failures_ <= patience) {
                auto const offspring = next_generation(moves);
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

  private:
    struct generation {
        annealing_stage stage{};
        std::vector<std::size_t> parents{};
    };
    [[nodiscard]] auto next_generation(double moves) -> generation {
        using namespace effort;
        constexpr double values_only = 0.3, forward = 0.3;  // chances of the rules of a child
        auto const n = static_cast<double>(m_.operation_count() + 1);
        auto const share = std::max(child_walk_per_operation * n, least_child_walk) / moves;
        generation offspring;
        for (std::size_t k = 0; k < children; ++k) {
            auto child = population_.make_child(random_);
            offspring.parents.push_back(child.parent);
            bool const with_inputs = !random_.chance(values_only) || m_.without.contains(technique::values_only);
            bool const brings_forward = with_inputs && random_.chance(forward);
            offspring.stage.push_back({{std::move(child.sequence),
                                        {0.1, 0.02},
                                        share,
                                        {.with_inputs = with_inputs, .brings_forward = brings_forward}}});
        }
        return offspring;
    }
    /// Replaces parents by better children.
    void learn(generation const& offspring, walk_results walked, bool is_whole) {
        for (std::size_t k = 0; k < walked.found.size(); ++k) {
            auto& [computations, time] = walked.found[k];
            bool const better =
                computations && population_.replace(offspring.parents[k], std::move(*computations), time);
            if (is_whole) failures_ = better ? 0 : failures_ + 1;
        }
    }

    planning_model const& m_;
    population population_;
    split_mix random_;
    std::size_t failures_ = 0;  // children in a row no better than their parents
    bool hotter_ = false;       // whether the next hot walks are hotter
};

}  // namespace repebble::inline v0::detail

#endif
