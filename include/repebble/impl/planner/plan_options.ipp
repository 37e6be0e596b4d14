#ifndef REPEBBLE_IMPL_PLANNER_PLAN_OPTIONS_IPP
#define REPEBBLE_IMPL_PLANNER_PLAN_OPTIONS_IPP

#include <repebble/planner/plan_options.hpp>

#include <algorithm>
#include <thread>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto plan_options::threads_here() -> std::size_t {
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_threads);
}

}  // namespace repebble::inline v0

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void check_options(plan_options const& options) {
    check_option("a gap", options.gap);
    check_threads(options.threads);
    verify_effort(options.effort);
    if (options.limits.seconds) check_option("a time limit", *options.limits.seconds);
    if (options.link) check_link(*options.link);
    if (options.host_budget) check_option("a host budget", static_cast<double>(*options.host_budget));
}

}  // namespace repebble::inline v0::detail

#endif
