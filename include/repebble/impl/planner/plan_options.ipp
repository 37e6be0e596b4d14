#ifndef REPEBBLE_IMPL_PLANNER_PLAN_OPTIONS_IPP
#define REPEBBLE_IMPL_PLANNER_PLAN_OPTIONS_IPP

#include <repebble/planner/plan_options.hpp>

#include <algorithm>
#include <string>
#include <thread>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>

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
    static_cast<void>(checked_seconds(options.limits));
    if (options.link) check_link(*options.link);
    if (options.host_budget) check_option("a host budget", static_cast<double>(*options.host_budget));
    if (options.host_budget && !options.link)
        detail::raise(bad_option("plan_options: a host_budget of " + std::to_string(*options.host_budget) +
                                 " bytes has no meaning without a link"));
}

}  // namespace repebble::inline v0::detail

#endif
