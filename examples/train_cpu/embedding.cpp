#include "embedding.hpp"

#include <algorithm>
#include <cstring>

#include "parallel_for.hpp"

namespace train_cpu {

using repebble::networks::embedding;
using repebble::networks::position_embedding;
using repebble::networks::rotary_embedding;
using repebble::training::is_row_major;
using repebble::training::row_major;

namespace {

struct table {
    extent rows;
    extent features;

    [[nodiscard]] auto has(std::int64_t i) const -> bool { return 0 <= i && i < rows; }
};

void gather(recipe& r, table const& t, place indices, forward_call const& call) {
    auto const wanted = row_major(call.outputs[0].layout.tensor);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, wanted);
    auto const count = wanted.tensor.volume() / t.features;
    r.compute({indices, parameter(0), out.computed}, [t, count](addresses at, run_context const&) {
        auto const* const index = as<std::int64_t const>(at[0]);
        auto const* const from = as<float const>(at[1]);
        auto* const to = as<float>(at[2]);
        parallel_for(count, [&](extent i) {
            auto const size = static_cast<std::size_t>(t.features) * sizeof(float);
            if (t.has(index[i]))
                std::memcpy(to + i * t.features, from + index[i] * t.features, size);
            else
                std::memset(to + i * t.features, 0, size);
        });
    });
    r.deliver(out);
}

/// Rows are added in the order of their indices' positions, whatever the number of threads.
void scatter(recipe& r, table const& t, place indices, backward_call const& call) {
    auto const& actual = call.output_gradients[0].layout;
    auto const wanted = row_major(actual.tensor);
    auto const dy = r.read(output_gradient(call), actual, wanted);
    auto const count = wanted.tensor.volume() / t.features;
    r.compute({indices, dy, parameter_gradient(0)},
              [t, count, adds = adds_parameter(call, 0)](addresses at, run_context const&) {
                  auto const* const index = as<std::int64_t const>(at[0]);
                  auto const* const from = as<float const>(at[1]);
                  auto* const to = as<float>(at[2]);
                  if (!adds) std::memset(to, 0, static_cast<std::size_t>(t.rows * t.features) * sizeof(float));
                  constexpr extent width = 64;
                  parallel_for((t.features + width - 1) / width, [&](extent block) {
                      auto const begin = block * width;
                      auto const end = std::min(t.features, begin + width);
                      for (extent i = 0; i < count; ++i) {
                          if (!t.has(index[i])) continue;
                          auto* const row = to + index[i] * t.features;
                          for (extent k = begin; k < end; ++k) row[k] += from[i * t.features + k];
                      }
                  });
              });
}

/// Rotates the rows of a tensor by their positions, or back; y may lie over x.
void rotate(recipe& r, repebble::networks::tensor const& t, place x, place y, bool back, bool adds) {
    auto const size = t.shape.back(), length = t.shape.rbegin()[1];
    r.compute({x, parameter(0), y}, [=, rows = t.volume() / size](addresses at, run_context const&) {
        parallel_for(rows, [&](extent row) {
            auto const* const from = as<float const>(at[0]) + row * size;
            auto const* const cosine = as<float const>(at[1]) + row % length * size;
            auto const* const sine = cosine + size / 2;
            auto* const to = as<float>(at[2]) + row * size;
            for (extent k = 0; k < size / 2; ++k) {
                auto const a = from[k], b = from[size / 2 + k], s = back ? -sine[k] : sine[k];
                auto const first = a * cosine[k] - b * s, second = b * cosine[k] + a * s;
                to[k] = adds ? to[k] + first : first;
                to[size / 2 + k] = adds ? to[size / 2 + k] + second : second;
            }
        });
    });
}

template <class Call>
[[nodiscard]] auto indices_of(Call const& call) -> place {
    if (!is_row_major(call.inputs[0].layout)) throw cannot_compute("reads indices that lie row by row");
    return input(call, 0);
}

}  // namespace

void add_forward(recipe& r, embedding const& kind, forward_call const& call) {
    gather(r, {kind.rows, kind.features}, indices_of(call), call);
}
void add_backward(recipe& r, embedding const& kind, backward_call const& call) {
    if (has_parameter_gradient(call, 0)) scatter(r, {kind.rows, kind.features}, indices_of(call), call);
}

void add_forward(recipe& r, position_embedding const& kind, forward_call const& call) {
    gather(r, {kind.length, kind.features}, parameter(1), call);
}
void add_backward(recipe& r, position_embedding const& kind, backward_call const& call) {
    if (has_parameter_gradient(call, 0)) scatter(r, {kind.length, kind.features}, parameter(1), call);
}

void add_forward(recipe& r, rotary_embedding const&, forward_call const& call) {
    auto const lies = row_major(call.outputs[0].layout.tensor);
    auto const in = r.read(input(call, 0), call.inputs[0].layout, lies);
    auto const out = r.write(output(call, 0), call.outputs[0].layout, lies);
    rotate(r, lies.tensor, in, out.computed, false, false);
    r.deliver(out);
}
void add_backward(recipe& r, rotary_embedding const&, backward_call const& call) {
    if (!has_input_gradient(call, 0)) return;
    auto const lies = row_major(call.output_gradients[0].layout.tensor);
    auto const dy = r.read(output_gradient(call), call.output_gradients[0].layout, lies);
    auto const dx = input_destination(r, call, 0, lies, true);
    rotate(r, lies.tensor, dy, dx.computed, true, dx.add);
    r.deliver(dx);
}

}  // namespace train_cpu
