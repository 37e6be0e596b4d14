#ifndef REPEBBLE_GRAPH_DETAIL_LIMIT_TEST_HPP
#define REPEBBLE_GRAPH_DETAIL_LIMIT_TEST_HPP

// Whether the limits of a search (graph/limits.hpp) have ended it: its seconds, and the question that its caller asks.
// Serves as a stop test and as an observer of long searches (deadline_observer.hpp). Work is counted by the search.

#include <functional>
#include <optional>

#include <repebble/detail/wall_clock.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/limits.hpp>

namespace repebble::inline v0::detail {

/// The seconds of limits.  Throws bad_option, naming them, where they are negative or not a number.
[[nodiscard]] inline auto checked_seconds(limits const& of) -> std::optional<double> {
    if (of.seconds) check_option("a time limit", *of.seconds);
    return of.seconds;
}

/// Counts the seconds of limits from its construction on, and asks their question.
class limit_test {
  public:
    /// Refers to the limits.  Throws bad_option where the seconds are negative or not a number.
    explicit limit_test(limits const& of)
        : seconds_(checked_seconds(of)), stop_(of.stop ? &of.stop : nullptr), begin_(wall_clock::now()) {}

    /// Whether the seconds are over or the question was answered with true once.
    [[nodiscard]] auto is_over() -> bool {
        over_ = over_ || (stop_ && (*stop_)()) ||
                (seconds_ && wall_clock::now() - begin_ >= wall_clock::duration(*seconds_));
        return over_;
    }
    [[nodiscard]] auto operator()() -> bool { return is_over(); }
    /// Whether `is_over` has ever been true.
    [[nodiscard]] auto was_over() const noexcept -> bool { return over_; }

  private:
    std::optional<double> seconds_;
    std::function<bool()> const* stop_;
    wall_clock::time_point begin_;
    bool over_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
