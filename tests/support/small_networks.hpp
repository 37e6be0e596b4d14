#ifndef REPEBBLE_TESTS_SUPPORT_SMALL_NETWORKS_HPP
#define REPEBBLE_TESTS_SUPPORT_SMALL_NETWORKS_HPP

#include <vector>

#include <repebble/networks/gpt2.hpp>
#include <repebble/networks/lstm.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/resnet.hpp>
#include <repebble/networks/unet.hpp>

namespace support {

/// Networks of every kind, small enough to be trained in a test.
[[nodiscard]] inline auto small_networks() -> std::vector<repebble::networks::model> {
    using namespace repebble::networks;
    return {resnet(11, resnet_layout::cifar, {.batch = 2, .resolution = 8, .classes = 5}),
            lstm({.batch = 2, .length = 4, .layers = 2, .features = 8, .vocabulary = 7}),
            gpt2({.batch = 2, .length = 8, .layers = 2, .features = 16, .heads = 2, .vocabulary = 11}),
            unet({.images = {.batch = 1, .resolution = 44, .classes = 2, .channels = 1}, .width = 4, .levels = 2})};
}

}  // namespace support

#endif
