#include <cmath>
#include <vector>

#include "cudnn_types.hpp"

// Batch norm of cuDNN over images with their channels at the end: every channel by itself, all sums in one order.

namespace {

using cuda_stand_in::array;
using cuda_stand_in::number_at;

/// Arrays of one float for each channel.
auto channels_at(void const* at) -> array { return {at, false}; }

/// The mean over all pixels of f(pixel's element).
template <class F>
auto mean_of(cudnnTensorStruct const& t, F f) -> float {
    float sum = 0;
    for (std::int64_t p = 0; p < t.pixels(); ++p) sum += f(p);
    return sum / static_cast<float>(t.pixels());
}

/// What both ways forward have in common.
struct forward_arrays {
    array x, y, scale, bias;
};

void normalise(cudnnTensorStruct const& t, forward_arrays const& at, int c, float mean, float deviation, float alpha,
               float beta) {
    for (std::int64_t p = 0; p < t.pixels(); ++p) {
        auto const i = p * t.channels + c;
        at.y.put(i, (at.x[i] - mean) * deviation * at.scale[c] + at.bias[c], alpha, beta);
    }
}

auto status_of(cudaError_t error) -> cudnnStatus_t {
    return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

auto fits(cudnnTensorStruct const& x, cudnnTensorStruct const& y, cudnnTensorStruct const& channels) -> bool {
    return x == y && x.type == CUDNN_DATA_FLOAT && channels.channels == x.channels && channels.pixels() == 1;
}

}  // namespace

auto cudnnBatchNormalizationForwardInference(cudnnHandle_t h, cudnnBatchNormMode_t, void const* alpha, void const* beta,
                                             cudnnTensorDescriptor_t x, void const* at_x, cudnnTensorDescriptor_t y,
                                             void* at_y, cudnnTensorDescriptor_t of_channels, void const* scale,
                                             void const* bias, void const* mean, void const* variance, double epsilon)
    -> cudnnStatus_t {
    if (!fits(*x, *y, *of_channels)) return CUDNN_STATUS_BAD_PARAM;
    forward_arrays const at{x->array_at(at_x), x->array_at(at_y), channels_at(scale), channels_at(bias)};
    return status_of(cuda_stand_in::enqueue(
        h->stream, "cudnnBatchNormalizationForwardInference",
        [=, t = *x, means = channels_at(mean), variances = channels_at(variance), one = number_at(alpha),
         old = number_at(beta)] {
            at.x.read(0, t.count());
            for (auto const& a : {at.scale, at.bias, means, variances}) a.read(0, t.channels);
            at.y.write(0, t.count(), old);
            for (int c = 0; c < t.channels; ++c)
                normalise(t, at, c, means[c], 1 / std::sqrt(variances[c] + static_cast<float>(epsilon)), one, old);
        }));
}

auto cudnnBatchNormalizationForwardTraining(cudnnHandle_t h, cudnnBatchNormMode_t, void const* alpha, void const* beta,
                                            cudnnTensorDescriptor_t x, void const* at_x, cudnnTensorDescriptor_t y,
                                            void* at_y, cudnnTensorDescriptor_t of_channels, void const* scale,
                                            void const* bias, double factor, void* running_mean, void* running_variance,
                                            double epsilon, void* saved_mean, void* saved_deviation) -> cudnnStatus_t {
    bool const runs = running_mean != nullptr;
    if (!fits(*x, *y, *of_channels) || runs != (running_variance != nullptr) ||
        (saved_mean == nullptr) != (saved_deviation == nullptr))
        return CUDNN_STATUS_BAD_PARAM;
    forward_arrays const at{x->array_at(at_x), x->array_at(at_y), channels_at(scale), channels_at(bias)};
    return status_of(cuda_stand_in::enqueue(
        h->stream, "cudnnBatchNormalizationForwardTraining",
        [=, t = *x, means = channels_at(running_mean), variances = channels_at(running_variance),
         saved = channels_at(saved_mean), deviations = channels_at(saved_deviation), keeps = saved_mean != nullptr,
         moves = static_cast<float>(factor), one = number_at(alpha), old = number_at(beta)] {
            at.x.read(0, t.count());
            for (auto const& a : {at.scale, at.bias}) a.read(0, t.channels);
            at.y.write(0, t.count(), old);
            if (runs)
                for (auto const& a : {means, variances}) a.write(0, t.channels, 1 - moves);
            if (keeps)
                for (auto const& a : {saved, deviations}) a.write(0, t.channels);
            auto const n = static_cast<float>(t.pixels());
            for (int c = 0; c < t.channels; ++c) {
                auto const mean = mean_of(t, [&](std::int64_t p) { return at.x[p * t.channels + c]; });
                auto const variance = mean_of(t, [&](std::int64_t p) {
                    auto const distance = at.x[p * t.channels + c] - mean;
                    return distance * distance;
                });
                auto const deviation = 1 / std::sqrt(variance + static_cast<float>(epsilon));
                if (runs) {
                    means.put(c, mean, moves, 1 - moves);
                    variances.put(c, n > 1 ? variance * n / (n - 1) : variance, moves, 1 - moves);
                }
                if (keeps) {
                    saved.put(c, mean);
                    deviations.put(c, deviation);
                }
                normalise(t, at, c, mean, deviation, one, old);
            }
        }));
}

auto cudnnBatchNormalizationBackward(cudnnHandle_t h, cudnnBatchNormMode_t, void const* alpha, void const* beta,
                                     void const* alpha_parameters, void const* beta_parameters,
                                     cudnnTensorDescriptor_t x, void const* at_x, cudnnTensorDescriptor_t dy,
                                     void const* at_dy, cudnnTensorDescriptor_t dx, void* at_dx,
                                     cudnnTensorDescriptor_t of_channels, void const* scale, void* scale_gradient,
                                     void* bias_gradient, double, void const* saved_mean, void const* saved_deviation)
    -> cudnnStatus_t {
    if (!fits(*x, *dy, *of_channels) || !(*dx == *x) || saved_mean == nullptr || saved_deviation == nullptr)
        return CUDNN_STATUS_BAD_PARAM;
    return status_of(cuda_stand_in::enqueue(
        h->stream, "cudnnBatchNormalizationBackward",
        [=, t = *x, in = x->array_at(at_x), from = x->array_at(at_dy), to = x->array_at(at_dx),
         weight = channels_at(scale), of_weight = channels_at(scale_gradient), of_bias = channels_at(bias_gradient),
         means = channels_at(saved_mean), deviations = channels_at(saved_deviation), one = number_at(alpha),
         old = number_at(beta), one_parameter = number_at(alpha_parameters),
         old_parameter = number_at(beta_parameters)] {
            for (auto const& a : {in, from}) a.read(0, t.count());
            for (auto const& a : {weight, means, deviations}) a.read(0, t.channels);
            to.write(0, t.count(), old);
            for (auto const& a : {of_weight, of_bias}) a.write(0, t.channels, old_parameter);
            for (int c = 0; c < t.channels; ++c) {
                auto const at = [&](std::int64_t p) { return p * t.channels + c; };
                auto const normal = [&](std::int64_t p) { return (in[at(p)] - means[c]) * deviations[c]; };
                auto const bias = mean_of(t, [&](std::int64_t p) { return from[at(p)]; });
                auto const product = mean_of(t, [&](std::int64_t p) { return from[at(p)] * normal(p); });
                for (std::int64_t p = 0; p < t.pixels(); ++p)
                    to.put(at(p), weight[c] * deviations[c] * (from[at(p)] - bias - normal(p) * product), one, old);
                auto const n = static_cast<float>(t.pixels());
                of_weight.put(c, product * n, one_parameter, old_parameter);
                of_bias.put(c, bias * n, one_parameter, old_parameter);
            }
        }));
}
