#include "families.hpp"

namespace train_cuda {

namespace {

/// A table, and the indices of the rows that are read of it.
struct lookup {
    std::int64_t count = 0, rows = 0, features = 0;
    std::int64_t const* indices = nullptr;
};

void look_up(recipe& r, lookup const& l, forward_call const& c) {
    auto const y = r.write(c.outputs.at(0), training::row_major(c.outputs.at(0).layout.tensor));
    r.add("embedding", [=, s = r.stream(), table = parameter_of(c, 0)] {
        return kernels::embedding(s, l.count, l.rows, l.features, l.indices, table, y);
    });
}

void look_up_backward(recipe& r, lookup const& l, kernels::numbers dy, kernels::target table) {
    auto* const gradient = static_cast<float*>(table.at);
    if (!table.add) r.set_to_zero(static_cast<std::byte*>(table.at), l.rows * l.features * 4);
    r.add("embedding_backward", [=, s = r.stream()] {
        return kernels::embedding_backward(s, l.count, l.rows, l.features, l.indices, dy, gradient);
    });
}

[[nodiscard]] auto gradient_rows(recipe& r, backward_call const& c) -> kernels::numbers {
    auto const& dy = r.present(c.output_gradients.at(0), "the gradient of its output");
    return r.read(dy, training::row_major(dy.layout.tensor));
}

[[nodiscard]] auto indices_of(recipe& r, training::placed_tensor const& x) -> std::int64_t const* {
    return r.read_indices(r.present(x, "its indices"), training::row_major(x.layout.tensor));
}

[[nodiscard]] auto rotation_by(networks::tensor const& t, float const* angles, bool back) -> kernels::rotation {
    auto const size = t.shape.back();
    return {t.volume() / size, t.shape.rbegin()[1], size, angles, back};
}

}  // namespace

void forward(recipe& r, networks::rotary_embedding const&, forward_call const& c) {
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const x = r.read(c.inputs[0], training::row_major(shape));
    auto const y = r.write(c.outputs.at(0), training::row_major(shape));
    r.add("rotary", [=, s = r.stream(), by = rotation_by(shape, parameter_of(c, 0), false)] {
        return kernels::rotate(s, by, x, {y});
    });
}

void backward(recipe& r, networks::rotary_embedding const&, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& shape = dx.where.layout.tensor;
    auto const dy = gradient_rows(r, c);
    auto const to = r.write(dx, training::row_major(shape));
    r.add("rotary_backward", [=, s = r.stream(), by = rotation_by(shape, parameter_of(c, 0), true)] {
        return kernels::rotate(s, by, dy, to);
    });
}

void forward(recipe& r, networks::embedding const& k, forward_call const& c) {
    auto const& in = c.inputs.at(0);
    look_up(r, {in.layout.tensor.volume(), k.rows, k.features, indices_of(r, in)}, c);
}

void backward(recipe& r, networks::embedding const& k, backward_call const& c) {
    auto const table = parameter_target(c, 0);
    if (table.at == nullptr) return;
    auto const& in = c.inputs.at(0);
    lookup const l{r.present(in, "its indices").layout.tensor.volume(), k.rows, k.features, indices_of(r, in)};
    look_up_backward(r, l, gradient_rows(r, c), table);
}

void forward(recipe& r, networks::position_embedding const& k, forward_call const& c) {
    look_up(r, {k.length, k.length, k.features, parameter_of<std::int64_t>(c, 1)}, c);
}

void backward(recipe& r, networks::position_embedding const& k, backward_call const& c) {
    auto const table = parameter_target(c, 0);
    if (table.at == nullptr) return;
    lookup const l{k.length, k.length, k.features, parameter_of<std::int64_t>(c, 1)};
    look_up_backward(r, l, gradient_rows(r, c), table);
}

}  // namespace train_cuda
