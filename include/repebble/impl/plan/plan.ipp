#ifndef REPEBBLE_IMPL_PLAN_PLAN_IPP
#define REPEBBLE_IMPL_PLAN_PLAN_IPP

#include <repebble/plan.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/host_link.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto in_units(plan_options options, time_unit const& unit) -> plan_options {
    if (!options.link || unit == time_unit{}) return options;
    check_link(*options.link);
    for (auto* const time : {&options.link->time, &options.link->latency})
        *time = unit.whole_above(static_cast<double>(*time));
    return options;
}

}  // namespace repebble::inline v0::detail

#endif
