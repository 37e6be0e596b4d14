#ifndef TRAIN_CPU_EMBEDDING_HPP
#define TRAIN_CPU_EMBEDDING_HPP

#include <repebble/networks/matrix_operations.hpp>

#include "places.hpp"

namespace train_cpu {

/// An index that the table does not have gives zeros and has no gradient.
void add_forward(recipe& r, repebble::networks::embedding const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::embedding const& kind, backward_call const& call);
void add_forward(recipe& r, repebble::networks::position_embedding const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::position_embedding const& kind, backward_call const& call);
/// The table has the cosines and sines of each position.
void add_forward(recipe& r, repebble::networks::rotary_embedding const& kind, forward_call const& call);
void add_backward(recipe& r, repebble::networks::rotary_embedding const& kind, backward_call const& call);

}  // namespace train_cpu

#endif
