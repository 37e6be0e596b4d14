#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_INTERNED_SETS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_INTERNED_SETS_HPP

// Interning of sets of claimed values: label_setting and segment_arcs compare states by number instead of by list.

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Stores sets of claimed values (see `segment_replay`) once each, by number; 0 is the empty set.
class interned_sets {
  public:
    using id = std::uint32_t;

    interned_sets() { find({}, 0); }

    /// Returns the number of an ascending list of values whose sizes sum to `total`.
    auto find(std::vector<value_index> const& claims, bytes total) -> id {
        auto const [at, is_new] = ids_.try_emplace(claims, static_cast<id>(claims_.size()));
        if (is_new) claims_.emplace_back(&at->first, total);
        return at->second;
    }
    [[nodiscard]] auto values(id claims) const -> std::vector<value_index> const& { return *claims_[claims].first; }
    [[nodiscard]] auto total(id claims) const -> bytes { return claims_[claims].second; }

  private:
    std::map<std::vector<value_index>, id> ids_;
    std::vector<std::pair<std::vector<value_index> const*, bytes>> claims_;
};

}  // namespace repebble::inline v0::detail

#endif
