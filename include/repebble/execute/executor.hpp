#ifndef REPEBBLE_EXECUTE_EXECUTOR_HPP
#define REPEBBLE_EXECUTE_EXECUTOR_HPP

// The executor: runs a bound schedule on a backend, and records times and memory per step. Allocates in its constructor
// only.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/backend.hpp>
#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Times and memory of one run of a schedule.
struct execution_record {
    std::vector<std::int64_t> step_nanoseconds{};  ///< of every step
    std::vector<bytes> live{};                     ///< bytes in use in the device pool during every step
    std::int64_t nanoseconds = 0;                  ///< of all steps together
    bytes peak_live = 0;                           ///< the greatest of `live`
    bytes highest_address = 0;                     ///< the end of the highest block that a step touched
};

/// Options of an executor.
struct executor_options {
    bool poison = false;  ///< overwrite every storage that ends, so that later reads of it are noticed
};

/// Runs a bound schedule any number of times in memory that the constructor allocates. The schedule and the backend
/// must outlive it.  Running allocates nothing, unless the backend does.
template <execution_backend Backend>
class executor {
  public:
    /// Allocates the pools and lets the backend prepare every step.  Throws as the backend does, and
    /// std::invalid_argument where the backend lacks a member that the schedule or the options need.
    executor(bound_schedule const& plan, Backend& backend, executor_options options = {})
        : plan_(&require_capabilities(plan, options)),
          backend_(&backend),
          options_(options),
          device_(backend.allocate(pool::device, plan.size(pool::device), plan.alignment(pool::device))),
          host_(backend.allocate(pool::host, plan.size(pool::host), plan.alignment(pool::host))),
          memory_{device_.data(), host_.data()} {
        record_.step_nanoseconds.resize(plan.step_count());
        record_.live.resize(plan.step_count());
        marks_.resize(plan.step_count() + 1);
        account();
        if constexpr (detail::preparing_backend<Backend>)
            for (std::size_t i = 0; i < plan.step_count(); ++i)
                if (plan[i].what != action::discard) backend.prepare(i, plan[i], memory_);
    }

    executor(bound_schedule const&&, Backend&, executor_options = {}) = delete;
    executor(executor const&) = delete;
    auto operator=(executor const&) -> executor& = delete;

    /// Runs all steps once.  The record is valid until the next run.
    auto run() -> execution_record const& { return run_all(options_.poison); }

    /// Passes all steps to the backend without marking, waiting or recording: for backends whose calls are being
    /// captured, to be replayed later.
    void issue() {
        for (std::size_t i = 0; i < plan_->step_count(); ++i) issue_step(i, options_.poison);
    }

    /// Fills the device pool with a pattern, runs once, and returns the end of the highest byte that changed: measured
    /// in memory, independently of the plan. A byte written with its pattern value counts as unchanged, with
    /// probability 1/256: take the maximum over several seeds. Nothing is poisoned.
    auto run_measured(std::uint64_t seed) -> bytes
        requires measuring_backend<Backend>
    {
        backend_->fill(memory_.device, plan_->size(pool::device), seed);
        static_cast<void>(run_all(false));
        return backend_->highest_change(memory_.device, plan_->size(pool::device), seed);
    }

    /// The addresses of the two pools.
    [[nodiscard]] auto memory() const noexcept -> pool_memory const& { return memory_; }
    /// Times and memory of the last run.
    [[nodiscard]] auto record() const noexcept -> execution_record const& { return record_; }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::uint64_t poison_seed = 0xDEAD;
    static_assert(detail::optional_members_fit<Backend>());

    [[nodiscard]] static auto require_capabilities(bound_schedule const& plan, executor_options const& options)
        -> bound_schedule const& {
        for (std::size_t i = 0; i < plan.step_count(); ++i) {
            auto const kind = plan[i].what;
            if (!detail::copying_backend<Backend> && (kind == action::offload || kind == action::prefetch))
                detail::raise(std::invalid_argument("step " + std::to_string(i) +
                                                    " copies between pools, which this backend cannot do"));
        }
        if (options.poison && !measuring_backend<Backend>)
            detail::raise(std::invalid_argument("this backend cannot fill memory: it cannot poison storages that end"));
        return plan;
    }
    void issue_step(std::size_t i, [[maybe_unused]] bool poison) {
        auto const s = (*plan_)[i];
        if (s.what == action::compute) {
            backend_->compute(i, s, memory_);
        } else if (s.what != action::discard) {
            if constexpr (detail::copying_backend<Backend>) backend_->copy(i, s, memory_);
        }
        if constexpr (measuring_backend<Backend>)
            if (poison)
                for (auto const& b : s.ends) backend_->fill(memory_.at(b), b.size, poison_seed);
    }
    auto run_all(bool poison) -> execution_record const& {
        mark(0);
        for (std::size_t i = 0; i < plan_->step_count(); ++i) {
            issue_step(i, poison);
            mark(i + 1);
        }
        if constexpr (detail::finishing_backend<Backend>) backend_->finish();
        read_marks();
        return record_;
    }
    /// Bytes in use during every step, from the blocks that begin and end.
    void account() {
        bytes live = 0;
        for (std::size_t i = 0; i < plan_->step_count(); ++i) {
            auto const s = (*plan_)[i];
            auto const touch = [&](block const& b) {
                if (b.size > 0) record_.highest_address = std::max(record_.highest_address, b.offset + b.size);
            };
            for (auto const& b : s.begins) {
                live += b.size;
                touch(b);
            }
            if (s.workspace) touch(*s.workspace);
            record_.live[i] = live + (s.workspace ? s.workspace->size : 0);
            record_.peak_live = std::max(record_.peak_live, record_.live[i]);
            for (auto const& b : s.ends) live -= b.size;
        }
    }

    void mark(std::size_t k) {
        if constexpr (detail::marking_backend<Backend>)
            backend_->mark(k);
        else
            marks_[k] = clock::now();
    }
    void read_marks() {
        record_.nanoseconds = 0;
        for (std::size_t i = 0; i < plan_->step_count(); ++i) {
            if constexpr (detail::marking_backend<Backend>)
                record_.step_nanoseconds[i] = backend_->nanoseconds(i);
            else
                record_.step_nanoseconds[i] =
                    std::chrono::duration_cast<std::chrono::nanoseconds>(marks_[i + 1] - marks_[i]).count();
            record_.nanoseconds += record_.step_nanoseconds[i];
        }
    }

    using memory_type = decltype(std::declval<Backend&>().allocate(pool::device, bytes{}, bytes{}));

    bound_schedule const* plan_;
    Backend* backend_;
    executor_options options_;
    memory_type device_, host_;
    pool_memory memory_;
    execution_record record_{};
    std::vector<clock::time_point> marks_{};
};

}  // namespace repebble::inline v0

#endif
