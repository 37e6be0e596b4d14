#ifndef REPEBBLE_NETWORKS_RESNET_HPP
#define REPEBBLE_NETWORKS_RESNET_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// Residual networks.
///  - `imagenet` (He et al. 2015): a 7x7 convolution and a pool, then four stages of blocks that end in ReLU. Depths 18
///    and 34 have blocks of two 3x3 convolutions, all others bottlenecks (1x1, 3x3, 1x1; the 3x3 has the stride).
///    Depth 3k + 2 with k >= 16: where it is none of the published 50, 101 and 152, the k blocks are divided as in
///    ResNet-152, 3 : 8 : 36 : 3.
///  - `cifar` (He et al. 2016, with identity mappings): a 3x3 convolution, then three stages of k blocks each that
///  begin
///    with batch norm and ReLU. Depth 9k + 2 with bottlenecks of 16, 32, 64 channels inside and four times as many
///    outside.
enum class resnet_layout : std::uint8_t { imagenet, cifar };

/// Depths of He et al. 2015, of which "resnet50" and the like speak.
[[nodiscard]] constexpr auto is_published_resnet(extent depth) -> bool {
    return depth == 18 || depth == 34 || depth == 50 || depth == 101 || depth == 152;
}

namespace detail {

/// Blocks of the four stages.  Throws bad_graph where no such network has this depth.
[[nodiscard]] inline auto imagenet_stages(extent depth) -> std::array<extent, 4> {
    switch (depth) {
        case 18:
            return {2, 2, 2, 2};
        case 34:
            return {3, 4, 6, 3};
        case 50:
            return {3, 4, 6, 3};
        case 101:
            return {3, 4, 23, 3};
        case 152:
            return {3, 8, 36, 3};
        default:
            break;
    }
    if (depth < 50 || depth % 3 != 2)
        throw bad_graph("no ResNet of the layout for ImageNet has depth " + std::to_string(depth) +
                        ": it is 18, 34, or 3 k + 2 from 50 on");
    extent const blocks = (depth - 2) / 3;
    auto const part = [blocks](extent of_50) { return (blocks * of_50 + 25) / 50; };
    return {part(3), part(8), blocks - 2 * part(3) - part(8), part(3)};
}

class resnet_builder {
  public:
    resnet_builder(model& m, bool bottleneck) : model_(m), bottleneck_(bottleneck) {}

    /// A block after He et al. 2015: the ReLU comes after the sum.
    [[nodiscard]] auto block(std::string const& name, operand x, extent width, extent stride) -> operand {
        extent const channels = bottleneck_ ? 4 * width : width;
        operand y = x;
        if (bottleneck_) {
            y = conv_norm_relu(model_, name + ".1", y, {width});
            y = conv_norm_relu(model_, name + ".2", y, {width, {3, stride, 1}});
            y = conv_norm(model_, name + ".3", y, {channels});
        } else {
            y = conv_norm_relu(model_, name + ".1", y, {width, {3, stride, 1}});
            y = conv_norm(model_, name + ".2", y, {channels, {3, 1, 1}});
        }
        if (stride != 1 || model_.tensor_of(x).shape[1] != channels)
            x = conv_norm(model_, name + ".shortcut", x, {channels, {1, stride}});
        return model_.append(name + ".relu", relu{}, {model_.append(name + ".add", add{}, {y, x})});
    }

    /// A bottleneck after He et al. 2016: batch norm and ReLU come before each convolution, and nothing after the sum.
    [[nodiscard]] auto identity_block(std::string const& name, operand x, extent width, extent stride) -> operand {
        auto const channels = 4 * width;
        auto const active = norm_relu(name + ".1", x);
        auto y = model_.append(name + ".1.conv", convolution{width, {1, stride}}, {active});
        y = model_.append(name + ".2.conv", convolution{width, {3, 1, 1}}, {norm_relu(name + ".2", y)});
        y = model_.append(name + ".3.conv", convolution{channels}, {norm_relu(name + ".3", y)});
        if (model_.tensor_of(x).shape[1] != channels ||
            stride != 1)  // the first of a stage: its shortcut is active, too
            x = model_.append(name + ".shortcut.conv", convolution{channels, {1, stride}}, {active});
        return model_.append(name + ".add", add{}, {y, x});
    }

    [[nodiscard]] auto norm_relu(std::string const& name, operand x) -> operand {
        return model_.append(name + ".relu", relu{}, {model_.append(name + ".norm", batch_norm{}, {x})});
    }

  private:
    model& model_;
    bool bottleneck_;
};

[[nodiscard]] inline auto block_name(std::size_t stage, extent block) -> std::string {
    return "stage" + std::to_string(stage + 1) + "." + std::to_string(block + 1);
}

}  // namespace detail

/// Throws bad_graph where the layout has no network of this depth or the resolution is too small.
[[nodiscard]] inline auto resnet(extent depth, resnet_layout layout, image_options const& options) -> model {
    bool const named_by_layout = layout == resnet_layout::imagenet && !is_published_resnet(depth);
    model m("resnet" + std::to_string(depth) + (named_by_layout ? "_imagenet" : ""));
    auto x = add_images(m, options);
    if (layout == resnet_layout::imagenet) {
        auto const stages = detail::imagenet_stages(depth);
        detail::resnet_builder blocks(m, depth >= 50);
        x = conv_norm_relu(m, "stem", x, {64, {7, 2, 3}});
        x = m.append("stem.pool", max_pool{{3, 2, 1}}, {x});
        for (std::size_t stage = 0; stage < stages.size(); ++stage)
            for (extent i = 0; i < stages[stage]; ++i)
                x = blocks.block(detail::block_name(stage, i), x, extent{64} << stage, stage > 0 && i == 0 ? 2 : 1);
    } else {
        if (depth < 11 || depth % 9 != 2)
            throw bad_graph("no ResNet of the layout for CIFAR has depth " + std::to_string(depth) + ": it is 9 k + 2");
        detail::resnet_builder blocks(m, true);
        x = m.append("stem.conv", convolution{16, {3, 1, 1}}, {x});
        for (std::size_t stage = 0; stage < 3; ++stage)
            for (extent i = 0; i < (depth - 2) / 9; ++i)
                x = blocks.identity_block(detail::block_name(stage, i), x, extent{16} << stage,
                                          stage > 0 && i == 0 ? 2 : 1);
        x = blocks.norm_relu("head", x);
    }
    add_loss(m, classifier(m, x, options.classes));
    return m;
}

}  // namespace repebble::networks

#endif
