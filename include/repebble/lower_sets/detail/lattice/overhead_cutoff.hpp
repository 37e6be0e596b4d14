#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_OVERHEAD_CUTOFF_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_OVERHEAD_CUTOFF_HPP

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The overhead beyond which nothing is of use, by the bytes that it needs: of sequences that need so many bytes, some
/// are known that have no more.
template <quantity Time>
class overhead_cutoff {
  public:
    /// `most` for everything within the budget.
    explicit overhead_cutoff(Time most, bytes budget = std::numeric_limits<bytes>::max())
        : most_(most), budget_(budget) {}

    /// With so many bytes or more, that much overhead is enough. To be told from many bytes to few.
    void learn(bytes budget, Time enough) {
        if (enough < most_) known_.emplace_back(budget, enough);
    }

    /// Whether something of that overhead, which needs so many bytes at least, may be of use.
    [[nodiscard]] auto admits(bytes needed, Time overhead) const -> bool {
        if (needed > budget_) return false;
        auto const at =
            std::partition_point(known_.begin(), known_.end(), [&](auto const& k) { return k.first > needed; });
        return overhead <= (at == known_.end() ? most_ : at->second);
    }
    [[nodiscard]] auto most() const noexcept -> Time { return most_; }
    [[nodiscard]] auto budget() const noexcept -> bytes { return budget_; }

  private:
    Time most_;
    bytes budget_;
    std::vector<std::pair<bytes, Time>> known_;  // bytes descending, overheads ascending
};

}  // namespace repebble::inline v0::detail

#endif
