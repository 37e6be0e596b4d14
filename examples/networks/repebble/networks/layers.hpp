#ifndef REPEBBLE_NETWORKS_LAYERS_HPP
#define REPEBBLE_NETWORKS_LAYERS_HPP

#include <string>
#include <utility>

#include <repebble/networks/model.hpp>
#include <repebble/networks/tensor.hpp>

/// Groups of operations that several networks have.
namespace repebble::networks {

/// What every network for images takes.
struct image_options {
    extent batch = 1;
    extent resolution = 224;  ///< height and width of the images
    extent classes = 1000;
    extent channels = 3;  ///< of the images
};

[[nodiscard]] inline auto add_images(model& m, image_options const& options) -> operand {
    return m.add_input("images", {{options.batch, options.channels, options.resolution, options.resolution}});
}

/// Convolution and batch norm.
[[nodiscard]] inline auto conv_norm(model& m, std::string const& name, operand x, convolution const& conv,
                                    double epsilon = 1e-5) -> operand {
    x = m.append(name + ".conv", conv, {x});
    return m.append(name + ".norm", batch_norm{.epsilon = epsilon}, {x});
}

/// Convolution, batch norm, ReLU.
[[nodiscard]] inline auto conv_norm_relu(model& m, std::string const& name, operand x, convolution const& conv,
                                         double epsilon = 1e-5) -> operand {
    return m.append(name + ".relu", relu{}, {conv_norm(m, name, x, conv, epsilon)});
}

/// Convolution with bias, ReLU.
[[nodiscard]] inline auto conv_relu(model& m, std::string const& name, operand x, extent channels, window w)
    -> operand {
    x = m.append(name + ".conv", convolution{channels, w, true}, {x});
    return m.append(name + ".relu", relu{}, {x});
}

/// All but the batch in one dimension, as a view.
[[nodiscard]] inline auto flatten(model& m, std::string const& name, operand x) -> operand {
    auto const& t = m.tensor_of(x);
    return m.append(name, reshape{{t.shape.front(), t.volume() / t.shape.front()}}, {x});
}

/// Mean over the image, and a linear layer to the classes.
[[nodiscard]] inline auto classifier(model& m, operand x, extent classes) -> operand {
    x = m.append("pool", adaptive_average_pool{1}, {x});
    x = flatten(m, "flatten", x);
    return m.append("classifier", linear{classes}, {x});
}

/// Cross entropy of scores per class (the second dimension) against labels, which become an input of the model.
inline auto add_loss(model& m, operand scores, std::string const& prefix = {},
                     std::string const& labels_name = "labels") -> operand {
    auto shape = m.tensor_of(scores).shape;
    shape.erase(shape.begin() + 1);
    operand labels{operand::source::input};
    for (; labels.index < m.inputs().size() && m.inputs()[labels.index].name != labels_name; ++labels.index) {
    }
    if (labels.index == m.inputs().size()) labels = m.add_input(labels_name, {std::move(shape), element::int64});
    scores = m.append(prefix + "log_softmax", log_softmax{}, {scores});
    return m.append(prefix + "loss", nll_loss{}, {scores, labels});
}

}  // namespace repebble::networks

#endif
