// What does memory cost in time? Six networks, twelve budgets each, every strategy: overhead against budget, beside
// what is proven of any schedule. Writes the page (plan_curves.md) to standard output, and its picture to the file that
// an argument names.
#include <array>
#include <cstdio>
#include <vector>

#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>

#include "curves/curve_page.hpp"
#include "drawing/curves_picture.hpp"
#include "measure/cheap.hpp"

namespace {

using namespace repebble;
constexpr std::array compared{"greedy_eviction", "save_set", "lower_set_approximate", "lower_set_exact"};

constexpr char const* introduction = R"(# What memory costs in time

Made by `benchmark_plan_curves plan_curves.svg > plan_curves.md`: six networks of the builders at their default sizes,
gradients by `value_grad`, times by the roofline. Each has twelve budgets at equal distances, from what every schedule
needs (the floor; 20 % where that is less) to what keep_all needs. Figures are overheads: time above computing everything
once, in per cent of that. Every schedule is replayed, and counts where its peak is within the budget.

![overhead against budget, six networks](plan_curves.svg)

*automatic* is `repebble::plan`, and **bold** where its plan is proven least; *at least* is what it proves of any
schedule. The least overhead lies in the band between them. keep_all is the point at 100 %; sqrt_segments has one plan
only; forget_all, which has one plan too, takes several times as long and is left out. The picture ends at 36 %.
*CPU s* is the time of planning for all twelve budgets.
)";

}  // namespace

int main(int argc, char** argv) {
    if (measure::take_cheap(argc, argv)) {
        for (auto const* name : {"vgg19", "unet"})
            curves::print_page(curves::measured(name, networks::by_name(name), compared, {}, true));
        return 0;
    }
    std::vector<curves::page> pages;
    for (auto const* name : {"resnet50", "vgg19", "unet", "gpt2", "googlenet", "densenet161"}) {
        pages.push_back(curves::measured(name, networks::by_name(name), compared));
        std::fprintf(stderr, "%s\n", name);
    }
    std::printf("%s\n", introduction);
    curves::print_summary(pages);
    for (auto const& p : pages) curves::print_page(p);
    if (argc < 2) return 0;
    std::vector<drawing::curve_panel> panels;
    for (auto const& p : pages) panels.push_back(curves::panel_of(p));
    io::write_file(argv[1], drawing::curves_picture("Overhead against budget, by strategy", panels));
    return 0;
}
