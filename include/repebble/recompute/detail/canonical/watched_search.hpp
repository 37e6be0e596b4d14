#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_WATCHED_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_WATCHED_SEARCH_HPP

// The observer of the searches of lower sets: their limits, and the progress that the caller hears of.

#include <cstddef>
#include <functional>

#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/lower_sets/lower_set_limit.hpp>
#include <repebble/recompute/detail/within_budget.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>

namespace repebble::inline v0::detail {

/// Options of `lower_set_plan`, and its budget.
using lower_set_request = within_budget<lower_set_plan_options>;

/// The greatest number of lower sets of n vertices in a search.
[[nodiscard]] inline auto most_lower_sets(lower_set_request const& options, std::size_t n) -> std::size_t {
    return options.limits.work.value_or(default_lower_sets(n));
}

/// Ends a search at its limits, and passes on its progress. Refers to both.
class watched_search {
  public:
    watched_search(limits const& of, std::function<void(double)> const& progress) : limits_(of), progress_(&progress) {}

    void progress(double share) const {
        if (*progress_) (*progress_)(share);
    }
    /// Whether a limit is reached.
    [[nodiscard]] auto is_over() -> bool { return limits_.is_over(); }
    /// Whether `is_over` has ever been true.
    [[nodiscard]] auto was_over() const noexcept -> bool { return limits_.was_over(); }

  private:
    limit_test limits_;
    std::function<void(double)> const* progress_;
};

}  // namespace repebble::inline v0::detail

#endif
