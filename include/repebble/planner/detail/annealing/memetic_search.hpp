#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_MEMETIC_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_MEMETIC_SEARCH_HPP

// Memetic search: a genetic algorithm whose children are improved by short annealing walks. Children
// come from crossover, or from perturbation where crossover fails; after long failure the population restarts from its
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
#include <repebble/planner/effort.hpp>

namespace repebble::inline v0::detail {

/// Exponential averages of the success rates of two operators: the better one is tried more often, the other still is.
/// At first the second one counts as half as successful.
class operator_selection {
  public:
    /// Refers to the constants.
    explicit operator_selection(effort const& e) : effort_(e) {}

    /// Draws whether to try the second operator, by its share of the rates.
    [[nodiscard]] auto draw(split_mix& random) const -> bool { return random.chance(second_ / (first_ + second_)); }
    void note(bool second, bool success) {
        auto const memory = effort_.rate_memory;
        auto& rate = second ? second_ : first_;
        rate = std::max(effort_.least_rate, memory * rate + (success ? 1 - memory : 0));
    }

  private:
    effort const& effort_;
    double first_ = effort_.first_rate, second_ = effort_.second_rate;
};

/// A population with its generations: walks of one generation run beside one another.
class memetic_search {
  public:
    memetic_search(planning_model const& m, std::uint64_t seed)
        : m_(m), population_(m), random_(seed), values_only_(m.effort), forward_(m.effort) {}

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
        return hot_stage(m_, moves, !hotter_);
    }
    /// Runs stages by run(stage), which returns the sequences found, until is_over(). Nothing is learned from a stage
    /// that is cut short. Stages have shares of `moves`; share_left() returns the share that is left.
    void search(double moves, function_ref<walk_results(annealing_stage const&)> run, stop_test is_over,
                function_ref<double()> share_left);

  private:
    struct generation {
        annealing_stage stage{};
        std::vector<std::size_t> parents{};
    };
    [[nodiscard]] auto next_generation(double moves, double share_left) -> generation;
    /// Draws a rule by its success rate, or by an equal chance where that is switched off.
    [[nodiscard]] auto draw(operator_selection const& rates) -> bool {
        return m_.without.contains(technique::success_rates) ? random_.chance(0.5) : rates.draw(random_);
    }
    /// Replaces parents by better children; if the generation is complete, also updates the success rates of its rules.
    void learn(generation const& offspring, walk_results walked, bool is_whole);

    planning_model const& m_;
    population population_;
    split_mix random_;
    std::size_t failures_ = 0;        // children in a row no better than their parents
    operator_selection values_only_;  // of children that discard inputs too, and of those that discard values only
    operator_selection forward_;      // of the former: without bringing forward, and with it
    bool hotter_ = false;             // whether the next hot walks are hotter
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/memetic_search.ipp>
#endif

#endif
