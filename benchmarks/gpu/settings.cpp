#include "settings.hpp"

#include <repebble/networks/by_name.hpp>

namespace gpu_tables {

namespace networks = repebble::networks;
using networks::extent;

namespace {

[[nodiscard]] auto by_name(std::string const& name, extent batch) -> subject {
    return {name, batch, [name](extent n) { return networks::by_name(name, {.batch = n}); }};
}

}  // namespace

auto subjects(bool dry) -> std::vector<subject> {
    if (!dry) return {by_name("resnet50", 96), by_name("unet", 8), by_name("gpt2", 8), by_name("lstm", 128)};
    return {
        {"resnet11", 1,
         [](extent n) {
             return networks::resnet(11, networks::resnet_layout::cifar,
                                     {.batch = n, .resolution = 8, .classes = 5, .channels = 1});
         }},
        {"unet", 1,
         [](extent n) {
             return networks::unet(
                 {.images = {.batch = n, .resolution = 44, .classes = 2, .channels = 1}, .width = 4, .levels = 2});
         }},
        {"gpt2", 2,
         [](extent n) {
             return networks::gpt2({.batch = n, .length = 8, .layers = 1, .features = 8, .heads = 2, .vocabulary = 7});
         }},
        {"lstm", 4,
         [](extent n) {
             return networks::lstm({.batch = n, .length = 4, .layers = 1, .features = 8, .vocabulary = 7});
         }},
    };
}

auto ways() -> std::vector<way> const& {
    static std::vector<way> const all{
        {"keep_all", "keep_all", "100%"},           {"automatic", "automatic", "80%"},
        {"automatic", "automatic", "60%"},          {"automatic", "automatic", "40%"},
        {"sqrt_segments", "sqrt_segments", "100%"}, {"chain", "chain", "60%"},
        {"offload", "automatic", "60%", true},      {"offload", "automatic", "40%", true},
    };
    return all;
}

}  // namespace gpu_tables
