#include "copies.hpp"

#include "descriptors.hpp"

namespace train_cpu {

using repebble::networks::concat;
using repebble::networks::contiguous;
using repebble::networks::element;
using repebble::networks::stack;

namespace {

void require_floats(layout const& l) {
    if (l.tensor.type != element::float32) throw cannot_compute("copies float32 only");
}

[[nodiscard]] auto moved(place p, extent elements) -> place {
    p.offset += elements * repebble::networks::size_of(element::float32);
    return p;
}

/// Part of a tensor in which an operand of the given shape lies, from `index` on along the second dimension.
[[nodiscard]] auto part_of(concat const&, layout whole, layout const& operand) -> layout {
    whole.tensor = operand.tensor;
    return whole;
}
[[nodiscard]] auto part_of(stack const&, layout whole, layout const& operand) -> layout {
    whole.tensor = operand.tensor;
    whole.strides.erase(whole.strides.begin() + 1);
    return whole;
}
[[nodiscard]] auto length(concat const&, layout const& operand) -> extent { return operand.tensor.shape[1]; }
[[nodiscard]] auto length(stack const&, layout const&) -> extent { return 1; }

template <class Kind>
void gather(recipe& r, Kind const& kind, forward_call const& call) {
    auto const& whole = call.outputs[0].layout;
    require_floats(whole);
    extent index = 0;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        auto const& x = call.inputs[i].layout;
        r.reorder(input(call, i), desc_of(x), moved(output(call, 0), index * whole.strides[1]),
                  desc_of(part_of(kind, whole, x)));
        index += length(kind, x);
    }
}

template <class Kind>
void scatter(recipe& r, Kind const& kind, backward_call const& call) {
    auto const& whole = call.output_gradients[0].layout;
    extent index = 0;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        auto const& x = input_layout(call, i);
        if (has_input_gradient(call, i))
            r.reorder(moved(output_gradient(call), index * whole.strides[1]), desc_of(part_of(kind, whole, x)),
                      input_gradient(call, i), desc_of(x), call.input_gradients[i].add);
        index += length(kind, x);
    }
}

}  // namespace

void add_forward(recipe& r, contiguous const&, forward_call const& call) {
    auto const& x = call.inputs[0].layout;
    require_floats(x);
    r.reorder(input(call, 0), desc_of(x), output(call, 0), desc_of(call.outputs[0].layout));
}

void add_backward(recipe& r, contiguous const&, backward_call const& call) {
    if (!has_input_gradient(call, 0)) return;
    auto const& g = call.input_gradients[0];
    r.reorder(output_gradient(call), desc_of(call.output_gradients[0].layout), input_gradient(call, 0),
              desc_of(g.where.layout), g.add);
}

void add_forward(recipe& r, concat const& kind, forward_call const& call) { gather(r, kind, call); }
void add_backward(recipe& r, concat const& kind, backward_call const& call) { scatter(r, kind, call); }

void add_forward(recipe& r, stack const& kind, forward_call const& call) { gather(r, kind, call); }
void add_backward(recipe& r, stack const& kind, backward_call const& call) { scatter(r, kind, call); }

}  // namespace train_cpu
