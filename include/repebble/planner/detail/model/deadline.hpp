#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_DEADLINE_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_DEADLINE_HPP

// The time limit of a search, and its cancellation.

#include <algorithm>
#include <optional>

#include <repebble/detail/wall_clock.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/planner/detail/model/listener.hpp>

namespace repebble::inline v0::detail {

/// Seconds since a search began, of a limit where there is one; and whether the caller cancelled it.
class deadline {
  public:
    /// `limit`: of a part of the caller's seconds. A first plan may take a second more.
    deadline(std::optional<double> limit, listener const& hears) : deadline(limit, hears, 1) {}
    /// The deadline of a whole call.
    [[nodiscard]] static auto of_call(std::optional<double> limit, listener const& hears) -> deadline {
        return {limit, hears, grace_of(limit.value_or(0))};
    }

    /// Whether that share of the limit is over, or the search is cancelled.
    [[nodiscard]] auto is_over(double share) const -> bool {
        return hears_.cancelled() || (limit_ && seconds() > *limit_ * share);
    }
    /// True where even a first plan, without which there would be none, comes too late if it takes `more` seconds:
    /// later than the limit by more than the grace.
    [[nodiscard]] auto is_late(double more = 0) const -> bool {
        return hears_.cancelled() || (limit_ && seconds() + more > *limit_ + grace_);
    }
    /// Seconds that are left of the limit, where there is one.
    [[nodiscard]] auto left() const -> std::optional<double> {
        return limit_ ? std::optional(std::max(0.0, *limit_ - seconds())) : std::nullopt;
    }
    /// Limits of another solver: that share of the seconds that are left, and the cancellation. Refers to the listener.
    [[nodiscard]] auto limits(double share) const -> repebble::limits {
        auto seconds = left();
        if (seconds) *seconds *= share;
        return {.seconds = seconds, .stop = [&hears = hears_] { return hears.cancelled(); }};
    }
    /// The share of the limit that is over; 0 without a limit.
    [[nodiscard]] auto share() const -> double {
        return limit_ && *limit_ > 0 ? std::min(1.0, seconds() / *limit_) : 0;
    }
    [[nodiscard]] auto seconds() const -> double { return (wall_clock::now() - begin_).count(); }

  private:
    deadline(std::optional<double> limit, listener const& hears, double grace)
        : limit_(limit), hears_(hears), grace_(grace) {}

    std::optional<double> limit_;
    listener const& hears_;
    double grace_;
    wall_clock::time_point begin_ = wall_clock::now();
};

}  // namespace repebble::inline v0::detail

#endif
