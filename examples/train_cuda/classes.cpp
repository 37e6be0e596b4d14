#include "families.hpp"

namespace train_cuda {

namespace {

void softmax_forward(recipe& r, training::layout const& wanted, std::int64_t columns, bool logarithm,
                     forward_call const& c) {
    auto const x = r.read(c.inputs.at(0), wanted);
    auto const y = r.write(c.outputs.at(0), wanted);
    auto const rows = wanted.tensor.volume() / columns;
    r.add("softmax", [=, s = r.stream()] { return kernels::softmax(s, rows, columns, logarithm, y, x); });
}

void softmax_backward(recipe& r, training::layout const& wanted, std::int64_t columns, bool logarithm,
                      backward_call const& c) {
    auto const y = r.read(r.present(c.outputs.at(0), "its output"), wanted);
    auto const dy = r.read(c.output_gradients.at(0), wanted);
    auto const dx = r.write(c.input_gradients.at(0), wanted);
    auto const rows = wanted.tensor.volume() / columns;
    r.add("softmax_backward",
          [=, s = r.stream()] { return kernels::softmax_backward(s, rows, columns, logarithm, y, dy, dx); });
}

/// The shape of the scores, of a tensor that is there.
[[nodiscard]] auto shape_of(recipe const& r, training::placed_tensor const& x, char const* what)
    -> networks::tensor const& {
    return r.present(x, what).layout.tensor;
}

}  // namespace

void forward(recipe& r, networks::softmax const&, forward_call const& c) {
    auto const& shape = shape_of(r, c.inputs.at(0), "its input");
    softmax_forward(r, training::row_major(shape), shape.rank() == 0 ? 1 : shape.shape.back(), false, c);
}

void backward(recipe& r, networks::softmax const&, backward_call const& c) {
    if (!c.input_gradients.at(0).where.is_there()) return;
    auto const& shape = shape_of(r, c.output_gradients.at(0), "the gradient of its output");
    softmax_backward(r, training::row_major(shape), shape.rank() == 0 ? 1 : shape.shape.back(), false, c);
}

void forward(recipe& r, networks::log_softmax const&, forward_call const& c) {
    auto const& shape = shape_of(r, c.inputs.at(0), "its input");
    softmax_forward(r, classes_last(shape), shape.shape[1], true, c);
}

void backward(recipe& r, networks::log_softmax const&, backward_call const& c) {
    if (!c.input_gradients.at(0).where.is_there()) return;
    auto const& shape = shape_of(r, c.output_gradients.at(0), "the gradient of its output");
    softmax_backward(r, classes_last(shape), shape.shape[1], true, c);
}

void forward(recipe& r, networks::nll_loss const&, forward_call const& c) {
    auto const& shape = shape_of(r, c.inputs.at(0), "its input");
    auto const& labels = shape_of(r, c.inputs.at(1), "its labels");
    auto const logarithms = r.read(c.inputs[0], classes_last(shape));
    auto const* const label = r.read_indices(c.inputs[1], training::row_major(labels));
    auto* const loss = first_of(r.present(c.outputs.at(0), "its output"));
    auto* const count = first_of(r.present(c.outputs.at(1), "the weight of its labels"));
    auto* const partial = r.take_array<double>(kernels::loss_partials(labels.volume()));
    r.add("nll_loss", [=, s = r.stream(), rows = labels.volume(), classes = shape.shape[1]] {
        return kernels::nll_loss(s, rows, classes, logarithms, label, partial, loss, count);
    });
}

void backward(recipe& r, networks::nll_loss const&, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& shape = dx.where.layout.tensor;
    auto const& labels = shape_of(r, c.inputs.at(1), "its labels");
    auto const* const label = r.read_indices(c.inputs[1], training::row_major(labels));
    auto const* const count = first_of(r.present(c.outputs.at(1), "the weight of its labels"));
    auto const* const of_loss = c.output_gradients.empty() ? nullptr : first_of(c.output_gradients[0]);
    auto const to = r.write(dx, classes_last(shape));
    r.add("nll_loss_backward", [=, s = r.stream(), rows = labels.volume(), classes = shape.shape[1]] {
        return kernels::nll_loss_backward(s, rows, classes, label, count, of_loss, to);
    });
}

}  // namespace train_cuda
