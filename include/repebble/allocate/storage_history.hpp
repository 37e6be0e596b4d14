#ifndef REPEBBLE_ALLOCATE_STORAGE_HISTORY_HPP
#define REPEBBLE_ALLOCATE_STORAGE_HISTORY_HPP

// Def-use analysis of storages: one replay of a schedule that records which storages it makes, which instances stay in
// each of them and which steps read them. `write_in_place` reads the last uses from it.
// Invariant: stays and storages are numbered in the order in which they begin; a value written over another, in place
// or by a mutation, gets a storage number of its own.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>

namespace repebble::inline v0 {

/// A maximal interval of steps during which an instance is resident in the device pool.
struct device_stay {
    instance what{};        ///< the value and its computation
    std::size_t begin = 0;  ///< the step that computes or prefetches it
    std::size_t end = 0;    ///< the step that ends it: a discard, a new computation, one over it; or the step count
    bool copied = false;    ///< it came from the host pool, or was copied there

    friend constexpr auto operator==(device_stay const&, device_stay const&) -> bool = default;
};

/// The storages of a schedule in the device pool, the stays in each of them, and the readings of each step.
/// O(steps · values per step) time and space.  Throws illegal_schedule if a step breaks a rule; the schedule need not
/// be complete.
class storage_history {
  public:
    /// Stays are numbered from 0 on.
    using stay_id = std::uint32_t;
    /// Storages are numbered from 0 on.
    using storage_id = std::uint32_t;
    /// No stay, or no storage.
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    /// A read of a value in a storage by the operation of a step.
    struct reading {
        stay_id stay = 0;
        storage_id storage = 0;
    };

    /// A storage that a step writes an output over: in place, or by a mutation.
    struct takeover {
        std::uint32_t output = 0;  ///< number of the output
        storage_id storage = 0;    ///< the storage that ends; the output's own number is among the new ones
        friend constexpr auto operator==(takeover const&, takeover const&) -> bool = default;
    };

    /// Replays the schedule.
    storage_history(dataflow const& flow, schedule<> const& history);

    /// The stay of that number.
    [[nodiscard]] auto stay(stay_id i) const -> device_stay const& { return stays_[i]; }
    /// The number of stays.
    [[nodiscard]] auto stay_count() const noexcept { return stays_.size(); }
    /// The number of storages.
    [[nodiscard]] auto storage_count() const noexcept { return last_use_.size(); }
    /// The stays that refer to a storage.
    [[nodiscard]] auto stays_in(storage_id s) const { return stays_in_[s]; }
    /// The last step that reads, copies or overwrites a value in the storage; the step count if a value stays to the
    /// end.
    [[nodiscard]] auto last_use(storage_id s) const { return last_use_[s]; }
    /// The readings of a step: for every value that it reads, the storage of each of its owners.
    [[nodiscard]] auto readings(std::size_t step) const -> std::span<reading const> {
        return std::span(readings_).subspan(first_reading_[step], first_reading_[step + 1] - first_reading_[step]);
    }
    /// The first storage that the step makes; its other non-view outputs have the numbers that follow.
    [[nodiscard]] auto first_new(std::size_t step) const { return first_new_[step]; }
    /// The storages that a step overwrites: the one that it takes over in place, then those of its mutations.
    [[nodiscard]] auto taken_over(std::size_t step) const -> std::span<takeover const> {
        return std::span(takeovers_).subspan(first_takeover_[step], first_takeover_[step + 1] - first_takeover_[step]);
    }

  private:
    void play(step<> const& s);

    void compute(step<> const& s);

    void make_view(value_index view, operation_index v);

    auto add_storage() -> storage_id {
        last_use_.push_back(step_);
        return static_cast<storage_id>(last_use_.size() - 1);
    }
    void begin_in(value_index value, storage_id storage) {
        begin(value);
        record_storage(value, 0, storage);
    }
    void begin(value_index value) {
        stay_of_[value] = static_cast<stay_id>(stays_.size());
        stays_.push_back({.what = {value, computations_[value] - 1}, .begin = step_});
    }
    void end(value_index value) {
        stays_[stay_of_[value]].end = step_;
        stay_of_[value] = none;
    }
    void record_storage(value_index value, std::size_t k, storage_id storage) {
        storage_at_[flow_.owner_start(value) + k] = storage;
        in_storage_.emplace_back(storage, stay_of_[value]);
    }

    dataflow const& flow_;
    std::size_t step_ = 0;
    std::vector<device_stay> stays_;
    std::vector<std::size_t> last_use_;       // per storage
    detail::jagged_array<stay_id> stays_in_;  // per storage
    std::vector<reading> readings_;
    std::vector<takeover> takeovers_;
    std::vector<std::size_t> first_reading_, first_takeover_;  // per step
    std::vector<storage_id> first_new_;                        // per step
    std::vector<stay_id> stay_of_;             // per value: its current stay in the device pool, or none
    std::vector<storage_id> storage_at_;       // per (value, owner): the storage in which it lies
    std::vector<std::uint32_t> computations_;  // per value
    std::vector<std::pair<storage_id, stay_id>> in_storage_;
    std::vector<storage_id> owners_seen_;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/storage_history.ipp>
#endif

#endif
