#ifndef PLAN_ARENAS_HPP
#define PLAN_ARENAS_HPP

#include <string>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace plan {

/// Makes the steps of a plan in place, where the rule lets them, and judges it again.
void make_in_place(repebble::recompute_plan<>& plan, repebble::training_graph const& training,
                   repebble::overwrite_table const& rule);

/// The buffers of an arena, named by what they hold: "forward 12 output 0 run 1", "backward 12 workspace run 0".
[[nodiscard]] auto named_buffers(repebble::arena const& a, repebble::training_graph const& training)
    -> repebble::io::buffer_table;

/// The arena as a picture.
[[nodiscard]] auto picture_of(repebble::arena const& a, repebble::io::buffer_table const& named,
                              std::string const& title) -> std::string;

}  // namespace plan

#endif
