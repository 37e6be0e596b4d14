#ifndef REPEBBLE_REPEBBLE_HPP
#define REPEBBLE_REPEBBLE_HPP

/// The core: every header of every room, but not the optional leaves (io, views, report) and not the adaptors that
/// include another library. Who needs one algorithm compiles faster with its own header.

#include <repebble/graph/access.hpp>
#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/bidirectional.hpp>
#include <repebble/graph/concepts.hpp>
#include <repebble/graph/contract_views.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow.hpp>
#include <repebble/graph/dataflow_builder.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/find_cycle.hpp>
#include <repebble/graph/forward_part.hpp>
#include <repebble/graph/gradient_builder.hpp>
#include <repebble/graph/gradient_needs.hpp>
#include <repebble/graph/graph_traits.hpp>
#include <repebble/graph/lower_set.hpp>
#include <repebble/graph/lower_sets.hpp>
#include <repebble/graph/make_dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/reachability.hpp>
#include <repebble/graph/reweigh.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/training_graph.hpp>
#include <repebble/graph/training_vertex.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/validate.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/graph/weights.hpp>

#include <repebble/graph/adapt/induced.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/adapt/reversed.hpp>

#include <repebble/pebbling/clock.hpp>
#include <repebble/pebbling/describe.hpp>
#include <repebble/pebbling/expand_views.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/observer.hpp>
#include <repebble/pebbling/pebble_game.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>
#include <repebble/pebbling/violation.hpp>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/assign_pools.hpp>
#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/buffer_shapes.hpp>
#include <repebble/allocate/buffer_walk.hpp>
#include <repebble/allocate/byte_holders.hpp>
#include <repebble/allocate/compact_shapes.hpp>
#include <repebble/allocate/conflict_graph.hpp>
#include <repebble/allocate/failed_positions.hpp>
#include <repebble/allocate/find_race.hpp>
#include <repebble/allocate/first_fit.hpp>
#include <repebble/allocate/first_fit.hpp>
#include <repebble/allocate/in_place.hpp>
#include <repebble/allocate/lifetime_peers.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/live_pieces.hpp>
#include <repebble/allocate/occupied_bytes.hpp>
#include <repebble/allocate/offset_portfolio.hpp>
#include <repebble/allocate/offset_repair.hpp>
#include <repebble/allocate/offset_search.hpp>
#include <repebble/allocate/offset_state.hpp>
#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/allocate/parallel_sharing.hpp>
#include <repebble/allocate/path_sharing.hpp>
#include <repebble/allocate/placement_order.hpp>
#include <repebble/allocate/search_style.hpp>
#include <repebble/allocate/sharing.hpp>
#include <repebble/allocate/sharing_dependencies.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/allocate/step_order.hpp>
#include <repebble/allocate/storage_history.hpp>
#include <repebble/allocate/touched_buffers.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/formula.hpp>
#include <repebble/recompute/forward_only.hpp>
#include <repebble/recompute/forward_plan.hpp>
#include <repebble/recompute/frontier_merge.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_curve.hpp>
#include <repebble/recompute/lower_set_exact.hpp>
#include <repebble/recompute/lower_set_exhaustive.hpp>
#include <repebble/recompute/lower_set_family.hpp>
#include <repebble/recompute/lower_set_problem.hpp>
#include <repebble/recompute/lower_set_search.hpp>
#include <repebble/recompute/objective.hpp>
#include <repebble/recompute/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/replayed_choice.hpp>
#include <repebble/recompute/segment_cost.hpp>
#include <repebble/recompute/segments.hpp>
#include <repebble/recompute/sqrt_segments.hpp>
#include <repebble/recompute/strategy_options.hpp>

#include <repebble/execute/backend.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/execute/fill_pattern.hpp>
#include <repebble/execute/guarded_memory.hpp>

#endif
