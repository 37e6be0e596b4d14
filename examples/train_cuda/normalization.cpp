#include <utility>

#include "families.hpp"

namespace train_cuda {

namespace {

/// An output where it is wanted, else a place in the workspace.
[[nodiscard]] auto place_of(recipe& r, training::placed_tensor const& y, std::int64_t count) -> float* {
    return y.is_there() ? first_of(y) : r.take_array<float>(count);
}

}  // namespace

// Batch norm of an image with its channels at the end: a column of the matrix is a channel. cuDNN's, of such images of
// float32, took sixty times as long.
void forward(recipe& r, networks::batch_norm const& k, forward_call const& c) {
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const wanted = training::channels_last(shape);
    auto const x = r.read(c.inputs[0], wanted);
    auto const y = r.write(c.outputs.at(0), wanted);
    auto const columns = shape.shape[1];
    auto const rows = shape.volume() / columns;
    kernels::channel_statistics own{.epsilon = static_cast<float>(k.epsilon),
                                    .momentum = static_cast<float>(k.momentum)};
    own.deviation = c.training ? place_of(r, c.outputs.at(2), columns) : r.take_array<float>(columns);
    if (c.training) {
        own.mean = place_of(r, c.outputs.at(1), columns);
        if (c.repetition == 0) own.running_mean = parameter_of(c, 2);
        if (c.repetition == 0) own.running_variance = parameter_of(c, 3);
        auto* const partial = r.take_array<float>(kernels::column_partials(rows, columns));
        r.add("batch_norm_statistics",
              [=, s = r.stream()] { return kernels::batch_norm_statistics(s, rows, columns, x, partial, own); });
    } else {
        own.mean = parameter_of(c, 2);
        r.add("inverse_deviations", [=, s = r.stream(), variance = parameter_of(c, 3)] {
            return kernels::inverse_deviations(s, columns, own.epsilon, variance, own.deviation);
        });
    }
    kernels::column_norm const by{parameter_of(c, 0), parameter_of(c, 1), own.mean, own.deviation};
    r.add("batch_norm", [=, s = r.stream()] { return kernels::batch_norm(s, rows, columns, by, x, y); });
}

void backward(recipe& r, networks::batch_norm const&, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    auto const weight = parameter_target(c, 0);
    auto const bias = parameter_target(c, 1);
    if (!dx.where.is_there() && weight.at == nullptr && bias.at == nullptr) return;
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const columns = shape.shape[1];
    auto const rows = shape.volume() / columns;
    auto const wanted = training::channels_last(shape);
    auto const x = r.read(c.inputs[0], wanted);
    auto const dy = r.read(c.output_gradients.at(0), wanted);
    auto const* const mean = first_of(r.present(c.outputs.at(1), "the mean of its batch"));
    auto const* const deviation = first_of(r.present(c.outputs.at(2), "the inverse deviation of its batch"));

    // x's gradient needs the sums, without what was in the parameters' gradients before.
    auto const sum_of = [&](kernels::target const& to) {
        bool const direct = to.at != nullptr && !to.add && to.as == kernels::stored::float32;
        return direct ? static_cast<float*>(to.at) : r.take_array<float>(columns);
    };
    auto* const weight_sum = sum_of(weight);
    auto* const bias_sum = sum_of(bias);
    auto* const partial = r.take_array<float>(2 * kernels::column_partials(rows, columns));
    r.add("norm_parameters", [=, s = r.stream()] {
        return kernels::norm_parameters(s, kernels::normalised::columns, rows, columns, x, mean, deviation, dy, partial,
                                        {{weight_sum}}, {{bias_sum}});
    });
    if (dx.where.is_there()) {
        kernels::column_norm const by{.weight = parameter_of(c, 0), .mean = mean, .deviation = deviation};
        r.add("batch_norm_backward", [=, s = r.stream(), to = r.write(dx, wanted)] {
            return kernels::batch_norm_backward(s, rows, columns, by, x, dy, weight_sum, bias_sum, to);
        });
    }
    auto const per_channel = training::row_major({{columns}});
    auto const w = walk_of<2>(r, {&per_channel, &per_channel});
    for (auto const& [to, sum] : {std::pair{weight, weight_sum}, std::pair{bias, bias_sum}})
        if (to.at != nullptr && to.at != sum)
            r.add("copy", [=, s = r.stream()] { return kernels::copy(s, w, to, {sum}); });
}

namespace {

/// Layer norm, or by the mean square where it is not centred: then there are neither means nor biases.
void row_norm_forward(recipe& r, bool centred, double epsilon, forward_call const& c) {
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const columns = shape.shape.back();
    auto const rows = shape.volume() / columns;
    auto const x = r.read(c.inputs[0], training::row_major(shape));
    auto const y = r.write(c.outputs.at(0), training::row_major(shape));
    auto* const mean = centred ? place_of(r, c.outputs.at(1), rows) : nullptr;
    auto* const deviation = place_of(r, c.outputs.at(centred ? 2 : 1), rows);
    r.add("layer_norm", [=, s = r.stream(), by = static_cast<float>(epsilon), weight = parameter_of(c, 0),
                         bias = centred ? parameter_of(c, 1) : nullptr] {
        return kernels::layer_norm(s, rows, columns, by, x, weight, bias, y, mean, deviation);
    });
}

void row_norm_backward(recipe& r, bool centred, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    auto const weight = parameter_target(c, 0);
    auto const bias = centred ? parameter_target(c, 1) : kernels::target{};
    if (!dx.where.is_there() && weight.at == nullptr && bias.at == nullptr) return;
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const columns = shape.shape.back();
    auto const rows = shape.volume() / columns;
    auto const wanted = training::row_major(shape);
    auto const x = r.read(c.inputs[0], wanted);
    auto const dy = r.read(c.output_gradients.at(0), wanted);
    auto const* const mean = centred ? first_of(r.present(c.outputs.at(1), "the mean of its rows")) : nullptr;
    auto const* const deviation =
        first_of(r.present(c.outputs.at(centred ? 2 : 1), "the inverse deviation of its rows"));
    if (weight.at != nullptr || bias.at != nullptr) {  // before dx, which may lie over dy
        auto* const partial = r.take_array<float>(2 * kernels::column_partials(rows, columns));
        r.add("norm_parameters", [=, s = r.stream()] {
            return kernels::norm_parameters(s, kernels::normalised::rows, rows, columns, x, mean, deviation, dy,
                                            partial, weight, bias);
        });
    }
    if (!dx.where.is_there()) return;
    auto const to = r.write(dx, wanted);
    r.add("layer_norm_backward", [=, s = r.stream(), scale = parameter_of(c, 0)] {
        return kernels::layer_norm_backward(s, rows, columns, x, scale, mean, deviation, dy, to);
    });
}

}  // namespace

void forward(recipe& r, networks::layer_norm const& k, forward_call const& c) {
    row_norm_forward(r, true, k.epsilon, c);
}
void backward(recipe& r, networks::layer_norm const&, backward_call const& c) { row_norm_backward(r, true, c); }
void forward(recipe& r, networks::rms_norm const& k, forward_call const& c) {
    row_norm_forward(r, false, k.epsilon, c);
}
void backward(recipe& r, networks::rms_norm const&, backward_call const& c) { row_norm_backward(r, false, c); }

namespace {
[[nodiscard]] auto response_norm_of(networks::local_response_norm const& k, networks::tensor const& t)
    -> kernels::response_norm {
    return {.pixels = t.volume() / t.shape[1],
            .channels = t.shape[1],
            .neighbours = k.neighbours,
            .k = static_cast<float>(k.k),
            .alpha = static_cast<float>(k.alpha),
            .beta = static_cast<float>(k.beta)};
}
}  // namespace

void forward(recipe& r, networks::local_response_norm const& k, forward_call const& c) {
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const x = r.read(c.inputs[0], training::channels_last(shape));
    auto const y = r.write(c.outputs.at(0), training::channels_last(shape));
    r.add("local_response_norm",
          [=, s = r.stream(), n = response_norm_of(k, shape)] { return kernels::local_response_norm(s, n, x, y); });
}

void backward(recipe& r, networks::local_response_norm const& k, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    if (!dx.where.is_there()) return;
    auto const& shape = dx.where.layout.tensor;
    auto const x = r.read(c.inputs.at(0), training::channels_last(shape));
    auto const dy = r.read(c.output_gradients.at(0), training::channels_last(shape));
    auto const to = r.write(dx, training::channels_last(shape));
    r.add("local_response_norm_backward", [=, s = r.stream(), n = response_norm_of(k, shape)] {
        return kernels::local_response_norm_backward(s, n, x, dy, to);
    });
}

}  // namespace train_cuda
