#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_POPULATION_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_POPULATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/sequences/crossover.hpp>

namespace repebble::inline v0::detail {

/// Sequences of sequence within a budget, no two of which take the same time, and children of theirs: each runs
/// again what one of them does, but on a part of the model's order what another does. A child that has been made to fit
/// takes the place of the one where it is faster, so that all go on for themselves, with what they get from others
/// (deterministic crowding, Mahfoud 1992).
class population {
  public:
    explicit population(planning_model const& m) : m_(m), positions_(order_positions(m)) {}

    [[nodiscard]] auto size() const noexcept -> std::size_t { return members_.size(); }
    void add(std::vector<operation_index> sequence, std::int64_t time) {
        if (!has(time)) members_.push_back({std::move(sequence), time});
    }

    struct child {
        std::size_t parent;  ///< whose place it may take
        std::vector<operation_index> sequence;
        std::optional<operation_index> tabu{};  ///< what runs once less than in the parent, if anything does
    };
    /// Of two members, or a copy of the only one.  Requires: size() > 0.
    [[nodiscard]] auto make_child(split_mix& random) const -> child {
        auto const one = random.below(size());
        if (size() == 1) return {one, members_[one].sequence};
        auto const other = (one + 1 + random.below(size() - 1)) % size();
        auto const& a = members_[one].sequence;
        auto const& b = members_[other].sequence;
        auto const places = crossover_points(a, b);
        auto first = places[random.below(places.size())], last = places[random.below(places.size())];
        if (first > last) std::swap(first, last);
        auto const from_other = [&](operation_index v) { return positions_[v] >= first && positions_[v] <= last; };
        return {one, crossover(m_, a, b, from_other)};
    }
    /// A member without one computation of an operation that it runs before, drawn by the time that it takes: mostly of
    /// what costs much, so that others have to run again instead (a kick of iterated local search; Lourenço, Martin,
    /// Stützle 2003). A copy where nothing that takes time runs repeats.  Requires: size() > 0.
    [[nodiscard]] auto make_perturbed_child(split_mix& random) const -> child {
        auto const one = random.below(size());
        child made{one, members_[one].sequence};
        std::vector<bool> ran(m_.operation_count(), false);
        std::vector<std::pair<double, std::size_t>> repeats;  // time until then, and where it is
        double time = 0;
        for (std::size_t k = 0; k < made.sequence.size(); ++k) {
            auto const v = made.sequence[k];
            if (ran[v] && m_.operations[v].time > 0)
                repeats.emplace_back(time += static_cast<double>(m_.operations[v].time), k);
            ran[v] = true;
        }
        auto const drawn = random.fraction() * time;
        auto const at = std::ranges::find_if(repeats, [&](auto const& a) { return a.first > drawn; });
        if (at == repeats.end()) return made;  // there is none
        made.tabu = made.sequence[at->second];
        made.sequence.erase(made.sequence.begin() + static_cast<std::ptrdiff_t>(at->second));
        return made;
    }
    /// What a child became: takes its parent's place, where it is faster. Returns whether it does.
    auto replace(std::size_t parent, std::vector<operation_index> sequence, std::int64_t time) -> bool {
        if (time >= members_[parent].time || has(time)) return false;
        members_[parent] = {std::move(sequence), time};
        return true;
    }
    /// All but the fastest go.
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
    /// Where the model's order has operations that one of them runs repeats, or all of it.
    [[nodiscard]] auto crossover_points(std::vector<operation_index> const& a,
                                        std::vector<operation_index> const& b) const -> std::vector<std::size_t> {
        std::vector<std::uint32_t> most(m_.operation_count(), 0);
        for (auto const* sequence : {&a, &b}) {
            std::vector<std::uint32_t> runs(m_.operation_count(), 0);
            for (auto const v : *sequence) most[v] = std::max(most[v], ++runs[v]);
        }
        std::vector<std::size_t> places;
        for (auto const v : m_.order)
            if (most[v] > 1) places.push_back(positions_[v]);
        return places.empty() ? positions_ : places;
    }

    planning_model const& m_;
    std::vector<std::size_t> positions_;
    std::vector<member> members_;
};

}  // namespace repebble::inline v0::detail

#endif
