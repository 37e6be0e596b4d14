#ifndef TRAIN_CPU_LOSS_HPP
#define TRAIN_CPU_LOSS_HPP

#include <repebble/networks/elementwise_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// A label that is no class does not count. The loss of no labels is 0.
void add_forward(recipe& r, repebble::networks::nll_loss const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::nll_loss const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
