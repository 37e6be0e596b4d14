#ifndef TRAIN_CPU_ELEMENTWISE_HPP
#define TRAIN_CPU_ELEMENTWISE_HPP

#include <repebble/networks/elementwise_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// dropout: what is dropped follows from the iteration, the operation and the position alone.
/// causal_mask: the mask is true where a score is kept, and false where it becomes -infinity.
void add_forward(recipe& r, repebble::networks::dropout const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::dropout const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::add const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::add const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::multiply const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::multiply const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::scale const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::scale const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::causal_mask const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::causal_mask const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
