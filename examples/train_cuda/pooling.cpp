#include "families.hpp"

namespace train_cuda {

namespace {

[[nodiscard]] auto pooling_of(networks::tensor const& in, networks::tensor const& out, networks::window const& w)
    -> kernels::pooling {
    return {.images = in.shape[0],
            .channels = in.shape[1],
            .height = in.shape[2],
            .width = in.shape[3],
            .out_height = out.shape[2],
            .out_width = out.shape[3],
            .kernel = w.kernel,
            .stride = w.stride,
            .padding = w.padding,
            .dilation = w.dilation};
}

/// What all kinds but max_pool have in common: one tensor in, one out.
template <class Launch>
void image_forward(recipe& r, networks::window const& w, char const* name, Launch launch, forward_call const& c) {
    auto const& in = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const& out = r.present(c.outputs.at(0), "its output").layout.tensor;
    auto const x = r.read(c.inputs[0], training::channels_last(in));
    auto const y = r.write(c.outputs[0], training::channels_last(out));
    r.add(name, [=, s = r.stream(), p = pooling_of(in, out, w)] { return launch(s, p, x, y); });
}

template <class Launch>
void image_backward(recipe& r, networks::window const& w, char const* name, Launch launch, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& in = dx.where.layout.tensor;
    auto const& out = r.present(c.output_gradients.at(0), "the gradient of its output").layout.tensor;
    auto const dy = r.read(c.output_gradients[0], training::channels_last(out));
    auto const to = r.write(dx, training::channels_last(in));
    r.add(name, [=, s = r.stream(), p = pooling_of(in, out, w)] { return launch(s, p, dy, to); });
}

}  // namespace

void forward(recipe& r, networks::max_pool const& k, forward_call const& c) {
    auto const& in = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const& out = r.present(c.outputs.at(0), "its output").layout.tensor;
    auto const x = r.read(c.inputs[0], training::channels_last(in));
    auto const y = r.write(c.outputs[0], training::channels_last(out));
    auto* const positions = r.write_indices(c.outputs.at(1), training::channels_last(out));
    r.add("max_pool",
          [=, s = r.stream(), p = pooling_of(in, out, k.window)] { return kernels::max_pool(s, p, x, y, positions); });
}

void backward(recipe& r, networks::max_pool const& k, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& in = dx.where.layout.tensor;
    auto const& out = r.present(c.output_gradients.at(0), "the gradient of its output").layout.tensor;
    auto const dy = r.read(c.output_gradients[0], training::channels_last(out));
    auto const* const positions = r.read_indices(c.outputs.at(1), training::channels_last(out));
    auto const to = r.write(dx, training::channels_last(in));
    r.add("max_pool_backward", [=, s = r.stream(), p = pooling_of(in, out, k.window)] {
        return kernels::max_pool_backward(s, p, positions, dy, to);
    });
}

void forward(recipe& r, networks::average_pool const& k, forward_call const& c) {
    image_forward(r, k.window, "average_pool", kernels::average_pool, c);
}
void backward(recipe& r, networks::average_pool const& k, backward_call const& c) {
    image_backward(r, k.window, "average_pool_backward", kernels::average_pool_backward, c);
}

void forward(recipe& r, networks::adaptive_average_pool const&, forward_call const& c) {
    image_forward(r, {}, "adaptive_pool", kernels::adaptive_pool, c);
}
void backward(recipe& r, networks::adaptive_average_pool const&, backward_call const& c) {
    image_backward(r, {}, "adaptive_pool_backward", kernels::adaptive_pool_backward, c);
}

void forward(recipe& r, networks::resize const&, forward_call const& c) {
    image_forward(r, {}, "resize", kernels::resize, c);
}
void backward(recipe& r, networks::resize const&, backward_call const& c) {
    image_backward(r, {}, "resize_backward", kernels::resize_backward, c);
}

}  // namespace train_cuda
