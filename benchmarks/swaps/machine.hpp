#ifndef SWAPS_MACHINE_HPP
#define SWAPS_MACHINE_HPP

#include <array>
#include <utility>

#include <repebble/networks/roofline.hpp>
#include <repebble/pebbling/host_link.hpp>

namespace swaps {

/// The machine of the deep Q-network's paper: a GeForce GTX 1080 Ti on PCI Express 3; and a link that three such
/// devices share.
constexpr repebble::networks::roofline device{11.3e12, 484e9};
constexpr std::array<std::pair<char const*, repebble::host_link>, 2> links{
    {{"12 GB/s", {.size = 12, .time = 1, .latency = 10'000}}, {"4 GB/s", {.size = 4, .time = 1, .latency = 10'000}}}};

}  // namespace swaps

#endif
