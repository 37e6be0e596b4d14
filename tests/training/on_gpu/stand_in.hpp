#ifndef REPEBBLE_TESTS_TRAINING_ON_GPU_STAND_IN_HPP
#define REPEBBLE_TESTS_TRAINING_ON_GPU_STAND_IN_HPP

#include <cstdint>

#include <cuda_runtime_api.h>

/// What tests ask of the stand-ins for CUDA, where a GPU is there: nothing is to be done.
namespace cuda_stand_in {

inline void begin() {}
inline void set_order(std::uint64_t) {}
[[nodiscard]] inline auto fault() -> char const* { return cudaGetErrorString(cudaPeekAtLastError()); }

}  // namespace cuda_stand_in

#endif
