#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_PROFILE_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_PROFILE_HPP

// Which technique is at work, what it brought and what it cost (as CaDiCaL's profile.hpp): one technique at a time;
// what begins within another is not counted for that, and what no technique does (arenas of plans, plans of other
// budgets) for none.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <repebble/detail/thread_clock.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/technique.hpp>

namespace repebble::inline v0::detail {

class profile {
  public:
    profile() {
        for (std::size_t k = 0; k < technique_count; ++k) reports_[k].what = static_cast<technique>(k);
    }

    /// Counts time, plans and bounds for a technique as long as it lives; then for the one before again.
    class scope {
      public:
        scope(profile& all, technique what) : all_(all), before_(all.now_) { all_.change(what); }
        scope(scope const&) = delete;
        auto operator=(scope const&) -> scope& = delete;
        ~scope() { all_.change(before_); }

      private:
        profile& all_;
        technique before_;
    };

    void note_plan() noexcept { ++here().plans; }
    void note_bound(std::int64_t raised) noexcept {
        ++here().bounds;
        here().bound_raised += raised;
    }
    [[nodiscard]] auto now() const noexcept -> technique { return now_; }
    [[nodiscard]] auto operator[](technique t) noexcept -> technique_report& {
        return reports_[static_cast<std::size_t>(t)];
    }

    /// Tells of every technique that was used.
    void tell(listener const& hears, technique_set without) const {
        for (auto const& r : std::span(reports_).first(technique_count))
            if (!without.contains(r.what) && (r.seconds > 0 || r.plans > 0 || r.bounds > 0)) hears.report(r);
    }

  private:
    static constexpr auto none = static_cast<technique>(technique_count);

    [[nodiscard]] auto here() noexcept -> technique_report& { return (*this)[now_]; }
    void change(technique next) {
        auto const time = thread_clock::now();
        here().seconds += (time - since_).count();
        since_ = time;
        now_ = next;
    }

    std::array<technique_report, technique_count + 1> reports_{};  // the last one's: no technique's
    technique now_ = none;
    thread_clock::time_point since_ = thread_clock::now();
};

}  // namespace repebble::inline v0::detail

#endif
