#ifndef REPEBBLE_GRAPH_DETAIL_SHARED_LIMIT_HPP
#define REPEBBLE_GRAPH_DETAIL_SHARED_LIMIT_HPP

// The limits of a search of several threads: the question of the caller is asked by the caller's thread alone.

#include <atomic>
#include <thread>

#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/limits.hpp>

namespace repebble::inline v0::detail {

/// As `limit_test`, for several threads: those that the caller's thread starts see its last answer.
class shared_limit {
  public:
    /// Refers to the limits.  Throws bad_option where the seconds are negative or not a number.
    explicit shared_limit(limits const& of) : limit_(of) {}

    [[nodiscard]] auto operator()() -> bool {
        if (std::this_thread::get_id() == caller_ && limit_()) over_ = true;
        return over_;
    }

  private:
    limit_test limit_;
    std::thread::id caller_ = std::this_thread::get_id();
    std::atomic<bool> over_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
