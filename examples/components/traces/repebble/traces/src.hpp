#ifndef REPEBBLE_TRACES_SRC_HPP
#define REPEBBLE_TRACES_SRC_HPP

// The bodies of the component, to be compiled once, as `repebble/src.hpp` and `repebble/io/src.hpp` those of the
// library, which these call. The CMake target repebble::compiled_traces does so.

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#error "repebble: define REPEBBLE_SEPARATE_COMPILATION for every source file of the program"
#endif

#include <repebble/impl/traces/freed_between_uses.ipp>
#include <repebble/impl/traces/greedy_swaps.ipp>
#include <repebble/impl/traces/kmeans_trace.ipp>
#include <repebble/impl/traces/plan_iterations.ipp>
#include <repebble/impl/traces/plan_period.ipp>
#include <repebble/impl/traces/shortened_schedule.ipp>
#include <repebble/impl/traces/simulate_swaps.ipp>
#include <repebble/impl/traces/stochastic_depth.ipp>
#include <repebble/impl/traces/swap_baselines.ipp>
#include <repebble/impl/traces/swap_problem.ipp>
#include <repebble/impl/traces/swap_schedule.ipp>
#include <repebble/impl/traces/trace.ipp>
#include <repebble/impl/traces/trace_file.ipp>
#include <repebble/impl/traces/trace_of.ipp>
#include <repebble/impl/traces/traced_dataflow.ipp>
#include <repebble/impl/traces/with_views.ipp>

#endif
