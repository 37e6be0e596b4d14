#ifndef REPEBBLE_TRAIN_CUDA_KERNEL_SUPPORT_CUH
#define REPEBBLE_TRAIN_CUDA_KERNEL_SUPPORT_CUH

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels.hpp"

/// What the kernels share: loops over all elements, positions in strided tensors, sums over a block.
namespace train_cuda::kernels {

inline constexpr int threads_per_block = 256;

__host__ __device__ inline auto ceil_divide(std::int64_t a, std::int64_t b) -> std::int64_t { return (a + b - 1) / b; }

/// Launches a kernel, without the syntax that only CUDA compilers know. Returns what the launch says.
template <class... Parameters>
auto launch(cudaStream_t stream, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
            std::type_identity_t<Parameters>... arguments) -> cudaError_t {
    cudaLaunchConfig_t how{};
    how.gridDim = blocks;
    how.blockDim = threads;
    how.stream = stream;
    return cudaLaunchKernelEx(&how, kernel, arguments...);
}

/// Calls f(i) for i = 0 .. count - 1.
template <class F>
__global__ void __launch_bounds__(threads_per_block) for_each_kernel(std::int64_t count, F f) {
    auto const step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (auto i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) f(i);
}

inline auto blocks_for(std::int64_t count) -> unsigned {
    return static_cast<unsigned>(std::clamp<std::int64_t>(ceil_divide(count, threads_per_block), 1, 1 << 16));
}

template <class F>
auto for_each(cudaStream_t stream, std::int64_t count, F f) -> cudaError_t {
    if (count <= 0) return cudaSuccess;
    return launch(stream, for_each_kernel<F>, blocks_for(count), threads_per_block, count, f);
}

template <int N>
struct positions {
    std::int64_t at[N];
};

/// Index is 32 bits where that is enough: divisions of 64 bits are slow.
template <class Index, int N>
__device__ auto positions_of(walk<N> const& w, Index i) -> positions<N> {
    positions<N> p{};
    for (int d = w.rank - 1; d >= 0; --d) {
        auto const extent = static_cast<Index>(w.extent[d]);
        Index const rest = d == 0 ? Index{0} : i / extent;
        auto const here = static_cast<std::int64_t>(i - rest * extent);
#pragma unroll
        for (int n = 0; n < N; ++n) p.at[n] += here * w.stride[n][d];
        i = rest;
    }
    return p;
}

template <class Index, int N, class F>
__global__ void __launch_bounds__(threads_per_block) walk_kernel(walk<N> const w, F f) {
    auto const step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (auto i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < w.count; i += step)
        f(i, positions_of<Index>(w, static_cast<Index>(i)).at);
}

/// Calls f(i, positions) for every step of the walk.
template <int N, class F>
auto for_each(cudaStream_t stream, walk<N> const& w, F f) -> cudaError_t {
    if (w.count <= 0) return cudaSuccess;
    if (w.count < (std::int64_t{1} << 31))
        return launch(stream, walk_kernel<std::uint32_t, N, F>, blocks_for(w.count), threads_per_block, w, f);
    return launch(stream, walk_kernel<std::uint64_t, N, F>, blocks_for(w.count), threads_per_block, w, f);
}

template <class T>
__device__ auto load(T const* from, std::int64_t position) -> float {
    if constexpr (std::is_same_v<T, float>)
        return from[position];
    else
        return __bfloat162float(from[position]);
}
template <class T>
__device__ void store(T* to, std::int64_t position, float value) {
    if constexpr (std::is_same_v<T, float>)
        to[position] = value;
    else
        to[position] = __float2bfloat16(value);
}

/// A target whose numbers are stored as T.
template <class T>
struct target_of {
    T* at;
    bool add;

    explicit target_of(target const& t) : at(static_cast<T*>(t.at)), add(t.add) {}
    __host__ __device__ target_of(T* to, bool adds) : at(to), add(adds) {}
};

/// Writes, or adds. Nothing where there is no target.
template <class T>
__device__ void put(target_of<T> t, std::int64_t position, float value) {
    if (t.at != nullptr) store(t.at, position, t.add ? load(t.at, position) + value : value);
}

template <class T>
auto array_of(numbers x) -> T* {
    return static_cast<T*>(x.at);
}

/// Calls f<T>() with the type T that numbers are stored as.
template <class F>
auto with_type(stored as, F f) -> cudaError_t {
    if (as == stored::bfloat16) return f.template operator()<__nv_bfloat16>();
    return f.template operator()<float>();
}

struct plus {
    template <class T>
    __device__ auto operator()(T a, T b) const -> T {
        return a + b;
    }
};
struct greater {
    __device__ auto operator()(float a, float b) const -> float { return fmaxf(a, b); }
};

/// `combine` over `Threads` threads side by side: 1, a warp or a block of them. All of them get the result, each the
/// same bits.
template <int Threads, class T, class Combine>
__device__ auto reduce(T value, Combine combine) -> T {
    if constexpr (Threads >= 32)
        for (int offset = 16; offset > 0; offset /= 2) value = combine(value, __shfl_xor_sync(~0U, value, offset));
    if constexpr (Threads > 32) {
        __shared__ T of_warp[Threads / 32];
        __syncthreads();  // whoever still reads those of the last time
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
        __syncthreads();
        value = of_warp[0];
        for (int i = 1; i < Threads / 32; ++i) value = combine(value, of_warp[i]);
    }
    return value;
}

/// SplitMix64 (Steele, Lea, Flood 2014), as in repebble::fill_pattern.
__device__ inline auto pattern_word(std::uint64_t seed, std::uint64_t i) -> std::uint64_t {
    std::uint64_t x = seed + (i + 1) * 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

}  // namespace train_cuda::kernels

#endif
