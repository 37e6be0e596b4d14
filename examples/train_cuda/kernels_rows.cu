#include <cmath>

#include "map_support.cuh"

namespace train_cuda::kernels {

namespace {

/// Rows of `Threads` threads each: the row of this thread, or one that is not there, and its place in it.
template <int Threads>
struct row_of_thread {
    std::int64_t row;
    int lane;

    __device__ row_of_thread()
        : row((static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / Threads),
          lane(static_cast<int>(threadIdx.x % Threads)) {}
};

template <int Threads, bool Logarithm, class T>
__global__ void __launch_bounds__(threads_per_block)
    softmax_kernel(std::int64_t rows, std::int64_t columns, T* y, T const* x) {
    row_of_thread<Threads> const me;
    if (me.row >= rows) return;  // all threads of a row together
    auto const* const from = x + me.row * columns;
    auto* const to = y + me.row * columns;
    float most = -INFINITY;
    for (std::int64_t c = me.lane; c < columns; c += Threads) most = fmaxf(most, load(from, c));
    most = reduce<Threads>(most, greater{});
    float sum = 0;
    for (std::int64_t c = me.lane; c < columns; c += Threads) sum += expf(load(from, c) - most);
    sum = reduce<Threads>(sum, plus{});
    float const shift = Logarithm ? most + logf(sum) : 1.0F / sum;
    for (std::int64_t c = me.lane; c < columns; c += Threads)
        store(to, c, Logarithm ? load(from, c) - shift : expf(load(from, c) - most) * shift);
}

template <int Threads, bool Logarithm, class T>
__global__ void __launch_bounds__(threads_per_block)
    softmax_backward_kernel(std::int64_t rows, std::int64_t columns, T const* y, T const* dy, target_of<T> dx) {
    row_of_thread<Threads> const me;
    if (me.row >= rows) return;
    auto const begin = me.row * columns;
    float sum = 0;
    for (std::int64_t c = me.lane; c < columns; c += Threads)
        sum += Logarithm ? load(dy, begin + c) : load(dy, begin + c) * load(y, begin + c);
    sum = reduce<Threads>(sum, plus{});
    for (std::int64_t c = me.lane; c < columns; c += Threads) {
        float const g = load(dy, begin + c);
        float const value = load(y, begin + c);
        put(dx, begin + c, Logarithm ? g - expf(value) * sum : value * (g - sum));
    }
}

/// Calls f<threads per row>(blocks) as the columns want it.
template <class F>
auto with_rows(std::int64_t rows, std::int64_t columns, F f) -> cudaError_t {
    if (rows <= 0 || columns <= 0) return cudaSuccess;
    auto const blocks = [&](int threads) {
        return static_cast<unsigned>(ceil_divide(rows, threads_per_block / threads));
    };
    if (columns <= 32) return f.template operator()<1>(blocks(1));
    if (columns <= 1024) return f.template operator()<32>(blocks(32));
    return f.template operator()<threads_per_block>(blocks(threads_per_block));
}

template <int Threads, class T>
__global__ void __launch_bounds__(threads_per_block)
    layer_norm_kernel(std::int64_t rows, std::int64_t columns, float epsilon, T const* x, float const* weight,
                      float const* bias, T* y, float* mean, float* deviation) {
    row_of_thread<Threads> const me;
    if (me.row >= rows) return;
    auto const begin = me.row * columns;
    auto const count = static_cast<float>(columns);
    float middle = 0;
    if (mean != nullptr) {
        float sum = 0;
        for (std::int64_t c = me.lane; c < columns; c += Threads) sum += load(x, begin + c);
        middle = reduce<Threads>(sum, plus{}) / count;
    }
    float squares = 0;
    for (std::int64_t c = me.lane; c < columns; c += Threads)
        squares += (load(x, begin + c) - middle) * (load(x, begin + c) - middle);
    auto const inverse = 1.0F / sqrtf(reduce<Threads>(squares, plus{}) / count + epsilon);
    for (std::int64_t c = me.lane; c < columns; c += Threads)
        store(y, begin + c, (load(x, begin + c) - middle) * inverse * weight[c] + (bias != nullptr ? bias[c] : 0));
    if (me.lane != 0) return;
    if (mean != nullptr) mean[me.row] = middle;
    deviation[me.row] = inverse;
}

template <int Threads, class T>
__global__ void __launch_bounds__(threads_per_block)
    layer_norm_backward_kernel(std::int64_t rows, std::int64_t columns, T const* x, float const* weight,
                               float const* mean, float const* deviation, T const* dy, target_of<T> dx) {
    row_of_thread<Threads> const me;
    if (me.row >= rows) return;
    auto const begin = me.row * columns;
    float const middle = mean != nullptr ? mean[me.row] : 0;
    float const inverse = deviation[me.row];
    float sum = 0;
    float product = 0;
    for (std::int64_t c = me.lane; c < columns; c += Threads) {
        float const g = load(dy, begin + c) * weight[c];
        sum += g;
        product += g * (load(x, begin + c) - middle) * inverse;
    }
    sum = mean != nullptr ? reduce<Threads>(sum, plus{}) / static_cast<float>(columns) : 0;
    product = reduce<Threads>(product, plus{}) / static_cast<float>(columns);
    for (std::int64_t c = me.lane; c < columns; c += Threads) {
        float const g = load(dy, begin + c) * weight[c];
        put(dx, begin + c, inverse * (g - sum - (load(x, begin + c) - middle) * inverse * product));
    }
}

template <class T>
struct rotate_pair {
    rotation by;
    T const* x;
    target_of<T> y;
    __device__ void operator()(std::int64_t i) const {
        auto const half = by.size / 2;
        auto const row = i / half;
        auto const k = i - row * half;
        auto const* const cosine = by.angles + row % by.length * by.size;
        auto const first = row * by.size + k;
        float const a = load(x, first);
        float const b = load(x, first + half);
        float const s = by.back ? -cosine[half + k] : cosine[half + k];
        put(y, first, a * cosine[k] - b * s);
        put(y, first + half, b * cosine[k] + a * s);
    }
};

struct add_number {
    float number;
    __device__ void operator()(float const (&x)[1], float (&y)[1]) const { y[0] = x[0] + number; }
};
struct add_bias {
    float const* bias;
    __device__ auto operator[](std::int64_t column) const -> add_number { return {bias[column]}; }
};

}  // namespace

auto softmax(cudaStream_t stream, std::int64_t rows, std::int64_t columns, bool logarithm, numbers y, numbers x)
    -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return with_rows(rows, columns, [&]<int Threads>(unsigned blocks) {
            auto const kernel = logarithm ? softmax_kernel<Threads, true, T> : softmax_kernel<Threads, false, T>;
            return launch(stream, kernel, blocks, threads_per_block, rows, columns, array_of<T>(y), array_of<T>(x));
        });
    });
}

auto softmax_backward(cudaStream_t stream, std::int64_t rows, std::int64_t columns, bool logarithm, numbers y,
                      numbers dy, target dx) -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return with_rows(rows, columns, [&]<int Threads>(unsigned blocks) {
            auto const kernel =
                logarithm ? softmax_backward_kernel<Threads, true, T> : softmax_backward_kernel<Threads, false, T>;
            return launch(stream, kernel, blocks, threads_per_block, rows, columns, array_of<T>(y), array_of<T>(dy),
                          target_of<T>(dx));
        });
    });
}

auto layer_norm(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float epsilon, numbers x,
                float const* weight, float const* bias, numbers y, float* mean, float* deviation) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return with_rows(rows, columns, [&]<int Threads>(unsigned blocks) {
            return launch(stream, layer_norm_kernel<Threads, T>, blocks, threads_per_block, rows, columns, epsilon,
                          array_of<T>(x), weight, bias, array_of<T>(y), mean, deviation);
        });
    });
}

auto layer_norm_backward(cudaStream_t stream, std::int64_t rows, std::int64_t columns, numbers x, float const* weight,
                         float const* mean, float const* deviation, numbers dy, target dx) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return with_rows(rows, columns, [&]<int Threads>(unsigned blocks) {
            return launch(stream, layer_norm_backward_kernel<Threads, T>, blocks, threads_per_block, rows, columns,
                          array_of<T>(x), weight, mean, deviation, array_of<T>(dy), target_of<T>(dx));
        });
    });
}

auto rotate(cudaStream_t stream, rotation const& by, numbers x, target y) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each(stream, by.rows * (by.size / 2), rotate_pair<T>{by, array_of<T>(x), target_of<T>(y)});
    });
}

auto add_to_rows(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float const* bias, numbers y)
    -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return for_each_in_rows(stream, rows, columns, mapped<T, T>(add_bias{bias}, {y}, {{y}}));
    });
}

}  // namespace train_cuda::kernels
