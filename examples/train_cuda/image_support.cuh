#ifndef REPEBBLE_TRAIN_CUDA_IMAGE_SUPPORT_CUH
#define REPEBBLE_TRAIN_CUDA_IMAGE_SUPPORT_CUH

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "map_support.cuh"

/// What the kernels for images share: pixels, and the windows that move over them.
namespace train_cuda::kernels {

/// A pooling as a kernel knows it. A thread takes Count channels of a pixel, side by side. Index is 32 bits where that
/// is enough: divisions of 64 bits are slow.
template <class Index, int Count>
struct images {
    using index = Index;
    static constexpr int count = Count;

    Index packs;  // of channels
    Index height, width, out_height, out_width;
    Index kernel, stride, padding, dilation;

    explicit images(pooling const& p)
        : packs(static_cast<Index>(p.channels / Count)),
          height(static_cast<Index>(p.height)),
          width(static_cast<Index>(p.width)),
          out_height(static_cast<Index>(p.out_height)),
          out_width(static_cast<Index>(p.out_width)),
          kernel(static_cast<Index>(p.kernel)),
          stride(static_cast<Index>(p.stride)),
          padding(static_cast<Index>(p.padding)),
          dilation(static_cast<Index>(p.dilation)) {}
};

inline auto input_count(pooling const& p) -> std::int64_t { return p.images * p.height * p.width * p.channels; }
inline auto output_count(pooling const& p) -> std::int64_t {
    return p.images * p.out_height * p.out_width * p.channels;
}

/// Whether 32 bits are enough for the elements of a pooling, and for rows and columns, also those beyond the padding.
inline auto is_small(pooling const& p) -> bool {
    auto const extent = std::max(p.height, p.width) + 2 * p.padding;
    auto const windows = std::max(p.out_height, p.out_width) * p.stride + p.kernel * p.dilation;
    return std::max({input_count(p), output_count(p), extent + windows}) < std::int64_t{1} << 31;
}

/// Calls f<T>(images) with the type T that numbers are stored as: with packs of channels if all arrays can be read so.
template <class F>
auto with_images(pooling const& p, stored as, std::initializer_list<void const*> arrays, F f) -> cudaError_t {
    return with_type(as, [&]<class T>() {
        constexpr int width = pack_width<T>;
        if (p.channels % width == 0 && std::all_of(arrays.begin(), arrays.end(), begins_pack)) {
            if (is_small(p)) return f.template operator()<T>(images<std::int32_t, width>(p));
            return f.template operator()<T>(images<std::int64_t, width>(p));
        }
        if (is_small(p)) return f.template operator()<T>(images<std::int32_t, 1>(p));
        return f.template operator()<T>(images<std::int64_t, 1>(p));
    });
}

/// Where a pack of an image with its channels together is.
template <class Index>
struct pixel {
    Index image, row, column, pack;

    __device__ pixel(Index i, Index height, Index width, Index packs) {
        auto const columns = i / packs;
        auto const rows = columns / width;
        image = rows / height;
        row = rows - image * height;
        column = columns - rows * width;
        pack = i - columns * packs;
    }
};

/// The pixel of an input or of an output that has pack i.
template <class Index, int Count>
__device__ auto input_pixel(images<Index, Count> const& p, std::int64_t i) -> pixel<Index> {
    return {static_cast<Index>(i), p.height, p.width, p.packs};
}
template <class Index, int Count>
__device__ auto output_pixel(images<Index, Count> const& p, std::int64_t i) -> pixel<Index> {
    return {static_cast<Index>(i), p.out_height, p.out_width, p.packs};
}

/// First element of a pack of an input or of an output: that of another pixel's image and channels.
template <class Index, int Count>
__device__ auto input_at(images<Index, Count> const& p, pixel<Index> const& x, Index row, Index column) -> Index {
    return (((x.image * p.height + row) * p.width + column) * p.packs + x.pack) * Count;
}
template <class Index, int Count>
__device__ auto output_at(images<Index, Count> const& p, pixel<Index> const& x, Index row, Index column) -> Index {
    return (((x.image * p.out_height + row) * p.out_width + column) * p.packs + x.pack) * Count;
}

/// Calls f(row, column) for the pixels of the input in the window of an output.
template <class Index, int Count, class F>
__device__ void for_each_in_window(images<Index, Count> const& p, pixel<Index> const& out, F f) {
    for (Index a = 0; a < p.kernel; ++a) {
        Index const row = out.row * p.stride - p.padding + a * p.dilation;
        if (row < 0 || row >= p.height) continue;
        for (Index b = 0; b < p.kernel; ++b) {
            Index const column = out.column * p.stride - p.padding + b * p.dilation;
            if (column >= 0 && column < p.width) f(row, column);
        }
    }
}

/// The last of `count` windows that begins at an input row or column, or before it.
template <class Index, int Count>
__device__ auto last_window(images<Index, Count> const& p, Index at, Index count) -> Index {
    return min((at + p.padding) / p.stride, count - 1);
}

/// Calls f(window) for those that have a tap on an input row or column, from its last window backwards.
template <class Index, int Count, class F>
__device__ void for_each_back_from(images<Index, Count> const& p, Index last, Index at, F f) {
    auto const reach = (p.kernel - 1) * p.dilation;
    for (auto window = last; window >= 0; --window) {
        auto const behind = at + p.padding - window * p.stride;
        if (behind > reach) break;
        if (p.dilation == 1 || behind % p.dilation == 0) f(window);
    }
}

/// Calls f(row, column) for the outputs that have a pixel of the input in their windows.
template <class Index, int Count, class F>
__device__ void for_each_window_with(images<Index, Count> const& p, pixel<Index> const& in, F f) {
    auto const last_row = last_window(p, in.row, p.out_height);
    auto const last_column = last_window(p, in.column, p.out_width);
    for_each_back_from(p, last_row, in.row, [&](Index row) {
        for_each_back_from(p, last_column, in.column, [&](Index column) { f(row, column); });
    });
}

/// Step of every pack of the outputs, from one array to another.
template <template <class, class> class Step>
auto for_each_output(cudaStream_t stream, pooling const& p, numbers x, numbers y) -> cudaError_t {
    return with_images(p, x.as, {x.at, y.at}, [&]<class T, class Images>(Images const& all) {
        return for_each(stream, output_count(p) / Images::count,
                        Step<T, Images>{all, array_of<T>(x), target_of<T>(array_of<T>(y), false)});
    });
}
template <template <class, class> class Step>
auto for_each_input(cudaStream_t stream, pooling const& p, numbers dy, target dx) -> cudaError_t {
    return with_images(p, dy.as, {dy.at, dx.at}, [&]<class T, class Images>(Images const& all) {
        return for_each(stream, input_count(p) / Images::count,
                        Step<T, Images>{all, array_of<T>(dy), target_of<T>(dx)});
    });
}

}  // namespace train_cuda::kernels

#endif
