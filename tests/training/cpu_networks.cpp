#include <repebble/networks/googlenet.hpp>
#include <repebble/networks/gpt2.hpp>
#include <repebble/networks/llama.hpp>
#include <repebble/networks/lstm.hpp>
#include <repebble/networks/pspnet.hpp>
#include <repebble/networks/resnet.hpp>
#include <repebble/networks/unet.hpp>

#include "support/catch.hpp"
#include "train_cpu/cpu_device.hpp"
#include "training/check_model.hpp"

using namespace repebble::networks;
using support::check_model;

namespace {

constexpr support::model_check only_equal{.differentiable = false};

}  // namespace

TEST_CASE("small networks on the processor give equal bits in place and whatever lay in memory", "[training]") {
    train_cpu::cpu_device device;
    check_model(device, resnet(18, resnet_layout::imagenet, {.batch = 2, .resolution = 32, .classes = 10}), only_equal);
    check_model(device, lstm({.batch = 2, .length = 3, .layers = 2, .features = 8, .vocabulary = 11}), only_equal);
    check_model(device,
                unet({.images = {.batch = 1, .resolution = 44, .classes = 2, .channels = 1}, .width = 8, .levels = 2}),
                only_equal);
}

TEST_CASE("gradients of small networks for text on the processor", "[training]") {
    train_cpu::cpu_device device;
    support::model_check const how{.step = 3e-3, .tolerance = 3e-2};
    check_model(device, lstm({.batch = 2, .length = 2, .layers = 2, .features = 3, .vocabulary = 5}), how);
    check_model(device, gpt2({.batch = 1, .length = 4, .layers = 1, .features = 4, .heads = 2, .vocabulary = 7}), how);
    check_model(device,
                llama({.batch = 1,
                       .length = 3,
                       .layers = 2,
                       .features = 8,
                       .heads = 4,
                       .groups = 2,
                       .inside = 6,
                       .vocabulary = 7,
                       .tied = true}),
                how);
}

TEST_CASE("large networks on the processor give equal bits in place and whatever lay in memory", "[training][.slow]") {
    train_cpu::cpu_device device;
    check_model(device, googlenet({.batch = 1, .resolution = 224, .classes = 10}), only_equal);
    check_model(device, pspnet({.batch = 1, .resolution = 96, .classes = 10}), only_equal);
}
