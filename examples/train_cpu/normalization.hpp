#ifndef TRAIN_CPU_NORMALIZATION_HPP
#define TRAIN_CPU_NORMALIZATION_HPP

#include <repebble/networks/image_operations.hpp>
#include <repebble/networks/matrix_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// The third output is the variance and not the inverse deviation: so oneDNN has it.
void add_forward(recipe& r, repebble::networks::batch_norm const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::batch_norm const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::layer_norm const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::layer_norm const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::rms_norm const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::rms_norm const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
