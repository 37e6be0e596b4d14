#ifndef TRAIN_CPU_POOLING_HPP
#define TRAIN_CPU_POOLING_HPP

#include <repebble/networks/image_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// Positions of greatest elements are numbered row by row over the pixels of the input; padding is no element. An
/// average is over all cells of a window that lie in the image or its padding.
void add_forward(recipe& r, repebble::networks::max_pool const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::max_pool const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::average_pool const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::average_pool const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::adaptive_average_pool const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::adaptive_average_pool const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
