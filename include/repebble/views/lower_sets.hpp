#ifndef REPEBBLE_VIEWS_LOWER_SETS_HPP
#define REPEBBLE_VIEWS_LOWER_SETS_HPP

// The enumeration of lower sets of graph/lower_sets/lower_sets.hpp as an input view of range-v3, which takes views
// of the standard library by reference only. Invariant: the enumeration lies in the view, so that a pipeline owns it.

#include <type_traits>
#include <utility>

#include <range/v3/iterator/default_sentinel.hpp>
#include <range/v3/view/facade.hpp>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::views {

/// A single-pass view of range-v3 of all lower sets of a graph; begin() starts anew. A copy costs n² bits.
class lower_set_range : public ranges::view_facade<lower_set_range, ranges::finite> {
  public:
    lower_set_range() = default;
    /// The sets of this enumeration.
    explicit lower_set_range(lower_set_view sets) : sets_(std::move(sets)) {}

  private:
    friend ranges::range_access;

    class cursor {
      public:
        using single_pass = std::true_type;

        cursor() = default;
        explicit cursor(lower_set_view& sets) : at_(sets.begin()) {}

        [[nodiscard]] auto read() const -> vertex_set const& { return *at_; }
        void next() { ++at_; }
        [[nodiscard]] auto equal(ranges::default_sentinel_t) const -> bool { return at_ == std::default_sentinel; }

      private:
        lower_set_view::iterator at_{};
    };

    [[nodiscard]] auto begin_cursor() -> cursor { return cursor(sets_); }
    [[nodiscard]] auto end_cursor() const -> ranges::default_sentinel_t { return {}; }

    lower_set_view sets_{};
};

namespace detail {

struct lower_sets_fn : repebble::detail::takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] auto operator()(Graph const& g) const -> lower_set_range {
        return lower_set_range(repebble::lower_sets(g));
    }
};

}  // namespace detail

/// All lower sets of a graph, from ∅ to V, each once and after all its subsets, as an input view that owns all that it
/// needs. A set is overwritten by the next step.  O(n/64) amortised per set, n² bits.  Throws not_a_dag.
inline constexpr detail::lower_sets_fn lower_sets{};

}  // namespace repebble::inline v0::views

#endif
