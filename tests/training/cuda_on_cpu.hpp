#ifndef REPEBBLE_TESTS_TRAINING_CUDA_ON_CPU_HPP
#define REPEBBLE_TESTS_TRAINING_CUDA_ON_CPU_HPP

#include <cstdint>

#include <repebble/execute/copy_threads.hpp>

#include "stand_in.hpp"
#include "train_cuda/cuda_device.hpp"

namespace support {

struct fresh_stand_in {
    fresh_stand_in() { cuda_stand_in::begin(); }
};
/// The CUDA device on stand-ins for CUDA, with little workspace: they look at every byte of it.
class cuda_on_cpu : fresh_stand_in, public train_cuda::cuda_device {
  public:
    explicit cuda_on_cpu(std::uint64_t seed = 0) : cuda_device({.seed = seed, .matrix_workspace = 1024}) {}
    /// Streams run in an order by the seed.
    static void set_delays(repebble::copy_delays const& delays) { cuda_stand_in::set_order(delays.seed); }
};

}  // namespace support

#endif
