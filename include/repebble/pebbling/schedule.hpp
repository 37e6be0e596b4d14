#ifndef REPEBBLE_PEBBLING_SCHEDULE_HPP
#define REPEBBLE_PEBBLING_SCHEDULE_HPP

// Schedules: steps that compute, discard and copy values. The result type of every strategy and the input of the judge,
// of allocation and of execution; and the builder that counts repetitions.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

/// The action of a step.
enum class action : std::uint8_t {
    compute,   ///< run an operation: its outputs appear in the device pool
    discard,   ///< remove a value from a pool
    offload,   ///< copy a value from the device pool to the host pool
    prefetch,  ///< copy a value from the host pool to the device pool
};

[[nodiscard]] constexpr auto to_string(action what) -> char const* {
    switch (what) {
        case action::compute:
            return "compute";
        case action::discard:
            return "discard";
        case action::offload:
            return "offload";
        case action::prefetch:
            return "prefetch";
    }
    return "unknown";
}

/// The memory in which a value lies.
enum class pool : std::uint8_t { device, host };

/// One step of a schedule. A value is named as output `output` of vertex `vertex`.
template <class Vertex = operation_index>
struct step {
    action what = action::compute;  ///< what is done
    pool from = pool::device;       ///< discard: the pool that loses the value
    bool in_place = false;          ///< compute: output `output` is written over the storage of `over`
    std::uint32_t output = 0;       ///< compute: used in place only; else which output of the vertex
    std::uint32_t repetition = 0;   ///< compute: k-th run of the vertex, from 0; else k-th computation of the value
    Vertex vertex{};                ///< the operation, or the producer of the value
    std::uint32_t over_output = 0;  ///< in place: which output of `over`
    Vertex over{};  ///< in place: output `over_output` of `over` ends, and the output takes over its storage

    friend constexpr auto operator==(step const&, step const&) -> bool = default;
};

/// A schedule: its steps in order. Legal or not; `verify_schedule` decides.
template <class Vertex = operation_index>
struct schedule {
    std::vector<step<Vertex>> steps;  ///< in the order in which they run

    friend constexpr auto operator==(schedule const&, schedule const&) -> bool = default;
};

/// The same step in terms of other vertices: f(vertex) for each of its vertices.  O(1).
template <class Vertex, class F>
[[nodiscard]] constexpr auto map_vertices(step<Vertex> const& s, F&& f) {
    using target = std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>;
    return step<target>{s.what,       s.from,      s.in_place,    s.output,
                        s.repetition, f(s.vertex), s.over_output, s.in_place ? f(s.over) : target(f(s.vertex))};
}

/// The same schedule in terms of other vertices: f(vertex) for every vertex.  O(steps).
template <class Vertex, class F>
[[nodiscard]] constexpr auto map_vertices(schedule<Vertex> const& from, F&& f) {
    schedule<std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>> to;
    to.steps.reserve(from.steps.size());
    for (auto const& s : from.steps) to.steps.push_back(map_vertices(s, f));
    return to;
}

/// Builds a schedule of a dataflow step by step, and counts repetitions.
class schedule_builder {
  public:
    /// Begins with no steps.
    constexpr explicit schedule_builder(dataflow const& flow)
        : flow_(&flow), runs_(flow.operation_count(), 0), computations_(flow.value_count(), 0) {}

    /// Appends the next run of an operation.
    constexpr void compute(operation_index v) {
        REPEBBLE_ASSERT(v < runs_.size());
        push({.what = action::compute, .repetition = runs_[v]++, .vertex = v});
        for (auto const value : flow_->writes(v)) ++computations_[value];
    }
    /// Runs v and writes its output `output` over the storage of the value `over`, which ends with that.
    constexpr void compute_in_place(operation_index v, std::uint32_t output, value_index over) {
        REPEBBLE_ASSERT(v < runs_.size());
        REPEBBLE_ASSERT(over < computations_.size());
        auto const [u, j] = flow_->as_output(over);
        push({.what = action::compute,
              .in_place = true,
              .output = output,
              .repetition = runs_[v]++,
              .vertex = v,
              .over_output = j,
              .over = u});
        for (auto const value : flow_->writes(v)) ++computations_[value];
    }
    /// Appends the discard of a value's last computation from a pool.
    constexpr void discard(value_index value, pool from = pool::device) { on_value(action::discard, value, from); }
    /// Appends a copy from the device pool to the host pool.
    constexpr void offload(value_index value) { on_value(action::offload, value, pool::device); }
    /// Appends a copy from the host pool to the device pool.
    constexpr void prefetch(value_index value) { on_value(action::prefetch, value, pool::host); }

    /// Number of runs of the operation so far.
    [[nodiscard]] constexpr auto runs(operation_index v) const { return runs_[v]; }
    /// The number of steps so far.
    [[nodiscard]] constexpr auto step_count() const noexcept { return schedule_.steps.size(); }
    /// The schedule.
    [[nodiscard]] constexpr auto finish() && -> schedule<> { return std::move(schedule_); }

  private:
    constexpr void on_value(action what, value_index value, pool from) {
        REPEBBLE_ASSERT(value < computations_.size());
        auto const [u, j] = flow_->as_output(value);
        std::uint32_t const k = computations_[value] == 0 ? 0 : computations_[value] - 1;
        push({.what = what, .from = from, .output = j, .repetition = k, .vertex = u});
    }
    constexpr void push(step<> s) { schedule_.steps.push_back(s); }

    dataflow const* flow_;
    std::vector<std::uint32_t> runs_;          // per operation
    std::vector<std::uint32_t> computations_;  // per value
    schedule<> schedule_;
};

}  // namespace repebble::inline v0

#endif
