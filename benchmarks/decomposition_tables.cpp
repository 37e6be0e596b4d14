// How little memory does divide and conquer over a tree decomposition take, and for how many computations? Chains,
// towers and U-Nets of unit vertices of up to 10⁵ vertices: Bulatov 2018, "Support general graphs". Markdown; the page
// is decomposition_tables.md.
#include <bit>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "measure/cheap.hpp"
#include "measure/lower_set_graphs.hpp"

namespace {

/// A chain of n whose first half is read by its second in reverse, at every second vertex.
auto u_net(int n) -> measure::adjacency {
    auto g = measure::chain(n);
    for (int v = 0; v + 1 < n - 1 - v; v += 2) g[static_cast<std::size_t>(v)].push_back(n - 1 - v);
    return g;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace repebble;
    int const most = measure::take_cheap(argc, argv) ? 512 : 100'000;
    struct family {
        char const* name;
        std::function<measure::adjacency(int)> of;
    };
    std::vector<family> const all{{"chain", measure::chain},
                                  {"two towers", measure::towers<2>},
                                  {"four towers", measure::towers<4>},
                                  {"U-Net", u_net}};
    for (auto const& network : all) {
        std::printf(
            "\n## %s\n\n| n | keep everything | width | levels | promise | peak | peak / ⌈log₂ n⌉ | time / once | CPU "
            "s |\n"
            "|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            network.name);
        for (int const n : {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 100'000}) {
            if (n > most) break;
            auto const training = make_training_graph(network.of(n), weights{}, gradient_dependencies{});
            auto const begin = std::clock();
            auto const plan = decomposition_plan(training);
            auto const seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
            auto const levels = std::bit_width(static_cast<unsigned>(n - 1));
            std::printf("| %d | %lld | %zu | %zu | %lld | %lld | %.2f | %.2f | %.2f |\n", n,
                        static_cast<long long>(keep_all(training).cost.peak), plan->width, plan->levels,
                        static_cast<long long>(plan->promise), static_cast<long long>(plan->cost.peak),
                        static_cast<double>(plan->cost.peak) / static_cast<double>(levels),
                        static_cast<double>(plan->cost.time) / static_cast<double>(training.flow.time_once()), seconds);
            std::fflush(stdout);
        }
    }
    return 0;
}
