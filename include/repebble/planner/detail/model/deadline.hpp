#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_DEADLINE_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_DEADLINE_HPP

#include <algorithm>
#include <optional>

#include <repebble/detail/thread_clock.hpp>

namespace repebble::inline v0::detail {

/// CPU seconds since a search began, of a limit where there is one; and whether the observer wants no more.
template <class Observer>
class deadline {
  public:
    deadline(std::optional<double> limit, Observer& observer) : limit_(limit), observer_(observer) {}

    [[nodiscard]] auto is_cancelled() const -> bool {
        if constexpr (requires { static_cast<bool>(observer_.cancelled()); }) return observer_.cancelled();
        return false;
    }
    /// Whether that share of the limit is over, or the observer wants no more.
    [[nodiscard]] auto is_over(double share) const -> bool {
        return is_cancelled() || (limit_ && seconds() > *limit_ * share);
    }
    /// Whether even a first plan, without which there would be none, takes too long: a second beyond the limit.
    [[nodiscard]] auto is_late() const -> bool { return is_cancelled() || (limit_ && seconds() > *limit_ + 1); }
    /// Of the limit.
    [[nodiscard]] auto left() const -> std::optional<double> {
        return limit_ ? std::optional(std::max(0.0, *limit_ - seconds())) : std::nullopt;
    }
    [[nodiscard]] auto seconds() const -> double { return (thread_clock::now() - begin_).count(); }
    /// Counts those that other threads were busy for.
    void add(double seconds) { begin_ -= thread_clock::duration(seconds); }

  private:
    std::optional<double> limit_;
    Observer& observer_;
    thread_clock::time_point begin_ = thread_clock::now();
};

}  // namespace repebble::inline v0::detail

#endif
