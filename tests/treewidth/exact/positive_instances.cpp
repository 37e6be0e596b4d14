// Covers treewidth/detail/exact/positive_instances.hpp: the engine by itself, without reductions.
#include <cstddef>
#include <cstdint>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/treewidth/detail/exact/positive_instances.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "treewidth/small_treewidth.hpp"

namespace {

using namespace repebble;

TEST_CASE("parts below a bag are built where, and only where, the width suffices", "[positive_instances][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_undirected(random, 10);
        auto const least = support::small_treewidth(g);
        for (std::size_t k = 1; k <= least + 1 && k + 1 < g.vertex_count(); ++k) {  // it is not asked beyond
            auto const decided = detail::positive_instances<1>(g, k, {}).run();
            RC_ASSERT(decided.answer == std::optional(k >= least));
            if (k >= least) RC_ASSERT(elimination::of(g, decided.order).width <= k);
        }
    }));
}

}  // namespace
