#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SUPERSET_SOURCE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SUPERSET_SOURCE_HPP

// The lower sets that a canonical search goes through, all of a graph or a family: one type, so that the search is
// compiled once for both. Used by segment_arcs and canonical_search.

#include <cstddef>

#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/superset_walk.hpp>

namespace repebble::inline v0::detail {

/// Refers to `all_supersets` or to `family_supersets`, whose members these are.
class superset_source {
  public:
    explicit superset_source(all_supersets const& sets) : all_(&sets) {}
    explicit superset_source(family_supersets const& sets) : family_(&sets) {}

    [[nodiscard]] auto size() const -> std::size_t { return all_ ? all_->size() : family_->size(); }
    [[nodiscard]] auto operator[](std::size_t i) const -> typename all_supersets::word const* {
        return all_ ? (*all_)[i] : (*family_)[i];
    }
    template <class State, class MayExtend, class Visit>
    void for_each_above(std::size_t i, State& state, MayExtend const& may_extend, Visit const& visit) const {
        if (all_)
            all_->for_each_above(i, state, may_extend, visit);
        else
            family_->for_each_above(i, state, may_extend, visit);
    }

  private:
    all_supersets const* all_ = nullptr;
    family_supersets const* family_ = nullptr;
};

}  // namespace repebble::inline v0::detail

#endif
