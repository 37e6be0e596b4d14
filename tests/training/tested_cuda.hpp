#ifndef REPEBBLE_TESTS_TRAINING_TESTED_CUDA_HPP
#define REPEBBLE_TESTS_TRAINING_TESTED_CUDA_HPP

#include <cstdint>
#include <limits>

#include <repebble/execute/copy_threads.hpp>
#include <repebble/graph/quantity.hpp>

#include "stand_in.hpp"
#include "train_cuda/cuda_device.hpp"

namespace support {

struct fresh_stand_in {
    fresh_stand_in() { cuda_stand_in::begin(); }
};
/// The CUDA device as tests make it: on stand-ins for CUDA, or on a GPU.
class tested_cuda : fresh_stand_in, public train_cuda::cuda_device {
  public:
    /// Bytes at the end of the memory that nobody need write. Stand-ins for libraries fill their workspaces.
#ifdef REPEBBLE_CUDA_ON_CPU
    static constexpr bool on_gpu = false;
    static constexpr repebble::bytes slack = 0;
#else
    static constexpr bool on_gpu = true;
    static constexpr repebble::bytes slack = std::numeric_limits<repebble::bytes>::max();
#endif

    explicit tested_cuda(std::uint64_t seed = 0) : cuda_device(options(seed)) {}
    /// Streams of stand-ins run in an order by the seed.
    static void set_delays(repebble::copy_delays const& delays) { cuda_stand_in::set_order(delays.seed); }

  private:
    [[nodiscard]] static auto options(std::uint64_t seed) -> train_cuda::device_options {
        train_cuda::device_options made{.seed = seed};
        if (!on_gpu) made.matrix_workspace = 1024;  // stand-ins look at every byte of it
        return made;
    }
};

}  // namespace support

#endif
