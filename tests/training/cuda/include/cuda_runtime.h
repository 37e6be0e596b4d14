#ifndef REPEBBLE_TESTS_CUDA_RUNTIME_H
#define REPEBBLE_TESTS_CUDA_RUNTIME_H

// What a kernel of examples/train_cuda names, as plain C++, and how it is launched. A block's threads are fibers of one
// thread of the processor (blocks.cpp); what they read and write is looked at by the hooks that the compiler puts in
// for its thread sanitizer (accesses.cpp).

#include <math.h>

#include <algorithm>
#include <memory>
#include <typeinfo>
#include <utility>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __shared__ static  // blocks run one after the other
#define __launch_bounds__(most)

struct uint3 {
    unsigned x = 0, y = 0, z = 0;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned along = 1, unsigned down = 1, unsigned deep = 1) : x(along), y(down), z(deep) {}
};
struct cudaLaunchConfig_t {
    dim3 gridDim{}, blockDim{};
    std::size_t dynamicSmemBytes = 0;
    cudaStream_t stream = nullptr;
};

namespace cuda_stand_in {

/// Where the thread that runs is.
struct place {
    uint3 thread{}, block{};
    dim3 threads{}, blocks{};
};
extern place here;

/// A kernel and its arguments, which are no memory of the device: what reads them is not looked at.
class kernel_call {
  public:
    virtual ~kernel_call() = default;
    virtual void run() const = 0;
};
template <class F>
class kernel_call_of final : public kernel_call {
  public:
    explicit kernel_call_of(F f) : f_(std::move(f)) {}
    __attribute__((no_sanitize("thread"))) void run() const override { f_(); }

  private:
    F f_;
};

auto enqueue_grid(cudaLaunchConfig_t const&, char const* kernel, std::unique_ptr<kernel_call const>) -> cudaError_t;

}  // namespace cuda_stand_in

static constexpr auto const& threadIdx = cuda_stand_in::here.thread;
static constexpr auto const& blockIdx = cuda_stand_in::here.block;
static constexpr auto const& blockDim = cuda_stand_in::here.threads;
static constexpr auto const& gridDim = cuda_stand_in::here.blocks;

/// Copies the arguments now, as CUDA does.
template <class... Parameters, class... Arguments>
auto cudaLaunchKernelEx(cudaLaunchConfig_t const* how, void (*kernel)(Parameters...), Arguments&&... arguments)
    -> cudaError_t {
    auto call = [=]() __attribute__((no_sanitize("thread"))) { kernel(static_cast<Parameters>(arguments)...); };
    return cuda_stand_in::enqueue_grid(
        *how, typeid(kernel).name(), std::make_unique<cuda_stand_in::kernel_call_of<decltype(call)>>(std::move(call)));
}

using std::max;
using std::min;

void __syncthreads();
[[nodiscard]] auto __syncthreads_or(int) -> int;
[[nodiscard]] auto __ballot_sync(unsigned mask, bool) -> unsigned;
[[nodiscard]] auto __shfl_xor_sync(unsigned mask, float, int lanes) -> float;
[[nodiscard]] auto __shfl_xor_sync(unsigned mask, double, int lanes) -> double;
[[nodiscard]] inline auto __ffs(int x) -> int { return __builtin_ffs(x); }
auto atomicMax(unsigned long long* at, unsigned long long value) -> unsigned long long;

#endif
