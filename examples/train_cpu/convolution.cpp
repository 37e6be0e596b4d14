#include "convolution.hpp"

#include <algorithm>

#include "descriptors.hpp"

namespace train_cpu {

using repebble::networks::convolution;
using repebble::training::channels_last;

namespace {

struct plain_types {
    using forward = dnnl::convolution_forward;
    using backward_data = dnnl::convolution_backward_data;
    using backward_weights = dnnl::convolution_backward_weights;
    static constexpr auto algorithm = dnnl::algorithm::convolution_direct;
};
struct transposed_types {
    using forward = dnnl::deconvolution_forward;
    using backward_data = dnnl::deconvolution_backward_data;
    using backward_weights = dnnl::deconvolution_backward_weights;
    static constexpr auto algorithm = dnnl::algorithm::deconvolution_direct;
};

/// Everything but addresses.
struct geometry {
    layout in;
    layout out;
    dnnl::memory::desc in_desc;
    dnnl::memory::desc out_desc;
    dnnl::memory::desc filter;      ///< as the parameter lies
    dnnl::memory::desc any_filter;  ///< as oneDNN likes it
    dnnl::memory::desc bias;        ///< empty: none
    dnnl::memory::dims strides;
    dnnl::memory::dims dilation;
    dnnl::memory::dims before;
    dnnl::memory::dims behind;

    geometry(convolution const& kind, layout const& x, layout const& y)
        : in(channels_last(x.tensor)), out(channels_last(y.tensor)), in_desc(desc_of(in)), out_desc(desc_of(out)) {
        auto const& w = kind.window;
        auto const from = x.tensor.shape[1];
        auto const to = kind.channels;
        auto const k = w.kernel;
        std::vector<extent> const shape{to, from, k, k};
        filter = row_major_desc(shape);
        if (kind.transposed)  // (in, out, k, k) in memory
            filter = {shape, dnnl::memory::data_type::f32, dnnl::memory::dims{k * k, to * k * k, k, 1}};
        any_filter = any_desc(shape);
        if (kind.bias) bias = row_major_desc({to});
        strides = {w.stride, w.stride};
        dilation = {w.dilation - 1, w.dilation - 1};
        before = {w.padding, w.padding};
        for (std::size_t i : {2U, 3U}) {
            auto const spread = kind.transposed ? x.tensor.shape[i] : y.tensor.shape[i];
            auto const other = kind.transposed ? y.tensor.shape[i] : x.tensor.shape[i];
            behind.push_back(std::max(w.padding, (spread - 1) * w.stride + w.span() - other - w.padding));
        }
    }
};

template <class Types>
[[nodiscard]] auto forward_pd(geometry const& g) -> typename Types::forward::primitive_desc {
    constexpr auto kind = dnnl::prop_kind::forward_training;
    using desc = typename Types::forward::desc;
    auto const d = g.bias ? desc(kind, Types::algorithm, g.in_desc, g.any_filter, g.bias, g.out_desc, g.strides,
                                 g.dilation, g.before, g.behind)
                          : desc(kind, Types::algorithm, g.in_desc, g.any_filter, g.out_desc, g.strides, g.dilation,
                                 g.before, g.behind);
    return {d, attributes(), cpu_engine()};
}

[[nodiscard]] auto filter_as(recipe& r, geometry const& g, dnnl::memory::desc const& wanted) -> place {
    if (wanted == g.filter) return parameter(0);
    auto const copy = r.reserve(static_cast<bytes>(wanted.get_size()));
    r.reorder(parameter(0), g.filter, copy, wanted);
    return copy;
}

template <class Types>
void forward(recipe& r, convolution const& kind, forward_call const& call) {
    auto const& x = call.inputs[0].layout;
    auto const& y = call.outputs[0].layout;
    geometry const g(kind, x, y);
    auto const pd = forward_pd<Types>(g);
    auto const in = r.read(input(call, 0), x, g.in);
    auto const out = r.write(output(call, 0), y, g.out);
    std::vector<recipe::argument> all{{DNNL_ARG_SRC, in, g.in_desc},
                                      {DNNL_ARG_WEIGHTS, filter_as(r, g, pd.weights_desc()), pd.weights_desc()},
                                      {DNNL_ARG_DST, out.computed, g.out_desc}};
    if (kind.bias) all.push_back({DNNL_ARG_BIAS, parameter(1), g.bias});
    r.execute(pd, std::move(all));
    r.deliver(out);
}

template <class Types>
void backward_data(recipe& r, geometry const& g, backward_call const& call, place dy,
                   typename Types::forward::primitive_desc const& hint) {
    auto const mark = r.reserved();
    typename Types::backward_data::desc const d(Types::algorithm, g.in_desc, g.any_filter, g.out_desc, g.strides,
                                                g.dilation, g.before, g.behind);
    typename Types::backward_data::primitive_desc const pd(d, attributes(), cpu_engine(), hint);
    auto const dx = input_destination(r, call, 0, g.in);
    r.execute(pd, {{DNNL_ARG_DIFF_DST, dy, g.out_desc},
                   {DNNL_ARG_WEIGHTS, filter_as(r, g, pd.weights_desc()), pd.weights_desc()},
                   {DNNL_ARG_DIFF_SRC, dx.computed, g.in_desc}});
    r.deliver(dx);
    r.release(mark);
}

template <class Types>
void backward_weights(recipe& r, geometry const& g, backward_call const& call, place dy,
                      typename Types::forward::primitive_desc const& hint) {
    using desc = typename Types::backward_weights::desc;
    auto const d =
        g.bias ? desc(Types::algorithm, g.in_desc, g.any_filter, g.bias, g.out_desc, g.strides, g.dilation, g.before,
                      g.behind)
               : desc(Types::algorithm, g.in_desc, g.any_filter, g.out_desc, g.strides, g.dilation, g.before, g.behind);
    typename Types::backward_weights::primitive_desc const pd(d, attributes(), cpu_engine(), hint);
    auto const made = pd.diff_weights_desc();
    auto const in = r.read(input(call, 0), call.inputs[0].layout, g.in);

    bool const wanted = has_parameter_gradient(call, 0);
    bool const direct = wanted && !adds_parameter(call, 0) && made == g.filter;
    auto const dw = direct ? parameter_gradient(0) : r.reserve(static_cast<bytes>(made.get_size()));
    std::vector<recipe::argument> all{
        {DNNL_ARG_SRC, in, g.in_desc}, {DNNL_ARG_DIFF_DST, dy, g.out_desc}, {DNNL_ARG_DIFF_WEIGHTS, dw, made}};
    place db{};
    bool const direct_bias = has_parameter_gradient(call, 1) && !adds_parameter(call, 1);
    if (g.bias) {
        db = direct_bias ? parameter_gradient(1) : r.reserve(static_cast<bytes>(g.bias.get_size()));
        all.push_back({DNNL_ARG_DIFF_BIAS, db, g.bias});
    }
    r.execute(pd, std::move(all));
    if (wanted && !direct) r.reorder(dw, made, parameter_gradient(0), g.filter, adds_parameter(call, 0));
    if (g.bias && has_parameter_gradient(call, 1) && !direct_bias)
        r.reorder(db, g.bias, parameter_gradient(1), g.bias, true);
}

template <class Types>
void backward(recipe& r, convolution const& kind, backward_call const& call) {
    auto const& y = call.output_gradients[0].layout;
    geometry const g(kind, input_layout(call, 0), y);
    auto const hint = forward_pd<Types>(g);
    auto const dy = r.read(output_gradient(call), y, g.out);
    if (has_input_gradient(call, 0)) backward_data<Types>(r, g, call, dy, hint);
    if (has_parameter_gradient(call, 0) || has_parameter_gradient(call, 1))
        backward_weights<Types>(r, g, call, dy, hint);
}

}  // namespace

void add_forward(recipe& r, convolution const& kind, forward_call const& call) {
    kind.transposed ? forward<transposed_types>(r, kind, call) : forward<plain_types>(r, kind, call);
}

void add_backward(recipe& r, convolution const& kind, backward_call const& call) {
    kind.transposed ? backward<transposed_types>(r, kind, call) : backward<plain_types>(r, kind, call);
}

}  // namespace train_cpu
