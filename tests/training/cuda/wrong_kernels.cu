#include "wrong_kernels.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace wrong_kernels {

namespace {

constexpr int threads = 64;  // two warps

template <fault F>
__global__ void turn_kernel(float* y, float const* x) {
    __shared__ float shared[threads];
    auto const mine = static_cast<int>(threadIdx.x);
    auto const i = static_cast<int>(blockIdx.x) * threads + mine;
    float value = 0;
    if constexpr (F == fault::reads_behind_the_end)
        value = x[i + 1];
    else if constexpr (F == fault::misaligned)
        value = *reinterpret_cast<float const*>(reinterpret_cast<char const*>(x) + 4 * i + (mine == 7 ? 2 : 0));
    else
        value = x[i];
    if constexpr (F == fault::half_a_warp_leaves)
        if (mine % 32 >= 16) return;
    if constexpr (F != fault::shared_memory_not_written)
        shared[F == fault::two_threads_write ? mine / 2 : mine] = value;
    else if (mine > 0)
        shared[mine] = value;
    if constexpr (F != fault::no_barrier) __syncthreads();
    if constexpr (F == fault::barrier_for_some)
        if (mine < 32) __syncthreads();
    value = shared[threads - 1 - mine] + 0 * __shfl_xor_sync(~0U, value, 1);
    if constexpr (F == fault::no_barrier_between_turns) {
        shared[mine] = value;
        __syncthreads();
    }
    if constexpr (F == fault::blocks_read_each_other) {
        y[i] = value;
        if (blockIdx.x == 1) value = y[mine];
    }
    y[F == fault::writes_before_the_begin ? i - 1 : i] = value;
    if constexpr (F == fault::address_of_nothing) *reinterpret_cast<float*>(std::uintptr_t{64}) = value;
}

template <fault F>
auto launch(cudaStream_t stream, float* y, float const* x) -> cudaError_t {
    cudaLaunchConfig_t how{};
    how.gridDim = 2;
    how.blockDim = threads;
    how.stream = stream;
    return cudaLaunchKernelEx(&how, turn_kernel<F>, y, x);
}

}  // namespace

auto turn(cudaStream_t stream, fault what, float* y, float const* x) -> cudaError_t {
    using enum fault;
    switch (what) {
        case none:
            return launch<none>(stream, y, x);
        case reads_behind_the_end:
            return launch<reads_behind_the_end>(stream, y, x);
        case writes_before_the_begin:
            return launch<writes_before_the_begin>(stream, y, x);
        case misaligned:
            return launch<misaligned>(stream, y, x);
        case no_barrier:
            return launch<no_barrier>(stream, y, x);
        case no_barrier_between_turns:
            return launch<no_barrier_between_turns>(stream, y, x);
        case barrier_for_some:
            return launch<barrier_for_some>(stream, y, x);
        case half_a_warp_leaves:
            return launch<half_a_warp_leaves>(stream, y, x);
        case shared_memory_not_written:
            return launch<shared_memory_not_written>(stream, y, x);
        case two_threads_write:
            return launch<two_threads_write>(stream, y, x);
        case blocks_read_each_other:
            return launch<blocks_read_each_other>(stream, y, x);
        case address_of_nothing:
            return launch<address_of_nothing>(stream, y, x);
    }
    return cudaErrorInvalidValue;
}

}  // namespace wrong_kernels
