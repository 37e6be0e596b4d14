#ifndef TRAIN_CPU_COPIES_HPP
#define TRAIN_CPU_COPIES_HPP

#include <repebble/networks/layout_operations.hpp>

#include "places.hpp"

namespace train_cpu {

void add_forward(recipe& r, repebble::networks::contiguous const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::contiguous const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::concat const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::concat const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::stack const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::stack const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
