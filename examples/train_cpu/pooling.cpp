#include "pooling.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "descriptors.hpp"
#include "parallel_for.hpp"

namespace train_cpu {

using repebble::networks::adaptive_average_pool;
using repebble::networks::average_pool;
using repebble::networks::max_pool;
using repebble::networks::window;
using repebble::training::channels_last;

namespace {

/// What one cell of the output reads along one dimension: pixels begin, begin + step, … before end.
struct cells {
    extent begin = 0;
    extent end = 0;
    extent step = 1;
    extent padded = 0;  ///< pixels, with those of the padding
};

[[nodiscard]] auto cells_of(window const& w, extent i, extent pixels) -> cells {
    auto const start = i * w.stride - w.padding;
    auto const end = start + w.span();
    auto const behind = std::min(end, pixels + w.padding);
    auto const padded = (behind - start + w.dilation - 1) / w.dilation;
    auto const skipped = start < 0 ? (-start + w.dilation - 1) / w.dilation : 0;
    return {start + skipped * w.dilation, std::min(end, pixels), w.dilation, padded};
}
[[nodiscard]] auto cells_of(extent count, extent i, extent pixels) -> cells {
    auto const begin = i * pixels / count;
    auto const end = ((i + 1) * pixels + count - 1) / count;
    return {begin, end, 1, end - begin};
}

struct images {
    extent batch;
    extent channels;
    std::array<extent, 2> in;
    std::array<extent, 2> out;

    images(layout const& x, layout const& y)
        : batch(x.tensor.shape[0]),
          channels(x.tensor.shape[1]),
          in{x.tensor.shape[2], x.tensor.shape[3]},
          out{y.tensor.shape[2], y.tensor.shape[3]} {}
    [[nodiscard]] auto pixels_in() const -> extent { return in[0] * in[1]; }
    [[nodiscard]] auto pixels_out() const -> extent { return out[0] * out[1]; }
};

/// f(row, column) for each pixel of the input that an output pixel reads.
template <class F>
void for_each_pixel(cells const& rows, cells const& columns, F const& f) {
    for (extent i = rows.begin; i < rows.end; i += rows.step)
        for (extent j = columns.begin; j < columns.end; j += columns.step) f(i, j);
}

void greatest(images const& g, window const& w, float const* x, float* y, std::int64_t* at, extent row) {
    auto const c = g.channels;
    auto const rows = cells_of(w, row % g.out[0], g.in[0]);
    auto const* const image = x + row / g.out[0] * g.pixels_in() * c;
    for (extent j = 0; j < g.out[1]; ++j) {
        auto* const best = y + (row * g.out[1] + j) * c;
        auto* const position = at + (row * g.out[1] + j) * c;
        auto const columns = cells_of(w, j, g.in[1]);
        bool first = true;
        for_each_pixel(rows, columns, [&](extent u, extent v) {
            auto const pixel = u * g.in[1] + v;
            auto const* const from = image + pixel * c;
            for (extent k = 0; k < c; ++k) {
                bool const better = first || from[k] > best[k] || from[k] != from[k];
                best[k] = better ? from[k] : best[k];
                position[k] = better ? pixel : position[k];
            }
            first = false;
        });
    }
}

template <class Cells>
void average(images const& g, Cells const& w, float const* x, float* y, extent row) {
    auto const c = g.channels;
    auto const rows = cells_of(w, row % g.out[0], g.in[0]);
    auto const* const image = x + row / g.out[0] * g.pixels_in() * c;
    for (extent j = 0; j < g.out[1]; ++j) {
        auto* const to = y + (row * g.out[1] + j) * c;
        auto const columns = cells_of(w, j, g.in[1]);
        auto const share = 1 / static_cast<float>(rows.padded * columns.padded);
        std::memset(to, 0, static_cast<std::size_t>(c) * sizeof(float));
        for_each_pixel(rows, columns, [&](extent u, extent v) {
            auto const* const from = image + (u * g.in[1] + v) * c;
            for (extent k = 0; k < c; ++k) to[k] += from[k];
        });
        for (extent k = 0; k < c; ++k) to[k] *= share;
    }
}

template <class Cells>
void spread(images const& g, Cells const& w, float const* dy, float* dx, extent n) {
    auto const c = g.channels;
    auto* const image = dx + n * g.pixels_in() * c;
    for (extent i = 0; i < g.out[0]; ++i) {
        auto const rows = cells_of(w, i, g.in[0]);
        for (extent j = 0; j < g.out[1]; ++j) {
            auto const columns = cells_of(w, j, g.in[1]);
            auto const share = 1 / static_cast<float>(rows.padded * columns.padded);
            auto const* const from = dy + (n * g.pixels_out() + i * g.out[1] + j) * c;
            for_each_pixel(rows, columns, [&](extent u, extent v) {
                auto* const to = image + (u * g.in[1] + v) * c;
                for (extent k = 0; k < c; ++k) to[k] += from[k] * share;
            });
        }
    }
}

template <class Cells>
void average_forward(recipe& r, Cells const& w, forward_call const& call) {
    auto const x = channels_last(call.inputs[0].layout.tensor);
    auto const y = channels_last(call.outputs[0].layout.tensor);
    auto const in = r.read(input(call, 0), call.inputs[0].layout, x);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, y);
    r.compute({in, out.computed}, [w, g = images(x, y)](addresses at, run_context const&) {
        parallel_for(g.batch * g.out[0],
                     [&](extent row) { average(g, w, as<float const>(at[0]), as<float>(at[1]), row); });
    });
    r.deliver(out);
}

/// `add(g, addresses, n)` adds the gradients of image n to what is there.
template <class Add>
void backward(recipe& r, backward_call const& call, std::vector<place> more, Add const& add) {
    if (!has_input_gradient(call, 0)) return;
    auto const x = channels_last(call.input_gradients[0].where.layout.tensor);
    auto const y = channels_last(call.output_gradients[0].layout.tensor);
    auto const dy = r.read(output_gradient(call), call.output_gradients[0].layout, y);
    auto const dx = input_destination(r, call, 0, x, true);
    more.insert(more.begin(), {dy, dx.computed});
    r.compute(std::move(more), [add, adds = dx.add, g = images(x, y)](addresses at, run_context const&) {
        parallel_for(g.batch, [&](extent n) {
            auto const size = g.pixels_in() * g.channels;
            if (!adds) std::memset(as<float>(at[1]) + n * size, 0, static_cast<std::size_t>(size) * sizeof(float));
            add(g, at, n);
        });
    });
    r.deliver(dx);
}

template <class Cells>
void average_backward(recipe& r, Cells const& w, backward_call const& call) {
    backward(r, call, {}, [w](images const& g, addresses at, extent n) {
        spread(g, w, as<float const>(at[0]), as<float>(at[1]), n);
    });
}

}  // namespace

void add_forward(recipe& r, max_pool const& kind, forward_call const& call) {
    auto const x = channels_last(call.inputs[0].layout.tensor);
    auto const y = channels_last(call.outputs[0].layout.tensor);
    if (!lies_as(call.outputs[1].layout, channels_last(call.outputs[1].layout.tensor)))
        throw cannot_compute("positions of greatest elements lie with the channels together");
    auto const in = r.read(input(call, 0), call.inputs[0].layout, x);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, y);
    r.compute({in, out.computed, output(call, 1)}, [w = kind.window, g = images(x, y)](addresses at, auto const&) {
        parallel_for(g.batch * g.out[0], [&](extent row) {
            greatest(g, w, as<float const>(at[0]), as<float>(at[1]), as<std::int64_t>(at[2]), row);
        });
    });
    r.deliver(out);
}

void add_backward(recipe& r, max_pool const&, backward_call const& call) {
    backward(r, call, {output(call, 1)}, [](images const& g, addresses at, extent n) {
        auto const c = g.channels;
        auto const* dy = as<float const>(at[0]) + n * g.pixels_out() * c;
        auto* const dx = as<float>(at[1]) + n * g.pixels_in() * c;
        auto const* position = as<std::int64_t const>(at[2]) + n * g.pixels_out() * c;
        for (extent i = 0; i < g.pixels_out(); ++i, dy += c, position += c)
            for (extent k = 0; k < c; ++k) dx[position[k] * c + k] += dy[k];
    });
}

void add_forward(recipe& r, average_pool const& kind, forward_call const& call) {
    average_forward(r, kind.window, call);
}
void add_backward(recipe& r, average_pool const& kind, backward_call const& call) {
    average_backward(r, kind.window, call);
}

void add_forward(recipe& r, adaptive_average_pool const& kind, forward_call const& call) {
    average_forward(r, kind.cells, call);
}
void add_backward(recipe& r, adaptive_average_pool const& kind, backward_call const& call) {
    average_backward(r, kind.cells, call);
}

}  // namespace train_cpu
