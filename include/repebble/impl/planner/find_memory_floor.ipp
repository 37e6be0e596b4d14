#ifndef REPEBBLE_IMPL_PLANNER_FIND_MEMORY_FLOOR_IPP
#define REPEBBLE_IMPL_PLANNER_FIND_MEMORY_FLOOR_IPP

#include <repebble/planner/find_memory_floor.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/budget_planner.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto find_memory_floor(problem const& p) -> memory_floor<> {
    plan_options const options;
    detail::listener const deaf;
    return detail::budget_planner(p.flow(), p.training(), options, deaf).floor();
}

}  // namespace repebble::inline v0

#endif
