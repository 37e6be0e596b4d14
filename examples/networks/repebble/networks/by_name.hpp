#ifndef REPEBBLE_NETWORKS_BY_NAME_HPP
#define REPEBBLE_NETWORKS_BY_NAME_HPP

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <repebble/graph/error.hpp>
#include <repebble/networks/densenet.hpp>
#include <repebble/networks/googlenet.hpp>
#include <repebble/networks/gpt2.hpp>
#include <repebble/networks/llama.hpp>
#include <repebble/networks/lstm.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/pspnet.hpp>
#include <repebble/networks/resnet.hpp>
#include <repebble/networks/sizes.hpp>
#include <repebble/networks/unet.hpp>
#include <repebble/networks/vgg.hpp>

namespace repebble::networks {

namespace detail {

inline void refuse(std::string const& name, char const* option, std::optional<extent> const& given) {
    if (given) throw bad_graph("the network " + name + " has no " + option);
}

[[nodiscard]] inline auto image_sizes(std::string const& name, sizes const& asked, image_options defaults)
    -> image_options {
    refuse(name, "length", asked.length);
    defaults.batch = asked.batch.value_or(defaults.batch);
    defaults.resolution = asked.resolution.value_or(defaults.resolution);
    defaults.classes = asked.classes.value_or(defaults.classes);
    defaults.channels = asked.channels.value_or(defaults.channels);
    if (defaults.classes < 1) throw bad_graph("a network cannot have " + std::to_string(defaults.classes) + " classes");
    return defaults;
}

template <class Options>
[[nodiscard]] auto text_sizes(std::string const& name, sizes const& asked, Options defaults) -> Options {
    refuse(name, "resolution", asked.resolution);
    refuse(name, "number of classes", asked.classes);
    refuse(name, "number of channels", asked.channels);
    defaults.batch = asked.batch.value_or(defaults.batch);
    defaults.length = asked.length.value_or(defaults.length);
    return defaults;
}

struct resnet_name {
    extent depth;
    resnet_layout layout;
};

/// "resnet50", "resnet1001", "resnet1001_imagenet": nothing for another word.
[[nodiscard]] inline auto parse_resnet(std::string_view name) -> std::optional<resnet_name> {
    constexpr std::string_view prefix = "resnet";
    constexpr std::string_view suffix = "_imagenet";
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    bool const imagenet = name.ends_with(suffix);
    if (imagenet) name.remove_suffix(suffix.size());
    extent depth = 0;
    auto const [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), depth);
    if (wrong != std::errc{} || end != name.data() + name.size() || depth < 1) return std::nullopt;
    if (name.front() == '0') return std::nullopt;
    return resnet_name{depth, imagenet || is_published_resnet(depth) ? resnet_layout::imagenet : resnet_layout::cifar};
}

[[nodiscard]] inline auto resnet_by_name(std::string const& name, resnet_name const& which, sizes const& asked)
    -> model {
    auto const [depth, layout] = which;
    if (depth > 100'000) throw bad_graph(name + ": a network by name has at most 100000 layers");
    if (layout == resnet_layout::cifar) {
        if (depth < 11 || depth % 9 != 2)
            throw bad_graph("there is no " + name +
                            ": depths are 18, 34, 50, 101, 152, any 9 k + 2 (three stages, as " +
                            "resnet1001), and with _imagenet behind the number any 3 k + 2 from 50 on");
        return resnet(depth, layout, image_sizes(name, asked, {.batch = 128, .resolution = 32, .classes = 10}));
    }
    extent const batch = depth < 50 ? 128 : depth == 50 ? 96 : depth == 101 ? 64 : depth == 152 ? 48 : 32;
    return resnet(depth, layout, image_sizes(name, asked, {.batch = batch}));
}

}  // namespace detail

/// A network by its name, of any size. Defaults (batch, resolution, classes; or batch, length):
///   resnet18, resnet34 128, 224, 1000; resnet50 96; resnet101 64; resnet152 48; resnet<3k+2>_imagenet 32
///   resnet<9k+2>       128, 32, 10
///   vgg19, vgg19_bn    64, 224, 1000
///   densenet161        32, 224, 1000
///   googlenet, googlenet_2015  256, 224, 1000
///   unet               8, 572, 2
///   pspnet             2, 713, 19
///   lstm               128, 64
///   lstm_frames        64, 64
///   gpt2, gpt2_medium, gpt2_large, gpt2_xl  8, 512
///   llama2_7b, llama3_1b, llama3_8b  8, 512
/// Throws bad_graph where there is no such network, it has no such size, or an operation cannot be of that size, and
/// bad_weight where bytes do not fit in 64 bits; the message names the option or the operation.
[[nodiscard]] inline auto by_name(std::string const& name, sizes const& asked = {}) -> model {
    auto const image = [&](image_options const& defaults) { return detail::image_sizes(name, asked, defaults); };
    auto const text = [&](auto const& defaults) { return detail::text_sizes(name, asked, defaults); };
    auto const made = [&]() -> std::optional<model> {
        if (auto const which = detail::parse_resnet(name)) return detail::resnet_by_name(name, *which, asked);
        if (name == "vgg19" || name == "vgg19_bn") return vgg19(image({.batch = 64}), name == "vgg19_bn");
        if (name == "densenet161") return densenet161(image({.batch = 32}));
        if (name == "googlenet") return googlenet(image({.batch = 256}));
        if (name == "googlenet_2015") return googlenet_2015(image({.batch = 256}));
        if (name == "pspnet") return pspnet(image({.batch = 2, .resolution = 713, .classes = 19}));
        if (name == "unet") return unet({.images = image(unet_options{}.images)});
        if (name == "lstm" || name == "lstm_frames") {
            if (asked.length > 10'000) throw bad_graph(name + ": a network by name has at most 10000 steps");
            return name == "lstm" ? lstm(text(lstm_options{})) : lstm_frames(text(lstm_frames_options{}));
        }
        if (name == "gpt2") return gpt2(text(gpt2_options{}));
        if (name == "gpt2_medium") return gpt2(text(gpt2_options{.layers = 24, .features = 1024, .heads = 16}), name);
        if (name == "gpt2_large") return gpt2(text(gpt2_options{.layers = 36, .features = 1280, .heads = 20}), name);
        if (name == "gpt2_xl") return gpt2(text(gpt2_options{.layers = 48, .features = 1600, .heads = 25}), name);
        if (name == "llama2_7b") return llama(text(llama_options{}), name);
        llama_options llama3{.groups = 8, .inside = 14336, .vocabulary = 128'256, .base = 500'000};
        if (name == "llama3_8b") return llama(text(llama3), name);
        llama3.layers = 16, llama3.features = 2048, llama3.inside = 8192, llama3.tied = true;
        if (name == "llama3_1b") return llama(text(llama3), name);
        return std::nullopt;
    }();
    if (!made)
        throw bad_graph("there is no network " + name + "; there are " + names +
                        ". A file is named with a dot or a slash");
    return *made;
}

}  // namespace repebble::networks

#endif
