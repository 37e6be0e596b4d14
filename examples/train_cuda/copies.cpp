#include "families.hpp"

namespace train_cuda {

namespace {

/// A part of a tensor: `shape` of it, from an index of the second dimension on. Without that dimension where `shape`
/// lacks it.
[[nodiscard]] auto part_of(training::placed_tensor whole, networks::tensor const& shape, networks::extent index)
    -> training::placed_tensor {
    auto& l = whole.layout;
    l.offset += index * l.strides.at(1);
    if (shape.rank() < l.tensor.rank()) l.strides.erase(l.strides.begin() + 1);
    l.tensor = shape;
    return whole;
}

void copy(recipe& r, training::placed_tensor const& to, training::placed_tensor const& from) {
    auto const w = walk_of<2>(r, {&to.layout, &from.layout});
    auto const element = static_cast<std::size_t>(networks::size_of(to.layout.tensor.type));
    r.add("copy", [=, s = r.stream(), at = first_of<std::byte>(to), x = first_of<std::byte>(from)] {
        return kernels::copy(s, w, element, at, x);
    });
}

void copy(recipe& r, training::placed_gradient const& to, training::placed_tensor const& from) {
    auto const w = walk_of<2>(r, {&to.where.layout, &from.layout});
    r.add("copy", [=, s = r.stream(), at = target_of(to), x = numbers_of(from)] { return kernels::copy(s, w, at, x); });
}

/// Input after input, `extent_of(its tensor)` further on along the second dimension.
template <class Extent>
void join(recipe& r, forward_call const& c, Extent extent_of) {
    auto const& y = r.present(c.outputs.at(0), "its output");
    networks::extent index = 0;
    for (auto const& x : c.inputs) {
        auto const& shape = r.present(x, "an input").layout.tensor;
        copy(r, part_of(y, shape, index), x);
        index += extent_of(shape);
    }
}

template <class Extent>
void part(recipe& r, backward_call const& c, Extent extent_of) {
    networks::extent index = 0;
    for (auto const& dx : c.input_gradients) {
        auto const& shape = dx.where.layout.tensor;
        if (shape.rank() == 0) r.refuse("has to know the shape of an input whose gradient nobody wants");
        if (dx.where.is_there()) {
            auto const& dy = r.present(c.output_gradients.at(0), "the gradient of its output");
            copy(r, dx, part_of(dy, shape, index));
        }
        index += extent_of(shape);
    }
}

constexpr auto channels_of = [](networks::tensor const& t) { return t.shape.at(1); };
constexpr auto one = [](networks::tensor const&) -> networks::extent { return 1; };

}  // namespace

void forward(recipe& r, networks::contiguous const&, forward_call const& c) {
    copy(r, r.present(c.outputs.at(0), "its output"), r.present(c.inputs.at(0), "its input"));
}
void backward(recipe& r, networks::contiguous const&, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (dx.where.is_there()) copy(r, dx, r.present(c.output_gradients.at(0), "the gradient of its output"));
}

void forward(recipe& r, networks::concat const&, forward_call const& c) { join(r, c, channels_of); }
void backward(recipe& r, networks::concat const&, backward_call const& c) { part(r, c, channels_of); }

void forward(recipe& r, networks::stack const&, forward_call const& c) { join(r, c, one); }
void backward(recipe& r, networks::stack const&, backward_call const& c) { part(r, c, one); }

}  // namespace train_cuda
