#ifndef REPEBBLE_DETAIL_DEADLINE_OBSERVER_HPP
#define REPEBBLE_DETAIL_DEADLINE_OBSERVER_HPP

// Cancellation of long searches: an observer with a time limit, and the exception by which a search unwinds when it is
// over. The functions that own a search catch the exception; no strategy lets it out.

#include <optional>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble::inline v0::detail {

/// Thrown to end a search early; caught by the function that began the search.
struct search_ended {};

/// The cancellation point of long searches: throws search_ended where the observer has `end_if_over()` and its time is
/// over.
template <class Observer>
void end_if_over(Observer& observer) {
    if constexpr (requires { observer.end_if_over(); }) observer.end_if_over();
}

/// Passes progress on to an observer, and ends a search when the CPU time since the construction reaches the limit or
/// the observer cancels it.
template <class Observer>
class deadline_observer {
  public:
    /// Refers to the observer.  seconds: the limit on CPU time of this thread; no limit where it is empty.
    deadline_observer(Observer& observer, std::optional<double> seconds)
        : observer_(&observer), seconds_(seconds), begin_(thread_clock::now()) {}

    void progress(double share)
        requires requires(Observer& o) { o.progress(0.5); }
    {
        observer_->progress(share);
    }
    /// Whether the time limit is reached, or the observer has `cancelled()` and returns true.
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
