#ifndef KUSUMOTO_SUBJECTS_HPP
#define KUSUMOTO_SUBJECTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/sizes.hpp>

namespace repebble::kusumoto {

// ---- the paper ---------------------------------------------------------------------------------------------------

inline constexpr std::array columns{"ApproxDP + MC", "ApproxDP + TC", "ExactDP + MC",
                                    "ExactDP + TC",  "Chen's",        "Vanilla"};
inline constexpr std::size_t column_count = columns.size();
inline constexpr std::size_t chen = 4;
inline constexpr std::size_t vanilla = 5;

struct paper_row {
    char const* title;
    char const* file;     ///< of the published graph
    char const* builder;  ///< name for networks::by_name
    networks::sizes sizes;
    std::array<double, column_count> with_liveness;     ///< Table 1, GB
    std::array<double, column_count> without_liveness;  ///< Table 2, GB
};

inline constexpr double device_memory = 11.4;  ///< Table 2 prints ">= 11.4 GB" where a run did not fit

inline constexpr std::array<paper_row, 7> paper{{
    {"PSPNet", "pspnet", "pspnet", {.batch = 2, .classes = 17},
     {2.7, 3.1, 2.8, 3.2, 4.0, 9.4}, {3.2, 3.3, 3.3, 3.3, 7.6, 9.4}},
    {"U-Net", "unet", "unet", {.batch = 8},
     {5.0, 6.7, 4.7, 5.3, 7.4, 9.1}, {6.8, 6.8, 6.8, 6.8, device_memory, 9.1}},
    {"ResNet50", "resnet50", "resnet50", {.batch = 96},
     {3.4, 4.4, 3.4, 4.3, 3.7, 8.9}, {4.7, 4.4, 4.7, 4.4, 6.7, 8.9}},
    {"ResNet152", "resnet152", "resnet152", {.batch = 48},
     {2.3, 2.5, 2.3, 2.5, 2.4, 9.2}, {2.8, 2.8, 2.8, 2.8, 4.1, 9.2}},
    {"VGG19", "vgg19", "vgg19", {.batch = 64},
     {4.5, 5.5, 4.5, 5.5, 4.7, 7.0}, {5.5, 5.5, 5.5, 5.5, 6.3, 7.0}},
    {"DenseNet161", "densenet", "densenet161", {.batch = 32},
     {1.6, 1.9, 1.7, 1.8, 1.8, 8.5}, {1.9, 2.0, 1.9, 2.0, 3.4, 8.5}},
    {"GoogLeNet", "googlenet", "googlenet_2015", {.batch = 256},
     {5.2, 5.5, 5.2, 5.9, 6.5, 8.5}, {6.0, 6.0, 6.0, 6.0, device_memory, 8.5}},
}};

// ---- the graphs --------------------------------------------------------------------------------------------------

/// A network with what lies in memory beside its values and gradients.
struct subject {
    io::network net;
    bytes parameters = 0;
    bytes inputs = 0;
    std::vector<bytes> parameters_of{};  ///< per node; only a builder tells them

    /// Parameters, their gradients, images and labels.
    [[nodiscard]] auto constant() const -> bytes { return 2 * parameters + inputs; }
};

/// T_v as in section 3: 10 for convolutions, 1 for all else that computes.
struct time_of_paper {
    auto operator()(networks::operation const& v) const -> std::int64_t {
        if (v.is_view()) return 0;
        auto const* conv = std::get_if<networks::convolution>(&v.what);
        return conv != nullptr && !conv->transposed ? 10 : 1;
    }
};

template <class Time = time_of_paper>
[[nodiscard]] auto built(paper_row const& row, Time const& time = {}) -> subject {
    auto const m = networks::by_name(row.builder, row.sizes);
    io::network net = networks::network_of(m, time);
    std::vector<bytes> parameters_of;
    for (auto const& v : m.operations()) {
        bytes own = 0;
        for (auto const p : v.parameters)
            if (m.parameters()[p].trained) own += m.parameters()[p].tensor.size();
        parameters_of.push_back(own);
    }
    auto const inputs = net.extra().at("input_bytes").get<bytes>();
    return {std::move(net), m.trained_size(), inputs, std::move(parameters_of)};
}

/// The published graph at the batch of Table 1; nothing where it is not there.
inline auto published(paper_row const& row) -> std::optional<subject> {
    auto const folder = std::filesystem::path(REPEBBLE_SOURCE_DIR) / "../shared/data/public/pfnet/graphs";
    auto const path = folder / (std::string(row.file) + ".json");
    if (!std::filesystem::exists(path)) return std::nullopt;
    auto const file = io::read_network(path);
    auto const batch = file.extra().at("paper_table1_batch").get<bytes>();
    auto const of_file = file.extra().at("batch_of_file").get<bytes>();
    std::vector<io::network_node> nodes(file.nodes().begin(), file.nodes().end());
    constexpr bytes loss = 4;  // one number, whatever the batch
    for (auto& node : nodes)
        if (node.memory != loss) node.memory = node.memory * batch / of_file;
    std::vector<io::network_edge> edges;
    for (auto const& [u, v] : file.edges()) edges.push_back({u, v});
    return subject{io::network(std::move(nodes), std::move(edges), file.name()),
                   file.extra().at("param_bytes").get<bytes>(),
                   file.extra().at("input_bytes").get<bytes>() * batch / of_file};
}

}  // namespace repebble::kusumoto

#endif
