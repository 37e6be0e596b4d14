#include "elementwise.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include <repebble/execute/fill_pattern.hpp>

#include "descriptors.hpp"
#include "parallel_for.hpp"

namespace train_cpu {

using repebble::networks::add;
using repebble::networks::causal_mask;
using repebble::networks::dropout;
using repebble::networks::multiply;
using repebble::networks::scale;
using repebble::training::row_major;

namespace {

/// y[i] = f(x[i], i), in the layout `lies`; y may lie over x.
template <class F>
void add_map(recipe& r, layout const& lies, forward_call const& call, std::vector<place> more, F const& f) {
    auto const in = r.read(input(call, 0), call.inputs[0].layout, lies);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, lies);
    more.insert(more.begin(), {in, out.computed});
    r.compute(std::move(more), [f, n = lies.tensor.volume()](addresses at, run_context const& now) {
        parallel_pieces(
            n, [&](extent begin, extent end) { f(at, now, begin, end, as<float const>(at[0]), as<float>(at[1])); });
    });
    r.deliver(out);
}

/// dx[i] = f(dy[i], i), or dx[i] += f(dy[i], i); dx may lie over dy.
template <class F>
void add_gradient_map(recipe& r, layout const& lies, backward_call const& call, std::vector<place> more, F const& f) {
    if (!has_input_gradient(call, 0)) return;
    auto const dy = r.read(output_gradient(call), call.output_gradients[0].layout, lies);
    auto const dx = input_destination(r, call, 0, lies, true);
    more.insert(more.begin(), {dy, dx.computed});
    r.compute(std::move(more), [f, adds = dx.add, n = lies.tensor.volume()](addresses at, run_context const&) {
        auto const* const from = as<float const>(at[0]);
        auto* const to = as<float>(at[1]);
        parallel_pieces(n, [&](extent begin, extent end) {
            if (adds)
                for (extent i = begin; i < end; ++i) to[i] += f(at, from[i], i);
            else
                for (extent i = begin; i < end; ++i) to[i] = f(at, from[i], i);
        });
    });
    r.deliver(dx);
}

/// Where two operands read and write: gradients that are not wanted are nowhere.
struct pair_of_gradients {
    destination first{};
    destination second{};

    pair_of_gradients(recipe& r, backward_call const& call, layout const& large, layout const& small) {
        if (has_input_gradient(call, 0)) first = input_destination(r, call, 0, large, true);
        if (has_input_gradient(call, 1)) second = input_destination(r, call, 1, small, true);
    }
    void deliver(recipe& r) const {
        r.deliver(first);
        r.deliver(second);
    }
};

/// The value, or 0 where `kept` is 0 and not 1; without a branch, which would be guessed wrong as often as not.
[[nodiscard]] auto where_kept(std::uint8_t kept, float value) -> float {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & (0U - kept));
}

void put(float* to, extent i, float value, bool adds) {
    if (to != nullptr) to[i] = adds ? to[i] + value : value;
}

/// The second operand of an `add`: the first's layout, or rows that are repeated.
struct operands {
    layout large;
    layout small;

    operands(layout const& y, std::vector<extent> const& second) : large(y), small(y) {
        if (second.size() == y.tensor.rank()) return;
        large = row_major(y.tensor);
        small = row_major({second});
    }
};

}  // namespace

void add_forward(recipe& r, dropout const& kind, forward_call const& call) {
    auto const& y = call.outputs[0].layout;
    if (!lies_as(y, call.outputs[1].layout)) throw cannot_compute("its mask does not lie as its output does");
    bool const drops = call.training && kind.probability > 0;
    auto const scale = drops ? static_cast<float>(1 / (1 - kind.probability)) : 1.0F;
    auto const lowest = drops ? static_cast<std::uint32_t>(kind.probability * 4294967296.0) : 0U;
    add_map(r, y, call, {output(call, 1)},
            [=](addresses at, run_context const& now, extent begin, extent end, float const* x, float* to) {
                auto* const kept = as<std::uint8_t>(at[2]);
                auto const factor = scale;
                auto const limit = lowest;
                repebble::fill_pattern const random{repebble::fill_pattern{now.seed}.word(now.operation)};
                for (extent i = begin; i < end; ++i) {
                    // Half a random word each.
                    auto const word = random.word(static_cast<std::uint64_t>(i / 2));
                    auto const keep =
                        static_cast<std::uint8_t>(static_cast<std::uint32_t>(word >> (i % 2 * 32)) >= limit);
                    kept[i] = keep;
                    to[i] = where_kept(keep, x[i] * factor);
                }
            });
}

void add_backward(recipe& r, dropout const& kind, backward_call const& call) {
    auto const factor = static_cast<float>(1 / (1 - kind.probability));
    add_gradient_map(r, call.output_gradients[0].layout, call, {output(call, 1)},
                     [factor](addresses at, float dy, extent i) {
                         return where_kept(as<std::uint8_t const>(at[2])[i], dy * factor);
                     });
}

void add_forward(recipe& r, scale const& kind, forward_call const& call) {
    auto const factor = static_cast<float>(kind.factor);
    add_map(r, call.outputs[0].layout, call, {},
            [factor](addresses, run_context const&, extent begin, extent end, float const* x, float* y) {
                for (extent i = begin; i < end; ++i) y[i] = x[i] * factor;
            });
}

void add_backward(recipe& r, scale const& kind, backward_call const& call) {
    auto const factor = static_cast<float>(kind.factor);
    add_gradient_map(r, call.output_gradients[0].layout, call, {},
                     [factor](addresses, float dy, extent) { return dy * factor; });
}

void add_forward(recipe& r, causal_mask const&, forward_call const& call) {
    auto const lies = row_major(call.outputs[0].layout.tensor);
    auto const square = lies.tensor.shape.back() * lies.tensor.shape.back();
    add_map(r, lies, call, {parameter(0)},
            [square](addresses at, run_context const&, extent begin, extent end, float const* x, float* y) {
                auto const* const seen = as<std::uint8_t const>(at[2]);
                for (extent i = begin, k = begin % square; i < end; ++i, k = k + 1 == square ? 0 : k + 1)
                    y[i] = seen[k] != 0 ? x[i] : -std::numeric_limits<float>::infinity();
            });
}

void add_backward(recipe& r, causal_mask const&, backward_call const& call) {
    auto const lies = row_major(call.output_gradients[0].layout.tensor);
    auto const square = lies.tensor.shape.back() * lies.tensor.shape.back();
    add_gradient_map(r, lies, call, {parameter(0)}, [square](addresses at, float dy, extent i) {
        return as<std::uint8_t const>(at[2])[i % square] != 0 ? dy : 0.0F;
    });
}

void add_forward(recipe& r, add const&, forward_call const& call) {
    operands const lie(call.outputs[0].layout, call.inputs[1].layout.tensor.shape);
    auto const second = r.read(input(call, 1), call.inputs[1].layout, lie.small);
    add_map(r, lie.large, call, {second},
            [m = lie.small.tensor.volume()](addresses at, run_context const&, extent begin, extent end, float const* x,
                                            float* y) {
                auto const* const b = as<float const>(at[2]);
                for (extent i = begin; i < end;) {
                    auto const k = i % m;
                    auto const n = std::min(m - k, end - i);
                    for (extent j = 0; j < n; ++j) y[i + j] = x[i + j] + b[k + j];
                    i += n;
                }
            });
}

void add_backward(recipe& r, add const&, backward_call const& call) {
    auto const& actual = call.output_gradients[0].layout;
    operands const lie(actual, input_layout(call, 1).tensor.shape);
    auto const dy = r.read(output_gradient(call), actual, lie.large);
    pair_of_gradients const to(r, call, lie.large, lie.small);
    auto const n = lie.large.tensor.volume();
    auto const m = lie.small.tensor.volume();
    r.compute({dy, to.first.computed, to.second.computed},
              [n, m, adds = to.first.add, adds_second = to.second.add](addresses at, run_context const&) {
                  auto const* const from = as<float const>(at[0]);
                  auto* const first = as<float>(at[1]);
                  auto* const second = as<float>(at[2]);
                  parallel_pieces(m, [&](extent begin, extent end) {
                      for (extent row = 0; row < n; row += m)
                          for (extent i = begin; i < end; ++i) {
                              auto const g = from[row + i];
                              put(first, row + i, g, adds);
                              put(second, i, g, adds_second || row > 0);
                          }
                  });
              });
    to.deliver(r);
}

void add_forward(recipe& r, multiply const&, forward_call const& call) {
    auto const& y = call.outputs[0].layout;
    auto const second = r.read(input(call, 1), call.inputs[1].layout, y);
    add_map(r, y, call, {second},
            [](addresses at, run_context const&, extent begin, extent end, float const* x, float* to) {
                auto const* const b = as<float const>(at[2]);
                for (extent i = begin; i < end; ++i) to[i] = x[i] * b[i];
            });
}

void add_backward(recipe& r, multiply const&, backward_call const& call) {
    auto const& lies = call.output_gradients[0].layout;
    auto const a = r.read(input(call, 0), call.inputs[0].layout, lies);
    auto const b = r.read(input(call, 1), call.inputs[1].layout, lies);
    pair_of_gradients const to(r, call, lies, lies);
    r.compute(
        {output_gradient(call), a, b, to.first.computed, to.second.computed},
        [n = lies.tensor.volume(), adds = to.first.add, adds_second = to.second.add](addresses at, run_context const&) {
            auto const* const dy = as<float const>(at[0]);
            auto const* const x = as<float const>(at[1]);
            auto const* const w = as<float const>(at[2]);
            auto* const first = as<float>(at[3]);
            auto* const second = as<float>(at[4]);
            parallel_pieces(n, [&](extent begin, extent end) {
                for (extent i = begin; i < end; ++i) {
                    auto const g = dy[i];
                    auto const by_first = g * w[i];
                    auto const by_second = g * x[i];
                    put(first, i, by_first, adds);
                    put(second, i, by_second, adds_second);
                }
            });
        });
    to.deliver(r);
}

}  // namespace train_cpu
