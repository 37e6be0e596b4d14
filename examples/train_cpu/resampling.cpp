#include "resampling.hpp"

#include "descriptors.hpp"

namespace train_cpu {

using repebble::networks::resize;
using repebble::training::channels_last;

namespace {

[[nodiscard]] auto forward_pd(layout const& x, layout const& y) -> dnnl::resampling_forward::primitive_desc {
    return {dnnl::resampling_forward::desc(dnnl::prop_kind::forward_training, dnnl::algorithm::resampling_linear,
                                           desc_of(x), desc_of(y)),
            attributes(), cpu_engine()};
}

}  // namespace

void add_forward(recipe& r, resize const&, forward_call const& call) {
    auto const x = channels_last(call.inputs[0].layout.tensor);
    auto const y = channels_last(call.outputs[0].layout.tensor);
    auto const in = r.read(input(call, 0), call.inputs[0].layout, x);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, y);
    r.execute(forward_pd(x, y), {{DNNL_ARG_SRC, in, desc_of(x)}, {DNNL_ARG_DST, out.computed, desc_of(y)}});
    r.deliver(out);
}

void add_backward(recipe& r, resize const&, backward_call const& call) {
    if (!has_input_gradient(call, 0)) return;
    auto const x = channels_last(input_layout(call, 0).tensor);
    auto const y = channels_last(call.output_gradients[0].layout.tensor);
    auto const dy = r.read(output_gradient(call), call.output_gradients[0].layout, y);
    auto const dx = input_destination(r, call, 0, x);
    dnnl::resampling_backward::primitive_desc const pd(
        dnnl::resampling_backward::desc(dnnl::algorithm::resampling_linear, desc_of(x), desc_of(y)), attributes(),
        cpu_engine(), forward_pd(x, y));
    r.execute(pd, {{DNNL_ARG_DIFF_DST, dy, desc_of(y)}, {DNNL_ARG_DIFF_SRC, dx.computed, desc_of(x)}});
    r.deliver(dx);
}

}  // namespace train_cpu
