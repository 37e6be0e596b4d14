// What does memory cost in time on networks that are chains of blocks? Overhead against budget of the dynamic program
// on chains, beside segments, lower sets and the automatic planner. Writes the page (chain_curves.md) to standard
// output, and its picture to the file that an argument names; of all networks, or of those that further arguments name.
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/gpt2.hpp>

#include "curves/curve_page.hpp"
#include "drawing/curves_picture.hpp"
#include "measure/cheap.hpp"

namespace {

using namespace repebble;
constexpr std::array compared{"chain", "segment_plan", "lower_set_approximate"};

constexpr char const* introduction = R"(# Networks that are chains of blocks

Made by `benchmark_chain_curves chain_curves.svg > chain_curves.md`: ResNet-101 (ImageNet) and ResNet-1001 (CIFAR) at
their default sizes, and a transformer (GPT-2's blocks, 1600 features, 25 heads) of 96 layers at batch 1 and 512 tokens;
gradients by `value_grad`, times by the roofline. Twelve budgets each, at equal distances. Figures are overheads: time
above computing everything once, in per cent of that. Every schedule is replayed, and counts where its peak is within
the budget.

![overhead against budget, three networks](chain_curves.svg)

*chain* is `repebble::chain_plan`: stages of one to five cuts (four to eight of ResNet-1001's narrow places), at
articulation points or at narrow places, each of which may save nothing, all, or some of what its gradients read; the
chain's dynamic program, exactly up to 150 stages and in 1000 to 2000 slots above; and what the budget then spares.
*segment_plan* is Chen et al. 2016 with a budget,
*lower_set_approximate* the program of Kusumoto et al. 2019 over the pruned family; √n segments have the one plan that is
named above each table. *automatic* is `repebble::plan`, and **bold** where its plan is
proven least; *at least* is what it proves of any schedule. *CPU s* is the time of planning for all twelve budgets.

At no budget is segment_plan or lower_set_approximate below chain. The automatic planner is at nine of 36, by 0.14 at most,
and above at six, by 0.19 at most. By which move, its schedules of commit `f8b62661` say, which were below at six: it
chooses single values of all stages beside one another. Where it is below, no operation that the two plans differ in runs three times. At 34.5 % of ResNet-101 its plan also drops eight outputs of
normalisations and activations (6.4 MB each, 1 µs per MB to make again) in the last two blocks, and for that keeps a
convolution's output of an early block (25.7 MB, 3.7 µs per MB); all else is the same. At 41.8 % of ResNet-101 and of
ResNet-1001 it exchanges values of the same kinds. A stage of a chain is saved in one of at most sixteen ways, ordered by
what is cheapest within it; and a chain's plan that has run is only ever given back computations, never a value taken
away to pay for another.
)";

}  // namespace

int main(int argc, char** argv) {
    std::array const networks{
        std::pair{"resnet101", networks::by_name("resnet101")},
        std::pair{"resnet1001", networks::by_name("resnet1001")},
        std::pair{"transformer of 96 layers",
                  networks::gpt2({.batch = 1, .layers = 96, .features = 1600, .heads = 25})},
    };
    if (measure::take_cheap(argc, argv)) {
        constexpr std::array quick{"segment_plan"};
        auto const& [name, model] = networks.front();
        auto page = curves::measured(name, model, quick, {}, true);
        page.names.assign(compared.begin(), compared.end());  // in their columns
        page.overheads = {{}, page.overheads.front(), {}, {}};
        page.seconds.resize(page.overheads.size());
        page.notes.resize(page.names.size());
        curves::print_page(page);
        return 0;
    }
    std::vector<curves::page> pages;
    for (auto const& [name, model] : networks) {
        if (!measure::is_asked_for(name, {argv, static_cast<std::size_t>(argc)}, 2)) continue;
        pages.push_back(curves::measured(name, model, compared));
        std::fprintf(stderr, "%s\n", name);
    }
    std::printf("%s\n", introduction);
    for (auto const& p : pages) curves::print_page(p);
    if (argc < 2) return 0;
    std::vector<drawing::curve_panel> panels;
    for (auto const& p : pages) panels.push_back(curves::panel_of(p));
    io::write_file(argv[1], drawing::curves_picture("Overhead against budget: chains of blocks", panels));
    return 0;
}
