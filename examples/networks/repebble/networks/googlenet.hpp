#ifndef REPEBBLE_NETWORKS_GOOGLENET_HPP
#define REPEBBLE_NETWORKS_GOOGLENET_HPP

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

namespace detail {

/// Channels of the four branches of an inception module; the two middle ones first reduce.
struct inception_channels {
    char const* name;
    extent one, reduce_three, three, reduce_five, five, pool;
};

inline constexpr std::array<inception_channels, 9> inception_modules{{{"3a", 64, 96, 128, 16, 32, 32},
                                                                      {"3b", 128, 128, 192, 32, 96, 64},
                                                                      {"4a", 192, 96, 208, 16, 48, 64},
                                                                      {"4b", 160, 112, 224, 24, 64, 64},
                                                                      {"4c", 128, 128, 256, 24, 64, 64},
                                                                      {"4d", 112, 144, 288, 32, 64, 64},
                                                                      {"4e", 256, 160, 320, 32, 128, 128},
                                                                      {"5a", 256, 160, 320, 32, 128, 128},
                                                                      {"5b", 384, 192, 384, 48, 128, 128}}};

}  // namespace detail

/// GoogLeNet as it is trained today: batch norm after each convolution, a 3x3 convolution where the first one had 5x5,
/// no auxiliary classifiers.
[[nodiscard]] inline auto googlenet(image_options const& options) -> model {
    model m("googlenet");
    auto const unit = [&m](std::string const& name, operand x, extent channels, window w = {}) {
        return conv_norm_relu(m, name, x, {channels, w}, 1e-3);
    };
    window const three{.kernel = 3, .padding = 1};
    window const halve{.kernel = 3, .stride = 2, .round_up = true};
    auto x = unit("stem.1", add_images(m, options), 64, {7, 2, 3});
    x = m.append("stem.1.pool", max_pool{halve}, {x});
    x = unit("stem.2", x, 64);
    x = unit("stem.3", x, 192, three);
    x = m.append("stem.3.pool", max_pool{halve}, {x});
    for (auto const& c : detail::inception_modules) {
        std::string const name = c.name;
        auto const a = unit(name + ".1", x, c.one);
        auto const b = unit(name + ".3", unit(name + ".3.reduce", x, c.reduce_three), c.three, three);
        auto const d = unit(name + ".5", unit(name + ".5.reduce", x, c.reduce_five), c.five, three);
        auto const pooled = m.append(name + ".pool", max_pool{{3, 1, 1, 1, true}}, {x});
        x = m.append(name + ".concat", concat{}, {a, b, d, unit(name + ".pool", pooled, c.pool)});
        if (name == "3b") x = m.append("3.pool", max_pool{halve}, {x});
        if (name == "4e") x = m.append("4.pool", max_pool{{.kernel = 2, .stride = 2, .round_up = true}}, {x});
    }
    x = m.append("pool", adaptive_average_pool{1}, {x});
    x = flatten(m, "flatten", x);
    x = m.append("dropout", dropout{0.2}, {x});
    add_loss(m, m.append("classifier", linear{options.classes}, {x}));
    return m;
}

/// GoogLeNet as it was published (Szegedy et al. 2015): local response normalisation, ReLU after each concatenation,
/// two auxiliary classifiers, whose losses are added with the factor 0.3.
[[nodiscard]] inline auto googlenet_2015(image_options const& options) -> model {
    model m("googlenet_2015");
    auto const conv = [&m](std::string const& name, operand x, extent channels, window w = {}) {
        return m.append(name + ".conv", convolution{channels, w, true}, {x});
    };
    auto const unit = [&m](std::string const& name, operand x, extent channels, window w = {}) {
        return conv_relu(m, name, x, channels, w);
    };
    window const three{.kernel = 3, .padding = 1};
    window const five{.kernel = 5, .padding = 2};
    window const halve{.kernel = 3, .stride = 2, .round_up = true};
    auto const auxiliary = [&](std::string const& name, operand x) {
        x = m.append(name + ".pool", average_pool{{5, 3}}, {x});
        x = flatten(m, name + ".flatten", unit(name, x, 128));
        x = m.append(name + ".linear.relu", relu{}, {m.append(name + ".linear", linear{1024}, {x})});
        x = m.append(name + ".classifier", linear{options.classes}, {x});
        return m.append(name + ".scale", scale{0.3}, {add_loss(m, x, name + ".")});
    };
    auto x = unit("stem.1", add_images(m, options), 64, {7, 2, 3});
    x = m.append("stem.1.pool", max_pool{halve}, {x});
    x = m.append("stem.1.norm", local_response_norm{}, {x});
    x = unit("stem.2", x, 64);
    x = unit("stem.3", x, 192, three);
    x = m.append("stem.3.norm", local_response_norm{}, {x});
    x = m.append("stem.3.pool", max_pool{halve}, {x});
    std::vector<operand> losses;
    for (auto const& c : detail::inception_modules) {
        std::string const name = c.name;
        auto const a = conv(name + ".1", x, c.one);
        auto const b = conv(name + ".3", unit(name + ".3.reduce", x, c.reduce_three), c.three, three);
        auto const d = conv(name + ".5", unit(name + ".5.reduce", x, c.reduce_five), c.five, five);
        auto const pooled = m.append(name + ".pool", max_pool{three}, {x});
        x = m.append(name + ".concat", concat{}, {a, b, d, conv(name + ".pool", pooled, c.pool)});
        x = m.append(name + ".relu", relu{}, {x});
        if (name == "4a" || name == "4d") losses.push_back(auxiliary("auxiliary." + name, x));
        if (name == "3b" || name == "4e") x = m.append(name + ".pool2", max_pool{halve}, {x});
    }
    x = m.append("pool", adaptive_average_pool{1}, {x});
    x = m.append("dropout", dropout{0.4}, {x});
    x = flatten(m, "flatten", x);
    auto loss = add_loss(m, m.append("classifier", linear{options.classes}, {x}));
    for (std::size_t i = 0; i < losses.size(); ++i)
        loss = m.append("loss.add" + std::to_string(i + 1), add{}, {loss, losses[i]});
    return m;
}

}  // namespace repebble::networks

#endif
