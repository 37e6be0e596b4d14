#ifndef REPEBBLE_TESTS_TRAINING_DEVICES_HPP
#define REPEBBLE_TESTS_TRAINING_DEVICES_HPP

#include <tuple>

#include "train_cpu/cpu_device.hpp"
#ifdef REPEBBLE_TESTS_CUDA
#include "training/tested_cuda.hpp"
#endif

/// The devices that tests train on: the processor, and where it is built the CUDA device.
namespace support {

#ifdef REPEBBLE_TESTS_CUDA
using devices = std::tuple<train_cpu::cpu_device, tested_cuda>;
#else
using devices = std::tuple<train_cpu::cpu_device>;
#endif

}  // namespace support

#endif
