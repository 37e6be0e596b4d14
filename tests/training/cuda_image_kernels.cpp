// Covers training/random_arrays.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <repebble/training/random_arrays.hpp>

#include "support/catch.hpp"
#include "training/kernel_bench.hpp"

namespace {

namespace image_kernels = train_cuda::kernels;
using image_kernels::pooling;
using support::beginnings;
using support::both_ways;
using support::by_row;
using support::doubles;
using support::extents;
using support::kernel_bench;
using support::stored;
using support::with;

auto dot(doubles const& a, doubles const& b) -> double {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

auto elements_in(pooling const& p) -> std::int64_t { return p.images * p.height * p.width * p.channels; }
auto elements_out(pooling const& p) -> std::int64_t { return p.images * p.out_height * p.out_width * p.channels; }

/// Too far for indices of 32 bits.
constexpr std::int64_t far = std::int64_t{1} << 31;

/// Windows of all kinds over images with so many channels.
auto windows(std::int64_t channels) -> std::vector<pooling> {
    struct window {
        std::int64_t kernel, stride, padding, dilation, beyond;  // outputs more than fit within the padding
    };
    std::vector<pooling> all;
    for (auto const& [kernel, stride, padding, dilation, beyond] : {window{1, 1, 0, 1, 0},
                                                                    {2, 2, 0, 1, 0},
                                                                    {2, 2, 0, 1, 1},
                                                                    {3, 2, 1, 1, 0},
                                                                    {3, 1, 1, 1, 0},
                                                                    {2, 3, 1, 1, 0},
                                                                    {3, 3, 0, 1, 1},
                                                                    {2, 1, 1, 3, 0},
                                                                    {3, 2, 1, 2, 1},
                                                                    {3, 3, 1, 2, 0}}) {
        auto const outputs = [&](std::int64_t extent) {
            return (extent + 2 * padding - (kernel - 1) * dilation - 1) / stride + 1 + beyond;
        };
        all.push_back({.images = 2,
                       .channels = channels,
                       .height = 7,
                       .width = 5,
                       .out_height = outputs(7),
                       .out_width = outputs(5),
                       .kernel = kernel,
                       .stride = stride,
                       .padding = padding,
                       .dilation = dilation});
    }
    all.push_back({.images = 2,
                   .channels = channels,
                   .height = 3,
                   .width = 4,
                   .out_height = 3,
                   .out_width = 3,
                   .kernel = 2,
                   .stride = 1,
                   .padding = 0,
                   .dilation = far});
    return all;
}

/// Calls f(output, input) for the elements of the inputs in the windows of the outputs.
template <class F>
void for_each_tap(pooling const& p, F f) {
    for (std::int64_t pixel = 0; pixel < p.images * p.out_height * p.out_width; ++pixel)
        for (std::int64_t tap = 0; tap < p.kernel * p.kernel; ++tap) {
            auto const image = pixel / p.out_width / p.out_height;
            auto const row = pixel / p.out_width % p.out_height * p.stride + tap / p.kernel * p.dilation - p.padding;
            auto const column = pixel % p.out_width * p.stride + tap % p.kernel * p.dilation - p.padding;
            if (row < 0 || row >= p.height || column < 0 || column >= p.width) continue;
            auto const from = (image * p.height + row) * p.width + column;
            for (std::int64_t channel = 0; channel < p.channels; ++channel)
                f(static_cast<std::size_t>(pixel * p.channels + channel),
                  static_cast<std::size_t>(from * p.channels + channel));
        }
}

/// Calls f(bench, pooling) for all windows, with channels that lie in packs and with such that do not.
template <class F>
void with_all_windows(F f) {
    for (auto const as : both_ways)
        for (auto const begins : beginnings)
            for (auto const channels : {1, 3, 8, 12, 16})
                for (auto const& p : windows(channels)) {
                    CAPTURE(channels, p.kernel, p.stride, p.padding, p.dilation, p.out_height);
                    kernel_bench bench(as, begins);
                    f(bench, p);
                }
}

}  // namespace

TEST_CASE("kernels pool and resize images, and their gradients are the transposes", "[training]") {
    using forward = cudaError_t (*)(cudaStream_t, pooling const&, support::numbers, support::numbers);
    using backward = cudaError_t (*)(cudaStream_t, pooling const&, support::numbers, support::target);
    struct linear_kernel {
        char const* name;
        forward run;
        backward transpose;
        pooling p;
        doubles expected;  // of the image 0, 1, 2, … of its first channel
    };
    linear_kernel const all[] = {
        {"average",
         image_kernels::average_pool,
         image_kernels::average_pool_backward,
         {.images = 2,
          .channels = 3,
          .height = 3,
          .width = 3,
          .out_height = 2,
          .out_width = 2,
          .kernel = 2,
          .stride = 2,
          .padding = 1},
         {0, 3.0 / 4, 9.0 / 4, 24.0 / 4}},
        {"average rounded up",
         image_kernels::average_pool,
         image_kernels::average_pool_backward,
         {.images = 1,
          .channels = 5,
          .height = 3,
          .width = 3,
          .out_height = 2,
          .out_width = 2,
          .kernel = 2,
          .stride = 2},
         {2, 3.5, 6.5, 8}},
        {"adaptive",
         image_kernels::adaptive_pool,
         image_kernels::adaptive_pool_backward,
         {.images = 2, .channels = 1, .height = 1, .width = 3, .out_height = 2, .out_width = 2},
         {0.5, 1.5, 0.5, 1.5}},
        {"resize",
         image_kernels::resize,
         image_kernels::resize_backward,
         {.images = 1, .channels = 2, .height = 1, .width = 2, .out_height = 1, .out_width = 4},
         {0, 0.25, 0.75, 1}},
        {"resize to less",
         image_kernels::resize,
         image_kernels::resize_backward,
         {.images = 3, .channels = 7, .height = 4, .width = 5, .out_height = 2, .out_width = 1},
         {4.5, 14.5}}};
    for (auto const as : both_ways)
        for (auto const& k : all)
            for (auto const channels : {k.p.channels, std::int64_t{8}, std::int64_t{12}})
                for (bool const small : {true, false}) {
                    if (!small && k.p.kernel > 1) continue;
                    auto p = k.p;
                    p.channels = channels;
                    if (!small) p.dilation = far;  // of the only tap
                    CAPTURE(k.name, channels, small);
                    auto const in = elements_in(p);
                    auto const out = elements_out(p);
                    std::vector<doubles> results;  // in packs, and one by one
                    for (auto const begins : beginnings) {
                        kernel_bench bench(as, begins);
                        auto counted = bench.random(in);
                        for (std::int64_t i = 0; i < p.height * p.width; ++i)
                            counted[static_cast<std::size_t>(i * channels)] = static_cast<double>(i);
                        auto const x = bench.numbers_of(counted);
                        auto const y = bench.room(out);
                        bench.run(k.run(bench.stream(), p, x, y));
                        auto const made = bench.read(y, out);
                        doubles first;
                        for (std::size_t i = 0; i < k.expected.size(); ++i)
                            first.push_back(made[i * static_cast<std::size_t>(channels)]);
                        bench.check(first, k.expected);
                        auto const g = bench.random(out);
                        auto const before = bench.random(in);
                        auto const dx = bench.target_of(before, true);
                        bench.run(k.transpose(bench.stream(), p, bench.numbers_of(g), dx));
                        auto const gradient = bench.read(dx, in);
                        auto const scale = as == stored::float32 ? 1e-4 : 0.3;  // x · (transpose g) is g · (kernel x)
                        CHECK(std::abs(dot(counted, gradient) - dot(counted, before) - dot(made, g)) < scale);
                        results.insert(results.end(), {made, gradient});
                    }
                    REQUIRE(results[0] == results[2]);
                    REQUIRE(results[1] == results[3]);
                }
}

TEST_CASE("kernels compute averages of all windows, and send their gradients back", "[training]") {
    with_all_windows([](kernel_bench& bench, pooling const& p) {
        auto const x = bench.random(elements_in(p));
        auto const g = bench.random(elements_out(p));
        auto padded = p;
        padded.height += 2 * p.padding;
        padded.width += 2 * p.padding;
        padded.padding = 0;
        doubles taps(g.size());
        for_each_tap(padded, [&](auto to, auto) { ++taps[to]; });
        doubles expected(g.size());
        doubles gradient(x.size());
        for_each_tap(p, [&](auto to, auto from) {
            expected[to] += x[from] / taps[to];
            gradient[from] += g[to] / taps[to];
        });
        auto const y = bench.room(elements_out(p));
        bench.run(image_kernels::average_pool(bench.stream(), p, bench.numbers_of(x), y));
        bench.check(y, expected);
        auto const dy = bench.numbers_of(g);
        for (bool const add : {false, true}) {
            auto const dx = bench.target_of(x, add);
            bench.run(image_kernels::average_pool_backward(bench.stream(), p, dy, dx));
            bench.check(dx, add ? with(x, gradient) : gradient, 4);
        }
        bench.run(image_kernels::average_pool_backward(bench.stream(), p, dy, {}));
    });
}

TEST_CASE("kernels take the first of the greatest, and send its gradient back", "[training]") {
    with_all_windows([](kernel_bench& bench, pooling const& p) {
        auto const out = elements_out(p);
        auto x = bench.random(elements_in(p));
        std::fill_n(x.begin(), 3 * p.width * p.channels, -2.0);  // equal ones
        x.end()[-2 * p.width * p.channels] = std::nan("");
        doubles greatest(static_cast<std::size_t>(out), -HUGE_VAL);
        std::vector<std::int64_t> at(greatest.size(), -1);
        std::vector<std::size_t> element(greatest.size(), x.size());
        for_each_tap(p, [&](auto to, auto from) {
            if (at[to] >= 0 && !(x[from] > greatest[to]) && !std::isnan(x[from])) return;
            greatest[to] = x[from];
            at[to] = static_cast<std::int64_t>(from) / p.channels % (p.height * p.width);
            element[to] = from;
        });
        auto const y = bench.room(out);
        auto* const positions = bench.room_for<std::int64_t>(out);
        bench.run(image_kernels::max_pool(bench.stream(), p, bench.numbers_of(x), y, positions));
        auto made = bench.read(y, out);
        for (auto* const values : {&made, &greatest})
            std::ranges::replace_if(
                *values, [](double value) { return std::isnan(value); }, 2.0);
        REQUIRE(made == greatest);
        REQUIRE(bench.read(positions, out) == at);

        auto const g = bench.random(out);
        auto const before = bench.random(elements_in(p));
        doubles gradient(x.size());
        for (std::size_t i = 0; i < g.size(); ++i)
            if (at[i] >= 0) gradient[element[i]] += g[i];
        auto const dy = bench.numbers_of(g);
        for (bool const add : {false, true}) {
            auto const dx = bench.target_of(before, add);
            bench.run(image_kernels::max_pool_backward(bench.stream(), p, positions, dy, dx));
            bench.check(dx, add ? with(before, gradient) : gradient, 4);
        }
        bench.run(image_kernels::max_pool_backward(bench.stream(), p, positions, dy, {}));
    });
}

TEST_CASE("kernels normalise by neighbouring channels, and move channels to the end and back", "[training]") {
    for (auto const as : both_ways) {
        kernel_bench bench(as);
        image_kernels::response_norm const n{
            .pixels = 5, .channels = 7, .neighbours = 4, .k = 2, .alpha = 0.25F, .beta = 0.75F};
        extents const m{5, 7};
        auto const x = bench.random(35);
        auto const g = bench.random(35);
        auto const in = bench.numbers_of(x);
        auto const y = bench.room(35);
        bench.run(image_kernels::local_response_norm(bench.stream(), n, in, y));
        auto const scale = [&](std::int64_t r, std::int64_t c) {
            double sum = 0;
            for (auto k = std::max<std::int64_t>(0, c - 2); k <= std::min<std::int64_t>(6, c + 1); ++k)
                sum += x[m.at(r, k)] * x[m.at(r, k)];
            return 2 + sum / 4;
        };
        bench.check(y, by_row(m, [&](std::int64_t r) {
                        return [&, r](std::int64_t c) { return x[m.at(r, c)] * std::pow(scale(r, c), -0.75); };
                    }));
        auto const dx = bench.target_of(x, false);
        bench.run(image_kernels::local_response_norm_backward(bench.stream(), n, in, bench.numbers_of(g), dx));
        bench.check(dx, by_row(m, [&](std::int64_t r) {
                        return [&, r](std::int64_t c) {
                            double sum = g[m.at(r, c)] * std::pow(scale(r, c), -0.75);
                            for (auto k = std::max<std::int64_t>(0, c - 1); k <= std::min<std::int64_t>(6, c + 2); ++k)
                                sum -= 2 * 0.25 * 0.75 * x[m.at(r, c)] * g[m.at(r, k)] * x[m.at(r, k)] *
                                       std::pow(scale(r, k), -1.75);
                            return sum;
                        };
                    }));

        std::int64_t const filters = 3;
        std::int64_t const channels = 5;
        std::int64_t const positions = 9;
        auto const filter = bench.random(135);
        auto const moved = bench.room(135);
        bench.run(image_kernels::channels_to_end(bench.stream(), filters, channels, positions, bench.floats_of(filter),
                                                 moved));
        doubles expected(135);
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t c = 0; c < 5; ++c)
                for (std::size_t p = 0; p < 9; ++p) expected[(k * 9 + p) * 5 + c] = filter[(k * 5 + c) * 9 + p];
        bench.check(moved, expected);
        auto* const back = bench.floats_of(filter);
        bench.run(
            image_kernels::channels_from_end(bench.stream(), filters, channels, positions, moved, {{back}, true}));
        bench.check(back, with(filter, filter));
    }
}
