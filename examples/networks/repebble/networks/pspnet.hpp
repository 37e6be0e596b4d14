#ifndef REPEBBLE_NETWORKS_PSPNET_HPP
#define REPEBBLE_NETWORKS_PSPNET_HPP

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// PSPNet (Zhao et al. 2017) over a ResNet-101 whose last two stages are dilated instead of strided: the result is
/// pooled to 1, 2, 3 and 6 cells, each of which is resized and concatenated with it. An auxiliary classifier, as wide
/// as the main one, reads the third stage; its loss is added with the factor 0.4.
[[nodiscard]] inline auto pspnet(image_options const& options) -> model {
    model m("pspnet");
    auto const bottleneck = [&m](std::string const& name, operand x, extent width, extent stride, extent dilation) {
        auto y = conv_norm_relu(m, name + ".1", x, {width});
        y = conv_norm_relu(m, name + ".2", y, {width, {3, stride, dilation, dilation}});
        y = conv_norm(m, name + ".3", y, {4 * width});
        if (m.tensor_of(x).shape[1] != 4 * width) x = conv_norm(m, name + ".shortcut", x, {4 * width, {1, stride}});
        return m.append(name + ".relu", relu{}, {m.append(name + ".add", add{}, {y, x})});
    };
    auto const segment = [&](std::string const& name, operand x) {
        x = conv_norm_relu(m, name, x, {512, {3, 1, 1}});
        x = m.append(name + ".dropout", dropout{0.1}, {x});
        x = m.append(name + ".classifier", convolution{options.classes, {}, true}, {x});
        x = m.append(name + ".resize", resize{options.resolution, options.resolution}, {x});
        return add_loss(m, x, name + ".");
    };

    auto x = conv_norm_relu(m, "stem.1", add_images(m, options), {64, {3, 2, 1}});
    x = conv_norm_relu(m, "stem.2", x, {64, {3, 1, 1}});
    x = conv_norm_relu(m, "stem.3", x, {128, {3, 1, 1}});
    x = m.append("stem.pool", max_pool{{3, 2, 1}}, {x});

    struct stage {
        int blocks;
        extent stride, dilation;
    };
    constexpr std::array<stage, 4> stages{{{3, 1, 1}, {4, 2, 1}, {23, 1, 2}, {3, 1, 4}}};
    operand third{};
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (int i = 0; i < stages[s].blocks; ++i)
            x = bottleneck("stage" + std::to_string(s + 1) + "." + std::to_string(i + 1), x, extent{64} << s,
                           i == 0 ? stages[s].stride : 1, stages[s].dilation);
        if (s == 2) third = x;
    }
    auto const auxiliary = m.append("auxiliary.scale", scale{0.4}, {segment("auxiliary", third)});

    auto const shape = m.tensor_of(x).shape;
    std::vector<operand> pyramid{x};
    for (extent const cells : {1, 2, 3, 6}) {
        auto const name = "pyramid" + std::to_string(cells);
        auto y = m.append(name + ".pool", adaptive_average_pool{cells}, {x});
        y = conv_norm_relu(m, name, y, {512});
        pyramid.push_back(m.append(name + ".resize", resize{shape[2], shape[3]}, {y}));
    }
    auto const loss = segment("head", m.append("pyramid.concat", concat{}, pyramid));
    m.append("loss.add", add{}, {loss, auxiliary});
    return m;
}

}  // namespace repebble::networks

#endif
