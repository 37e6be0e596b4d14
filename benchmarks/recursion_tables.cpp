// What does recursion save, and cost? Chains of n = 2^j unit vertices whose gradients read inputs, with k cuts a part:
// Chen et al. 2016, section 4.4, equation (3). Markdown; the page is recursion_tables.md.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/segment_recursive.hpp>

#include "measure/cheap.hpp"

int main(int argc, char** argv) {
    using namespace repebble;
    constexpr std::array<std::size_t, 4> kept{1, 2, 4, 8};
    unsigned const last = measure::take_cheap(argc, argv) ? 12 : 16;
    std::printf("| n |");
    for (auto const k : kept) std::printf(" k = %zu: peak | k log n + 2 | computed again / n |", k);
    std::printf("\n|--:|");
    for (std::size_t i = 0; i < kept.size(); ++i) std::printf("--:|--:|--:|");
    std::printf("\n");
    for (unsigned j = 0; j <= last; ++j) {
        auto const n = std::size_t{1} << j;
        std::vector<std::vector<int>> chain(n);
        for (std::size_t v = 0; v + 1 < n; ++v) chain[v].push_back(static_cast<int>(v) + 1);
        auto const training = make_training_graph(chain, weights{}, needs_inputs_only);
        std::printf("| 2^%u |", j);
        for (auto const k : kept) {
            auto const cost = segment_recursive(training, {.kept = k}).cost;
            auto const levels = static_cast<double>(j) / std::log2(static_cast<double>(k + 1));
            std::printf(" %lld | %.2f | %.2f |", static_cast<long long>(cost.peak), static_cast<double>(k) * levels + 2,
                        static_cast<double>(cost.overhead) / static_cast<double>(n));
        }
        std::printf("\n");
    }
    std::printf("\n%.1f s of CPU time\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    return 0;
}
