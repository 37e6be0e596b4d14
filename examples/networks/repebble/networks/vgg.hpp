#ifndef REPEBBLE_NETWORKS_VGG_HPP
#define REPEBBLE_NETWORKS_VGG_HPP

#include <array>
#include <cstddef>
#include <string>

#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// VGG19 (Simonyan, Zisserman 2015, configuration E): 16 convolutions and 3 linear layers; with `norm`, a batch norm
/// after each convolution and images of any resolution, averaged to 7x7 cells before the linear layers.
[[nodiscard]] inline auto vgg19(image_options const& options, bool norm = false) -> model {
    model m(norm ? "vgg19_bn" : "vgg19");
    auto x = add_images(m, options);
    constexpr std::array<extent, 5> convolutions{2, 2, 4, 4, 4};
    constexpr std::array<extent, 5> channels{64, 128, 256, 512, 512};
    window const three{.kernel = 3, .padding = 1};
    for (std::size_t stage = 0; stage < channels.size(); ++stage) {
        auto const prefix = "stage" + std::to_string(stage + 1) + ".";
        for (extent i = 0; i < convolutions[stage]; ++i) {
            auto const name = prefix + std::to_string(i + 1);
            x = norm ? conv_norm_relu(m, name, x, {channels[stage], three, true})
                     : conv_relu(m, name, x, channels[stage], three);
        }
        x = m.append(prefix + "pool", max_pool{{2, 2}}, {x});
    }
    if (norm) x = m.append("pool", adaptive_average_pool{7}, {x});
    x = flatten(m, "flatten", x);
    for (auto const* name : {"linear1", "linear2"}) {
        x = m.append(name, linear{4096}, {x});
        x = m.append(std::string(name) + ".relu", relu{}, {x});
        x = m.append(std::string(name) + ".dropout", dropout{}, {x});
    }
    add_loss(m, m.append("classifier", linear{options.classes}, {x}));
    return m;
}

}  // namespace repebble::networks

#endif
