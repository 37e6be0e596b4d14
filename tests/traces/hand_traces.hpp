#ifndef REPEBBLE_TESTS_TRACES_HAND_TRACES_HPP
#define REPEBBLE_TESTS_TRACES_HAND_TRACES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <repebble/traces/simulate_swaps.hpp>
#include <repebble/traces/swap_problem.hpp>
#include <repebble/traces/trace.hpp>
#include <repebble/traces/trace_of.hpp>
#include <repebble/pebbling/make_schedule.hpp>

#include "recompute/random_training.hpp"

namespace support {

using what = repebble::trace_action;

/// Writes a trace by hand: each row lasts `unit`.
class trace_by_hand {
  public:
    explicit trace_by_hand(std::int64_t unit = 10) : unit_(unit) {}

    auto variable(repebble::bytes size) -> repebble::variable_index {
        out_.sizes.push_back(size);
        return static_cast<repebble::variable_index>(out_.sizes.size() - 1);
    }
    void malloc(repebble::variable_index v) { row(what::malloc, v); }
    void free(repebble::variable_index v) { row(what::free, v); }
    /// A computation: a row for each read and each write, and what `between` adds between them.
    void compute(
        std::vector<repebble::variable_index> const& reads, std::vector<repebble::variable_index> const& writes,
        bool recomputable = true, std::function<void()> const& between = [] {}) {
        auto const c = static_cast<repebble::computation_index>(out_.computations.size());
        out_.computations.push_back({0, recomputable});
        for (auto const v : reads) row(what::read, v, c);
        between();
        for (auto const v : writes) row(what::write, v, c);
    }
    [[nodiscard]] auto finish() -> repebble::trace {
        out_.duration = unit_ * static_cast<std::int64_t>(out_.rows.size());
        return out_;
    }

  private:
    void row(what w, repebble::variable_index v, repebble::computation_index c = repebble::no_computation) {
        out_.rows.push_back({unit_ * static_cast<std::int64_t>(out_.rows.size()), w, v, c});
    }

    std::int64_t unit_;
    repebble::trace out_;
};

/// Figure 4 in hundredths of a second: each row takes one second, X0 is read in node 3 and again in node 8, and node 4
/// is the malloc of X1. Its link copies X0 in 1.5 seconds.
[[nodiscard]] inline auto figure_4() -> repebble::trace {
    trace_by_hand t(100);
    auto const x0 = t.variable(100), x1 = t.variable(100), loss = t.variable(0);
    t.malloc(loss);
    t.malloc(x0);
    t.compute({}, {x0});
    t.compute({x0}, {});
    t.malloc(x1);
    t.compute({}, {x1});
    t.compute({x1}, {});
    t.free(x1);
    t.compute({x0}, {});
    t.free(x0);
    return t.finish();
}
inline constexpr repebble::host_link figure_4_link{.size = 100, .time = 150};

/// The trace of a random training graph.
[[nodiscard]] inline auto random_trace(split_mix& random, std::size_t most) -> repebble::trace {
    auto const training = random_training(random, most);
    return repebble::trace_of(training.flow, repebble::make_schedule(training.flow));
}

[[nodiscard]] inline auto random_plan(split_mix& random, repebble::swap_problem const& problem) -> repebble::swap_plan {
    auto plan = problem.keep_all();
    auto const percent = below(random, 101);
    for (std::size_t i = 0; i < plan.size(); ++i)
        if (chance(random, percent))
            plan[i] = problem.intervals()[i].is_removable && chance(random, 50) ? repebble::swap_choice::remove
                                                                                : repebble::swap_choice::offload;
    return plan;
}

[[nodiscard]] inline auto random_swap_options(split_mix& random, repebble::swap_problem const& problem)
    -> repebble::swap_options {
    return {.limit = static_cast<repebble::bytes>(below(random, static_cast<std::size_t>(problem.peak() + 1))),
            .link = {.size = between(random, 1, 20),
                     .time = between(random, 0, 20),
                     .latency = between(random, 0, 3),
                     .half_duplex = chance(random, 30)},
            .copy_out = chance(random, 50) ? repebble::swap_options::copy_start::written
                                           : repebble::swap_options::copy_start::last_use,
            .copy_in =
                chance(random, 20) ? repebble::swap_options::room::until_end : repebble::swap_options::room::until_use,
            .run_early = chance(random, 70),
            .timeline = true};
}

}  // namespace support

#endif
