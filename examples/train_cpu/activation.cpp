#include "activation.hpp"

#include "descriptors.hpp"

namespace train_cpu {

using repebble::networks::function;
using repebble::networks::log_softmax;
using repebble::networks::softmax;
using repebble::training::is_channels_last;
using repebble::training::row_major;

namespace {

[[nodiscard]] auto flat_desc(layout const& l) -> dnnl::memory::desc { return row_major_desc({l.tensor.volume()}); }

/// What oneDNN multiplies x by inside of silu's sigmoid; of relu the slope below 0.
template <function F>
constexpr float alpha = F == function::silu ? 1 : 0;

template <function F>
void forward(recipe& r, forward_call const& call) {
    constexpr dnnl::algorithm algorithms[] = {dnnl::algorithm::eltwise_relu, dnnl::algorithm::eltwise_gelu_erf,
                                              dnnl::algorithm::eltwise_logistic, dnnl::algorithm::eltwise_tanh,
                                              dnnl::algorithm::eltwise_swish};
    auto const& y = call.outputs[0].layout;
    auto const in = r.read(input(call, 0), call.inputs[0].layout, y);
    auto const data = flat_desc(y);
    dnnl::eltwise_forward::desc const d(dnnl::prop_kind::forward_training, algorithms[static_cast<std::size_t>(F)],
                                        data, alpha<F>);
    r.execute(dnnl::eltwise_forward::primitive_desc(d, attributes(), cpu_engine()),
              {{DNNL_ARG_SRC, in, data}, {DNNL_ARG_DST, output(call, 0), data}});
}

template <function F>
void backward(recipe& r, backward_call const& call) {
    if (!has_input_gradient(call, 0)) return;
    constexpr dnnl::algorithm algorithms[] = {
        dnnl::algorithm::eltwise_relu_use_dst_for_bwd, dnnl::algorithm::eltwise_gelu_erf,
        dnnl::algorithm::eltwise_logistic_use_dst_for_bwd, dnnl::algorithm::eltwise_tanh_use_dst_for_bwd,
        dnnl::algorithm::eltwise_swish};
    constexpr auto algorithm = algorithms[static_cast<std::size_t>(F)];
    constexpr bool by_input = repebble::networks::activation<F>::by_input;
    auto const& y = call.output_gradients[0].layout;
    auto const data = flat_desc(y);
    auto const known = by_input ? r.read(input(call, 0), call.inputs[0].layout, y)
                                : r.read(output(call, 0), call.outputs[0].layout, y);
    auto const dx = input_destination(r, call, 0, y);
    dnnl::eltwise_forward::primitive_desc const hint(
        dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_training, algorithm, data, alpha<F>), attributes(),
        cpu_engine());
    dnnl::eltwise_backward::desc const d(algorithm, data, data, alpha<F>);
    r.execute(dnnl::eltwise_backward::primitive_desc(d, attributes(), cpu_engine(), hint),
              {{by_input ? DNNL_ARG_SRC : DNNL_ARG_DST, known, data},
               {DNNL_ARG_DIFF_DST, output_gradient(call), data},
               {DNNL_ARG_DIFF_SRC, dx.computed, data}});
    r.deliver(dx);
}

/// Rows of what is normalised together, where they lie so; else the tensor with the axis along which they lie.
struct rows {
    dnnl::memory::desc desc;
    int axis = 1;

    rows(layout const& l, std::size_t along) {
        auto const n = l.tensor.shape[along];
        bool const together = along + 1 == l.tensor.rank() ? is_row_major(l) : along == 1 && is_channels_last(l);
        desc = together ? row_major_desc({l.tensor.volume() / n, n}) : desc_of(l);
        axis = together ? 1 : static_cast<int>(along);
    }
};

template <class Forward>
[[nodiscard]] auto softmax_pd(rows const& x) -> typename Forward::primitive_desc {
    return {typename Forward::desc(dnnl::prop_kind::forward_training, x.desc, x.axis), attributes(), cpu_engine()};
}

template <class Forward>
void softmax_forward(recipe& r, forward_call const& call, std::size_t along) {
    auto const& y = call.outputs[0].layout;
    auto const in = r.read(input(call, 0), call.inputs[0].layout, y);
    rows const x(y, along);
    r.execute(softmax_pd<Forward>(x), {{DNNL_ARG_SRC, in, x.desc}, {DNNL_ARG_DST, output(call, 0), x.desc}});
}

template <class Forward, class Backward>
void softmax_backward(recipe& r, backward_call const& call, std::size_t along) {
    if (!has_input_gradient(call, 0)) return;
    auto const& y = call.output_gradients[0].layout;
    auto const out = r.read(output(call, 0), call.outputs[0].layout, y);
    auto const dx = input_destination(r, call, 0, y);
    rows const x(y, along);
    typename Backward::primitive_desc const pd(typename Backward::desc(x.desc, x.desc, x.axis), attributes(),
                                               cpu_engine(), softmax_pd<Forward>(x));
    r.execute(pd, {{DNNL_ARG_DST, out, x.desc},
                   {DNNL_ARG_DIFF_DST, output_gradient(call), x.desc},
                   {DNNL_ARG_DIFF_SRC, dx.computed, x.desc}});
    r.deliver(dx);
}

}  // namespace

void add_forward(recipe& r, repebble::networks::relu const&, forward_call const& call) {
    forward<function::relu>(r, call);
}
void add_backward(recipe& r, repebble::networks::relu const&, backward_call const& call) {
    backward<function::relu>(r, call);
}
void add_forward(recipe& r, repebble::networks::gelu const&, forward_call const& call) {
    forward<function::gelu>(r, call);
}
void add_backward(recipe& r, repebble::networks::gelu const&, backward_call const& call) {
    backward<function::gelu>(r, call);
}
void add_forward(recipe& r, repebble::networks::sigmoid const&, forward_call const& call) {
    forward<function::sigmoid>(r, call);
}
void add_backward(recipe& r, repebble::networks::sigmoid const&, backward_call const& call) {
    backward<function::sigmoid>(r, call);
}
void add_forward(recipe& r, repebble::networks::hyperbolic_tangent const&, forward_call const& call) {
    forward<function::tanh>(r, call);
}
void add_backward(recipe& r, repebble::networks::hyperbolic_tangent const&, backward_call const& call) {
    backward<function::tanh>(r, call);
}

void add_forward(recipe& r, repebble::networks::silu const&, forward_call const& call) {
    forward<function::silu>(r, call);
}
void add_backward(recipe& r, repebble::networks::silu const&, backward_call const& call) {
    backward<function::silu>(r, call);
}

void add_forward(recipe& r, softmax const&, forward_call const& call) {
    softmax_forward<dnnl::softmax_forward>(r, call, call.outputs[0].layout.tensor.rank() - 1);
}
void add_backward(recipe& r, softmax const&, backward_call const& call) {
    softmax_backward<dnnl::softmax_forward, dnnl::softmax_backward>(r, call,
                                                                    call.output_gradients[0].layout.tensor.rank() - 1);
}
void add_forward(recipe& r, log_softmax const&, forward_call const& call) {
    softmax_forward<dnnl::logsoftmax_forward>(r, call, 1);
}
void add_backward(recipe& r, log_softmax const&, backward_call const& call) {
    softmax_backward<dnnl::logsoftmax_forward, dnnl::logsoftmax_backward>(r, call, 1);
}

}  // namespace train_cpu
