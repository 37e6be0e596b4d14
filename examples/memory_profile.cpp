// Draws how much memory a training step holds over its time: keep_all against a plan within 60 % of its peak.
//   memory_profile [GRAPH_FILE] > memory_profile.svg
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

#include "drawing/svg.hpp"

namespace {

using namespace repebble;
using drawing::shown;

constexpr double left = 70, right = 850, top = 50, bottom = 320;
constexpr double gib = 1 << 30;

/// What fills the picture: `time` units from left to right, `memory` bytes from bottom to top.
struct scale {
    double time;
    double memory;
    [[nodiscard]] auto x(double t) const { return left + (right - left) * t / time; }
    [[nodiscard]] auto y(double bytes) const { return bottom - (bottom - top) * bytes / memory; }
};

/// The resident bytes during each computation, as an SVG path from the first to the last.
auto profile_path(training_graph const& training, schedule<> const& plan, scale const& s) -> std::string {
    auto const profile = replay(training.flow, plan, {.profile = true}).profile;
    std::string path = "M" + shown(s.x(0), 0) + " " + shown(s.y(0), 0);
    std::int64_t now = 0;
    for (std::size_t i = 0; i < profile.size(); ++i) {
        if (plan.steps[i].what != action::compute) continue;
        path += "V" + shown(s.y(static_cast<double>(profile[i])), 1);
        now += training.flow.time(plan.steps[i].vertex);
        path += "H" + shown(s.x(static_cast<double>(now)), 1);
    }
    return path + "V" + shown(s.y(0), 0);
}

void draw_axes(drawing::svg& picture, scale const& s) {
    for (int g = 0; g <= s.memory / gib; ++g) {
        picture.line(left, s.y(g * gib), right, s.y(g * gib), "stroke=\"#ddd\"");
        picture.words(left - 8, s.y(g * gib) + 4, "end", std::to_string(g) + " GiB");
    }
    constexpr double tick = 20e6;
    for (double t = 0; t <= s.time; t += tick) {
        picture.line(s.x(t), bottom, s.x(t), bottom + 5, "stroke=\"#444\"");
        picture.words(s.x(t), bottom + 20, "middle", shown(t / 1e6, 0) + " ms");
    }
}

auto draw(training_graph const& training, std::string const& name) -> int {
    auto const all = keep_all(training);
    bytes const budget = all.cost.peak * 6 / 10;
    auto const plan = lower_set_plan(training, budget);
    if (!plan || plan->cost.peak > budget) return 1;
    scale const s{static_cast<double>(std::max(all.cost.time, plan->cost.time)),
                  std::ceil(static_cast<double>(all.cost.peak) / gib) * gib};

    drawing::svg picture(880, 360);
    draw_axes(picture, s);
    picture.path(profile_path(training, all.schedule, s), "fill=\"#bbb\" fill-opacity=\"0.4\" stroke=\"#777\"");
    picture.path(profile_path(training, plan->schedule, s), "fill=\"#2a6fbb\" fill-opacity=\"0.35\" stroke=\"#1d5390\"");
    picture.line(left, s.y(static_cast<double>(budget)), right, s.y(static_cast<double>(budget)),
                 "stroke=\"#c0392b\" stroke-dasharray=\"6 4\"");
    auto const in_gib = [](bytes b) { return shown(static_cast<double>(b) / gib, 2) + " GiB"; };
    auto const more = 100 * static_cast<double>(plan->cost.overhead) / static_cast<double>(all.cost.time);
    picture.words(left, 20, "start", "Bytes of values and gradients during one training step of " + name);
    picture.words(left, 38, "start", "keep_all: peak " + in_gib(all.cost.peak), "#666");
    picture.words(left + 200, 38, "start",
                  "lower_set_approximate: peak " + in_gib(plan->cost.peak) + ", " + shown(more, 1) + " % more time",
                  "#1d5390");
    picture.words(right, s.y(static_cast<double>(budget)) - 6, "end", "budget " + in_gib(budget), "#c0392b");
    std::cout << std::move(picture).finish();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const net = io::read_network(argc > 1 ? argv[1] : "data/resnet50_joint.json");
        return draw(io::make_training_graph(net), net.name());
    } catch (std::exception const& e) {
        std::cerr << "memory_profile: " << e.what() << '\n';
        return 2;
    }
}
