#ifndef REPEBBLE_RECOMPUTE_SEQUENCE_POPULATION_HPP
#define REPEBBLE_RECOMPUTE_SEQUENCE_POPULATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/random_source.hpp>
#include <repebble/recompute/crossed_sequence.hpp>
#include <repebble/recompute/search_model.hpp>

namespace repebble::detail {

/// Sequences of computations within a budget, no two of which take the same time, and children of theirs: each runs
/// again what one of them does, but on a part of the model's order what another does. A child that has been made to fit
/// takes the place of the one where it is faster, so that all go on for themselves, with what they get from others
/// (deterministic crowding, Mahfoud 1992).
class sequence_population {
  public:
    explicit sequence_population(search_model const& m) : m_(m), positions_(order_positions(m)) {}

    [[nodiscard]] auto size() const noexcept -> std::size_t { return members_.size(); }
    void add(std::vector<operation_index> computations, std::int64_t time) {
        if (!has(time)) members_.push_back({std::move(computations), time});
    }

    struct child {
        std::size_t parent;  ///< whose place it may take
        std::vector<operation_index> computations;
    };
    /// Of two members, or a copy of the only one.  Requires: size() > 0.
    [[nodiscard]] auto make_child(random_source& random) const -> child {
        auto const one = random.below(size());
        if (size() == 1) return {one, members_[one].computations};
        auto const other = (one + 1 + random.below(size() - 1)) % size();
        auto const& a = members_[one].computations;
        auto const& b = members_[other].computations;
        auto const places = telling_places(a, b);
        auto first = places[random.below(places.size())], last = places[random.below(places.size())];
        if (first > last) std::swap(first, last);
        auto const from_other = [&](operation_index v) { return positions_[v] >= first && positions_[v] <= last; };
        return {one, crossed_sequence(m_, a, b, from_other)};
    }
    /// What a child became: takes its parent's place, where it is faster. Returns whether it does.
    auto take(std::size_t parent, std::vector<operation_index> computations, std::int64_t time) -> bool {
        if (time >= members_[parent].time || has(time)) return false;
        members_[parent] = {std::move(computations), time};
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
        std::vector<operation_index> computations;
        std::int64_t time;
    };
    [[nodiscard]] auto has(std::int64_t time) const -> bool {
        return std::ranges::find(members_, time, &member::time) != members_.end();
    }
    /// Where the model's order has operations that one of them runs again, or all of it.
    [[nodiscard]] auto telling_places(std::vector<operation_index> const& a,
                                      std::vector<operation_index> const& b) const -> std::vector<std::size_t> {
        std::vector<std::uint32_t> most(m_.operation_count(), 0);
        for (auto const* computations : {&a, &b}) {
            std::vector<std::uint32_t> runs(m_.operation_count(), 0);
            for (auto const v : *computations) most[v] = std::max(most[v], ++runs[v]);
        }
        std::vector<std::size_t> places;
        for (auto const v : m_.order)
            if (most[v] > 1) places.push_back(positions_[v]);
        return places.empty() ? positions_ : places;
    }

    search_model const& m_;
    std::vector<std::size_t> positions_;
    std::vector<member> members_;
};

}  // namespace repebble::detail

#endif
