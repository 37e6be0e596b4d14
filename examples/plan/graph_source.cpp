#include "graph_source.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/io/json_network.hpp>
#include <repebble/io/roofline.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/measured_times.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/roofline.hpp>
#include <repebble/onnx/onnx_network.hpp>

#include "command_line/onnx_arguments.hpp"

namespace plan {

using namespace repebble;

namespace {

auto device_of(arguments const& asked) -> io::roofline {
    io::roofline device;
    device.flops_per_second = asked.flops_per_second.value_or(device.flops_per_second);
    device.bytes_per_second = asked.bytes_per_second.value_or(device.bytes_per_second);
    return device;
}

auto network_named(arguments const& asked, time_limit const& limit) -> io::network {
    auto const m = networks::by_name(asked.graph, asked.sizes);
    nlohmann::json extra{{"source", "repebble::networks"}};
    if (asked.times_in) {
        extra["device"] = "measured times";
        auto const times = networks::read_times(*asked.times_in, asked.reading.account(limit.left()));
        try {
            times.require_only(m);
            return networks::network_of(m, times, std::move(extra));
        } catch (error const& e) {
            throw bad_file(*asked.times_in, e.what());
        }
    }
    auto const [flops_per_second, bytes_per_second] = device_of(asked);
    networks::roofline const roofline{flops_per_second, bytes_per_second};
    extra["device"] = fmt::format("roofline {:g} TFLOP/s, {:g} TB/s", roofline.flops_per_second / 1e12,
                                  roofline.bytes_per_second / 1e12);
    return networks::network_of(m, roofline, std::move(extra));
}

}  // namespace

auto names_file(std::string const& graph) -> bool { return graph.find_first_of("./") != std::string::npos; }

auto graph_of(arguments const& asked, time_limit const& limit) -> io::network {
    bool const file = names_file(asked.graph), onnx = file && command_line::names_onnx(asked.graph);
    auto const& s = asked.sizes;
    struct option {
        char const* name;
        bool given;
        bool goes_with;
        char const* is_for;
    };
    constexpr auto by_name = "networks by name", with_times = "networks by name and ONNX models";
    std::array<option, 10> const options{
        {{"--time-unit", !asked.time_unit.empty(), file && !onnx, "graph files"},
         {"--dimension", !asked.dimensions.empty(), onnx, "ONNX models"},
         {"--batch", s.batch.has_value(), !file || onnx, with_times},
         {"--resolution", s.resolution.has_value(), !file, by_name},
         {"--classes", s.classes.has_value(), !file, by_name},
         {"--length", s.length.has_value(), !file, by_name},
         {"--times", asked.times_in.has_value(), !file, by_name},
         {"--device", asked.device.has_value(), !file || onnx, with_times},
         {"--flops-per-second", asked.flops_per_second.has_value(), !file || onnx, with_times},
         {"--bytes-per-second", asked.bytes_per_second.has_value(), !file || onnx, with_times}}};
    for (auto const& [name, given, goes_with, is_for] : options)
        if (given && !goes_with)
            throw bad_graph(fmt::format("{} is for {}, but {} is {}", name, is_for, asked.graph,
                                        onnx   ? "an ONNX model"
                                        : file ? "a file"
                                               : "a network by name"));
    if (!file) return network_named(asked, limit);
    auto const account = asked.reading.account(limit.left());
    if (onnx)
        return io::read_onnx(asked.graph,
                             {.dimensions = asked.dimensions,
                              .batch = s.batch,
                              .device = device_of(asked),
                              .training = !asked.inference},
                             account);
    return io::read_network(asked.graph, asked.time_unit, account);
}

auto without_gradients(forward_dataflow const& forward) -> training_graph {
    training_graph all{.flow = forward.flow, .origin = {}, .made_by = convention::joint};
    for (auto const v : forward.operations) all.origin.push_back({v, pass::forward, 0});
    return all;
}

}  // namespace plan
