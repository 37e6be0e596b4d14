#ifndef REPEBBLE_EXECUTE_EXECUTOR_HPP
#define REPEBBLE_EXECUTE_EXECUTOR_HPP

// The executor: runs a bound schedule on a backend, and records times and memory per step. Allocates in its constructor
// only. Copies run on lanes of their own where the backend has such.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/execution_backend.hpp>
#include <repebble/execute/find_lane_waits.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Times and memory of one run of a schedule.
struct execution_record {
    std::vector<std::int64_t> step_nanoseconds{};  ///< of every step
    std::vector<bytes> live{};                     ///< bytes in use in the device pool during every step
    /// When every step ran on its lane, since the run began: of a backend with lanes that times its copies, else empty.
    /// A computation begins when it has waited for copies, where the host has the clock; discards take no time.
    std::vector<step_span> spans{};
    std::int64_t nanoseconds = 0;  ///< of all steps together
    bytes peak_live = 0;           ///< the greatest of `live`
    bytes highest_address = 0;     ///< the end of the highest block that a step touched
};

/// Options of an executor.
struct executor_options {
    bool poison = false;       ///< overwrite every storage that ends, so that later reads of it are noticed
    bool half_duplex = false;  ///< of a backend with lanes: copies out and in share lane::offload
};

/// The end of the highest byte that was written in each pool.
struct written_bytes {
    bytes device = 0;  ///< in the device pool; 0 where nothing was written
    bytes host = 0;    ///< in the host pool
    friend constexpr auto operator==(written_bytes const&, written_bytes const&) -> bool = default;
};

/// Runs a bound schedule any number of times in memory that the constructor allocates. The schedule and the backend
/// must outlive it.  Running allocates nothing, unless the backend does.
template <execution_backend Backend>
class executor {
  public:
    /// Allocates the pools and lets the backend prepare every step.  Throws as the backend does, and
    /// std::invalid_argument where the backend lacks a member that the schedule or the options need.
    executor(bound_schedule const& bound, Backend& backend, executor_options options = {})
        : plan_(&require_capabilities(bound, options)),
          backend_(&backend),
          options_(options),
          device_(backend.allocate(pool::device, bound.size(pool::device), bound.alignment(pool::device))),
          host_(backend.allocate(pool::host, bound.size(pool::host), bound.alignment(pool::host))),
          memory_{device_.data(), host_.data()} {
        if constexpr (lane_backend<Backend>) {
            lanes_ = find_lane_waits(bound, {.half_duplex = options.half_duplex, .poison = options.poison});
            if (std::ranges::any_of(lanes_.steps, &lane_step::signals)) backend.reserve_events(bound.step_count());
        }
        record_.step_nanoseconds.resize(bound.step_count());
        record_.live.resize(bound.step_count());
        marks_.resize(bound.step_count() + 1);
        if constexpr (detail::copy_timing_backend<Backend>) record_.spans.resize(bound.step_count());
        account();
        if constexpr (detail::preparing_backend<Backend>)
            for (std::size_t i = 0; i < bound.step_count(); ++i)
                if (bound[i].what != action::discard) backend.prepare(i, bound[i], memory_);
    }

    executor(bound_schedule const&&, Backend&, executor_options = {}) = delete;
    executor(executor const&) = delete;
    auto operator=(executor const&) -> executor& = delete;

    /// Runs all steps once.  The record is valid until the next run.
    auto run() -> execution_record const& { return run_all(options_.poison); }

    /// Passes all steps to the backend without marking, waiting or recording: for backends whose calls are being
    /// captured, to be replayed later. All lanes have joined that of computations behind the last step.
    void issue() {
        poisons_ = options_.poison;
        issue_all([](std::size_t) {});
    }
    /// As `issue`, with marks as `run` has them: for backends that capture their marks, too.
    void issue_marked()
        requires detail::marking_backend<Backend>
    {
        poisons_ = options_.poison;
        issue_all_marked();
    }
    /// The record of the last run of what `issue_marked` passed on, when it is over.
    auto read_marks() -> execution_record const&
        requires detail::marking_backend<Backend>
    {
        return recorded();
    }

    /// Fills both pools with a pattern, runs once, and returns the ends of the highest bytes that changed: measured in
    /// memory, independently of the plan. A byte written with its pattern value counts as unchanged, with probability
    /// 1/256: take the maximum over several seeds. Nothing is poisoned.
    auto run_measured(std::uint64_t seed) -> written_bytes
        requires measuring_backend<Backend>
    {
        for (auto const where : {pool::device, pool::host}) backend_->fill(begin_of(where), plan_->size(where), seed);
        static_cast<void>(run_all(false));
        auto const end = [&](pool where) {
            return backend_->highest_change(begin_of(where), plan_->size(where), seed);
        };
        return {end(pool::device), end(pool::host)};
    }

    /// The addresses of the two pools.
    [[nodiscard]] auto memory() const noexcept -> pool_memory const& { return memory_; }
    /// Times and memory of the last run.
    [[nodiscard]] auto record() const noexcept -> execution_record const& { return record_; }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::uint64_t poison_seed = 0xDEAD;
    static_assert(detail::optional_members_fit<Backend>());

    [[nodiscard]] static auto require_capabilities(bound_schedule const& bound, executor_options const& options)
        -> bound_schedule const& {
        for (std::size_t i = 0; i < bound.step_count(); ++i) {
            auto const kind = bound[i].what;
            if (!detail::copying_backend<Backend> && !lane_backend<Backend> &&
                (kind == action::offload || kind == action::prefetch))
                detail::raise(std::invalid_argument("step " + std::to_string(i) +
                                                    " copies between pools, which this backend cannot do"));
        }
        if (options.poison && !measuring_backend<Backend> && !lane_backend<Backend>)
            detail::raise(std::invalid_argument("this backend cannot fill memory: it cannot poison storages that end"));
        return bound;
    }
    /// A run that ends by an exception is cancelled before the memory can go.
    struct cancellation {
        explicit cancellation(executor& run) : run_(run) { run_.running_ = true; }
        cancellation(cancellation const&) = delete;
        auto operator=(cancellation const&) -> cancellation& = delete;
        ~cancellation() {
            if constexpr (requires(Backend& b) { b.cancel(); })
                if (run_.running_) run_.backend_->cancel();
        }

      private:
        executor& run_;
    };

    auto run_all(bool poisons) -> execution_record const& {
        [[maybe_unused]] cancellation const unless_done{*this};
        poisons_ = poisons;
        issue_all_marked();
        if constexpr (detail::finishing_backend<Backend>) backend_->finish();
        running_ = false;
        return recorded();
    }
    void issue_all_marked() {
        mark(0);
        issue_all([this](std::size_t k) { mark(k); });
    }
    /// Marks k + 1 behind step k; behind the last one all lanes are idle.
    template <class Mark>
    void issue_all(Mark const& mark) {
        if constexpr (detail::enqueues_copies_first<Backend>)
            for (std::size_t i = 0; i < plan_->step_count(); ++i)
                if (lanes_.steps[i].on != lane::compute) issue_step(i);
        for (std::size_t i = 0; i < plan_->step_count(); ++i) {
            if constexpr (detail::enqueues_copies_first<Backend>) {
                if (lanes_.steps[i].on == lane::compute) issue_step(i);
            } else {
                issue_step(i);
            }
            if constexpr (lane_backend<Backend>)
                if (i + 1 == plan_->step_count())
                    for (auto const w : lanes_.at_end) backend_->wait(lane::compute, w);
            mark(i + 1);
        }
    }
    void issue_step(std::size_t i) {
        auto const s = (*plan_)[i];
        if constexpr (lane_backend<Backend>)
            for (auto const w : lanes_.steps[i].waits) backend_->wait(lanes_.steps[i].on, w);
        if (s.what == action::compute) {
            compute(i, s);
        } else if (s.what != action::discard) {
            if constexpr (lane_backend<Backend>)
                backend_->copy_on(lanes_.steps[i].on, i, s, memory_);
            else if constexpr (detail::copying_backend<Backend>)
                backend_->copy(i, s, memory_);
        }
        if (poisons_) {
            for (auto const& b : s.ends) poison(i, memory_.at(b), b.size);
            for (auto const& b : s.host_ends) poison(i, memory_.at(b, pool::host), b.size);
        }
        if constexpr (lane_backend<Backend>)
            if (lanes_.steps[i].signals) backend_->record(lanes_.steps[i].on, i);
    }
    void compute(std::size_t i, bound_step const& s) {
        if constexpr (detail::copy_timing_backend<Backend> && !detail::marking_backend<Backend>) {
            auto const begin = clock::now();
            backend_->compute(i, s, memory_);
            record_.spans[i] = {nanoseconds_of(begin - marks_[0]), nanoseconds_of(clock::now() - marks_[0])};
        } else {
            backend_->compute(i, s, memory_);
        }
    }
    void poison([[maybe_unused]] std::size_t i, [[maybe_unused]] std::byte* at, [[maybe_unused]] bytes size) {
        if constexpr (lane_backend<Backend>)
            backend_->fill_on(lanes_.steps[i].on, at, size, poison_seed);
        else if constexpr (measuring_backend<Backend>)
            backend_->fill(at, size, poison_seed);
    }
    [[nodiscard]] auto begin_of(pool where) const -> std::byte* { return memory_.at({}, where); }
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
    auto recorded() -> execution_record const& {
        record_.nanoseconds = 0;
        for (std::size_t i = 0; i < plan_->step_count(); ++i) {
            if constexpr (detail::marking_backend<Backend>)
                record_.step_nanoseconds[i] = backend_->nanoseconds(i);
            else
                record_.step_nanoseconds[i] = nanoseconds_of(marks_[i + 1] - marks_[i]);
            if constexpr (detail::copy_timing_backend<Backend>) record_.spans[i] = span_of(i);
            record_.nanoseconds += record_.step_nanoseconds[i];
        }
        return record_;
    }

    /// Requires: `nanoseconds` of the record is the time before step i.
    [[nodiscard]] auto span_of(std::size_t i) const -> step_span
        requires detail::copy_timing_backend<Backend>
    {
        auto const marked = record_.nanoseconds;
        if ((*plan_)[i].what == action::compute) {
            if constexpr (!detail::marking_backend<Backend>) return record_.spans[i];
            return {marked, marked + record_.step_nanoseconds[i]};
        }
        bool const is_copy = (*plan_)[i].what != action::discard;
        auto const copied = is_copy ? step_span(backend_->copy_span(i)) : step_span{};
        if (copied == step_span{}) return {marked, marked};
        if constexpr (detail::marking_backend<Backend>) return copied;
        auto const zero = nanoseconds_of(marks_[0].time_since_epoch());
        return {copied.begin - zero, copied.end - zero};
    }
    [[nodiscard]] static auto nanoseconds_of(clock::duration d) -> std::int64_t {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
    }

    using memory_type = decltype(std::declval<Backend&>().allocate(pool::device, bytes{}, bytes{}));

    bound_schedule const* plan_;
    Backend* backend_;
    executor_options options_;
    memory_type device_, host_;
    pool_memory memory_;
    lane_program lanes_{};  // of a backend with lanes
    bool running_ = false, poisons_ = false;
    execution_record record_{};
    std::vector<clock::time_point> marks_{};
};

}  // namespace repebble::inline v0

#endif
