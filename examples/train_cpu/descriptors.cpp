#include "descriptors.hpp"

namespace train_cpu {

using repebble::training::layout;

auto cpu_engine() -> dnnl::engine const& {
    static dnnl::engine const engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

auto attributes(bool add) -> dnnl::primitive_attr {
    dnnl::primitive_attr all;
    all.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (add) {
        dnnl::post_ops then;
        then.append_sum(1);
        all.set_post_ops(then);
    }
    return all;
}

auto lies_as(layout const& a, layout const& b) -> bool {
    if (a.tensor.shape != b.tensor.shape) return false;
    for (std::size_t i = 0; i < a.tensor.rank(); ++i)
        if (a.tensor.shape[i] != 1 && a.strides[i] != b.strides[i]) return false;
    return true;
}

auto desc_of(layout const& l) -> dnnl::memory::desc {
    if (l.tensor.rank() == 0) return row_major_desc({1});
    if (is_row_major(l)) return row_major_desc(l.tensor.shape);
    return {l.tensor.shape, dnnl::memory::data_type::f32, l.strides};
}

auto row_major_desc(std::vector<repebble::networks::extent> const& shape) -> dnnl::memory::desc {
    return {shape, dnnl::memory::data_type::f32, repebble::training::row_major({shape}).strides};
}

auto any_desc(std::vector<repebble::networks::extent> const& shape) -> dnnl::memory::desc {
    return {shape, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

auto is_padded(dnnl::memory::desc const& d) -> bool {
    for (int i = 0; i < d.data.ndims; ++i)
        if (d.data.padded_dims[i] != d.data.dims[i]) return true;
    return false;
}

}  // namespace train_cpu
