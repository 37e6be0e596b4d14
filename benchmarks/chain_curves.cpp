// What does memory cost in time on networks that are chains of blocks? Overhead against budget of the dynamic program
// on chains, beside segments, lower sets and the automatic planner. Writes the page (chain_curves.md) to standard
// output, and its picture to the file that an argument names.
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/gpt2.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/segment_plan.hpp>

#include "curves/curve_page.hpp"
#include "drawing/curves_picture.hpp"

namespace {

using namespace repebble;
using curves::found;
using curves::strategy;

constexpr std::array strategies{
    strategy{"chain", [](auto const& t, auto const& o) -> found { return chain_plan(t, o); }},
    strategy{"segment_plan", [](auto const& t, auto const& o) -> found { return segment_plan(t, o); }},
    strategy{"lower_set_approximate",
             [](auto const& t, auto const& asked) -> found {
                 auto options = asked;
                 options.time_limit = 20;
                 return lower_set_approximate(t, options);
             }},
};

constexpr char const* introduction = R"(# Networks that are chains of blocks

INTRO
)";

}  // namespace

int main(int argc, char** argv) {
    std::array const networks{
        std::pair{"resnet101", networks::by_name("resnet101")},
        std::pair{"resnet1001", networks::by_name("resnet1001")},
        std::pair{"transformer of 96 layers",
                  networks::gpt2({.batch = 1, .layers = 96, .features = 1600, .heads = 25})},
    };
    std::vector<curves::page> pages;
    for (auto const& [name, model] : networks) {
        pages.push_back(curves::measured(name, model, strategies, {.time_limit = {}, .arena = false}));
        std::fprintf(stderr, "%s\n", name);
    }
    std::printf("%s\n", introduction);
    for (auto const& p : pages) curves::print_page(p);
    if (argc < 2) return 0;
    std::vector<drawing::curve_panel> panels;
    for (auto const& p : pages) panels.push_back(curves::panel_of(p));
    io::write_file(argv[1], drawing::curves_picture("Overhead against budget: chains of blocks", panels));
}
