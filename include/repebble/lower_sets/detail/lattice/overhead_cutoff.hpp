#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_OVERHEAD_CUTOFF_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_OVERHEAD_CUTOFF_HPP

// The pruning rule of the search for blocks: the overhead of known sequences as a step function of bytes. Blocks that
// need as many bytes and have more overhead are dominated. Used by irreducible_blocks.hpp and its callers.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// An upper limit on useful overheads, by bytes needed: the least overhead of the known sequences within these bytes.
class overhead_cutoff {
  public:
    /// The limit is `most` within the budget.
    explicit overhead_cutoff(std::int64_t most, bytes budget = std::numeric_limits<bytes>::max())
        : most_(most), budget_(budget) {}

    /// Lowers the limit to `enough` from `budget` bytes on.  Requires: calls with descending budgets.
    void learn(bytes budget, std::int64_t enough) {
        if (enough < most_) known_.emplace_back(budget, enough);
    }

    /// Whether a block of this overhead, which needs at least so many bytes, may be in a useful sequence.  O(log
    /// points).
    [[nodiscard]] auto admits(bytes needed, std::int64_t overhead) const -> bool {
        if (needed > budget_) return false;
        auto const at =
            std::partition_point(known_.begin(), known_.end(), [&](auto const& k) { return k.first > needed; });
        return overhead <= (at == known_.end() ? most_ : at->second);
    }
    [[nodiscard]] auto most() const noexcept -> std::int64_t { return most_; }
    [[nodiscard]] auto budget() const noexcept -> bytes { return budget_; }

  private:
    std::int64_t most_;
    bytes budget_;
    std::vector<std::pair<bytes, std::int64_t>> known_;  // bytes descending, overheads ascending
};

}  // namespace repebble::inline v0::detail

#endif
