#include "normalization.hpp"

#include <algorithm>
#include <cmath>

#include "descriptors.hpp"
#include "parallel_for.hpp"

namespace train_cpu {

using repebble::networks::batch_norm;
using repebble::networks::layer_norm;
using repebble::networks::rms_norm;
using repebble::training::channels_last;

namespace {

using flag = dnnl::normalization_flags;
auto const affine = flag::use_scale | flag::use_shift;

struct batch_types {
    using forward = dnnl::batch_normalization_forward;
    using backward = dnnl::batch_normalization_backward;

    dnnl::memory::desc data;
    dnnl::memory::desc per_feature;
    dnnl::memory::desc statistics;
    float epsilon;

    batch_types(batch_norm const& kind, layout const& x)
        : data(desc_of(x)),
          per_feature(row_major_desc({x.tensor.shape[1]})),
          statistics(per_feature),
          epsilon(static_cast<float>(kind.epsilon)) {}
    [[nodiscard]] auto forward_pd(bool training) const -> forward::primitive_desc {
        auto const flags = training ? affine : affine | flag::use_global_stats;
        auto const what = training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
        return {forward::desc(what, data, epsilon, flags), attributes(), cpu_engine()};
    }
    [[nodiscard]] auto backward_pd() const -> backward::primitive_desc {
        return {backward::desc(dnnl::prop_kind::backward, data, data, epsilon, affine), attributes(), cpu_engine(),
                forward_pd(true)};
    }
};

struct layer_types {
    using forward = dnnl::layer_normalization_forward;
    using backward = dnnl::layer_normalization_backward;

    dnnl::memory::desc data;
    dnnl::memory::desc per_feature;
    dnnl::memory::desc statistics;
    float epsilon;

    layer_types(layer_norm const& kind, layout const& x) : epsilon(static_cast<float>(kind.epsilon)) {
        auto const features = x.tensor.shape.back();
        auto const rows = x.tensor.volume() / features;
        data = row_major_desc({rows, features});
        per_feature = row_major_desc({features});
        statistics = row_major_desc({rows});
    }
    [[nodiscard]] auto forward_pd(bool) const -> forward::primitive_desc {
        return {forward::desc(dnnl::prop_kind::forward_training, data, statistics, epsilon, affine), attributes(),
                cpu_engine()};
    }
    [[nodiscard]] auto backward_pd() const -> backward::primitive_desc {
        return {backward::desc(dnnl::prop_kind::backward, data, data, statistics, epsilon, affine), attributes(),
                cpu_engine(), forward_pd(true)};
    }
};

template <class Types>
void backward(recipe& r, Types const& types, layout const& wanted, backward_call const& call) {
    auto const pd = types.backward_pd();
    auto const in = r.read(input(call, 0), call.inputs[0].layout, wanted);
    auto const dy = r.read(output_gradient(call), call.output_gradients[0].layout, wanted);
    auto const dx = has_input_gradient(call, 0) ? input_destination(r, call, 0, wanted)
                                                : destination{r.reserve(wanted.tensor.size())};
    auto const size = static_cast<bytes>(types.per_feature.get_size());
    place made[2];
    for (std::size_t i = 0; i < 2; ++i) {
        bool const direct = has_parameter_gradient(call, i) && !adds_parameter(call, i);
        made[i] = direct ? parameter_gradient(i) : r.reserve(size);
    }
    r.execute(pd, {{DNNL_ARG_SRC, in, types.data},
                   {DNNL_ARG_DIFF_DST, dy, types.data},
                   {DNNL_ARG_MEAN, output(call, 1), types.statistics},
                   {DNNL_ARG_VARIANCE, output(call, 2), types.statistics},
                   {DNNL_ARG_SCALE, parameter(0), types.per_feature},
                   {DNNL_ARG_SHIFT, parameter(1), types.per_feature},
                   {DNNL_ARG_DIFF_SRC, dx.computed, types.data},
                   {DNNL_ARG_DIFF_SCALE, made[0], types.per_feature},
                   {DNNL_ARG_DIFF_SHIFT, made[1], types.per_feature}});
    r.deliver(dx);
    for (std::size_t i = 0; i < 2; ++i)
        if (has_parameter_gradient(call, i) && adds_parameter(call, i))
            r.reorder(made[i], types.per_feature, parameter_gradient(i), types.per_feature, true);
}

template <class Types>
void forward(recipe& r, Types const& types, layout const& wanted, forward_call const& call, place mean, place variance,
             bool training) {
    auto const in = r.read(input(call, 0), call.inputs[0].layout, wanted);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, wanted);
    r.execute(types.forward_pd(training), {{DNNL_ARG_SRC, in, types.data},
                                           {DNNL_ARG_SCALE, parameter(0), types.per_feature},
                                           {DNNL_ARG_SHIFT, parameter(1), types.per_feature},
                                           {DNNL_ARG_DST, out.computed, types.data},
                                           {DNNL_ARG_MEAN, mean, types.statistics},
                                           {DNNL_ARG_VARIANCE, variance, types.statistics}});
    r.deliver(out);
}

/// The variance among which the running statistic is the estimate for all images, not only for these.
void add_running_statistics(recipe& r, batch_norm const& kind, layout const& x, forward_call const& call) {
    auto const channels = x.tensor.shape[1];
    auto const count = static_cast<double>(x.tensor.volume() / channels);
    auto const rate = static_cast<float>(kind.momentum);
    auto const unbiased = static_cast<float>(count > 1 ? count / (count - 1) : 1);
    r.compute({output(call, 1), output(call, 2), parameter(2), parameter(3)},
              [channels, rate, unbiased](addresses at, run_context const& now) {
                  if (now.repetition != 0) return;
                  auto const* const mean = as<float const>(at[0]);
                  auto const* const variance = as<float const>(at[1]);
                  auto* const running_mean = as<float>(at[2]);
                  auto* const running_variance = as<float>(at[3]);
                  for (extent c = 0; c < channels; ++c) {
                      running_mean[c] += rate * (mean[c] - running_mean[c]);
                      running_variance[c] += rate * (variance[c] * unbiased - running_variance[c]);
                  }
              });
}

[[nodiscard]] auto rows_of(layout const& x) -> layout { return repebble::training::row_major(x.tensor); }

[[nodiscard]] auto sum_of_products(float const* a, float const* b, extent n) -> double {
    double sum = 0;
    for (extent i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

/// dw[c] = Σ dy[r][c] · x[r][c] · scale[r], or added: row after row, whatever the number of threads.
void add_weight_gradient(recipe& r, place x, place dy, place scales, extent rows, extent features, bool adds) {
    r.compute({x, dy, scales, parameter_gradient(0)}, [=](addresses at, run_context const&) {
        auto const *const from = as<float const>(at[0]), *const g = as<float const>(at[1]);
        auto const* const scale = as<float const>(at[2]);
        auto* const to = as<float>(at[3]);
        constexpr extent width = 64;
        parallel_for((features + width - 1) / width, [&](extent block) {
            auto const begin = block * width, end = std::min(features, begin + width);
            if (!adds) std::fill(to + begin, to + end, 0.0F);
            for (extent row = 0; row < rows; ++row)
                for (extent c = begin; c < end; ++c)
                    to[c] += g[row * features + c] * from[row * features + c] * scale[row];
        });
    });
}

}  // namespace

void add_forward(recipe& r, batch_norm const& kind, forward_call const& call) {
    auto const x = channels_last(call.inputs[0].layout.tensor);
    batch_types const types(kind, x);
    if (call.training) {
        forward(r, types, x, call, output(call, 1), output(call, 2), true);
        add_running_statistics(r, kind, x, call);
        return;
    }
    forward(r, types, x, call, parameter(2), parameter(3), false);
    for (std::size_t i = 1; i < 3; ++i)
        if (call.outputs[i].is_there())
            r.reorder(parameter(i + 1), types.statistics, output(call, i), types.statistics);
}

void add_backward(recipe& r, batch_norm const& kind, backward_call const& call) {
    auto const x = channels_last(call.inputs[0].layout.tensor);
    backward(r, batch_types(kind, x), x, call);
}

void add_forward(recipe& r, layer_norm const& kind, forward_call const& call) {
    auto const x = rows_of(call.inputs[0].layout);
    forward(r, layer_types(kind, x), x, call, output(call, 1), output(call, 2), true);
}

void add_backward(recipe& r, layer_norm const& kind, backward_call const& call) {
    auto const x = rows_of(call.inputs[0].layout);
    backward(r, layer_types(kind, x), x, call);
}

void add_forward(recipe& r, rms_norm const& kind, forward_call const& call) {
    auto const lies = rows_of(call.inputs[0].layout);
    auto const in = r.read(input(call, 0), call.inputs[0].layout, lies);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, lies);
    auto const n = lies.tensor.shape.back();
    r.compute({in, parameter(0), out.computed, output(call, 1)},
              [n, rows = lies.tensor.volume() / n, epsilon = kind.epsilon](addresses at, run_context const&) {
                  parallel_for(rows, [&](extent row) {
                      auto const* const x = as<float const>(at[0]) + row * n;
                      auto const* const weight = as<float const>(at[1]);
                      auto* const y = as<float>(at[2]) + row * n;
                      auto const mean = sum_of_products(x, x, n) / static_cast<double>(n);
                      auto const scale = static_cast<float>(1 / std::sqrt(mean + epsilon));
                      as<float>(at[3])[row] = scale;
                      for (extent i = 0; i < n; ++i) y[i] = x[i] * scale * weight[i];
                  });
              });
    r.deliver(out);
}

void add_backward(recipe& r, rms_norm const&, backward_call const& call) {
    auto const lies = rows_of(call.inputs[0].layout);
    auto const in = r.read(input(call, 0), call.inputs[0].layout, lies);
    auto const dy = r.read(output_gradient(call), call.output_gradients[0].layout, lies);
    auto const n = lies.tensor.shape.back(), rows = lies.tensor.volume() / n;
    if (has_parameter_gradient(call, 0))  // before dx, which may lie over dy
        add_weight_gradient(r, in, dy, output(call, 1), rows, n, adds_parameter(call, 0));
    if (!has_input_gradient(call, 0)) return;
    auto const dx = input_destination(r, call, 0, lies, true);
    r.compute({in, parameter(0), output(call, 1), dy, dx.computed},
              [n, rows, adds = dx.add](addresses at, run_context const&) {
                  parallel_for(rows, [&](extent row) {
                      auto const* const x = as<float const>(at[0]) + row * n;
                      auto const* const weight = as<float const>(at[1]);
                      auto const scale = as<float const>(at[2])[row];
                      auto const* const g = as<float const>(at[3]) + row * n;
                      auto* const to = as<float>(at[4]) + row * n;
                      float along = 0;
                      for (extent i = 0; i < n; ++i) along += g[i] * weight[i] * x[i];
                      along *= scale * scale / static_cast<float>(n);
                      for (extent i = 0; i < n; ++i) {
                          auto const slope = scale * (g[i] * weight[i] - x[i] * along);
                          to[i] = adds ? to[i] + slope : slope;
                      }
                  });
              });
    r.deliver(dx);
}

}  // namespace train_cpu
