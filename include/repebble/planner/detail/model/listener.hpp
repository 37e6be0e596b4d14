#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_LISTENER_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_LISTENER_HPP

// The caller's observer behind function pointers, so that the planner is compiled once whatever its type. It is called
// on the calling thread only.

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include <repebble/graph/no_progress.hpp>
#include <repebble/planner/technique.hpp>

namespace repebble::inline v0::detail {

/// Hears of a search: has at least one of the members that are called, or is the one that hears nothing.
template <class Observer>
concept planning_observer =
    std::same_as<std::remove_cvref_t<Observer>, no_progress> || requires(Observer& o) { o.progress(double{}); } ||
    requires(Observer& o) { o.improved(std::int64_t{}, std::int64_t{}); } ||
    requires(Observer& o) { o.report(technique_report{}); };

/// Calls the members that an observer has; those that it lacks do nothing. Refers to the observer.
class listener {
  public:
    listener() = default;
    template <class Observer>
        requires(!std::same_as<std::remove_const_t<Observer>, listener>)
    explicit listener(Observer& observer)
        : observer_(const_cast<void*>(static_cast<void const*>(std::addressof(observer)))) {
        if constexpr (requires { observer.progress(double{}); })
            progress_ = [](void* o, double share) { static_cast<Observer*>(o)->progress(share); };
        if constexpr (requires { observer.improved(std::int64_t{}, std::int64_t{}); })
            improved_ = [](void* o, std::int64_t overhead, std::int64_t lower_bound) {
                static_cast<Observer*>(o)->improved(overhead, lower_bound);
            };
        if constexpr (requires { observer.report(technique_report{}); })
            report_ = [](void* o, technique_report const& r) { static_cast<Observer*>(o)->report(r); };
        if constexpr (requires { static_cast<bool>(observer.cancelled()); })
            cancelled_ = [](void* o) -> bool { return static_cast<Observer*>(o)->cancelled(); };
    }

    /// Hears the share of the work that is done.
    void progress(double share) const {
        if (progress_ != nullptr) progress_(observer_, share);
    }
    /// Hears of a better plan, by its overhead, and of the lower bound, in whole time units.
    void improved(std::int64_t overhead, std::int64_t lower_bound) const {
        if (improved_ != nullptr) improved_(observer_, overhead, lower_bound);
    }
    /// The same, and `stop`, where it is not empty, ends the search. Refers to it.
    [[nodiscard]] auto with_stop(std::function<bool()> const& stop) const -> listener {
        auto copy = *this;
        copy.stop_ = stop ? &stop : nullptr;
        return copy;
    }
    /// Whether the search is to end with the best plan so far: from the first time that `stop` or the observer says so.
    [[nodiscard]] auto cancelled() const -> bool {
        is_cancelled_ =
            is_cancelled_ || (stop_ != nullptr && (*stop_)()) || (cancelled_ != nullptr && cancelled_(observer_));
        return is_cancelled_;
    }
    /// Hears at the end of every technique that was used.
    void report(technique_report const& r) const {
        if (report_ != nullptr) report_(observer_, r);
    }
    [[nodiscard]] auto wants_reports() const noexcept -> bool { return report_ != nullptr; }

  private:
    void* observer_ = nullptr;
    void (*progress_)(void*, double) = nullptr;
    void (*improved_)(void*, std::int64_t, std::int64_t) = nullptr;
    std::function<bool()> const* stop_ = nullptr;
    void (*report_)(void*, technique_report const&) = nullptr;
    bool (*cancelled_)(void*) = nullptr;
    mutable bool is_cancelled_ = false;
};

/// Passes on progress and cancellation only: not the figures of plans that are none of the caller's.
struct quiet_observer {
    listener const& hears;
    void progress(double share) const { hears.progress(share); }
    [[nodiscard]] auto cancelled() const -> bool { return hears.cancelled(); }
};
/// Passes on reports, too.
struct reporting_observer : quiet_observer {
    void report(technique_report const& r) const { hears.report(r); }
};

}  // namespace repebble::inline v0::detail

#endif
