#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_POPULATION_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_POPULATION_IPP

#include <repebble/planner/detail/annealing/population.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto population::make_child(split_mix& random) const -> child {
    auto const one = random.below(size());
    if (size() == 1 || m_.without.contains(technique::crossover)) return {one, members_[one].sequence};
    auto const other = (one + 1 + random.below(size() - 1)) % size();
    auto const& a = members_[one].sequence;
    auto const& b = members_[other].sequence;
    auto const places = crossover_points(a, b);
    auto first = places[random.below(places.size())], last = places[random.below(places.size())];
    if (first > last) std::swap(first, last);
    auto const from_other = [&](operation_index v) { return positions_[v] >= first && positions_[v] <= last; };
    return {one, crossover(m_, a, b, from_other)};
}

REPEBBLE_INLINE auto population::make_perturbed_child(split_mix& random) const -> child {
    auto const one = random.below(size());
    child made{one, members_[one].sequence};
    std::vector<bool> ran(m_.operation_count(), false);
    std::vector<std::pair<double, std::size_t>> repeats;  // cumulated time, and step
    double time = 0;
    for (std::size_t k = 0; k < made.sequence.size(); ++k) {
        auto const v = made.sequence[k];
        if (ran[v] && m_.operations[v].time > 0)
            repeats.emplace_back(time += static_cast<double>(m_.operations[v].time), k);
        ran[v] = true;
    }
    auto const drawn = random.fraction() * time;
    auto const at = std::ranges::find_if(repeats, [&](auto const& a) { return a.first > drawn; });
    if (at == repeats.end()) return made;  // no recomputation takes time
    made.tabu = made.sequence[at->second];
    made.sequence.erase(made.sequence.begin() + static_cast<std::ptrdiff_t>(at->second));
    return made;
}

REPEBBLE_INLINE auto population::crossover_points(std::vector<operation_index> const& a,
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

}  // namespace repebble::inline v0::detail

#endif
