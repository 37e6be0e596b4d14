#ifndef TRAIN_CPU_ACTIVATION_HPP
#define TRAIN_CPU_ACTIVATION_HPP

#include <repebble/networks/elementwise_operations.hpp>

#include "places.hpp"

namespace train_cpu {

void add_forward(recipe& r, repebble::networks::relu const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::relu const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::gelu const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::gelu const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::sigmoid const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::sigmoid const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::hyperbolic_tangent const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::hyperbolic_tangent const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::silu const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::silu const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::softmax const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::softmax const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::log_softmax const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::log_softmax const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
