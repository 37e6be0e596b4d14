#ifndef REPEBBLE_ALLOCATE_LIFETIMES_HPP
#define REPEBBLE_ALLOCATE_LIFETIMES_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/graph/dataflow.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>

namespace repebble {

/// What a buffer of a schedule holds.
struct buffer_use {
    enum class kind : std::uint8_t { storage, workspace };
    kind what = kind::storage;
    instance storage{};             ///< the storage that began with this instance
    operation_index operation = 0;  ///< whose workspace it is
    std::uint32_t repetition = 0;   ///< in which of its runs, from 0
    friend constexpr auto operator==(buffer_use const&, buffer_use const&) -> bool = default;
};

/// The buffers in a pool while a schedule runs, in the order in which they begin.
struct schedule_lifetimes {
    std::vector<buffer> buffers{};   ///< time counts the steps of the schedule
    std::vector<buffer_use> uses{};  ///< of each buffer
    friend auto operator==(schedule_lifetimes const&, schedule_lifetimes const&) -> bool = default;
};

namespace detail {

/// Writes lifetimes down while a schedule is judged.
class lifetime_recorder {
  public:
    lifetime_recorder(schedule<> const& plan, bytes alignment, pool recorded)
        : plan_(plan), alignment_(alignment), recorded_(recorded) {}

    void allocate(std::size_t step, instance i, pool where, bytes size, storage_pool::id storage) {
        if (where != recorded_) return;
        auto const key = key_of(i, storage);
        if (key >= buffer_of_.size()) buffer_of_.resize(key + 1);
        buffer_of_[key] = found_.buffers.size();
        add(step, plan_.steps.size(), size, {.storage = i});
    }
    /// A discard ends a storage before its step, a computation after it: what it replaces lies beside what is new.
    void release(std::size_t step, instance i, pool where, storage_pool::id storage) {
        if (where != recorded_) return;
        auto const end = step + (plan_.steps[step].what == action::compute ? 1U : 0U);
        found_.buffers[buffer_of_[key_of(i, storage)]].lifetime.upper = static_cast<std::int64_t>(end);
    }
    void workspace(std::size_t step, operation_index v, std::uint32_t repetition, bytes size) {
        if (recorded_ != pool::device) return;
        add(step, step + 1, size, {.what = buffer_use::kind::workspace, .operation = v, .repetition = repetition});
    }
    [[nodiscard]] auto finish() && -> schedule_lifetimes { return std::move(found_); }

  private:
    /// In the host pool a storage holds one value, and a value lies in one storage.
    [[nodiscard]] auto key_of(instance i, storage_pool::id storage) const -> std::size_t {
        return recorded_ == pool::device ? storage : i.value;
    }
    void add(std::size_t begin, std::size_t end, bytes size, buffer_use use) {
        found_.buffers.push_back({.lifetime = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)},
                                  .size = size,
                                  .alignment = alignment_});
        found_.uses.push_back(use);
    }

    schedule<> const& plan_;
    bytes alignment_;
    pool recorded_;
    std::vector<std::size_t> buffer_of_{};  // of each storage
    schedule_lifetimes found_{};
};

struct lifetimes_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan, bytes alignment = 1,
                                  pool where = pool::device) const -> schedule_lifetimes {
        if (alignment < 1) throw bad_buffer("an alignment must be at least 1, not " + std::to_string(alignment));
        lifetime_recorder recorder(plan, alignment, where);
        static_cast<void>(replay(flow, plan, {}, serial_clock<Time>{}, recorder));
        return std::move(recorder).finish();
    }
};

}  // namespace detail

/// The storages and workspaces that a schedule has in the device pool, with the steps during which it has them: one
/// buffer for each storage, whatever views and in-place computations share it, and one for each run with a workspace.
/// Their greatest live bytes are the peak that the replay says. In the host pool there is one buffer for each copy.  O(steps · values per step).
/// Throws illegal_schedule where the schedule breaks a rule, bad_buffer where the alignment is below 1.
inline constexpr detail::lifetimes_fn lifetimes{};

}  // namespace repebble

#endif
