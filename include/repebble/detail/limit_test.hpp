#ifndef REPEBBLE_DETAIL_LIMIT_TEST_HPP
#define REPEBBLE_DETAIL_LIMIT_TEST_HPP

// Whether the limits of a search (graph/limits.hpp) have ended it: its seconds, and the question that its caller asks.
// Serves as a stop test and as an observer of long searches (deadline_observer.hpp). Work is counted by the search.

#include <functional>
#include <optional>

#include <repebble/detail/wall_clock.hpp>

namespace repebble::inline v0::detail {

/// Counts the seconds of limits from its construction on, and asks their question.
class limit_test {
  public:
    /// Refers to the limits.
    template <class Limits>
        requires requires(Limits const& of) {
            of.seconds;
            of.stop;
        }
    explicit limit_test(Limits const& of)
        : seconds_(of.seconds), stop_(of.stop ? &of.stop : nullptr), begin_(wall_clock::now()) {}

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
