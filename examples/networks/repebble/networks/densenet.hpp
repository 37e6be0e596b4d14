#ifndef REPEBBLE_NETWORKS_DENSENET_HPP
#define REPEBBLE_NETWORKS_DENSENET_HPP

#include <array>
#include <cstddef>
#include <string>

#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// DenseNet-161 (Huang et al. 2017): 6, 12, 36 and 24 layers that add 48 channels each. A layer's output is
/// concatenated with everything before it, at once, so that each layer reads one tensor.
[[nodiscard]] inline auto densenet161(image_options const& options) -> model {
    model m("densenet161");
    constexpr std::array<int, 4> layers{6, 12, 36, 24};
    constexpr extent growth = 48;
    auto const norm_relu_conv = [&m](std::string const& name, operand x, convolution const& conv) {
        x = m.append(name + ".norm", batch_norm{}, {x});
        x = m.append(name + ".relu", relu{}, {x});
        return m.append(name + ".conv", conv, {x});
    };
    auto x = conv_norm_relu(m, "stem", add_images(m, options), {2 * growth, {7, 2, 3}});
    x = m.append("stem.pool", max_pool{{3, 2, 1}}, {x});
    for (std::size_t block = 0; block < layers.size(); ++block) {
        auto const prefix = "block" + std::to_string(block + 1) + ".";
        for (int i = 0; i < layers[block]; ++i) {
            auto const name = prefix + std::to_string(i + 1);
            auto const inner = norm_relu_conv(name + ".1", x, {4 * growth});
            x = m.append(name + ".concat", concat{}, {x, norm_relu_conv(name + ".2", inner, {growth, {3, 1, 1}})});
        }
        if (block + 1 == layers.size()) break;
        x = norm_relu_conv(prefix + "transition", x, {m.tensor_of(x).shape[1] / 2});
        x = m.append(prefix + "pool", average_pool{{2, 2}}, {x});
    }
    x = m.append("head.relu", relu{}, {m.append("head.norm", batch_norm{}, {x})});
    add_loss(m, classifier(m, x, options.classes));
    return m;
}

}  // namespace repebble::networks

#endif
