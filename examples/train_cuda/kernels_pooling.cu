#include <cmath>

#include "image_support.cuh"

namespace train_cuda::kernels {

namespace {

template <class T>
struct max_pool_step {
    pooling p;
    T const* x;
    T* y;
    std::int64_t* positions;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        float best = -INFINITY;
        std::int64_t position = -1;
        for_each_in_window(p, out, [&](std::int64_t row, std::int64_t column) {
            float const value = load(x, input_at(p, out, row, column));
            if (position >= 0 && !(value > best) && !isnan(value)) return;
            best = value;
            position = row * p.width + column;
        });
        store(y, i, best);
        positions[i] = position;
    }
};

template <class T>
struct max_pool_gradient {
    pooling p;
    std::int64_t const* positions;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        float sum = 0;
        for_each_window_with(p, in, [&](std::int64_t row, std::int64_t column) {
            auto const at = output_at(p, in, row, column);
            if (positions[at] == in.row * p.width + in.column) sum += load(dy, at);
        });
        put(dx, i, sum);
    }
};

/// Taps of a window that are not beyond the padding.
__device__ auto taps(pooling const& p, std::int64_t out, std::int64_t extent) -> std::int64_t {
    auto const room = extent + 2 * p.padding - out * p.stride;  // from the first tap to the end of the padding
    return min(p.kernel, ceil_divide(room, p.dilation));
}

template <class T>
struct average_pool_step {
    pooling p;
    T const* x;
    T* y;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        float sum = 0;
        for_each_in_window(
            p, out, [&](std::int64_t row, std::int64_t column) { sum += load(x, input_at(p, out, row, column)); });
        store(y, i, sum / static_cast<float>(taps(p, out.row, p.height) * taps(p, out.column, p.width)));
    }
};

template <class T>
struct average_pool_gradient {
    pooling p;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        float sum = 0;
        for_each_window_with(p, in, [&](std::int64_t row, std::int64_t column) {
            sum += load(dy, output_at(p, in, row, column)) /
                   static_cast<float>(taps(p, row, p.height) * taps(p, column, p.width));
        });
        put(dx, i, sum);
    }
};

__device__ auto cell_begin(std::int64_t cell, std::int64_t extent, std::int64_t cells) -> std::int64_t {
    return cell * extent / cells;
}
__device__ auto cell_end(std::int64_t cell, std::int64_t extent, std::int64_t cells) -> std::int64_t {
    return ceil_divide((cell + 1) * extent, cells);
}

template <class T>
struct adaptive_pool_step {
    pooling p;
    T const* x;
    T* y;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        auto const top = cell_begin(out.row, p.height, p.out_height);
        auto const bottom = cell_end(out.row, p.height, p.out_height);
        auto const left = cell_begin(out.column, p.width, p.out_width);
        auto const right = cell_end(out.column, p.width, p.out_width);
        float sum = 0;
        for (auto row = top; row < bottom; ++row)
            for (auto column = left; column < right; ++column) sum += load(x, input_at(p, out, row, column));
        store(y, i, sum / static_cast<float>((bottom - top) * (right - left)));
    }
};

template <class T>
struct adaptive_pool_gradient {
    pooling p;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        // Cells that have this row: floor(row · cells / height) .. ceil((row + 1) · cells / height) - 1.
        auto const top = in.row * p.out_height / p.height;
        auto const bottom = ceil_divide((in.row + 1) * p.out_height, p.height);
        auto const left = in.column * p.out_width / p.width;
        auto const right = ceil_divide((in.column + 1) * p.out_width, p.width);
        float sum = 0;
        for (auto row = top; row < bottom; ++row) {
            auto const height = cell_end(row, p.height, p.out_height) - cell_begin(row, p.height, p.out_height);
            for (auto column = left; column < right; ++column) {
                auto const width = cell_end(column, p.width, p.out_width) - cell_begin(column, p.width, p.out_width);
                sum += load(dy, output_at(p, in, row, column)) / static_cast<float>(height * width);
            }
        }
        put(dx, i, sum);
    }
};

}  // namespace

auto max_pool(cudaStream_t stream, pooling const& p, numbers x, numbers y, std::int64_t* positions) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each(stream, output_count(p), max_pool_step<T>{p, array_of<T>(x), array_of<T>(y), positions});
    });
}
auto max_pool_backward(cudaStream_t stream, pooling const& p, std::int64_t const* positions, numbers dy, target dx)
    -> cudaError_t {
    return with_type(dy.as, [&]<class T>() {
        return for_each(stream, input_count(p), max_pool_gradient<T>{p, positions, array_of<T>(dy), target_of<T>(dx)});
    });
}
auto average_pool(cudaStream_t stream, pooling const& p, numbers x, numbers y) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each(stream, output_count(p), average_pool_step<T>{p, array_of<T>(x), array_of<T>(y)});
    });
}
auto average_pool_backward(cudaStream_t stream, pooling const& p, numbers dy, target dx) -> cudaError_t {
    return with_type(dy.as, [&]<class T>() {
        return for_each(stream, input_count(p), average_pool_gradient<T>{p, array_of<T>(dy), target_of<T>(dx)});
    });
}
auto adaptive_pool(cudaStream_t stream, pooling const& p, numbers x, numbers y) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each(stream, output_count(p), adaptive_pool_step<T>{p, array_of<T>(x), array_of<T>(y)});
    });
}
auto adaptive_pool_backward(cudaStream_t stream, pooling const& p, numbers dy, target dx) -> cudaError_t {
    return with_type(dy.as, [&]<class T>() {
        return for_each(stream, input_count(p), adaptive_pool_gradient<T>{p, array_of<T>(dy), target_of<T>(dx)});
    });
}

}  // namespace train_cuda::kernels
