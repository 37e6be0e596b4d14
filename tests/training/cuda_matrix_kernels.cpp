// Covers training/random_arrays.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/training/random_arrays.hpp>

#include "support/catch.hpp"
#include "training/kernel_bench.hpp"

namespace {

namespace row_kernels = train_cuda::kernels;
using row_kernels::normalised;
using support::beginnings;
using support::both_ways;
using support::by_row;
using support::doubles;
using support::extents;
using support::kernel_bench;
using support::with;

/// One element; a thread, a warp and a block for each row, with whole and broken turns.
constexpr extents some_matrices[] = {{1, 1}, {9, 5}, {300, 32}, {3, 33}, {11, 1024}, {2, 1025}, {1, 1500}};

template <class F>
auto sum_over(std::int64_t count, F f) -> double {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += f(i);
    return sum;
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

}  // namespace

TEST_CASE("kernels compute softmax of rows, and its gradient", "[training]") {
    for (auto const as : both_ways)
        for (auto const m : some_matrices)
            for (bool const logarithm : {false, true}) {
                CAPTURE(m.rows, m.columns, logarithm);
                kernel_bench bench(as);
                auto const x = bench.random(m.count());
                auto const y = bench.numbers_of(x);  // in place
                bench.run(row_kernels::softmax(bench.stream(), m.rows, m.columns, logarithm, y, y));
                bench.check(y, by_row(m, [&](std::int64_t r) {
                                auto const sum = sum_over(m.columns, [&](auto c) { return std::exp(x[m.at(r, c)]); });
                                return [&, r, sum](std::int64_t c) {
                                    return logarithm ? x[m.at(r, c)] - std::log(sum) : std::exp(x[m.at(r, c)]) / sum;
                                };
                            }));
                auto const made = bench.read(y, m.count());
                auto const g = bench.random(m.count());
                auto const dx = bench.target_of(x, true);
                bench.run(row_kernels::softmax_backward(bench.stream(), m.rows, m.columns, logarithm, y,
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
            bench.run(row_kernels::layer_norm(bench.stream(), m.rows, m.columns, 1e-3F, in, bench.floats_of(weight),
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
            bench.run(row_kernels::layer_norm_backward(bench.stream(), m.rows, m.columns, in, bench.floats_of(weight),
                                                       mean, deviation, from, dx));
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
            auto* const partial = bench.room_for(2 * row_kernels::column_partials(m.rows, m.columns));
            auto* const of_bias = bench.room_for(m.columns);
            bench.run(row_kernels::norm_parameters(bench.stream(), normalised::rows, m.rows, m.columns, in, mean,
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
    constexpr extents of_images[] = {{1, 1},    {3, 31},    {8, 32},   {9, 33},  {129, 5},
                                     {1000, 2}, {40000, 1}, {300, 64}, {5, 264}, {140, 520}};
    for (auto const as : both_ways)
        for (auto const begins : beginnings)
            for (auto const m : of_images) {
                CAPTURE(m.rows, m.columns);
                kernel_bench bench(as, begins);
                auto const x = bench.random(m.count());
                auto const in = bench.numbers_of(x);
                auto const weight = bench.random(m.columns, true);
                auto const bias = bench.random(m.columns, true);
                auto* const mean = bench.room_for(m.columns);
                auto* const deviation = bench.room_for(m.columns);
                auto* const running_mean = bench.floats_of(bias);
                auto* const running_variance = bench.floats_of(weight);
                auto* const partial = bench.room_for(2 * row_kernels::column_partials(m.rows, m.columns));
                row_kernels::channel_statistics const to{mean, deviation, running_mean, running_variance, 0.5F, 0.25F};
                bench.run(row_kernels::batch_norm_statistics(bench.stream(), m.rows, m.columns, in, partial, to));
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
                bench.run(row_kernels::inverse_deviations(bench.stream(), m.columns, 0.5F, bench.floats_of(positive),
                                                          of_variance));
                bench.check(of_variance, doubles(positive.size(), 1 / 1.5));

                row_kernels::column_norm const by{bench.floats_of(weight), bench.floats_of(bias), mean, deviation};
                auto const y = bench.room(m.count());
                bench.run(row_kernels::batch_norm(bench.stream(), m.rows, m.columns, by, in, y));
                auto const column = [&](auto f) {
                    return by_row(m, [&, f](std::int64_t r) {
                        return [&, f, r](std::int64_t c) { return f(m.at(r, c), static_cast<std::size_t>(c)); };
                    });
                };
                auto const normal = column([&](auto i, auto c) { return (x[i] - s.mean[c]) * s.deviation[c]; });
                bench.check(y, column([&](auto i, auto c) { return normal[i] * weight[c] + bias[c]; }));

                auto const g = bench.random(m.count());
                auto const from = bench.numbers_of(g);
                auto* const of_weight = bench.room_for(m.columns);
                auto* const of_bias = bench.room_for(m.columns);
                auto const again = bench.numbers_of(x);
                bench.run(row_kernels::norm_parameters(bench.stream(), normalised::columns, m.rows, m.columns, again,
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
                bench.run(row_kernels::sum_columns(bench.stream(), m.rows, m.columns, from, partial, to_sum));
                bench.check(to_sum, with(doubles(sums.size(), 1), sums), scale);
                auto const dx = bench.target_of(x, true);
                bench.run(row_kernels::batch_norm_backward(bench.stream(), m.rows, m.columns, by, again, from,
                                                           of_weight, of_bias, dx));
                auto const n = static_cast<double>(m.rows);
                bench.check(dx, with(x, column([&](auto i, auto c) {
                                         return weight[c] * s.deviation[c] *
                                                (g[i] - (sums[c] + normal[i] * products[c]) / n);
                                     })));
            }
}

TEST_CASE("sums of columns are the same bits wherever a matrix lies", "[training]") {
    for (auto const as : both_ways)
        for (extents const m : {extents{3000, 24}, extents{500, 264}, extents{700, 7}}) {
            CAPTURE(m.rows, m.columns);
            std::vector<doubles> found;
            for (auto const begins : beginnings) {
                kernel_bench bench(as, begins);
                auto* const partial = bench.room_for(row_kernels::column_partials(m.rows, m.columns));
                auto const sums = bench.numbers_of(doubles(static_cast<std::size_t>(m.columns), 0));
                bench.run(row_kernels::sum_columns(bench.stream(), m.rows, m.columns,
                                                   bench.numbers_of(bench.random(m.count())), partial, {sums}));
                found.push_back(bench.read(sums, m.columns));
            }
            CHECK(found[0] == found[1]);
        }
}

TEST_CASE("kernels add a bias to rows, whatever their length", "[training]") {
    for (auto const as : both_ways)
        for (auto const begins : beginnings)
            for (extents const m : {extents{3, 1}, extents{5, 12}, extents{40, 8}, extents{7, 264}, extents{2, 601}}) {
                CAPTURE(m.rows, m.columns);
                kernel_bench bench(as, begins);
                auto const y = bench.random(m.count());
                auto const bias = bench.random(m.columns, true);
                auto const at = bench.numbers_of(y);
                bench.run(row_kernels::add_to_rows(bench.stream(), m.rows, m.columns, bench.floats_of(bias), at));
                bench.check(at, by_row(m, [&](std::int64_t r) {
                                return [&, r](std::int64_t c) {
                                    return y[m.at(r, c)] + bias[static_cast<std::size_t>(c)];
                                };
                            }));
            }
}
