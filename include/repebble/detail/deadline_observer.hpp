#ifndef REPEBBLE_DETAIL_DEADLINE_OBSERVER_HPP
#define REPEBBLE_DETAIL_DEADLINE_OBSERVER_HPP

#include <optional>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble::inline v0::detail {

/// Thrown out of a search that is over before its end; never out of a strategy.
struct search_ended {};

/// Called often by long searches: throws search_ended where the observer has `end_if_over` and that says so.
template <class Observer>
void end_if_over(Observer& observer) {
    if constexpr (requires { observer.end_if_over(); }) observer.end_if_over();
}

/// An observer, and a limit on CPU time from here on, which end a search.
template <class Observer>
class deadline_observer {
  public:
    /// Refers to the observer.
    deadline_observer(Observer& observer, std::optional<double> seconds)
        : observer_(&observer), seconds_(seconds), begin_(thread_clock::now()) {}

    void progress(double share)
        requires requires(Observer& o) { o.progress(0.5); }
    {
        observer_->progress(share);
    }
    /// Whether the time is over, or the observer has `cancelled()` and that says so.
    [[nodiscard]] auto is_over() -> bool {
        if constexpr (requires { static_cast<bool>(observer_->cancelled()); })
            if (observer_->cancelled()) return true;
        return seconds_ && thread_clock::now() - begin_ >= thread_clock::duration(*seconds_);
    }
    void end_if_over() {
        if (is_over()) detail::raise(search_ended{});
    }

  private:
    Observer* observer_;
    std::optional<double> seconds_;
    thread_clock::time_point begin_;
};

}  // namespace repebble::inline v0::detail

#endif
