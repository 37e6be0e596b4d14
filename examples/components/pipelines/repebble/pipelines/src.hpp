#ifndef REPEBBLE_PIPELINES_SRC_HPP
#define REPEBBLE_PIPELINES_SRC_HPP

// The bodies of the component, to be compiled once, as `repebble/src.hpp` those of the library and
// `repebble/io/src.hpp` those of files, which these call. The CMake target repebble::compiled_pipelines does so.

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#error "repebble: define REPEBBLE_SEPARATE_COMPILATION for every source file of the program"
#endif

#include <repebble/impl/pipelines/block_order.ipp>
#include <repebble/impl/pipelines/choice_fitter.ipp>
#include <repebble/impl/pipelines/cut_network.ipp>
#include <repebble/impl/pipelines/find_least_ranks.ipp>
#include <repebble/impl/pipelines/flat_order.ipp>
#include <repebble/impl/pipelines/improve_choices.ipp>
#include <repebble/impl/pipelines/improve_order.ipp>
#include <repebble/impl/pipelines/insert_weight_gradients.ipp>
#include <repebble/impl/pipelines/json_pipeline.ipp>
#include <repebble/impl/pipelines/pipeline.ipp>
#include <repebble/impl/pipelines/pipeline_bounds.ipp>
#include <repebble/impl/pipelines/pipeline_orders.ipp>
#include <repebble/impl/pipelines/plan_pipeline.ipp>
#include <repebble/impl/pipelines/rank_memory.ipp>
#include <repebble/impl/pipelines/stage_curve.ipp>
#include <repebble/impl/pipelines/verify_pipeline.ipp>

#endif
