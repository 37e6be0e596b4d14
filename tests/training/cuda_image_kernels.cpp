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
        for (auto const& k : all) {
            CAPTURE(k.name);
            kernel_bench bench(as);
            auto const in = k.p.images * k.p.height * k.p.width * k.p.channels;
            auto const out = k.p.images * k.p.out_height * k.p.out_width * k.p.channels;
            auto counted = bench.random(in);
            for (std::int64_t i = 0; i < k.p.height * k.p.width; ++i)
                counted[static_cast<std::size_t>(i * k.p.channels)] = static_cast<double>(i);
            auto const x = bench.numbers_of(counted);
            auto const y = bench.room(out);
            bench.run(k.run(bench.stream(), k.p, x, y));
            auto const made = bench.read(y, out);
            doubles first;
            for (std::size_t i = 0; i < k.expected.size(); ++i)
                first.push_back(made[i * static_cast<std::size_t>(k.p.channels)]);
            bench.check(first, k.expected);
            auto const g = bench.random(out);
            auto const before = bench.random(in);
            auto const dx = bench.target_of(before, true);
            bench.run(k.transpose(bench.stream(), k.p, bench.numbers_of(g), dx));
            auto const gradient = bench.read(dx, in);
            auto const scale = as == stored::float32 ? 1e-4 : 0.3;  // x · (transpose g) is g · (kernel x)
            CHECK(std::abs(dot(counted, gradient) - dot(counted, before) - dot(made, g)) < scale);
        }
}

TEST_CASE("kernels take the first of the greatest, and send its gradient back", "[training]") {
    pooling const p{.images = 2,
                    .channels = 3,
                    .height = 5,
                    .width = 4,
                    .out_height = 3,
                    .out_width = 2,
                    .kernel = 3,
                    .stride = 2,
                    .padding = 1};
    for (auto const as : both_ways) {
        kernel_bench bench(as);
        auto const in = p.images * p.height * p.width * p.channels;
        auto const out = p.images * p.out_height * p.out_width * p.channels;
        auto x = bench.random(in);
        std::fill_n(x.begin(), 24, -2.0);  // equal ones
        auto const y = bench.room(out);
        auto* const positions = bench.room_for<std::int64_t>(out);
        bench.run(image_kernels::max_pool(bench.stream(), p, bench.numbers_of(x), y, positions));
        doubles greatest;
        std::vector<std::int64_t> at;
        for (std::int64_t i = 0; i < out; ++i) {
            auto const channel = i % 3;
            auto const column = i / 3 % 2;
            auto const row = i / 6 % 3;
            auto const image = i / 18;
            double best = -HUGE_VAL;
            std::int64_t position = -1;
            for (auto r = std::max<std::int64_t>(0, row * 2 - 1); r < std::min<std::int64_t>(5, row * 2 + 2); ++r)
                for (auto c = std::max<std::int64_t>(0, column * 2 - 1); c < std::min<std::int64_t>(4, column * 2 + 2);
                     ++c) {
                    auto const value = x[static_cast<std::size_t>(((image * 5 + r) * 4 + c) * 3 + channel)];
                    if (value > best) {
                        best = value;
                        position = r * 4 + c;
                    }
                }
            greatest.push_back(best);
            at.push_back(position);
        }
        bench.check(y, greatest);
        REQUIRE(bench.read(positions, out) == at);
        auto const g = bench.random(out);
        doubles expected(x.size(), 0);
        for (std::size_t i = 0; i < at.size(); ++i)
            expected[(i / 18 * 20 + static_cast<std::size_t>(at[i])) * 3 + i % 3] += g[i];
        auto const dx = bench.target_of(x, true);
        bench.run(image_kernels::max_pool_backward(bench.stream(), p, positions, bench.numbers_of(g), dx));
        bench.check(dx, with(x, expected), 4);
    }
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
