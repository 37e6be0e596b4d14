#ifndef SWAPS_MACHINE_HPP
#define SWAPS_MACHINE_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <repebble/detail/parallel_tasks.hpp>
#include <repebble/networks/roofline.hpp>
#include <repebble/pebbling/host_link.hpp>

namespace swaps {

/// The machine of the deep Q-network's paper: a GeForce GTX 1080 Ti on PCI Express 3; and a link that three such
/// devices share.
constexpr repebble::networks::roofline device{11.3e12, 484e9};
constexpr std::array<std::pair<char const*, repebble::host_link>, 2> links{
    {{"12 GB/s", {.size = 12, .time = 1, .latency = 10'000}}, {"4 GB/s", {.size = 4, .time = 1, .latency = 10'000}}}};

/// What `made(name, link)` returns for every network over every link, the links of one after the other; side by side,
/// one to a core.
template <class Made>
[[nodiscard]] auto over_all_links(std::vector<std::string> const& names, Made const& made) {
    using link = decltype(links)::value_type;
    std::vector<decltype(made(std::string(), link()))> all(names.size() * links.size());
    std::atomic<bool> stop{false};
    repebble::detail::parallel_tasks(
        all.size(), std::thread::hardware_concurrency(), stop,
        [&](std::size_t task, std::size_t) {
            all[task] = made(names[task / links.size()], links[task % links.size()]);
        },
        [] {});
    return all;
}

}  // namespace swaps

#endif
