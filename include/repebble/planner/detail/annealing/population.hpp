#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_POPULATION_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_POPULATION_HPP

// The population of the memetic search: sequences of different times, crossover and perturbation. Replacement by
// deterministic crowding (Mahfoud 1992): a child competes with its own parent only, which keeps the members apart.
// Invariant: no two members take the same time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/places_in.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/sequences/crossover.hpp>

namespace repebble::inline v0::detail {

/// Sequences within a budget and their children. A child takes the recomputations of one member, except on an interval
/// of the model's order, where it takes those of another.
class population {
  public:
    explicit population(planning_model const& m) : m_(m), positions_(places_in(m.order, m.operation_count())) {}

    [[nodiscard]] auto size() const noexcept -> std::size_t { return members_.size(); }
    void add(std::vector<operation_index> sequence, std::int64_t time) {
        if (!has(time)) members_.push_back({std::move(sequence), time});
    }

    struct child {
        std::size_t parent;  ///< index of the member that it may replace
        std::vector<operation_index> sequence;
        std::optional<operation_index> tabu{};  ///< operation that runs once less than in the parent, if any
    };
    /// Returns a child of two random members, or a copy of the only one.  Requires: size() > 0.
    [[nodiscard]] auto make_child(split_mix& random) const -> child;
    /// Returns a random member without one recomputation, drawn in proportion to its time, so that other operations
    /// have to be recomputed instead: a perturbation of iterated local search (Lourenço, Martin, Stützle 2003). A copy
    /// where no recomputation takes time.  Requires: size() > 0.
    [[nodiscard]] auto make_perturbed_child(split_mix& random) const -> child;
    /// Replaces the parent by its improved child, where that is faster. Returns whether it does.
    auto replace(std::size_t parent, std::vector<operation_index> sequence, std::int64_t time) -> bool {
        if (time >= members_[parent].time || has(time)) return false;
        members_[parent] = {std::move(sequence), time};
        return true;
    }
    /// Removes all but the fastest member.
    void keep_best() {
        if (members_.empty()) return;
        std::swap(members_.front(), *std::ranges::min_element(members_, {}, &member::time));
        members_.resize(1);
    }

  private:
    struct member {
        std::vector<operation_index> sequence;
        std::int64_t time;
    };
    [[nodiscard]] auto has(std::int64_t time) const -> bool {
        return std::ranges::find(members_, time, &member::time) != members_.end();
    }
    /// Returns the positions in the model's order of operations that one of the two recomputes; all positions where
    /// there are none.
    [[nodiscard]] auto crossover_points(std::vector<operation_index> const& a,
                                        std::vector<operation_index> const& b) const -> std::vector<std::size_t>;

    planning_model const& m_;
    std::vector<std::size_t> positions_;
    std::vector<member> members_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/population.ipp>
#endif

#endif
