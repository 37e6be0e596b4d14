#ifndef TRAIN_CPU_RESAMPLING_HPP
#define TRAIN_CPU_RESAMPLING_HPP

#include <repebble/networks/image_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// The corners of pixels, not their centres, are aligned.
void add_forward(recipe& r, repebble::networks::resize const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::resize const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
