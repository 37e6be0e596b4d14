#include "graph_source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/io/dot_network.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/measured_times.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/roofline.hpp>

namespace plan {

using namespace repebble;

namespace {

auto network_named(arguments const& asked) -> io::network {
    auto const m = networks::by_name(asked.graph, asked.sizes);
    nlohmann::json extra{{"source", "repebble::networks"}};
    if (asked.times_in) {
        extra["device"] = "measured times";
        auto const times = networks::read_times(*asked.times_in);
        try {
            times.require_only(m);
            return networks::network_of(m, times, std::move(extra));
        } catch (error const& e) {
            throw bad_file(*asked.times_in, e.what());
        }
    }
    networks::roofline roofline;
    roofline.flops_per_second = asked.flops_per_second.value_or(roofline.flops_per_second);
    roofline.bytes_per_second = asked.bytes_per_second.value_or(roofline.bytes_per_second);
    extra["device"] = fmt::format("roofline {:g} TFLOP/s, {:g} TB/s", roofline.flops_per_second / 1e12,
                                  roofline.bytes_per_second / 1e12);
    return networks::network_of(m, roofline, std::move(extra));
}

/// A format of graph files. All others are taken for JSON.
struct format {
    std::string_view extension;  // before .gz
    io::network (*read)(std::filesystem::path const&, std::string_view unit);
};
constexpr std::array formats{format{".dot", io::read_dot_network}, format{".gv", io::read_dot_network}};

auto network_in(std::string const& file, std::string_view unit) -> io::network {
    std::filesystem::path name(file);
    if (name.extension() == ".gz") name.replace_extension();
    auto const found = std::ranges::find(formats, name.extension(), &format::extension);
    return found == formats.end() ? io::read_network(file, unit) : found->read(file, unit);
}

}  // namespace

auto names_file(std::string const& graph) -> bool { return graph.find_first_of("./") != std::string::npos; }

auto graph_of(arguments const& asked) -> io::network {
    if (!names_file(asked.graph)) {
        if (!asked.time_unit.empty())
            throw bad_graph(fmt::format("--time-unit is for files, but {} is a network by name", asked.graph));
        return network_named(asked);
    }
    auto const& s = asked.sizes;
    std::array<std::pair<char const*, bool>, 8> const of_networks{
        {{"--batch", s.batch.has_value()},
         {"--resolution", s.resolution.has_value()},
         {"--classes", s.classes.has_value()},
         {"--length", s.length.has_value()},
         {"--times", asked.times_in.has_value()},
         {"--device", asked.device.has_value()},
         {"--flops-per-second", asked.flops_per_second.has_value()},
         {"--bytes-per-second", asked.bytes_per_second.has_value()}}};
    for (auto const& [option, given] : of_networks)
        if (given) throw bad_graph(fmt::format("{} is for networks by name, but {} is a file", option, asked.graph));
    return network_in(asked.graph, asked.time_unit);
}

}  // namespace plan
