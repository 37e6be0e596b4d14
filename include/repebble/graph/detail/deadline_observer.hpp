#ifndef REPEBBLE_GRAPH_DETAIL_DEADLINE_OBSERVER_HPP
#define REPEBBLE_GRAPH_DETAIL_DEADLINE_OBSERVER_HPP

// Cancellation of long searches, without exceptions: an observer with a time limit, which searches ask whether they are
// over. A search that is ends at once with what it has, and the strategy that began it asks whether it was cut short.

#include <concepts>
#include <functional>
#include <optional>

#include <repebble/detail/wall_clock.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/limits.hpp>

namespace repebble::inline v0::detail {

/// The cancellation point of long searches: whether the observer has `is_over()` and says so. From then on it must.
template <class Observer>
[[nodiscard]] auto is_over(Observer& observer) -> bool {
    if constexpr (requires {
                      { observer.is_over() } -> std::convertible_to<bool>;
                  })
        return observer.is_over();
    else
        return false;
}

/// Whether a search with this observer was cut short: what it returned is then of no use.
template <class Observer>
[[nodiscard]] auto was_over(Observer& observer) -> bool {
    if constexpr (requires {
                      { observer.was_over() } -> std::convertible_to<bool>;
                  })
        return observer.was_over();
    else
        return is_over(observer);
}

/// Passes progress on to an observer, and ends a search when the time since the construction reaches the limit or
/// the observer cancels it.
template <class Observer>
class deadline_observer {
  public:
    /// Refers to the observer.  seconds: the limit; none where it is empty.
    deadline_observer(Observer& observer, std::optional<double> seconds)
        : observer_(&observer), seconds_(seconds), begin_(wall_clock::now()) {}
    /// The same with the `seconds` and the `stop` of limits; refers to them.  Throws bad_option where the seconds are
    /// negative or not a number.
    deadline_observer(Observer& observer, limits const& of)
        : observer_(&observer), seconds_(checked_seconds(of)), stop_(&of.stop), begin_(wall_clock::now()) {}

    void progress(double share)
        requires requires(Observer& o) { o.progress(0.5); }
    {
        observer_->progress(share);
    }
    /// Whether the time limit is reached, or `stop`, or the observer's `cancelled()` or `is_over()`, has returned true
    /// once.
    [[nodiscard]] auto is_over() -> bool {
        if constexpr (requires { static_cast<bool>(observer_->cancelled()); }) over_ = over_ || observer_->cancelled();
        over_ = over_ || detail::is_over(*observer_) || (stop_ != nullptr && *stop_ && (*stop_)());
        over_ = over_ || (seconds_ && wall_clock::now() - begin_ >= wall_clock::duration(*seconds_));
        return over_;
    }
    /// Whether `is_over` has ever been true.
    [[nodiscard]] auto was_over() const noexcept -> bool { return over_; }

  private:
    Observer* observer_;
    std::optional<double> seconds_;
    std::function<bool()> const* stop_ = nullptr;
    wall_clock::time_point begin_;
    bool over_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
