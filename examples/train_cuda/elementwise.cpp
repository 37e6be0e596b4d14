#include <cmath>

#include "families.hpp"

namespace train_cuda {

namespace {

using kernels::numbers;
using kernels::target;
using kernels::unary;

void unary_forward(recipe& r, unary what, double factor, forward_call const& c) {
    auto const& y = r.present(c.outputs.at(0), "its output");
    auto const& x = r.present(c.inputs.at(0), "its input");
    auto const w = walk_of<2>(r, {&y.layout, &x.layout});
    r.add("unary_forward", [=, s = r.stream(), to = numbers_of(y), from = numbers_of(x)] {
        return kernels::unary_forward(s, w, what, static_cast<float>(factor), to, from);
    });
}

/// `known`: the output, but the input of gelu and silu; nullptr of what needs neither.
void unary_backward(recipe& r, unary what, double factor, training::placed_tensor const* known,
                    backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& dy = r.present(c.output_gradients.at(0), "the gradient of its output");
    auto const& read = known == nullptr ? dy : r.present(*known, "what its gradient reads");
    auto const w = walk_of<3>(r, {&dy.layout, &read.layout, &dx.where.layout});
    r.add("unary_backward", [=, s = r.stream(), from = numbers_of(dy), at = numbers_of(read), to = target_of(dx)] {
        return kernels::unary_backward(s, w, what, static_cast<float>(factor), from, at, to);
    });
}

/// A tensor as one of a larger shape in which it is repeated.
[[nodiscard]] auto repeated(training::layout l, networks::tensor const& large) -> training::layout {
    auto const lacking = static_cast<std::ptrdiff_t>(large.rank() - l.tensor.rank());
    l.strides.insert(l.strides.begin(), static_cast<std::size_t>(lacking), 0);
    l.tensor.shape.insert(l.tensor.shape.begin(), large.shape.begin(), large.shape.begin() + lacking);
    return l;
}

template <class Launch>
void binary_forward(recipe& r, char const* name, Launch launch, forward_call const& c) {
    auto const& y = r.present(c.outputs.at(0), "its output");
    auto const& a = r.present(c.inputs.at(0), "its first input");
    auto const& b = r.present(c.inputs.at(1), "its second input");
    auto const second = repeated(b.layout, a.layout.tensor);
    auto const w = walk_of<3>(r, {&y.layout, &a.layout, &second});
    r.add(name, [=, s = r.stream(), to = numbers_of(y), first = numbers_of(a), other = numbers_of(b)] {
        return launch(s, w, to, first, other);
    });
}

[[nodiscard]] auto kept_factor_of(networks::dropout const& k) -> float {
    return static_cast<float>(1.0 / (1.0 - k.probability));
}

}  // namespace

void forward(recipe& r, networks::relu const&, forward_call const& c) { unary_forward(r, unary::relu, 1, c); }
void backward(recipe& r, networks::relu const&, backward_call const& c) {
    unary_backward(r, unary::relu, 1, &c.outputs.at(0), c);
}
void forward(recipe& r, networks::gelu const&, forward_call const& c) { unary_forward(r, unary::gelu, 1, c); }
void backward(recipe& r, networks::gelu const&, backward_call const& c) {
    unary_backward(r, unary::gelu, 1, &c.inputs.at(0), c);
}
void forward(recipe& r, networks::sigmoid const&, forward_call const& c) { unary_forward(r, unary::sigmoid, 1, c); }
void backward(recipe& r, networks::sigmoid const&, backward_call const& c) {
    unary_backward(r, unary::sigmoid, 1, &c.outputs.at(0), c);
}
void forward(recipe& r, networks::hyperbolic_tangent const&, forward_call const& c) {
    unary_forward(r, unary::tanh, 1, c);
}
void backward(recipe& r, networks::hyperbolic_tangent const&, backward_call const& c) {
    unary_backward(r, unary::tanh, 1, &c.outputs.at(0), c);
}
void forward(recipe& r, networks::silu const&, forward_call const& c) { unary_forward(r, unary::silu, 1, c); }
void backward(recipe& r, networks::silu const&, backward_call const& c) {
    unary_backward(r, unary::silu, 1, &c.inputs.at(0), c);
}
void forward(recipe& r, networks::scale const& k, forward_call const& c) {
    unary_forward(r, unary::scale, k.factor, c);
}
void backward(recipe& r, networks::scale const& k, backward_call const& c) {
    unary_backward(r, unary::scale, k.factor, nullptr, c);
}

void forward(recipe& r, networks::add const&, forward_call const& c) { binary_forward(r, "add", kernels::add, c); }

void backward(recipe& r, networks::add const&, backward_call const& c) {
    auto const& first = c.input_gradients.at(0);
    auto const& second = c.input_gradients.at(1);
    if (!first.where.is_there() && !second.where.is_there()) return;
    auto const& one_of_both = first.where.is_there() ? first.where : second.where;
    bool const of_loss = c.output_gradients.empty() || !c.output_gradients[0].is_there();
    if (of_loss && one_of_both.layout.tensor.volume() != 1) r.refuse("misses the gradient of its output");
    auto const& dy = of_loss ? one_of_both : c.output_gradients[0];
    bool const repeats = second.where.is_there() && second.where.layout.tensor.rank() < dy.layout.tensor.rank();
    if (repeats) {  // before the first is written, which may lie over dy
        if (of_loss) r.refuse("misses the gradient of its output");
        auto const columns = second.where.layout.tensor.volume();
        auto const rows = r.read(dy, training::row_major(dy.layout.tensor));
        auto const to = r.write(second, training::row_major(second.where.layout.tensor));
        sum_columns(r, dy.layout.tensor.volume() / columns, columns, rows, to);
    }
    auto const a = target_of(first);
    auto const b = repeats ? target{} : target_of(second);
    if (a.at == nullptr && b.at == nullptr) return;
    auto const w = walk_of<3>(r, {&dy.layout, a.at == nullptr ? &dy.layout : &first.where.layout,
                                  b.at == nullptr ? &dy.layout : &second.where.layout});
    r.add("add_backward",
          [=, s = r.stream(), from = of_loss ? numbers{nullptr, stored_as(dy.layout.tensor.type)} : numbers_of(dy)] {
              return kernels::add_backward(s, w, from, a, b);
          });
}

void forward(recipe& r, networks::multiply const&, forward_call const& c) {
    binary_forward(r, "multiply", kernels::multiply, c);
}

void backward(recipe& r, networks::multiply const&, backward_call const& c) {
    auto const& first = c.input_gradients.at(0);
    auto const& second = c.input_gradients.at(1);
    if (!first.where.is_there() && !second.where.is_there()) return;
    auto const& dy = r.present(c.output_gradients.at(0), "the gradient of its output");
    auto const& a = r.present(c.inputs.at(0), "its first input");
    auto const& b = r.present(c.inputs.at(1), "its second input");
    auto const da = target_of(first);
    auto const db = target_of(second);
    auto const w = walk_of<5>(r, {&dy.layout, &a.layout, &b.layout, da.at == nullptr ? &dy.layout : &first.where.layout,
                                  db.at == nullptr ? &dy.layout : &second.where.layout});
    r.add("multiply_backward", [=, s = r.stream(), from = numbers_of(dy), x = numbers_of(a), z = numbers_of(b)] {
        return kernels::multiply_backward(s, w, from, x, z, da, db);
    });
}

void forward(recipe& r, networks::dropout const& k, forward_call const& c) {
    auto const& y = r.present(c.outputs.at(0), "its output");
    auto const& x = r.present(c.inputs.at(0), "its input");
    auto const& mask = c.outputs.at(1).is_there() ? c.outputs.at(1) : y;
    auto const w = walk_of<3>(r, {&y.layout, &x.layout, &mask.layout});
    kernels::dropout_rule const rule{.seed = r.device().options.seed,
                                     .iteration = r.device().iteration(),
                                     .operation = c.index,
                                     .threshold = static_cast<std::uint64_t>(std::ldexp(k.probability, 64)),
                                     .factor = kept_factor_of(k),
                                     .training = c.training};
    r.add("dropout",
          [=, s = r.stream(), to = numbers_of(y), from = numbers_of(x),
           kept = first_of<std::uint8_t>(c.outputs.at(1))] { return kernels::dropout(s, w, rule, to, from, kept); });
}

void backward(recipe& r, networks::dropout const& k, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& dy = r.present(c.output_gradients.at(0), "the gradient of its output");
    auto const& mask = r.present(c.outputs.at(1), "its mask");
    auto const w = walk_of<3>(r, {&dy.layout, &mask.layout, &dx.where.layout});
    r.add("dropout_backward",
          [=, s = r.stream(), factor = kept_factor_of(k), from = numbers_of(dy), kept = first_of<std::uint8_t>(mask),
           to = target_of(dx)] { return kernels::dropout_backward(s, w, factor, from, kept, to); });
}

namespace {
[[nodiscard]] auto mask_layout(networks::tensor const& scores) -> training::layout {
    auto const n = scores.shape.back();
    return repeated(training::row_major({{n, n}, networks::element::boolean}), scores);
}
}  // namespace

void forward(recipe& r, networks::causal_mask const&, forward_call const& c) {
    auto const& y = r.present(c.outputs.at(0), "its output");
    auto const& x = r.present(c.inputs.at(0), "its input");
    auto const mask = mask_layout(x.layout.tensor);
    auto const w = walk_of<3>(r, {&y.layout, &x.layout, &mask});
    r.add("masked", [=, s = r.stream(), to = numbers_of(y), from = numbers_of(x),
                     seen = parameter_of<std::uint8_t>(c, 0)] { return kernels::masked(s, w, to, from, seen); });
}

void backward(recipe& r, networks::causal_mask const&, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& dy = r.present(c.output_gradients.at(0), "the gradient of its output");
    auto const mask = mask_layout(dy.layout.tensor);
    auto const w = walk_of<3>(r, {&dy.layout, &mask, &dx.where.layout});
    r.add("masked_backward", [=, s = r.stream(), from = numbers_of(dy), seen = parameter_of<std::uint8_t>(c, 0),
                              to = target_of(dx)] { return kernels::masked_backward(s, w, from, seen, to); });
}

}  // namespace train_cuda
