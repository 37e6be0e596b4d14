#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_BUDGET_LOOKUP_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_BUDGET_LOOKUP_HPP

// A step function from bytes to the least overhead that they allow, with binary and galloping search. The bounds that
// one pass of bidirectional_search.hpp leaves for the next.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/galloping_search.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The least overhead within a budget, a descending step function.
class budget_lookup {
  public:
    /// No budget allows any overhead.
    budget_lookup() = default;
    /// From pairs of a budget and an overhead possible within it.  O(n log n); O(n) where they are sorted.
    explicit budget_lookup(std::vector<std::pair<bytes, std::int64_t>> allowed) : steps_(std::move(allowed)) {
        if (!std::is_sorted(steps_.begin(), steps_.end())) std::sort(steps_.data(), steps_.data() + steps_.size());
        std::size_t count = 0;
        for (auto const& step : steps_)
            if (count == 0 || step.second < steps_[count - 1].second) steps_[count++] = step;
        steps_.resize(count);
    }

    /// The least overhead within a budget; nothing where the budget is too small.  O(log n).
    [[nodiscard]] auto within(bytes budget) const -> std::optional<std::int64_t> {
        auto const after =
            std::partition_point(steps_.begin(), steps_.end(), [&](auto const& s) { return s.first <= budget; });
        if (after == steps_.begin()) return std::nullopt;
        return std::prev(after)->second;
    }
    /// The same for budgets that ascend from call to call; `position`, at first 0, is the state of the scan.
    /// O(log skipped).
    [[nodiscard]] auto within(bytes budget, std::size_t& position) const -> std::optional<std::int64_t> {
        auto const from = steps_.begin() + static_cast<std::ptrdiff_t>(position);
        auto const after = galloping_search(from, steps_.end(), [&](auto const& s) { return s.first <= budget; });
        position = static_cast<std::size_t>(after - steps_.begin());
        if (position == 0) return std::nullopt;
        return std::prev(after)->second;
    }

  private:
    std::vector<std::pair<bytes, std::int64_t>> steps_;  // bytes ascending, overheads descending
};

}  // namespace repebble::inline v0::detail

#endif
