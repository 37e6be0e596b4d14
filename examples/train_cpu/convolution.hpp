#ifndef TRAIN_CPU_CONVOLUTION_HPP
#define TRAIN_CPU_CONVOLUTION_HPP

#include <repebble/networks/image_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// Images with their channels together; filters in the format that oneDNN likes best, in the workspace.
void add_forward(recipe& r, repebble::networks::convolution const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::convolution const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
