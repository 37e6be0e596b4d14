#ifndef REPEBBLE_NETWORKS_SIZES_HPP
#define REPEBBLE_NETWORKS_SIZES_HPP

#include <optional>

#include <repebble/networks/tensor.hpp>

namespace repebble::networks {

/// What may be chosen of a network by its name; what is left out is the network's own default.
struct sizes {
    std::optional<extent> batch{};
    std::optional<extent> resolution{};  ///< of networks for images
    std::optional<extent> classes{};     ///< of networks for images
    std::optional<extent> channels{};    ///< of the images
    std::optional<extent> length{};      ///< of networks for sequences
};

/// The names that `by_name` knows, for messages.
inline constexpr char const* names =
    "resnet18, resnet34, resnet50, resnet101, resnet152, resnet<9k+2> (as resnet1001), resnet<3k+2>_imagenet, vgg19, "
    "vgg19_bn, densenet161, googlenet, googlenet_2015, unet, pspnet, lstm, lstm_frames, gpt2, gpt2_medium, gpt2_large, "
    "gpt2_xl, llama2_7b, llama3_1b, llama3_8b";

}  // namespace repebble::networks

#endif
