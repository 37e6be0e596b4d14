#ifndef REPEBBLE_NETWORKS_UNET_HPP
#define REPEBBLE_NETWORKS_UNET_HPP

#include <cstddef>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// What a U-Net may be like. The defaults are those of Ronneberger et al. 2015.
struct unet_options {
    image_options images{.batch = 8, .resolution = 572, .classes = 2, .channels = 1};
    extent width = 64;        ///< channels of the first level; twice as many on each further one
    int levels = 4;           ///< how often the resolution is halved
    bool padded = false;      ///< 3x3 convolutions keep the resolution; else they lose a pixel on each side
    bool norm = false;        ///< a batch norm after each 3x3 convolution
    bool activate_up = true;  ///< a ReLU after each transposed convolution
    bool drop = true;         ///< a dropout at the end of each of the two lowest levels
};

/// U-Net: on the way down two convolutions and a pool per level; on the way up a transposed convolution, the middle of
/// what that level had on the way down, and two convolutions.
[[nodiscard]] inline auto unet(unet_options const& options) -> model {
    if (options.levels < 1) throw bad_graph("unet: cannot have " + std::to_string(options.levels) + " levels");
    model m("unet");
    window const three{.kernel = 3, .padding = options.padded ? 1 : 0};
    auto const two_convolutions = [&](std::string const& name, operand x, extent channels) {
        for (auto const* part : {".1", ".2"})
            x = options.norm ? conv_norm_relu(m, name + part, x, {channels, three})
                             : conv_relu(m, name + part, x, channels, three);
        return x;
    };
    auto x = add_images(m, options.images);
    std::vector<operand> skipped;
    extent channels = options.width;
    for (int level = 1; level <= options.levels; ++level, channels *= 2) {
        auto const name = "down" + std::to_string(level);
        x = two_convolutions(name, x, channels);
        if (options.drop && level == options.levels) x = m.append(name + ".dropout", dropout{}, {x});
        skipped.push_back(x);
        x = m.append(name + ".pool", max_pool{{2, 2}}, {x});
    }
    x = two_convolutions("bottom", x, channels);
    if (options.drop) x = m.append("bottom.dropout", dropout{}, {x});
    for (int level = options.levels; level >= 1; --level) {
        auto const name = "up" + std::to_string(level);
        channels /= 2;
        x = m.append(name + ".conv", convolution{channels, {2, 2}, true, true}, {x});
        if (options.activate_up) x = m.append(name + ".relu", relu{}, {x});
        auto skip = skipped[static_cast<std::size_t>(level - 1)];
        auto const& now = m.tensor_of(x).shape;
        if (now != m.tensor_of(skip).shape) skip = m.append(name + ".crop", crop{now[2], now[3]}, {skip});
        x = m.append(name + ".concat", concat{}, {skip, x});
        x = two_convolutions(name, x, channels);
    }
    add_loss(m, m.append("classifier", convolution{options.images.classes, {}, true}, {x}));
    return m;
}

}  // namespace repebble::networks

#endif
