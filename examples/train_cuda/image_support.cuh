#ifndef REPEBBLE_TRAIN_CUDA_IMAGE_SUPPORT_CUH
#define REPEBBLE_TRAIN_CUDA_IMAGE_SUPPORT_CUH

#include <cstdint>

#include "kernel_support.cuh"

/// What the kernels for images share: pixels, and the windows that move over them.
namespace train_cuda::kernels {

/// Where an element of an image with its channels together is.
struct pixel {
    std::int64_t image, row, column, channel;

    __device__ pixel(std::int64_t i, std::int64_t height, std::int64_t width, std::int64_t channels) {
        channel = i % channels;
        i /= channels;
        column = i % width;
        i /= width;
        row = i % height;
        image = i / height;
    }
};

/// The pixel of an input or of an output that is element i.
__device__ inline auto input_pixel(pooling const& p, std::int64_t i) -> pixel {
    return {i, p.height, p.width, p.channels};
}
__device__ inline auto output_pixel(pooling const& p, std::int64_t i) -> pixel {
    return {i, p.out_height, p.out_width, p.channels};
}

/// Element of an input or of an output: that of another pixel's image and channel.
__device__ inline auto input_at(pooling const& p, pixel const& x, std::int64_t row, std::int64_t column)
    -> std::int64_t {
    return ((x.image * p.height + row) * p.width + column) * p.channels + x.channel;
}
__device__ inline auto output_at(pooling const& p, pixel const& x, std::int64_t row, std::int64_t column)
    -> std::int64_t {
    return ((x.image * p.out_height + row) * p.out_width + column) * p.channels + x.channel;
}

inline auto input_count(pooling const& p) -> std::int64_t { return p.images * p.height * p.width * p.channels; }
inline auto output_count(pooling const& p) -> std::int64_t {
    return p.images * p.out_height * p.out_width * p.channels;
}

/// Calls f(row, column) for the pixels of the input in the window of an output.
template <class F>
__device__ void for_each_in_window(pooling const& p, pixel const& out, F f) {
    for (std::int64_t a = 0; a < p.kernel; ++a) {
        auto const row = out.row * p.stride - p.padding + a * p.dilation;
        if (row < 0 || row >= p.height) continue;
        for (std::int64_t b = 0; b < p.kernel; ++b) {
            auto const column = out.column * p.stride - p.padding + b * p.dilation;
            if (column >= 0 && column < p.width) f(row, column);
        }
    }
}

/// The output whose window has this tap on an input row or column: -1 where there is none.
__device__ inline auto window_with(pooling const& p, std::int64_t at, std::int64_t tap, std::int64_t count)
    -> std::int64_t {
    auto const begin = at + p.padding - tap * p.dilation;
    if (begin < 0 || begin % p.stride != 0 || begin / p.stride >= count) return -1;
    return begin / p.stride;
}

/// Calls f(row, column) for the outputs that have a pixel of the input in their windows.
template <class F>
__device__ void for_each_window_with(pooling const& p, pixel const& in, F f) {
    for (std::int64_t a = 0; a < p.kernel; ++a) {
        auto const row = window_with(p, in.row, a, p.out_height);
        if (row < 0) continue;
        for (std::int64_t b = 0; b < p.kernel; ++b)
            if (auto const column = window_with(p, in.column, b, p.out_width); column >= 0) f(row, column);
    }
}

}  // namespace train_cuda::kernels

#endif
