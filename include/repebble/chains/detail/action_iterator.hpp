#ifndef REPEBBLE_CHAINS_DETAIL_ACTION_ITERATOR_HPP
#define REPEBBLE_CHAINS_DETAIL_ACTION_ITERATOR_HPP

// The single-pass iterator of lazy ranges of actions, which all reversals of chains of equal steps share.

#include <cstddef>
#include <iterator>

namespace repebble::inline v0::detail {

/// An input iterator over the actions of `Range`, which has current(), advance() and is_over() for it.
template <class Range, class Action>
class action_iterator {
  public:
    using value_type = Action;
    using difference_type = std::ptrdiff_t;

    constexpr action_iterator() = default;
    constexpr explicit action_iterator(Range& of) : of_(&of) {}
    [[nodiscard]] constexpr auto operator*() const noexcept -> Action const& { return of_->current(); }
    constexpr auto operator++() -> action_iterator& {
        of_->advance();
        return *this;
    }
    constexpr void operator++(int) { of_->advance(); }
    [[nodiscard]] constexpr auto operator==(std::default_sentinel_t) const noexcept -> bool { return of_->is_over(); }

  private:
    Range* of_ = nullptr;
};

}  // namespace repebble::inline v0::detail

#endif
