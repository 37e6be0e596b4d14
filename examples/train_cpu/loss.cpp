#include "loss.hpp"

#include <cstring>

#include "descriptors.hpp"

namespace train_cpu {

using repebble::networks::nll_loss;
using repebble::training::channels_last;
using repebble::training::is_channels_last;
using repebble::training::is_row_major;
using repebble::training::row_major;

namespace {

/// Log-probabilities of classes: those of label (n, i) begin at n·image + i·pixel.
struct scores {
    layout lies;
    extent batch;
    extent classes;
    extent pixels;  ///< labels of each of the batch
    extent image;
    extent pixel;
    extent step;  ///< from class to class

    explicit scores(layout const& x)
        : lies(is_channels_last(x) ? channels_last(x.tensor) : row_major(x.tensor)),
          batch(x.tensor.shape[0]),
          classes(x.tensor.shape[1]),
          pixels(x.tensor.volume() / (batch * classes)),
          image(classes * pixels),
          pixel(is_channels_last(x) ? classes : 1),
          step(is_channels_last(x) ? 1 : pixels) {}

    /// f(position) of each label that is a class. Returns how many there are.
    template <class F>
    auto for_each(std::int64_t const* labels, F const& f) const -> std::int64_t {
        std::int64_t count = 0;
        for (extent n = 0; n < batch; ++n)
            for (extent i = 0; i < pixels; ++i) {
                auto const label = labels[n * pixels + i];
                if (label < 0 || label >= classes) continue;
                f(n * image + i * pixel + label * step);
                ++count;
            }
        return count;
    }
};

template <class Call>
[[nodiscard]] auto labels_of(Call const& call) -> place {
    if (!is_row_major(call.inputs[1].layout)) throw cannot_compute("reads labels that lie row by row");
    return input(call, 1);
}

}  // namespace

void add_forward(recipe& r, nll_loss const&, forward_call const& call) {
    scores const s(call.inputs[0].layout);
    auto const in = r.read(input(call, 0), call.inputs[0].layout, s.lies);
    r.compute({in, labels_of(call), output(call, 0), output(call, 1)}, [s](addresses at, run_context const&) {
        auto const* const x = as<float const>(at[0]);
        double sum = 0;
        auto const count = s.for_each(as<std::int64_t const>(at[1]), [&](extent i) { sum -= x[i]; });
        *as<float>(at[2]) = count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
        *as<float>(at[3]) = static_cast<float>(count);
    });
}

void add_backward(recipe& r, nll_loss const&, backward_call const& call) {
    if (!has_input_gradient(call, 0)) return;
    auto const& actual = input_layout(call, 0);
    scores const s(actual);
    auto const dx = input_destination(r, call, 0, s.lies, true);
    r.compute({output_gradient(call), output(call, 1), labels_of(call), dx.computed},
              [s, adds = dx.add, size = s.lies.tensor.size()](addresses at, run_context const&) {
                  auto const g = -*as<float const>(at[0]) / *as<float const>(at[1]);
                  auto* const to = as<float>(at[3]);
                  if (!adds) std::memset(to, 0, static_cast<std::size_t>(size));
                  s.for_each(as<std::int64_t const>(at[2]), [&](extent i) { to[i] += g; });
              });
    r.deliver(dx);
}

}  // namespace train_cpu
