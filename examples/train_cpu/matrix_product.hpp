#ifndef TRAIN_CPU_MATRIX_PRODUCT_HPP
#define TRAIN_CPU_MATRIX_PRODUCT_HPP

#include <repebble/networks/matrix_operations.hpp>

#include "places.hpp"

namespace train_cpu {

void add_forward(recipe& r, repebble::networks::linear const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::linear const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::batched_product const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::batched_product const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
