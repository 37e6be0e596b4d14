#ifndef REPEBBLE_TESTS_TRAINING_DEVICES_HPP
#define REPEBBLE_TESTS_TRAINING_DEVICES_HPP

#include <tuple>

#include "train_cpu/cpu_device.hpp"
#ifdef REPEBBLE_CUDA_ON_CPU
#include "training/cuda_on_cpu.hpp"
#endif

/// The devices that tests train on: the processor, and where it is built the CUDA device with stand-ins for CUDA.
namespace support {

#ifdef REPEBBLE_CUDA_ON_CPU
using devices = std::tuple<train_cpu::cpu_device, cuda_on_cpu>;
#else
using devices = std::tuple<train_cpu::cpu_device>;
#endif

}  // namespace support

#endif
