#ifndef REPEBBLE_DETAIL_PACED_STOP_HPP
#define REPEBBLE_DETAIL_PACED_STOP_HPP

// Asks whether a search is over, which may read a clock, only once for some ten thousand units of work: where single
// steps take from some nanoseconds to seconds, as in lists of lower sets and in the orders of least peak.

#include <cstddef>

namespace repebble::inline v0::detail {

/// Stop: returns whether the search is over.
template <class Stop>
class paced_stop {
  public:
    /// Refers to `stop`.
    constexpr explicit paced_stop(Stop& stop) : stop_(&stop) {}

    /// Whether the search is over, after so much more work: words or operations that were looked at.
    constexpr auto after(std::size_t work) -> bool {
        done_ += work;
        return done_ < pace ? over_ : now();
    }
    /// Asks at once, as before a maximum flow.
    constexpr auto now() -> bool {
        done_ = 0;
        over_ = over_ || (*stop_)();
        return over_;
    }

  private:
    static constexpr std::size_t pace = 20'000;

    Stop* stop_;
    std::size_t done_ = 0;
    bool over_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
