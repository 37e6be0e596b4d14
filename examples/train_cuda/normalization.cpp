#include <memory>
#include <utility>

#include "families.hpp"

namespace train_cuda {

namespace {

/// An image and what belongs to each of its channels.
struct channel_descriptors {
    tensor_descriptor image{}, channel{};
};

[[nodiscard]] auto descriptors_of(recipe const& r, networks::tensor const& t)
    -> std::shared_ptr<channel_descriptors const> {
    auto const d = std::make_shared<channel_descriptors>();
    check(cudnnSetTensor4dDescriptor(d->image.get(), CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, r.to_int(t.shape[0]),
                                     r.to_int(t.shape[1]), r.to_int(t.shape[2]), r.to_int(t.shape[3])),
          "cudnnSetTensor4dDescriptor", r.operation());
    check(cudnnDeriveBNTensorDescriptor(d->channel.get(), d->image.get(), CUDNN_BATCHNORM_SPATIAL),
          "cudnnDeriveBNTensorDescriptor", r.operation());
    return d;
}

/// An output where it is wanted, else a place in the workspace.
[[nodiscard]] auto place_of(recipe& r, training::placed_tensor const& y, std::int64_t count) -> float* {
    return y.is_there() ? first_of(y) : r.take_array<float>(count);
}

/// A batch norm by kernels of our own: a column of the matrix is a channel.
void columns_forward(recipe& r, networks::batch_norm const& k, forward_call const& c, kernels::numbers x,
                     kernels::numbers y) {
    auto const& shape = c.inputs[0].layout.tensor;
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

}  // namespace

void forward(recipe& r, networks::batch_norm const& k, forward_call const& c) {
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const wanted = training::channels_last(shape);
    auto const x = r.read(c.inputs[0], wanted);
    auto const y = r.write(c.outputs.at(0), wanted);
    if (x.as == kernels::stored::bfloat16) return columns_forward(r, k, c, x, y);
    auto const d = descriptors_of(r, shape);
    auto const h = r.device().dnn.get();
    auto* const weight = parameter_of(c, 0);
    auto* const bias = parameter_of(c, 1);
    auto* const running_mean = parameter_of(c, 2);
    auto* const running_variance = parameter_of(c, 3);
    if (!c.training) {
        r.add("cudnnBatchNormalizationForwardInference", [=, epsilon = k.epsilon] {
            float const one = 1;
            float const none = 0;
            return cudnnBatchNormalizationForwardInference(h, CUDNN_BATCHNORM_SPATIAL, &one, &none, d->image.get(),
                                                           x.at, d->image.get(), y.at, d->channel.get(), weight, bias,
                                                           running_mean, running_variance, epsilon);
        });
        return;
    }
    auto* const mean = place_of(r, c.outputs.at(1), shape.shape[1]);
    auto* const deviation = place_of(r, c.outputs.at(2), shape.shape[1]);
    bool const first = c.repetition == 0;
    r.add("cudnnBatchNormalizationForwardTraining", [=, epsilon = k.epsilon, momentum = k.momentum] {
        float const one = 1;
        float const none = 0;
        return cudnnBatchNormalizationForwardTraining(h, CUDNN_BATCHNORM_SPATIAL, &one, &none, d->image.get(), x.at,
                                                      d->image.get(), y.at, d->channel.get(), weight, bias,
                                                      first ? momentum : 0.0, first ? running_mean : nullptr,
                                                      first ? running_variance : nullptr, epsilon, mean, deviation);
    });
}

void backward(recipe& r, networks::batch_norm const& k, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    auto const weight = parameter_target(c, 0);
    auto const bias = parameter_target(c, 1);
    if (!dx.where.is_there() && weight.at == nullptr && bias.at == nullptr) return;
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const channels = shape.shape[1];
    auto const wanted = training::channels_last(shape);
    auto const x = r.read(c.inputs[0], wanted);
    auto const dy = r.read(c.output_gradients.at(0), wanted);
    auto const* const mean = first_of(r.present(c.outputs.at(1), "the mean of its batch"));
    auto const* const deviation = first_of(r.present(c.outputs.at(2), "the inverse deviation of its batch"));

    // Both parameters' gradients are computed whenever x's is, and are treated alike.
    bool const of_floats = x.as == kernels::stored::float32;
    bool const direct = of_floats && weight.at != nullptr && bias.at != nullptr && weight.add == bias.add;
    auto* const weight_sum = direct ? static_cast<float*>(weight.at) : r.take_array<float>(channels);
    auto* const bias_sum = direct ? static_cast<float*>(bias.at) : r.take_array<float>(channels);
    if (of_floats) {
        auto const d = descriptors_of(r, shape);
        auto const to =
            dx.where.is_there() ? r.write(dx, wanted) : kernels::target{r.take_numbers(shape.volume(), x.as), false};
        r.add("cudnnBatchNormalizationBackward", [=, h = r.device().dnn.get(), scale = parameter_of(c, 0),
                                                  epsilon = k.epsilon, add = direct && weight.add] {
            float const one = 1;
            float const old = to.add ? 1 : 0;
            float const old_parameters = add ? 1 : 0;
            return cudnnBatchNormalizationBackward(
                h, CUDNN_BATCHNORM_SPATIAL, &one, &old, &one, &old_parameters, d->image.get(), x.at, d->image.get(),
                dy.at, d->image.get(), to.at, d->channel.get(), scale, weight_sum, bias_sum, epsilon, mean, deviation);
        });
    } else {
        auto const rows = shape.volume() / channels;
        auto* const partial = r.take_array<float>(2 * kernels::column_partials(rows, channels));
        r.add("norm_parameters", [=, s = r.stream()] {
            return kernels::norm_parameters(s, kernels::normalised::columns, rows, channels, x, mean, deviation, dy,
                                            partial, {{weight_sum}}, {{bias_sum}});
        });
        if (dx.where.is_there()) {
            kernels::column_norm const by{.weight = parameter_of(c, 0), .mean = mean, .deviation = deviation};
            r.add("batch_norm_backward", [=, s = r.stream(), to = r.write(dx, wanted)] {
                return kernels::batch_norm_backward(s, rows, channels, by, x, dy, weight_sum, bias_sum, to);
            });
        }
    }
    if (direct) return;
    auto const per_channel = training::row_major({{channels}});
    auto const w = walk_of<2>(r, {&per_channel, &per_channel});
    for (auto const& [to, sum] : {std::pair{weight, weight_sum}, std::pair{bias, bias_sum}})
        if (to.at != nullptr) r.add("copy", [=, s = r.stream()] { return kernels::copy(s, w, to, {sum}); });
}

void forward(recipe& r, networks::layer_norm const& k, forward_call const& c) {
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const columns = shape.shape.back();
    auto const rows = shape.volume() / columns;
    auto const x = r.read(c.inputs[0], training::row_major(shape));
    auto const y = r.write(c.outputs.at(0), training::row_major(shape));
    auto* const mean = place_of(r, c.outputs.at(1), rows);
    auto* const deviation = place_of(r, c.outputs.at(2), rows);
    r.add("layer_norm", [=, s = r.stream(), epsilon = static_cast<float>(k.epsilon), weight = parameter_of(c, 0),
                         bias = parameter_of(c, 1)] {
        return kernels::layer_norm(s, rows, columns, epsilon, x, weight, bias, y, mean, deviation);
    });
}

void backward(recipe& r, networks::layer_norm const&, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    auto const weight = parameter_target(c, 0);
    auto const bias = parameter_target(c, 1);
    if (!dx.where.is_there() && weight.at == nullptr && bias.at == nullptr) return;
    auto const& shape = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const columns = shape.shape.back();
    auto const rows = shape.volume() / columns;
    auto const wanted = training::row_major(shape);
    auto const x = r.read(c.inputs[0], wanted);
    auto const dy = r.read(c.output_gradients.at(0), wanted);
    auto const* const mean = first_of(r.present(c.outputs.at(1), "the mean of its rows"));
    auto const* const deviation = first_of(r.present(c.outputs.at(2), "the inverse deviation of its rows"));
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
