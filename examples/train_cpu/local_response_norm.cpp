#include "local_response_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "parallel_for.hpp"

namespace train_cpu {

using repebble::networks::local_response_norm;
using repebble::training::channels_last;

namespace {

constexpr extent piece = 256;  // channels at a time
constexpr extent widest = 64;  // neighbours at most

/// Channels begin - margin … begin + piece + margin of a pixel; 0 where there are none.
using row = std::array<float, piece + 2 * widest>;

struct norm {
    extent channels;
    extent reach;  // of a channel, to either side
    float k;
    float alpha;
    float beta;

    norm(local_response_norm const& kind, extent c)
        : channels(c),
          reach(kind.neighbours / 2),
          k(static_cast<float>(kind.k)),
          alpha(static_cast<float>(kind.alpha)),
          beta(static_cast<float>(kind.beta)) {
        if (kind.neighbours < 1 || kind.neighbours % 2 == 0 || kind.neighbours > widest)
            throw cannot_compute("normalises over an odd number of neighbours, at most 63");
    }
    /// s^-beta
    [[nodiscard]] auto power(float s) const -> float {
        if (beta == 0.75F) {
            auto const root = std::sqrt(s);
            return 1 / (root * std::sqrt(root));
        }
        return std::pow(s, -beta);
    }
    /// sums[i] of values[i … i + 2·reach], for n elements.
    void sum(row const& values, row& sums, extent n) const {
        for (extent i = 0; i < n; ++i) sums[static_cast<std::size_t>(i)] = 0;
        for (extent d = 0; d <= 2 * reach; ++d)
            for (extent i = 0; i < n; ++i) sums[static_cast<std::size_t>(i)] += values[static_cast<std::size_t>(i + d)];
    }
    /// values[i] = f(first + i) for n channels, 0 where there is no such channel.
    template <class F>
    void gather(row& values, extent first, extent n, F const& f) const {
        for (extent i = 0; i < n; ++i) {
            auto const c = first + i;
            values[static_cast<std::size_t>(i)] = c < 0 || c >= channels ? 0 : f(c);
        }
    }
    void forward(float const* x, float* y) const {
        row squares;
        row sums;
        for (extent begin = 0; begin < channels; begin += piece) {
            auto const n = std::min(piece, channels - begin);
            gather(squares, begin - reach, n + 2 * reach, [x](extent c) { return x[c] * x[c]; });
            sum(squares, sums, n);
            for (extent i = 0; i < n; ++i)
                y[begin + i] = x[begin + i] * power(k + alpha * sums[static_cast<std::size_t>(i)]);
        }
    }
    /// dx_i = dy_i s_i^-beta - 2 alpha beta x_i · sum of dy_j y_j / s_j over the neighbours.
    void backward(float const* x, float const* y, float const* dy, float* dx, bool add) const {
        row squares;
        row sums;
        row terms;
        row far;
        for (extent begin = 0; begin < channels; begin += piece) {
            auto const n = std::min(piece, channels - begin);
            auto const first = begin - reach;
            gather(squares, first - reach, n + 4 * reach, [x](extent c) { return x[c] * x[c]; });
            sum(squares, sums, n + 2 * reach);
            gather(terms, first, n + 2 * reach,
                   [&](extent c) { return dy[c] * y[c] / (k + alpha * sums[static_cast<std::size_t>(c - first)]); });
            sum(terms, far, n);
            for (extent i = 0; i < n; ++i) {
                auto const c = begin + i;
                auto const s = k + alpha * sums[static_cast<std::size_t>(i + reach)];
                auto const g = dy[c] * power(s) - 2 * alpha * beta * x[c] * far[static_cast<std::size_t>(i)];
                dx[c] = add ? dx[c] + g : g;
            }
        }
    }
};

}  // namespace

void add_forward(recipe& r, local_response_norm const& kind, forward_call const& call) {
    auto const& actual = call.inputs[0].layout;
    auto const wanted = channels_last(actual.tensor);
    norm const how(kind, actual.tensor.shape[1]);
    auto const in = r.read(input(call, 0), actual, wanted);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, wanted);
    r.compute({in, out.computed}, [how, pixels = actual.tensor.volume() / how.channels](addresses at, auto const&) {
        parallel_for(pixels, [&](extent i) {
            how.forward(as<float const>(at[0]) + i * how.channels, as<float>(at[1]) + i * how.channels);
        });
    });
    r.deliver(out);
}

void add_backward(recipe& r, local_response_norm const& kind, backward_call const& call) {
    if (!has_input_gradient(call, 0)) return;
    auto const& x = call.inputs[0].layout;
    auto const wanted = channels_last(x.tensor);
    norm const how(kind, x.tensor.shape[1]);
    auto const in = r.read(input(call, 0), x, wanted);
    auto const out = r.read(output(call, 0), call.outputs[0].layout, wanted);
    auto const dy = r.read(output_gradient(call), call.output_gradients[0].layout, wanted);
    auto const dx = input_destination(r, call, 0, wanted, true);
    r.compute({in, out, dy, dx.computed},
              [how, add = dx.add, pixels = x.tensor.volume() / how.channels](addresses at, auto const&) {
                  parallel_for(pixels, [&](extent i) {
                      auto const o = i * how.channels;
                      how.backward(as<float const>(at[0]) + o, as<float const>(at[1]) + o, as<float const>(at[2]) + o,
                                   as<float>(at[3]) + o, add);
                  });
              });
    r.deliver(dx);
}

}  // namespace train_cpu
