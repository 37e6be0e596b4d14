#ifndef REPEBBLE_REPORT_FIND_REASONS_HPP
#define REPEBBLE_REPORT_FIND_REASONS_HPP

// Why a plan brings results back: for each recomputation and each copy in, the steps between which the result is not in
// memory, and the counterfactual on the same schedule: at which of these steps it would pass the budget if it were
// held. Method: one replay with its profile, whose observer records when storages end. `html_page.hpp` tells it to
// people.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>

namespace repebble::inline v0::report {

/// Why one step brings results of an operation back into the device pool.
struct reason {
    std::size_t step = 0;                    ///< runs the operation again, or copies the value in
    action what = action::compute;           ///< compute or prefetch
    operation_index operation = 0;           ///< that runs again, or that made the value
    value_index value = no_value;            ///< the largest of the values that come back; no_value where none was gone
    std::size_t gone_from = 0;               ///< the step with which the first of them left memory
    std::optional<std::size_t> needed_at{};  ///< the first step that reads one afterwards
    bytes saved = 0;                         ///< bytes of all of them
    std::size_t tightest = 0;                ///< of the steps in between, the one with the most bytes if they were held
    bytes if_held = 0;                       ///< so many; 0 where no step is in between
    std::size_t steps_above = 0;             ///< so many steps would be above the budget then,
    std::size_t first_above = 0;             ///< from this one, where there are any,
    std::size_t last_above = 0;              ///< to this one

    friend constexpr auto operator==(reason const&, reason const&) -> bool = default;
};

/// The reasons of a schedule, and the profile that they are judged by.
struct plan_reasons {
    std::vector<reason> reasons{};  ///< in the order of their steps
    std::vector<bytes> profile{};   ///< bytes in the device pool during every step
    friend auto operator==(plan_reasons const&, plan_reasons const&) -> bool = default;
};

namespace detail {

/// Observer of a replay: the steps with which the bytes of values leave the device pool. They leave with their storage,
/// which a view may keep longer than its owner, or when another value is written over them.
class departures {
  public:
    explicit departures(std::size_t value_count) : latest_(value_count, 0) {}

    void allocate(std::size_t, instance i, pool where, bytes);
    void overwrite(std::size_t step, instance now, instance before);
    void release(std::size_t step, instance i, pool where) {
        if (where == pool::device) leave(step, held_by_[i]);
    }

    /// Steps, and the values that leave with them, in the order of steps.
    std::vector<std::pair<std::size_t, value_index>> all{};

  private:
    /// An older computation leaves where a newer one takes its place: then the value stays.
    void leave(std::size_t step, instance i) {
        if (i.computation == latest_[i.value]) all.emplace_back(step, i.value);
    }

    std::vector<std::uint32_t> latest_;       // per value: its last computation
    std::map<instance, instance> held_by_{};  // per instance with which a storage begins: what lies in it now
};

struct find_reasons_fn {
    [[nodiscard]] auto operator()(dataflow const& flow, schedule<> const& plan, bytes budget) const -> plan_reasons;

  private:
    /// For every step that computes or copies in: the first later step that reads a value of it.
    [[nodiscard]] static auto first_readers(dataflow const& flow, schedule<> const& plan)
        -> std::vector<std::optional<std::size_t>>;

    template <class Values, class Gone>
    [[nodiscard]] static auto reason_of(dataflow const& flow, std::vector<bytes> const& profile, bytes budget,
                                        std::size_t i, step<> const& s, Values const& values, Gone const& gone_from,
                                        std::optional<std::size_t> needed) -> reason {
        reason r{.step = i, .what = s.what, .operation = s.vertex, .gone_from = i, .needed_at = needed};
        std::vector<std::pair<std::size_t, bytes>> parts;
        for (auto const value : values) {
            if (!gone_from[value]) continue;
            parts.emplace_back(*gone_from[value], flow.size(value));
            r.gone_from = std::min(r.gone_from, *gone_from[value]);
            r.saved += flow.size(value);
            if (r.value == no_value || flow.size(value) > flow.size(r.value)) r.value = value;
        }
        std::ranges::sort(parts);
        bytes held = 0;
        auto part = parts.begin();
        for (auto k = r.gone_from + 1; k < i; ++k) {
            for (; part != parts.end() && part->first < k; ++part) held += part->second;
            auto const then = checked_add(profile[k], held);
            if (then > r.if_held) r.if_held = then, r.tightest = k;
            if (then <= budget) continue;
            if (r.steps_above++ == 0) r.first_above = k;
            r.last_above = k;
        }
        return r;
    }
};

}  // namespace detail

/// The reasons of a schedule: one for each computation after an operation's first, and for each copy into the device
/// pool. Says what would be if its results had stayed, and all else were as it is: where no step would be above the
/// budget, in bytes, the budget alone does not force that step.
/// O(steps · values per step + Σ steps between a result's departure and its return) time.
/// Throws illegal_schedule where the schedule breaks a rule.
inline constexpr detail::find_reasons_fn find_reasons{};

}  // namespace repebble::inline v0::report

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/report/find_reasons.ipp>
#endif

#endif
