#include "matrix_product.hpp"

#include <algorithm>

#include "descriptors.hpp"
#include "parallel_for.hpp"

namespace train_cpu {

using repebble::networks::batched_product;
using repebble::networks::linear;
using repebble::training::row_major;

namespace {

/// A matrix, or a batch of them, and where it lies.
struct matrix {
    place where{};
    layout lies{};
};

[[nodiscard]] auto transposed(matrix m) -> matrix {
    auto const n = m.lies.tensor.rank();
    std::swap(m.lies.tensor.shape[n - 2], m.lies.tensor.shape[n - 1]);
    std::swap(m.lies.strides[n - 2], m.lies.strides[n - 1]);
    return m;
}

/// Whether its rows, or its columns, lie together.
[[nodiscard]] auto is_plain(layout const& l) -> bool {
    auto const n = l.tensor.rank();
    auto const fits = [&](std::size_t i, std::size_t unit) {
        return l.strides[unit] == 1 && l.strides[i] >= l.tensor.shape[unit];
    };
    return fits(n - 2, n - 1) || fits(n - 1, n - 2);
}

[[nodiscard]] auto read_matrix(recipe& r, place from, layout const& l) -> matrix {
    if (is_plain(l)) return {from, l};
    auto const wanted = row_major(l.tensor);
    return {r.read(from, l, wanted), wanted};
}

/// c = a · b, or c += a · b.
void multiply_matrices(recipe& r, matrix const& a, matrix const& b, matrix const& c, bool add, place bias = {}) {
    auto const da = desc_of(a.lies);
    auto const db = desc_of(b.lies);
    auto const dc = desc_of(c.lies);
    std::vector<recipe::argument> all{
        {DNNL_ARG_SRC, a.where, da}, {DNNL_ARG_WEIGHTS, b.where, db}, {DNNL_ARG_DST, c.where, dc}};
    bool const biased = bias.what != place::role::nowhere;
    auto const bias_desc = row_major_desc({1, c.lies.tensor.shape.back()});
    if (biased) all.push_back({DNNL_ARG_BIAS, bias, bias_desc});
    auto const d = biased ? dnnl::matmul::desc(da, db, bias_desc, dc) : dnnl::matmul::desc(da, db, dc);
    r.execute(dnnl::matmul::primitive_desc(d, attributes(add), cpu_engine()), std::move(all));
}

void multiply_into(recipe& r, matrix const& a, matrix const& b, backward_call const& call, std::size_t i) {
    auto const& g = call.input_gradients[i];
    bool const rows = g.where.layout.strides.back() == 1 && is_plain(g.where.layout);
    auto const computed = rows ? g.where.layout : row_major(g.where.layout.tensor);
    auto const dx = r.write(input_gradient(call, i), g.where.layout, computed, g.add, true);
    multiply_matrices(r, a, b, {dx.computed, computed}, dx.add);
    r.deliver(dx);
}

/// Sums over the rows, one after the other.
void add_bias_gradient(recipe& r, matrix const& dy, bool add) {
    auto const rows = dy.lies.tensor.shape[0];
    auto const columns = dy.lies.tensor.shape[1];
    auto const stride = dy.lies.strides[0];
    r.compute({dy.where, parameter_gradient(1)}, [=](addresses at, run_context const&) {
        auto const* const from = as<float const>(at[0]);
        auto* const sums = as<float>(at[1]);
        constexpr extent width = 256;
        parallel_for((columns + width - 1) / width, [&](extent block) {
            auto const begin = block * width;
            auto const n = std::min(columns - begin, width);
            float total[width] = {};
            for (extent i = 0; i < rows; ++i)
                for (extent j = 0; j < n; ++j) total[j] += from[i * stride + begin + j];
            for (extent j = 0; j < n; ++j) sums[begin + j] = add ? sums[begin + j] + total[j] : total[j];
        });
    });
}

[[nodiscard]] auto output_matrix(recipe& r, backward_call const& call) -> matrix {
    auto const& l = call.output_gradients[0].layout;
    auto const wanted = row_major(l.tensor);
    return {r.read(output_gradient(call), l, wanted), wanted};
}

void add_product(recipe& r, matrix const& a, matrix const& b, forward_call const& call, place bias) {
    auto const& actual = call.outputs[0].layout;
    auto const wanted = row_major(actual.tensor);
    auto const y = r.write(output(call, 0), actual, wanted);
    multiply_matrices(r, a, b, {y.computed, wanted}, false, bias);
    r.deliver(y);
}

}  // namespace

void add_forward(recipe& r, linear const& kind, forward_call const& call) {
    auto const x = read_matrix(r, input(call, 0), call.inputs[0].layout);
    matrix const weight{parameter(0), row_major({{kind.features, x.lies.tensor.shape[1]}})};
    add_product(r, x, transposed(weight), call, kind.bias ? parameter(1) : place{});
}

void add_backward(recipe& r, linear const& kind, backward_call const& call) {
    auto const dy = output_matrix(r, call);
    auto const features = input_layout(call, 0).tensor.shape[1];
    layout const filter = row_major({{kind.features, features}});
    if (has_input_gradient(call, 0)) multiply_into(r, dy, {parameter(0), filter}, call, 0);
    if (has_parameter_gradient(call, 0)) {
        auto const x = read_matrix(r, input(call, 0), call.inputs[0].layout);
        multiply_matrices(r, transposed(dy), x, {parameter_gradient(0), filter}, adds_parameter(call, 0));
    }
    if (kind.bias && has_parameter_gradient(call, 1)) add_bias_gradient(r, dy, adds_parameter(call, 1));
}

void add_forward(recipe& r, batched_product const&, forward_call const& call) {
    auto const a = read_matrix(r, input(call, 0), call.inputs[0].layout);
    auto const b = read_matrix(r, input(call, 1), call.inputs[1].layout);
    add_product(r, a, b, call, {});
}

void add_backward(recipe& r, batched_product const&, backward_call const& call) {
    auto const dy = output_matrix(r, call);
    auto const operand = [&](std::size_t i) {
        return transposed(read_matrix(r, input(call, i), call.inputs[i].layout));
    };
    if (has_input_gradient(call, 0)) multiply_into(r, dy, operand(1), call, 0);
    if (has_input_gradient(call, 1)) multiply_into(r, operand(0), dy, call, 1);
}

}  // namespace train_cpu
