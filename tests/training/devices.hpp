#ifndef REPEBBLE_TESTS_TRAINING_DEVICES_HPP
#define REPEBBLE_TESTS_TRAINING_DEVICES_HPP

#include <cstdint>
#include <tuple>

#include <repebble/execute/copy_threads.hpp>

#include "train_cpu/cpu_device.hpp"
#ifdef REPEBBLE_CUDA_ON_CPU
#include "stand_in.hpp"
#include "train_cuda/cuda_device.hpp"
#endif

/// The devices that tests train on: the processor, and where it is built the CUDA device with stand-ins for CUDA.
namespace support {

#ifdef REPEBBLE_CUDA_ON_CPU
struct fresh_stand_in {
    fresh_stand_in() { cuda_stand_in::begin(); }
};
/// With little workspace, every byte of which the stand-ins look at.
class cuda_on_cpu : fresh_stand_in, public train_cuda::cuda_device {
  public:
    explicit cuda_on_cpu(std::uint64_t seed = 0) : cuda_device({.seed = seed, .matrix_workspace = 1024}) {}
    /// Streams run in an order by the seed.
    static void set_delays(repebble::copy_delays const& delays) { cuda_stand_in::begin(delays.seed); }
};
using devices = std::tuple<train_cpu::cpu_device, cuda_on_cpu>;
#else
using devices = std::tuple<train_cpu::cpu_device>;
#endif

}  // namespace support

#endif
