#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_BUDGET_LOOKUP_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_BUDGET_LOOKUP_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/galloping_search.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The least overhead that some bytes allow.
template <quantity Time>
class budget_lookup {
  public:
    /// Nothing allows anything.
    budget_lookup() = default;
    /// Of pairs of bytes and an overhead that they allow.  O(n log n), where they are in order O(n).
    explicit budget_lookup(std::vector<std::pair<bytes, Time>> allowed) : steps_(std::move(allowed)) {
        if (!std::is_sorted(steps_.begin(), steps_.end())) std::sort(steps_.data(), steps_.data() + steps_.size());
        std::size_t count = 0;
        for (auto const& step : steps_)
            if (count == 0 || step.second < steps_[count - 1].second) steps_[count++] = step;
        steps_.resize(count);
    }

    /// Nothing where so few bytes allow nothing.  O(log n).
    [[nodiscard]] auto within(bytes budget) const -> std::optional<Time> {
        auto const after =
            std::partition_point(steps_.begin(), steps_.end(), [&](auto const& s) { return s.first <= budget; });
        if (after == steps_.begin()) return std::nullopt;
        return std::prev(after)->second;
    }
    /// The same for budgets that ascend from call to call; `position`, at first 0, says how far it came.
    [[nodiscard]] auto within(bytes budget, std::size_t& position) const -> std::optional<Time> {
        auto const from = steps_.begin() + static_cast<std::ptrdiff_t>(position);
        auto const after = galloping_search(from, steps_.end(), [&](auto const& s) { return s.first <= budget; });
        position = static_cast<std::size_t>(after - steps_.begin());
        if (position == 0) return std::nullopt;
        return std::prev(after)->second;
    }

  private:
    std::vector<std::pair<bytes, Time>> steps_;  // bytes ascending, overheads descending
};

}  // namespace repebble::inline v0::detail

#endif
