// Covers decomposition/elimination.hpp, decomposition/undirected_graph.hpp,
// treewidth/detail/improve/local_improvement.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/treewidth/detail/improve/local_improvement.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

TEST_CASE("a replacement of a region is never worse, and gives an order of the whole graph of the stated width",
          "[local_improvement][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 60, 1 + support::below(random, 20));
        RC_PRE(g.edge_count() > 0);
        detail::local_improvement search(g, support::random_elimination(random, g.vertex_count()));
        for (std::uint64_t k = 0; k < 6; ++k) {
            auto const before = detail::widths_of(g, search.order());
            auto const better = search.propose(k);
            if (!better) continue;
            RC_ASSERT(better->after <= better->before);
            RC_ASSERT(better->before.width <= before.width);
            search.take(*better);
            auto const after = detail::widths_of(g, search.order());
            RC_ASSERT(after <= before);
            RC_ASSERT(search.width() == after.width);
            RC_ASSERT(elimination::of(g, search.order()).width == after.width);
        }
    }));
}

TEST_CASE("a grid in a bad order becomes as wide as it is long, part by part", "[local_improvement]") {
    auto const g = support::grid(6, 20);
    elimination_order rows(g.vertex_count());
    for (std::uint32_t v = 0; v < rows.size(); ++v) rows[v] = v;
    detail::local_improvement search(g, rows);
    CHECK(search.width() == 20);
    for (std::uint64_t k = 0; k < 200 && search.width() > 6; ++k)
        if (auto const better = search.propose(k)) search.take(*better);
    CHECK(search.width() == 6);
}

TEST_CASE("the width of an order and the number of its widest eliminations", "[local_improvement]") {
    undirected_graph const path(4, {{0, 1}, {1, 2}, {2, 3}});
    CHECK(detail::widths_of(path, elimination_order{0, 1, 2, 3}) == detail::width_count{1, 3});
    CHECK(detail::widths_of(path, elimination_order{1, 0, 2, 3}) == detail::width_count{2, 1});
    CHECK(detail::widths_of(undirected_graph(), elimination_order{}) == detail::width_count{});
}

}  // namespace
