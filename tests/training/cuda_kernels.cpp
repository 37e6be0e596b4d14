// Covers execute/fill_pattern.hpp, training/bfloat16.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include <repebble/execute/fill_pattern.hpp>
#include <repebble/training/bfloat16.hpp>

#include "support/catch.hpp"
#include "training/kernel_bench.hpp"

namespace {

namespace kernels = train_cuda::kernels;
using kernels::stored;
using kernels::walk;
using support::beginnings;
using support::both_ways;
using support::doubles;
using support::kernel_bench;

constexpr std::int64_t some_counts[] = {1, 7, 255, 256, 257, 1000};

template <int N>
auto straight(std::int64_t count) -> walk<N> {
    walk<N> w;
    w.count = count;
    w.rank = 1;
    w.extent[0] = count;
    for (auto& strides : w.stride) strides[0] = 1;
    return w;
}

/// A matrix of 5 x 7, the others of which lie transposed: position i of the first is at (i % 7) * 5 + i / 7.
template <int N>
auto transposed_matrix() -> walk<N> {
    walk<N> w;
    w.count = 35;
    w.rank = 2;
    w.extent[0] = 5;
    w.extent[1] = 7;
    for (auto& strides : w.stride) {
        strides[0] = 1;
        strides[1] = 5;
    }
    w.stride[0][0] = 7;
    w.stride[0][1] = 1;
    return w;
}
auto turned(std::size_t i) -> std::size_t { return i % 7 * 5 + i / 7; }

/// Rows of a matrix with so many columns, as every third block of columns of a wider one: the first array.
template <int N>
auto rows_of_wider(std::int64_t rows, std::int64_t columns) -> walk<N> {
    walk<N> w;
    w.count = rows * columns;
    w.rank = 2;
    w.extent[0] = rows;
    w.extent[1] = columns;
    for (auto& strides : w.stride) {
        strides[0] = columns;
        strides[1] = 1;
    }
    w.stride[0][0] = 3 * columns;
    return w;
}

template <class F>
auto map(doubles const& x, F f) -> doubles {
    doubles y;
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(f(i, x[i]));
    return y;
}

/// Of a function, its value, and its derivative by what `unary_backward` knows.
struct function {
    kernels::unary what;
    double (*value)(double);
    double (*slope)(double x, double y);
    bool by_output;
};
constexpr double root = 1.4142135623730951;
constexpr double density = 0.3989422804014327;
function const functions[] = {
    {kernels::unary::relu, [](double x) { return std::max(x, 0.0); }, [](double, double y) { return y > 0 ? 1.0 : 0; },
     true},
    {kernels::unary::gelu, [](double x) { return x / 2 * (1 + std::erf(x / root)); },
     [](double x, double) { return (1 + std::erf(x / root)) / 2 + x * density * std::exp(-x * x / 2); }, false},
    {kernels::unary::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
     [](double, double y) { return y * (1 - y); }, true},
    {kernels::unary::tanh, [](double x) { return std::tanh(x); }, [](double, double y) { return 1 - y * y; }, true},
    {kernels::unary::scale, [](double x) { return 0.75 * x; }, [](double, double) { return 0.75; }, false}};

}  // namespace

TEST_CASE("kernels compute functions of each element, and their gradients", "[training]") {
    for (auto const as : both_ways)
        for (auto const begins : beginnings)
            for (auto const n : some_counts)
                for (auto const& f : functions) {
                    CAPTURE(n, static_cast<int>(f.what));
                    kernel_bench bench(as, begins);
                    auto const x = bench.random(n);
                    auto const y = bench.room(n);
                    auto const in = bench.numbers_of(x);
                    bench.run(kernels::unary_forward(bench.stream(), straight<2>(n), f.what, 0.75F, y, in));
                    bench.check(y, map(x, [&](auto, double v) { return f.value(v); }));
                    auto const made = bench.read(y, n);
                    auto const g = bench.random(n);
                    auto const before = bench.random(n);
                    for (bool const add : {false, true}) {
                        auto const dx = bench.target_of(before, add);
                        bench.run(kernels::unary_backward(bench.stream(), straight<3>(n), f.what, 0.75F,
                                                          bench.numbers_of(g), f.by_output ? y : in, dx));
                        bench.check(dx, map(x, [&](auto i, double v) {
                                        return (add ? before[i] : 0) + g[i] * f.slope(v, made[i]);
                                    }));
                    }
                }
}

TEST_CASE("kernels add and multiply what lies straight, an output over an input, and gradients of both", "[training]") {
    for (auto const as : both_ways)
        for (auto const begins : beginnings)
            for (auto const n : some_counts) {
                CAPTURE(n);
                kernel_bench bench(as, begins);
                auto const a = bench.random(n);
                auto const b = bench.random(n);
                auto const at_a = bench.numbers_of(a);
                bench.run(kernels::add(bench.stream(), straight<3>(n), at_a, at_a, bench.numbers_of(b)));
                bench.check(at_a, map(a, [&](auto i, double v) { return v + b[i]; }));
                auto const sum = bench.read(at_a, n);
                bench.run(kernels::multiply(bench.stream(), straight<3>(n), at_a, at_a, bench.numbers_of(b)));
                bench.check(at_a, map(sum, [&](auto i, double v) { return v * b[i]; }));

                auto const g = bench.random(n);
                auto const shared = bench.numbers_of(a);  // is added to twice
                bench.run(kernels::add_backward(bench.stream(), straight<3>(n), bench.numbers_of(g), {shared, false},
                                                {shared, true}));
                bench.check(shared, map(g, [](auto, double v) { return 2 * v; }));
                auto const over = bench.numbers_of(g);
                auto const db = bench.target_of(a, true);
                bench.run(kernels::multiply_backward(bench.stream(), straight<5>(n), over, bench.numbers_of(a),
                                                     bench.numbers_of(b), {over, false}, db));
                bench.check(over, map(g, [&](auto i, double v) { return v * b[i]; }));
                bench.check(db, map(g, [&](auto i, double v) { return a[i] + v * a[i]; }));
            }
}

TEST_CASE("kernels add and multiply what lies in another order", "[training]") {
    for (auto const as : both_ways) {
        kernel_bench bench(as);
        auto const a = bench.random(35);
        auto const b = bench.random(35);
        auto const y = bench.room(35);
        bench.run(kernels::add(bench.stream(), transposed_matrix<3>(), y, bench.numbers_of(a), bench.numbers_of(b)));
        bench.check(y, map(a, [&](auto i, double) { return a[turned(i)] + b[turned(i)]; }));
        bench.run(
            kernels::multiply(bench.stream(), transposed_matrix<3>(), y, bench.numbers_of(a), bench.numbers_of(b)));
        bench.check(y, map(a, [&](auto i, double) { return a[turned(i)] * b[turned(i)]; }));

        auto const g = bench.random(35);
        auto const da = bench.target_of(a, true);
        auto const db = bench.target_of(b, false);
        bench.run(kernels::multiply_backward(bench.stream(), straight<5>(35), bench.numbers_of(g), bench.numbers_of(a),
                                             bench.numbers_of(b), da, db));
        bench.check(da, map(g, [&](auto i, double v) { return a[i] + v * b[i]; }));
        bench.check(db, map(g, [&](auto i, double v) { return v * a[i]; }));
        bench.run(kernels::add_backward(bench.stream(), straight<3>(35), bench.numbers_of(g), {}, db));
        bench.check(db, g);
        bench.run(kernels::add_backward(bench.stream(), straight<3>(35), {nullptr, as}, {}, db));
        bench.check(db, doubles(35, 1));
    }
}

TEST_CASE("kernels copy elements of each size, and add copies", "[training]") {
    for (std::size_t const size : {1U, 2U, 4U, 8U}) {
        kernel_bench bench(stored::float32);
        std::vector<std::uint8_t> bytes(35 * size);
        repebble::fill_pattern{3}.fill(reinterpret_cast<std::byte*>(bytes.data()), std::ssize(bytes));
        std::vector<std::uint64_t> words(bytes.size() / 8 + 1);  // aligned for each size
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(words.data()));
        auto* const to = bench.room_for<std::uint64_t>(std::ssize(words));
        bench.run(kernels::copy(bench.stream(), transposed_matrix<2>(), size, to, bench.array(words)));
        auto const found = bench.read(reinterpret_cast<std::uint8_t*>(to), std::ssize(bytes));
        for (std::size_t i = 0; i < 35; ++i)
            for (std::size_t k = 0; k < size; ++k) REQUIRE(found[i * size + k] == bytes[turned(i) * size + k]);
    }
    CHECK(kernels::copy(nullptr, straight<2>(1), 3, nullptr, nullptr) == cudaErrorInvalidValue);
    for (std::size_t const size : {1U, 2U, 4U, 8U})
        for (auto const begins : beginnings)
            for (std::size_t const columns : {16U, 32U, 5U}) {
                CAPTURE(size, columns);
                kernel_bench bench(stored::float32, begins);
                std::vector<std::uint64_t> words(4 * columns * size / 8 + 1);
                repebble::fill_pattern{5}.fill(reinterpret_cast<std::byte*>(words.data()), std::ssize(words) * 8);
                std::vector<std::uint64_t> const before(3 * words.size(), 7);
                auto* const to = bench.array(before);
                auto const w = rows_of_wider<2>(4, static_cast<std::int64_t>(columns));
                bench.run(kernels::copy(bench.stream(), w, size, to, bench.array(words)));
                auto const found = bench.read(to, std::ssize(before));
                auto const* const made = reinterpret_cast<std::uint8_t const*>(found.data());
                auto const* const old = reinterpret_cast<std::uint8_t const*>(before.data());
                auto const* const from = reinterpret_cast<std::uint8_t const*>(words.data());
                for (std::size_t i = 0; i < found.size() * 8; ++i) {
                    auto const row = i / (3 * columns * size);
                    auto const at = i % (3 * columns * size);
                    bool const copied = row < 4 && at < columns * size;
                    REQUIRE(made[i] == (copied ? from[row * columns * size + at] : old[i]));
                }
            }
    {
        kernel_bench bench(stored::float32, support::beginning::of_block);
        auto w = rows_of_wider<2>(4, 16);
        w.stride[0][0] = 16;
        w.stride[1][0] = 8;  // one element of every eight, for a whole row
        w.stride[1][1] = 0;
        std::vector<std::uint32_t> from(32);
        std::iota(from.begin(), from.end(), 1U);
        auto* const to = bench.room_for<std::uint32_t>(64);
        bench.run(kernels::copy(bench.stream(), w, 4, to, bench.array(from)));
        auto const found = bench.read(to, 64);
        for (std::size_t i = 0; i < 64; ++i) REQUIRE(found[i] == from[i / 16 * 8]);
    }
    for (auto const as : both_ways) {
        kernel_bench bench(as);
        auto const x = bench.random(257);
        auto const before = bench.random(257);
        auto const to = bench.target_of(before, true);
        bench.run(kernels::copy(bench.stream(), straight<2>(257), to, bench.numbers_of(x)));
        bench.check(to, map(x, [&](auto i, double v) { return before[i] + v; }));
        for (auto const begins : beginnings) {
            kernel_bench wide(as, begins);
            auto const rows = wide.random(3 * 16);
            auto const old = wide.random(9 * 16);
            auto const into = wide.target_of(old, true);
            wide.run(kernels::copy(wide.stream(), rows_of_wider<2>(3, 16), into, wide.numbers_of(rows)));
            wide.check(into,
                       map(old, [&](auto i, double v) { return i % 48 < 16 ? v + rows[i / 48 * 16 + i % 48] : v; }));
        }
    }
}

TEST_CASE("kernels drop by the rule that is documented, and mask", "[training]") {
    for (auto const& [as, begins, training, n] :
         {std::tuple{stored::float32, support::beginning::of_block, true, 1000},
          {stored::float32, support::beginning::an_element_later, true, 1000},
          {stored::bfloat16, support::beginning::of_block, true, 1000},
          {stored::bfloat16, support::beginning::of_block, true, 1001},
          {stored::bfloat16, support::beginning::an_element_later, true, 1000},
          {stored::float32, support::beginning::of_block, false, 1000},
          {stored::bfloat16, support::beginning::an_element_later, false, 1000}}) {
        kernel_bench bench(as, begins);
        auto const x = bench.random(n);
        auto const y = bench.room(n);
        auto* const mask = bench.room_for<std::uint8_t>(n);
        kernels::dropout_rule const rule{.seed = 5,
                                         .iteration = bench.array(std::vector<std::uint64_t>{9}),
                                         .operation = 3,
                                         .threshold = std::uint64_t{1} << 62U,
                                         .factor = 0.5F,
                                         .training = training};
        bench.run(kernels::dropout(bench.stream(), straight<3>(n), rule, y, bench.numbers_of(x), mask));
        repebble::fill_pattern const of_operation{repebble::fill_pattern{repebble::fill_pattern{5}.word(9)}.word(3)};
        auto const kept = [&](std::size_t i) { return !training || of_operation.word(i) >= rule.threshold; };
        bench.check(y, map(x, [&](auto i, double v) { return kept(i) ? (training ? v / 2 : v) : 0; }));
        auto const found = bench.read(mask, n);
        for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == (kept(i) ? 1 : 0));
        CHECK(training == (std::ranges::count(found, 0) > 0));
        bench.run(kernels::dropout(bench.stream(), straight<3>(n), rule, y, bench.numbers_of(x), nullptr));

        auto const before = bench.random(n);
        auto const dx = bench.target_of(before, true);
        auto const g = bench.numbers_of(x);
        bench.run(kernels::dropout_backward(bench.stream(), straight<3>(n), 0.5F, g, mask, dx));
        bench.check(dx, map(x, [&](auto i, double v) { return before[i] + (kept(i) ? v / 2 : 0); }));
        bench.run(kernels::masked(bench.stream(), straight<3>(n), y, g, mask));
        bench.check(y,
                    map(x, [&](auto i, double v) { return kept(i) ? v : -std::numeric_limits<double>::infinity(); }));
        auto const own = bench.target_of(before, false);
        bench.run(kernels::masked_backward(bench.stream(), straight<3>(n), g, mask, own));
        bench.check(own, map(x, [&](auto i, double v) { return kept(i) ? v : 0; }));
    }
}

TEST_CASE("kernels accumulate, round and step", "[training]") {
    for (auto const as : both_ways)
        for (auto const begins : beginnings)
            for (auto const n : some_counts) {
                kernel_bench bench(as, begins);
                auto const a = bench.random(n);
                auto const b = bench.random(n);
                auto const sum = bench.numbers_of(a);  // over the first
                bench.run(kernels::accumulate(bench.stream(), n, sum, sum, bench.numbers_of(b)));
                bench.check(sum, map(a, [&](auto i, double v) { return v + b[i]; }));
                auto* const halves = bench.room_for<std::uint16_t>(n);
                bench.run(kernels::to_bfloat16(bench.stream(), n, halves, bench.floats_of(a)));
                auto const found = bench.read(halves, n);
                for (std::size_t i = 0; i < found.size(); ++i)
                    REQUIRE(found[i] == repebble::training::to_bfloat16(static_cast<float>(a[i])));
                auto const p = bench.random(n, true);
                auto const v = bench.random(n, true);
                auto* const at_p = bench.floats_of(p);
                auto* const at_v = bench.floats_of(v);
                bench.run(kernels::sgd(bench.stream(), n, at_p, bench.floats_of(a), at_v, 0.5F, 0.25F, 0.125F));
                auto const moved = map(p, [&](auto i, double x) { return v[i] / 4 + a[i] + x / 8; });
                bench.check(at_v, moved);
                bench.check(at_p, map(p, [&](auto i, double x) { return x - moved[i] / 2; }));
            }
}

TEST_CASE("kernels fill memory and find the highest change, wherever it begins and ends", "[training]") {
    kernel_bench bench(stored::float32);
    auto* const result = bench.array(std::vector<unsigned long long>{0});
    auto const set = [&](std::uint64_t to) {
        bench.run(kernels::set_word(bench.stream(), reinterpret_cast<std::uint64_t*>(result), to));
    };
    for (std::int64_t const size : {1, 7, 8, 9, 255, 2048, 2049, 5000})
        for (std::int64_t const begin : {0, 1, 7}) {  // the last one is aligned
            CAPTURE(size, begin);
            auto* const at = bench.room_for<std::uint8_t>(begin + size) + begin;
            bench.run(kernels::fill(bench.stream(), at, size, 7));
            std::vector<std::byte> expected(static_cast<std::size_t>(size));
            repebble::fill_pattern{7}.fill(expected.data(), size);
            REQUIRE(bench.read(reinterpret_cast<std::byte const*>(at), size) == expected);
            for (auto const changed : {std::int64_t{0}, size / 2, size - 1}) {
                set(0);
                bench.run(kernels::highest_change(bench.stream(), at, size, 7, result));
                REQUIRE(bench.read(result, 1).front() == 0);
                auto const i = static_cast<std::size_t>(changed);
                auto const other = expected[i] ^ std::byte{0x10};
                bench.run(cudaMemcpyAsync(at + changed, &other, 1, cudaMemcpyHostToDevice, bench.stream()));
                bench.run(kernels::highest_change(bench.stream(), at, size, 7, result));
                REQUIRE(bench.read(result, 1).front() == static_cast<unsigned long long>(changed + 1));
                bench.run(cudaMemcpyAsync(at + changed, &expected[i], 1, cudaMemcpyHostToDevice, bench.stream()));
            }
        }
    set(42);
    CHECK(bench.read(result, 1).front() == 42);
}

TEST_CASE("kernels look up rows, and add the gradients of each in the order of its indices", "[training]") {
    for (auto const as : both_ways)
        for (std::int64_t const count : {1, 300, 600})
            for (std::int64_t const features : {1, 7, 300}) {
                CAPTURE(count, features);
                kernel_bench bench(as);
                std::int64_t const rows = 5;
                auto const table = bench.random(rows * features, true);
                std::vector<std::int64_t> indices;
                for (std::int64_t i = 0; i < count; ++i) indices.push_back(i * i % 7 - 1);  // -1 and 5 are none
                auto const y = bench.room(count * features);
                auto* const at = bench.array(indices);
                bench.run(kernels::embedding(bench.stream(), count, rows, features, at, bench.floats_of(table), y));
                auto expected = table;
                auto const dy = bench.random(count * features);
                doubles found;
                for (std::int64_t i = 0; i < count * features; ++i) {
                    auto const row = indices[static_cast<std::size_t>(i / features)];
                    auto const from = static_cast<std::size_t>(row * features + i % features);
                    bool const there = row >= 0 && row < rows;
                    found.push_back(there ? table[from] : 0);
                    if (there) expected[from] += dy[static_cast<std::size_t>(i)];
                }
                bench.check(y, found);
                auto* const gradient = bench.floats_of(table);
                bench.run(kernels::embedding_backward(bench.stream(), count, rows, features, at, bench.numbers_of(dy),
                                                      gradient));
                bench.check(gradient, expected, 30);
            }
}

TEST_CASE("kernels take the mean of the losses of labels that exist", "[training]") {
    for (auto const as : both_ways)
        for (std::int64_t const rows : {1, 3, 256, 257, 70000}) {
            if (as == stored::bfloat16 && rows > 1000) continue;
            CAPTURE(rows);
            kernel_bench bench(as);
            std::int64_t const classes = 3;
            auto const x = bench.random(rows * classes);
            std::vector<std::int64_t> labels;
            for (std::int64_t i = 0; i < rows; ++i) labels.push_back(rows == 1 ? 1 : i % 5 - 1);
            double sum = 0;
            double count = 0;
            for (std::size_t i = 0; i < labels.size(); ++i) {
                if (labels[i] < 0 || labels[i] >= classes) continue;
                sum -= x[i * 3 + static_cast<std::size_t>(labels[i])];
                ++count;
            }
            auto* const at = bench.array(labels);
            auto* const loss = bench.room_for(1);
            auto* const weight = bench.room_for(1);
            auto* const partial = bench.room_for<double>(kernels::loss_partials(rows));
            bench.run(kernels::nll_loss(bench.stream(), rows, classes, bench.numbers_of(x), at, partial, loss, weight));
            bench.check(loss, {sum / count});
            bench.check(weight, {count});
            if (rows > 1000) continue;
            auto* const of_loss = bench.floats_of({0.5});
            for (bool const weighted : {false, true}) {
                auto const dx = bench.target_of(x, weighted);
                bench.run(kernels::nll_loss_backward(bench.stream(), rows, classes, at, weight,
                                                     weighted ? of_loss : nullptr, dx));
                bench.check(dx, map(x, [&](auto i, double v) {
                                bool const chosen = labels[i / 3] == static_cast<std::int64_t>(i % 3);
                                return (weighted ? v : 0) - (chosen ? (weighted ? 0.5 : 1) / count : 0);
                            }));
            }
        }
}
