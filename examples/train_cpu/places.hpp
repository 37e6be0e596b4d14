#ifndef TRAIN_CPU_PLACES_HPP
#define TRAIN_CPU_PLACES_HPP

#include <cstddef>

#include <repebble/training/calls.hpp>

#include "recipe.hpp"

/// What recipes ask of calls.
namespace train_cpu {

using repebble::training::backward_call;
using repebble::training::forward_call;
using repebble::training::placed_tensor;

/// Throws cannot_compute where the tensor is not there.
[[nodiscard]] inline auto place_of(place::role what, std::size_t i, placed_tensor const& t) -> place {
    if (!t.is_there()) throw cannot_compute("a tensor is not there that is needed");
    return {what, i, t.layout.offset * repebble::networks::size_of(t.layout.tensor.type)};
}
template <class Call>
[[nodiscard]] auto input(Call const& call, std::size_t i) -> place {
    return place_of(place::role::input, i, call.inputs.at(i));
}
template <class Call>
[[nodiscard]] auto output(Call const& call, std::size_t i) -> place {
    return place_of(place::role::output, i, call.outputs.at(i));
}
/// A scalar that is not there is 1: the gradient of the loss by itself.
[[nodiscard]] inline auto output_gradient(backward_call const& call, std::size_t i = 0) -> place {
    auto const& t = call.output_gradients.at(i);
    if (!t.is_there() && t.layout.tensor.volume() == 1) return {place::role::one};
    return place_of(place::role::output_gradient, i, t);
}
[[nodiscard]] inline auto has_input_gradient(backward_call const& call, std::size_t i) -> bool {
    return i < call.input_gradients.size() && call.input_gradients[i].where.is_there();
}
[[nodiscard]] inline auto input_gradient(backward_call const& call, std::size_t i) -> place {
    return place_of(place::role::input_gradient, i, call.input_gradients.at(i).where);
}
/// Of input i, though neither it nor its gradient need be there.
[[nodiscard]] inline auto input_layout(backward_call const& call, std::size_t i) -> layout const& {
    return has_input_gradient(call, i) ? call.input_gradients[i].where.layout : call.inputs.at(i).layout;
}
/// Where the gradient of input i is to be computed in a certain layout.
[[nodiscard]] inline auto input_destination(recipe& r, backward_call const& call, std::size_t i, layout const& computed,
                                            bool adds_itself = false) -> destination {
    auto const& g = call.input_gradients.at(i);
    return r.write(input_gradient(call, i), g.where.layout, computed, g.add, adds_itself);
}
[[nodiscard]] inline auto parameter(std::size_t i) -> place { return {place::role::parameter, i}; }
[[nodiscard]] inline auto has_parameter_gradient(backward_call const& call, std::size_t i) -> bool {
    return i < call.parameter_gradients.size() && call.parameter_gradients[i] != nullptr;
}
[[nodiscard]] inline auto adds_parameter(backward_call const& call, std::size_t i) -> bool {
    return i < call.add_parameter.size() && call.add_parameter[i];
}
[[nodiscard]] inline auto parameter_gradient(std::size_t i) -> place { return {place::role::parameter_gradient, i}; }

template <class T>
[[nodiscard]] auto as(std::byte* at) -> T* {
    return reinterpret_cast<T*>(at);
}

}  // namespace train_cpu

#endif
