#ifndef REPEBBLE_TRAIN_CUDA_FAMILIES_HPP
#define REPEBBLE_TRAIN_CUDA_FAMILIES_HPP

#include <repebble/networks/model.hpp>
#include <repebble/training/calls.hpp>

#include "recipe.hpp"

/// For every kind of operation, what it adds to a recipe: a file for each family of kinds.
namespace train_cuda {

using training::backward_call;
using training::forward_call;

// convolution.cpp
void forward(recipe&, networks::convolution const&, forward_call const&);
void backward(recipe&, networks::convolution const&, backward_call const&);

// normalization.cpp
void forward(recipe&, networks::batch_norm const&, forward_call const&);
void backward(recipe&, networks::batch_norm const&, backward_call const&);
void forward(recipe&, networks::layer_norm const&, forward_call const&);
void backward(recipe&, networks::layer_norm const&, backward_call const&);
void forward(recipe&, networks::rms_norm const&, forward_call const&);
void backward(recipe&, networks::rms_norm const&, backward_call const&);
void forward(recipe&, networks::local_response_norm const&, forward_call const&);
void backward(recipe&, networks::local_response_norm const&, backward_call const&);

// pooling.cpp
void forward(recipe&, networks::max_pool const&, forward_call const&);
void backward(recipe&, networks::max_pool const&, backward_call const&);
void forward(recipe&, networks::average_pool const&, forward_call const&);
void backward(recipe&, networks::average_pool const&, backward_call const&);
void forward(recipe&, networks::adaptive_average_pool const&, forward_call const&);
void backward(recipe&, networks::adaptive_average_pool const&, backward_call const&);
void forward(recipe&, networks::resize const&, forward_call const&);
void backward(recipe&, networks::resize const&, backward_call const&);

// matrix.cpp
void forward(recipe&, networks::linear const&, forward_call const&);
void backward(recipe&, networks::linear const&, backward_call const&);
void forward(recipe&, networks::batched_product const&, forward_call const&);
void backward(recipe&, networks::batched_product const&, backward_call const&);

// elementwise.cpp
void forward(recipe&, networks::relu const&, forward_call const&);
void backward(recipe&, networks::relu const&, backward_call const&);
void forward(recipe&, networks::gelu const&, forward_call const&);
void backward(recipe&, networks::gelu const&, backward_call const&);
void forward(recipe&, networks::sigmoid const&, forward_call const&);
void backward(recipe&, networks::sigmoid const&, backward_call const&);
void forward(recipe&, networks::hyperbolic_tangent const&, forward_call const&);
void backward(recipe&, networks::hyperbolic_tangent const&, backward_call const&);
void forward(recipe&, networks::silu const&, forward_call const&);
void backward(recipe&, networks::silu const&, backward_call const&);
void forward(recipe&, networks::scale const&, forward_call const&);
void backward(recipe&, networks::scale const&, backward_call const&);
void forward(recipe&, networks::add const&, forward_call const&);
void backward(recipe&, networks::add const&, backward_call const&);
void forward(recipe&, networks::multiply const&, forward_call const&);
void backward(recipe&, networks::multiply const&, backward_call const&);
void forward(recipe&, networks::dropout const&, forward_call const&);
void backward(recipe&, networks::dropout const&, backward_call const&);
void forward(recipe&, networks::causal_mask const&, forward_call const&);
void backward(recipe&, networks::causal_mask const&, backward_call const&);

// tables.cpp
void forward(recipe&, networks::embedding const&, forward_call const&);
void backward(recipe&, networks::embedding const&, backward_call const&);
void forward(recipe&, networks::position_embedding const&, forward_call const&);
void backward(recipe&, networks::position_embedding const&, backward_call const&);
void forward(recipe&, networks::rotary_embedding const&, forward_call const&);
void backward(recipe&, networks::rotary_embedding const&, backward_call const&);

// classes.cpp
void forward(recipe&, networks::softmax const&, forward_call const&);
void backward(recipe&, networks::softmax const&, backward_call const&);
void forward(recipe&, networks::log_softmax const&, forward_call const&);
void backward(recipe&, networks::log_softmax const&, backward_call const&);
void forward(recipe&, networks::nll_loss const&, forward_call const&);
void backward(recipe&, networks::nll_loss const&, backward_call const&);

// copies.cpp
void forward(recipe&, networks::contiguous const&, forward_call const&);
void backward(recipe&, networks::contiguous const&, backward_call const&);
void forward(recipe&, networks::concat const&, forward_call const&);
void backward(recipe&, networks::concat const&, backward_call const&);
void forward(recipe&, networks::stack const&, forward_call const&);
void backward(recipe&, networks::stack const&, backward_call const&);

/// A parameter's gradient, as a target.
[[nodiscard]] inline auto parameter_target(backward_call const& c, std::size_t i) -> kernels::target {
    if (i >= c.parameter_gradients.size()) return {};
    return {{c.parameter_gradients[i]}, i < c.add_parameter.size() && c.add_parameter[i]};
}

/// Parameter i, as an array.
template <class T = float, class Call>
[[nodiscard]] auto parameter_of(Call const& c, std::size_t i) -> T* {
    return reinterpret_cast<T*>(c.parameters.at(i));
}

/// Parameter i to be multiplied with numbers that are stored in a certain way, as the libraries want it: stored alike.
template <class Call>
[[nodiscard]] auto factor_of(recipe const& r, Call const& c, std::size_t i, kernels::stored as) -> kernels::numbers {
    if (as == kernels::stored::float32) return {c.parameters.at(i), as};
    if (i >= c.parameter_copies.size() || c.parameter_copies[i] == nullptr)
        r.refuse("misses the copy of a parameter as bfloat16");
    return {c.parameter_copies[i], as};
}

/// The steps that sum the columns of a matrix.
void sum_columns(recipe&, std::int64_t rows, std::int64_t columns, kernels::numbers from, kernels::target to);

}  // namespace train_cuda

#endif
