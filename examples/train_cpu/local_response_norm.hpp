#ifndef TRAIN_CPU_LOCAL_RESPONSE_NORM_HPP
#define TRAIN_CPU_LOCAL_RESPONSE_NORM_HPP

#include <repebble/networks/image_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// y = x · (k + alpha · sum of squares of the neighbours)^-beta.
void add_forward(recipe& r, repebble::networks::local_response_norm const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::local_response_norm const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
