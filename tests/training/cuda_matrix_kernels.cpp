// Covers training/random_arrays.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <repebble/training/random_arrays.hpp>

#include "support/catch.hpp"
#include "training/kernel_bench.hpp"

namespace {

namespace rows_and_images = train_cuda::kernels;
using rows_and_images::normalised;
using rows_and_images::pooling;
using support::both_ways;
using support::doubles;
using support::kernel_bench;
using support::stored;

struct extents {
    std::int64_t rows, columns;
    [[nodiscard]] auto count() const -> std::int64_t { return rows * columns; }
    [[nodiscard]] auto at(std::int64_t r, std::int64_t c) const -> std::size_t {
        return static_cast<std::size_t>(r * columns + c);
    }
};
/// One element; a thread, a warp and a block for each row, with whole and broken turns.
constexpr extents some_matrices[] = {{1, 1}, {9, 5}, {300, 32}, {3, 33}, {11, 1024}, {2, 1025}, {1, 1500}};

/// f(row) for all rows of a matrix of the result.
template <class F>
auto by_row(extents m, F f) -> doubles {
    doubles y(static_cast<std::size_t>(m.count()));
    for (std::int64_t r = 0; r < m.rows; ++r) {
        auto const row = f(r);
        for (std::int64_t c = 0; c < m.columns; ++c) y[m.at(r, c)] = row(c);
    }
    return y;
}
template <class F>
auto sum_over(std::int64_t count, F f) -> double {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += f(i);
    return sum;
}

auto with(doubles const& before, doubles values) -> doubles {
    std::ranges::transform(values, before, values.begin(), std::plus{});
    return values;
}

/// How a matrix is normalised along its rows or its columns: mean and inverse deviation of each.
struct statistics {
    doubles mean{}, deviation{};
};
auto statistics_of(extents m, doubles const& x, bool of_rows, double epsilon) -> statistics {
    statistics s;
    auto const n = of_rows ? m.columns : m.rows;
    for (std::int64_t k = 0; k < (of_rows ? m.rows : m.columns); ++k) {
        auto const at = [&](std::int64_t i) { return x[of_rows ? m.at(k, i) : m.at(i, k)]; };
        auto const mean = sum_over(n, at) / static_cast<double>(n);
        auto const squares = sum_over(n, [&](std::int64_t i) { return (at(i) - mean) * (at(i) - mean); });
        s.mean.push_back(mean);
        s.deviation.push_back(1 / std::sqrt(squares / static_cast<double>(n) + epsilon));
    }
    return s;
}

auto dot(doubles const& a, doubles const& b) -> double {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TEST_CASE("kernels compute softmax of rows, and its gradient", "[training]") {
    for (auto const as : both_ways)
        for (auto const m : some_matrices)
            for (bool const logarithm : {false, true}) {
                CAPTURE(m.rows, m.columns, logarithm);
                kernel_bench bench(as);
                auto const x = bench.random(m.count());
                auto const y = bench.numbers_of(x);  // in place
                bench.run(rows_and_images::softmax(bench.stream(), m.rows, m.columns, logarithm, y, y));
                bench.check(y, by_row(m, [&](std::int64_t r) {
                                auto const sum = sum_over(m.columns, [&](auto c) { return std::exp(x[m.at(r, c)]); });
                                return [&, r, sum](std::int64_t c) {
                                    return logarithm ? x[m.at(r, c)] - std::log(sum) : std::exp(x[m.at(r, c)]) / sum;
                                };
                            }));
                auto const made = bench.read(y, m.count());
                auto const g = bench.random(m.count());
                auto const dx = bench.target_of(x, true);
                bench.run(rows_and_images::softmax_backward(bench.stream(), m.rows, m.columns, logarithm, y,
                                                            bench.numbers_of(g), dx));
                auto const expected = by_row(m, [&](std::int64_t r) {
                    auto const sum =
                        sum_over(m.columns, [&](auto c) { return g[m.at(r, c)] * (logarithm ? 1 : made[m.at(r, c)]); });
                    return [&, r, sum](std::int64_t c) {
                        auto const i = m.at(r, c);
                        return logarithm ? g[i] - std::exp(made[i]) * sum : made[i] * (g[i] - sum);
                    };
                });
                bench.check(dx, with(x, expected), 10);
            }
}

TEST_CASE("kernels normalise rows, and compute the gradients", "[training]") {
    for (auto const as : both_ways)
        for (auto const m : some_matrices) {
            if (m.columns == 1 || m.rows > 100) continue;
            CAPTURE(m.rows, m.columns);
            kernel_bench bench(as);
            auto const x = bench.random(m.count());
            auto const weight = bench.random(m.columns, true);
            auto const bias = bench.random(m.columns, true);
            auto const in = bench.numbers_of(x);
            auto const y = bench.room(m.count());
            auto* const mean = bench.room_for(m.rows);
            auto* const deviation = bench.room_for(m.rows);
            bench.run(rows_and_images::layer_norm(bench.stream(), m.rows, m.columns, 1e-3F, in, bench.floats_of(weight),
                                                  bench.floats_of(bias), y, mean, deviation));
            auto const s = statistics_of(m, x, true, 1e-3);
            bench.check(mean, s.mean);
            bench.check(deviation, s.deviation, 4);
            auto const normal = by_row(m, [&](std::int64_t r) {
                auto const k = static_cast<std::size_t>(r);
                return [&, r, k](std::int64_t c) { return (x[m.at(r, c)] - s.mean[k]) * s.deviation[k]; };
            });
            bench.check(y,
                        by_row(m,
                               [&](std::int64_t r) {
                                   return [&, r](std::int64_t c) {
                                       auto const k = static_cast<std::size_t>(c);
                                       return normal[m.at(r, c)] * weight[k] + bias[k];
                                   };
                               }),
                        4);
            auto const g = bench.random(m.count());
            auto const from = bench.numbers_of(g);
            auto const dx = bench.target_of(x, true);
            bench.run(rows_and_images::layer_norm_backward(bench.stream(), m.rows, m.columns, in,
                                                           bench.floats_of(weight), mean, deviation, from, dx));
            auto const expected = by_row(m, [&](std::int64_t r) {
                auto const k = static_cast<std::size_t>(r);
                auto const weighted = [&, r](std::int64_t c) {
                    return g[m.at(r, c)] * weight[static_cast<std::size_t>(c)];
                };
                auto const n = static_cast<double>(m.columns);
                auto const sum = sum_over(m.columns, weighted) / n;
                auto const product = sum_over(m.columns, [&](auto c) { return weighted(c) * normal[m.at(r, c)]; }) / n;
                return [&, weighted, r, k, sum, product](std::int64_t c) {
                    return s.deviation[k] * (weighted(c) - sum - normal[m.at(r, c)] * product);
                };
            });
            bench.check(dx, with(x, expected), 10);

            auto const of_weight = bench.floats_of(weight);
            auto* const partial = bench.room_for(2 * rows_and_images::column_partials(m.rows, m.columns));
            auto* const of_bias = bench.room_for(m.columns);
            bench.run(rows_and_images::norm_parameters(bench.stream(), normalised::rows, m.rows, m.columns, in, mean,
                                                       deviation, from, partial, {{of_weight}, true}, {{of_bias}}));
            doubles products;
            doubles sums;
            for (std::int64_t c = 0; c < m.columns; ++c) {
                products.push_back(sum_over(m.rows, [&](auto r) { return g[m.at(r, c)] * normal[m.at(r, c)]; }));
                sums.push_back(sum_over(m.rows, [&](auto r) { return g[m.at(r, c)]; }));
            }
            bench.check(of_weight, with(weight, products), 20);
            bench.check(of_bias, sums, 10);
        }
}

TEST_CASE("kernels normalise columns, and compute the gradients", "[training]") {
    constexpr extents of_images[] = {{1, 1}, {3, 31}, {8, 32}, {9, 33}, {129, 5}, {1000, 2}, {40000, 1}};
    for (auto const as : both_ways)
        for (auto const m : of_images) {
            CAPTURE(m.rows, m.columns);
            kernel_bench bench(as);
            auto const x = bench.random(m.count());
            auto const in = bench.numbers_of(x);
            auto const weight = bench.random(m.columns, true);
            auto const bias = bench.random(m.columns, true);
            auto* const mean = bench.room_for(m.columns);
            auto* const deviation = bench.room_for(m.columns);
            auto* const running_mean = bench.floats_of(bias);
            auto* const running_variance = bench.floats_of(weight);
            auto* const partial = bench.room_for(2 * rows_and_images::column_partials(m.rows, m.columns));
            rows_and_images::channel_statistics const to{mean, deviation, running_mean, running_variance, 0.5F, 0.25F};
            bench.run(rows_and_images::batch_norm_statistics(bench.stream(), m.rows, m.columns, in, partial, to));
            auto const s = statistics_of(m, x, false, 0.5);
            bench.check(mean, s.mean);
            bench.check(deviation, s.deviation);
            doubles moved_mean;
            doubles moved_variance;
            for (std::size_t c = 0; c < s.mean.size(); ++c) {
                auto const variance = 1 / (s.deviation[c] * s.deviation[c]) - 0.5;
                auto const n = static_cast<double>(m.rows);
                moved_mean.push_back(0.75 * bias[c] + 0.25 * s.mean[c]);
                moved_variance.push_back(0.75 * weight[c] + 0.25 * variance * n / std::max(n - 1, 1.0));
            }
            bench.check(running_mean, moved_mean);
            bench.check(running_variance, moved_variance, 2);
            auto* const of_variance = bench.room_for(m.columns);
            doubles positive(s.mean.size(), 1.75);
            bench.run(rows_and_images::inverse_deviations(bench.stream(), m.columns, 0.5F, bench.floats_of(positive),
                                                          of_variance));
            bench.check(of_variance, doubles(positive.size(), 1 / 1.5));

            rows_and_images::column_norm const by{bench.floats_of(weight), bench.floats_of(bias), mean, deviation};
            auto const y = bench.room(m.count());
            bench.run(rows_and_images::batch_norm(bench.stream(), m.rows, m.columns, by, in, y));
            auto const column = [&](auto f) {
                return by_row(m, [&, f](std::int64_t r) {
                    return [&, f, r](std::int64_t c) { return f(m.at(r, c), static_cast<std::size_t>(c)); };
                });
            };
            auto const normal = column([&](auto i, auto c) { return (x[i] - s.mean[c]) * s.deviation[c]; });
            bench.check(y, column([&](auto i, auto c) { return normal[i] * weight[c] + bias[c]; }));
            bench.run(rows_and_images::add_to_rows(bench.stream(), m.rows, m.columns, bench.floats_of(bias), in));
            bench.check(in, column([&](auto i, auto c) { return x[i] + bias[c]; }));

            auto const g = bench.random(m.count());
            auto const from = bench.numbers_of(g);
            auto* const of_weight = bench.room_for(m.columns);
            auto* const of_bias = bench.room_for(m.columns);
            auto const again = bench.numbers_of(x);
            bench.run(rows_and_images::norm_parameters(bench.stream(), normalised::columns, m.rows, m.columns, again,
                                                       mean, deviation, from, partial, {{of_weight}}, {{of_bias}}));
            doubles products;
            doubles sums;
            for (std::int64_t c = 0; c < m.columns; ++c) {
                products.push_back(sum_over(m.rows, [&](auto r) { return g[m.at(r, c)] * normal[m.at(r, c)]; }));
                sums.push_back(sum_over(m.rows, [&](auto r) { return g[m.at(r, c)]; }));
            }
            auto const scale = 3 * std::sqrt(static_cast<double>(m.rows)) + 3;
            bench.check(of_weight, products, scale);
            bench.check(of_bias, sums, scale);
            auto const to_sum = bench.target_of(doubles(sums.size(), 1), true);
            bench.run(rows_and_images::sum_columns(bench.stream(), m.rows, m.columns, from, partial, to_sum));
            bench.check(to_sum, with(doubles(sums.size(), 1), sums), scale);
            auto const dx = bench.target_of(x, true);
            bench.run(rows_and_images::batch_norm_backward(bench.stream(), m.rows, m.columns, by, again, from,
                                                           of_weight, of_bias, dx));
            auto const n = static_cast<double>(m.rows);
            bench.check(dx, with(x, column([&](auto i, auto c) {
                                     return weight[c] * s.deviation[c] *
                                            (g[i] - (sums[c] + normal[i] * products[c]) / n);
                                 })));
        }
}

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
         rows_and_images::average_pool,
         rows_and_images::average_pool_backward,
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
         rows_and_images::average_pool,
         rows_and_images::average_pool_backward,
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
         rows_and_images::adaptive_pool,
         rows_and_images::adaptive_pool_backward,
         {.images = 2, .channels = 1, .height = 1, .width = 3, .out_height = 2, .out_width = 2},
         {0.5, 1.5, 0.5, 1.5}},
        {"resize",
         rows_and_images::resize,
         rows_and_images::resize_backward,
         {.images = 1, .channels = 2, .height = 1, .width = 2, .out_height = 1, .out_width = 4},
         {0, 0.25, 0.75, 1}},
        {"resize to less",
         rows_and_images::resize,
         rows_and_images::resize_backward,
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
        bench.run(rows_and_images::max_pool(bench.stream(), p, bench.numbers_of(x), y, positions));
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
        bench.run(rows_and_images::max_pool_backward(bench.stream(), p, positions, bench.numbers_of(g), dx));
        bench.check(dx, with(x, expected), 4);
    }
}

TEST_CASE("kernels normalise by neighbouring channels, and move channels to the end and back", "[training]") {
    for (auto const as : both_ways) {
        kernel_bench bench(as);
        rows_and_images::response_norm const n{
            .pixels = 5, .channels = 7, .neighbours = 4, .k = 2, .alpha = 0.25F, .beta = 0.75F};
        extents const m{5, 7};
        auto const x = bench.random(35);
        auto const g = bench.random(35);
        auto const in = bench.numbers_of(x);
        auto const y = bench.room(35);
        bench.run(rows_and_images::local_response_norm(bench.stream(), n, in, y));
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
        bench.run(rows_and_images::local_response_norm_backward(bench.stream(), n, in, bench.numbers_of(g), dx));
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
        bench.run(rows_and_images::channels_to_end(bench.stream(), filters, channels, positions,
                                                   bench.floats_of(filter), moved));
        doubles expected(135);
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t c = 0; c < 5; ++c)
                for (std::size_t p = 0; p < 9; ++p) expected[(k * 9 + p) * 5 + c] = filter[(k * 5 + c) * 9 + p];
        bench.check(moved, expected);
        auto* const back = bench.floats_of(filter);
        bench.run(
            rows_and_images::channels_from_end(bench.stream(), filters, channels, positions, moved, {{back}, true}));
        bench.check(back, with(filter, filter));
    }
}
