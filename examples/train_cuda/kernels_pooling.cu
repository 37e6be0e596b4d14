#include <algorithm>
#include <cmath>

#include "image_support.cuh"

namespace train_cuda::kernels {

namespace {

/// Positions of a pack of elements, which lie in more than one pack of their own.
template <int Count>
constexpr int positions_at_once = std::min(Count, pack_bytes / static_cast<int>(sizeof(std::int64_t)));

template <class T, class Images>
struct max_pool_step {
    static constexpr int count = Images::count;
    using index = typename Images::index;
    Images p;
    T const* x;
    target_of<T> y;
    std::int64_t* positions;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        float best[count];
        index position[count];
#pragma unroll
        for (int k = 0; k < count; ++k) {
            best[k] = -INFINITY;
            position[k] = -1;
        }
        for_each_in_window(p, out, [&](index row, index column) {
            auto const values = load_pack<count>(x, input_at(p, out, row, column));
            index const here = row * p.width + column;
#pragma unroll
            for (int k = 0; k < count; ++k) {
                float const value = load(values.of, k);
                bool const is_taken = (position[k] < 0) | (value > best[k]) | isnan(value);  // without jumps
                best[k] = is_taken ? value : best[k];
                position[k] = is_taken ? here : position[k];
            }
        });
        put_pack(y, i * Images::count, best);
        constexpr int some = positions_at_once<count>;
#pragma unroll
        for (int k = 0; k < count; k += some) {
            pack<std::int64_t, some> made{};
#pragma unroll
            for (int m = 0; m < some; ++m) made.of[m] = position[k + m];
            store_pack<some>(positions, i * count + k, made);
        }
    }
};

template <class T, class Images>
struct max_pool_gradient {
    static constexpr int count = Images::count;
    using index = typename Images::index;
    Images p;
    std::int64_t const* positions;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        auto const here = in.row * p.width + in.column;
        float sum[count]{};
        for_each_window_with(p, in, [&](index row, index column) {
            auto const at = output_at(p, in, row, column);
            auto const values = load_pack<count>(dy, at);
            constexpr int some = positions_at_once<count>;
#pragma unroll
            for (int k = 0; k < count; k += some) {
                auto const greatest = load_pack<some>(positions, at + k);
#pragma unroll
                for (int m = 0; m < some; ++m) {
                    float const value = load(values.of, k + m);
                    if (greatest.of[m] == here) sum[k + m] += value;
                }
            }
        });
        put_pack(dx, i * Images::count, sum);
    }
};

/// Adds a pack, each number divided.
template <int Count, class T>
__device__ void add_pack(float (&sum)[Count], T const* from, std::int64_t position, float divisor = 1) {
    auto const values = load_pack<Count>(from, position);
#pragma unroll
    for (int k = 0; k < Count; ++k) sum[k] += load(values.of, k) / divisor;
}
template <int Count>
__device__ void divide(float (&sum)[Count], std::int64_t by) {
#pragma unroll
    for (float& x : sum) x /= static_cast<float>(by);
}

/// Taps of a window that are not beyond the padding.
template <class Images, class Index>
__device__ auto taps(Images const& p, Index out, Index extent) -> std::int64_t {
    Index const room = extent + 2 * p.padding - out * p.stride;  // from the first tap to the end of the padding
    return p.dilation == 1 ? min(p.kernel, room) : min(p.kernel, (room + p.dilation - 1) / p.dilation);
}

template <class T, class Images>
struct average_pool_step {
    Images p;
    T const* x;
    target_of<T> y;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        float sum[Images::count]{};
        for_each_in_window(p, out, [&](auto row, auto column) { add_pack(sum, x, input_at(p, out, row, column)); });
        divide(sum, taps(p, out.row, p.height) * taps(p, out.column, p.width));
        put_pack(y, i * Images::count, sum);
    }
};

template <class T, class Images>
struct average_pool_gradient {
    Images p;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        float sum[Images::count]{};
        for_each_window_with(p, in, [&](auto row, auto column) {
            add_pack(sum, dy, output_at(p, in, row, column),
                     static_cast<float>(taps(p, row, p.height) * taps(p, column, p.width)));
        });
        put_pack(dx, i * Images::count, sum);
    }
};

__device__ auto cell_begin(std::int64_t cell, std::int64_t extent, std::int64_t cells) -> std::int64_t {
    return cell * extent / cells;
}
__device__ auto cell_end(std::int64_t cell, std::int64_t extent, std::int64_t cells) -> std::int64_t {
    return ceil_divide((cell + 1) * extent, cells);
}

template <class T, class Images>
struct adaptive_pool_step {
    using index = typename Images::index;
    Images p;
    T const* x;
    target_of<T> y;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        auto const top = static_cast<index>(cell_begin(out.row, p.height, p.out_height));
        auto const bottom = static_cast<index>(cell_end(out.row, p.height, p.out_height));
        auto const left = static_cast<index>(cell_begin(out.column, p.width, p.out_width));
        auto const right = static_cast<index>(cell_end(out.column, p.width, p.out_width));
        float sum[Images::count]{};
        for (auto row = top; row < bottom; ++row)
            for (auto column = left; column < right; ++column) add_pack(sum, x, input_at(p, out, row, column));
        divide(sum, (bottom - top) * (right - left));
        put_pack(y, i * Images::count, sum);
    }
};

template <class T, class Images>
struct adaptive_pool_gradient {
    using index = typename Images::index;
    Images p;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        // Cells that have this row: floor(row · cells / height) .. ceil((row + 1) · cells / height) - 1. They are found
        // as the cells are, with rows and cells the other way round.
        auto const top = static_cast<index>(cell_begin(in.row, p.out_height, p.height));
        auto const bottom = static_cast<index>(cell_end(in.row, p.out_height, p.height));
        auto const left = static_cast<index>(cell_begin(in.column, p.out_width, p.width));
        auto const right = static_cast<index>(cell_end(in.column, p.out_width, p.width));
        float sum[Images::count]{};
        for (auto row = top; row < bottom; ++row) {
            auto const height =
                static_cast<index>(cell_end(row, p.height, p.out_height) - cell_begin(row, p.height, p.out_height));
            for (auto column = left; column < right; ++column) {
                auto const width = static_cast<index>(cell_end(column, p.width, p.out_width) -
                                                      cell_begin(column, p.width, p.out_width));
                add_pack(sum, dy, output_at(p, in, row, column), static_cast<float>(height * width));
            }
        }
        put_pack(dx, i * Images::count, sum);
    }
};

}  // namespace

auto max_pool(cudaStream_t stream, pooling const& p, numbers x, numbers y, std::int64_t* positions) -> cudaError_t {
    return with_images(p, x.as, {x.at, y.at, positions}, [&]<class T, class Images>(Images const& all) {
        return for_each(stream, output_count(p) / Images::count,
                        max_pool_step<T, Images>{all, array_of<T>(x), target_of<T>(array_of<T>(y), false), positions});
    });
}
auto max_pool_backward(cudaStream_t stream, pooling const& p, std::int64_t const* positions, numbers dy, target dx)
    -> cudaError_t {
    return with_images(p, dy.as, {positions, dy.at, dx.at}, [&]<class T, class Images>(Images const& all) {
        return for_each(stream, input_count(p) / Images::count,
                        max_pool_gradient<T, Images>{all, positions, array_of<T>(dy), target_of<T>(dx)});
    });
}
auto average_pool(cudaStream_t stream, pooling const& p, numbers x, numbers y) -> cudaError_t {
    return for_each_output<average_pool_step>(stream, p, x, y);
}
auto average_pool_backward(cudaStream_t stream, pooling const& p, numbers dy, target dx) -> cudaError_t {
    return for_each_input<average_pool_gradient>(stream, p, dy, dx);
}
auto adaptive_pool(cudaStream_t stream, pooling const& p, numbers x, numbers y) -> cudaError_t {
    return for_each_output<adaptive_pool_step>(stream, p, x, y);
}
auto adaptive_pool_backward(cudaStream_t stream, pooling const& p, numbers dy, target dx) -> cudaError_t {
    return for_each_input<adaptive_pool_gradient>(stream, p, dy, dx);
}

}  // namespace train_cuda::kernels
