#ifndef REPEBBLE_PLANNER_DETAIL_MODEL_INCUMBENT_HPP
#define REPEBBLE_PLANNER_DETAIL_MODEL_INCUMBENT_HPP

// The best sequence and the best lower bound so far: what every technique improves, and what ends the search.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/profile.hpp>

namespace repebble::inline v0::detail {

/// A sequence of computations, and the name of what found it.
struct candidate {
    char const* name;
    std::vector<operation_index> computations;
};

/// Whether a time is good enough: within a share of the least that is possible. The largest of all, which stands for
/// none, is not.
struct good_time {
    std::int64_t least = 0;
    double gap = 0;

    [[nodiscard]] auto operator()(std::int64_t time) const noexcept -> bool {
        if (time == std::numeric_limits<std::int64_t>::max()) return false;
        return static_cast<double>(time - least) <= static_cast<double>(least) * gap;
    }
};

/// The fastest sequence within a budget so far, and the lower bound; the listener hears of each improvement, the
/// profile counts it.
class incumbent {
  public:
    /// `gap`: share of the least time above which no faster sequence is wanted.
    incumbent(planning_model const& m, bytes budget, double gap, listener const& hears, profile& counts)
        : time_once_(m.time_once), budget_(budget), gap_(gap), hears_(hears), counts_(counts) {}

    void consider(char const* name, bytes peak, std::int64_t time, std::vector<operation_index> const& computations) {
        if (peak > budget_ || time >= time_) return;
        time_ = time;
        found_.push_back({name, computations});
        found_by_ = counts_.now();
        counts_.note_plan();
        tell(time);
    }
    void raise_bound(std::int64_t bound) {
        if (bound <= lower_bound_) return;
        counts_.note_bound(bound - lower_bound_);
        lower_bound_ = bound;
    }
    /// Tells that there is a sequence within the budget that takes so long.
    void tell(std::int64_t time) {
        if (time >= told_) return;
        told_ = time;
        hears_.improved(time - time_once_, lower_bound_);
    }

    [[nodiscard]] auto best() const noexcept -> candidate const* { return found_.empty() ? nullptr : &found_.back(); }
    /// The technique that found the best.
    [[nodiscard]] auto found_by() const noexcept -> technique { return found_by_; }
    /// All that were the best once, the fastest last.
    [[nodiscard]] auto found() const noexcept -> std::vector<candidate> const& { return found_; }
    /// Of the best; more than any is allowed where there is none.
    [[nodiscard]] auto time() const noexcept -> std::int64_t { return time_; }
    /// Times above everything once.
    [[nodiscard]] auto overhead() const noexcept -> std::int64_t { return time_ - time_once_; }
    [[nodiscard]] auto lower_bound() const noexcept -> std::int64_t { return lower_bound_; }
    /// By what is known of the least.
    [[nodiscard]] auto enough() const noexcept -> good_time { return {time_once_ + lower_bound_, gap_}; }
    /// Whether no less is wanted.
    [[nodiscard]] auto is_enough(std::int64_t time) const noexcept -> bool { return enough()(time); }

  private:
    std::int64_t time_once_;
    bytes budget_;
    double gap_;
    listener const& hears_;
    profile& counts_;
    technique found_by_ = technique::no_recomputation;
    std::vector<candidate> found_;
    std::int64_t time_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t told_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t lower_bound_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
