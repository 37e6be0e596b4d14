#ifndef REPEBBLE_TESTS_TRAINING_CUDA_WRONG_KERNELS_HPP
#define REPEBBLE_TESTS_TRAINING_CUDA_WRONG_KERNELS_HPP

#include <cuda_runtime_api.h>

/// Kernels with a fault each, that the stand-ins have to find; `none` has no fault. All of them on arrays of 128
/// floats, in two blocks of 64 threads.
namespace wrong_kernels {

enum class fault {
    none,
    reads_behind_the_end,
    writes_before_the_begin,
    misaligned,
    no_barrier,
    no_barrier_between_turns,
    barrier_for_some,
    half_a_warp_leaves,
    shared_memory_not_written,
    two_threads_write,
    blocks_read_each_other,
    address_of_nothing,
};

/// y = x, turned around within each block, by way of shared memory.
auto turn(cudaStream_t, fault, float* y, float const* x) -> cudaError_t;

}  // namespace wrong_kernels

#endif
