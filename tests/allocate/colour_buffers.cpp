// Covers allocate/detail/colour_buffers.hpp, allocate/live_bytes.hpp, allocate/verify_offsets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/detail/colour_buffers.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/ints.hpp"
#include "support/property.hpp"
#include "support/random_buffers.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("buffers conflict when they are live at once", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 3}, .size = 4},
                                      {.lifetime = {3, 9}, .size = 4},
                                      {.lifetime = {2, 4}, .size = 4, .gaps = {{{2, 3}, {}}}},
                                      {.lifetime = {0, 9}, .size = 0},
                                      {.lifetime = {3, 3}, .size = 4}};
    auto const g = detail::conflict_graph(buffers);
    CHECK(support::ints(g.successors(0)) == std::vector{2});
    CHECK(support::ints(g.successors(1)) == std::vector{2});
    CHECK(support::ints(g.successors(2)) == std::vector{0, 1});
    CHECK(g.edge_count() == 4);
}

TEST_CASE("in the order of size no block grows; in the order of begin blocks are few", "[allocate]") {
    // A star of small buffers, which end when the large ones begin.
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 1},
                                      {.lifetime = {1, 4}, .size = 9},
                                      {.lifetime = {3, 6}, .size = 8},
                                      {.lifetime = {5, 7}, .size = 2}};
    CHECK(share_blocks(buffers, {.method = block_method::colour_by_size}) ==
          shared_blocks{{1, 0, 1, 0}, {{9, 1}, {8, 1}}, 17});
    CHECK(share_blocks(buffers, {.method = block_method::colour_by_begin}) ==
          shared_blocks{{0, 1, 0, 1}, {{8, 1}, {9, 1}}, 17});
}

TEST_CASE("a colouring requires a graph of all buffers, and no pins", "[allocate]") {
    std::vector<buffer> buffers{{.lifetime = {0, 1}, .size = 1, .pinned = 4}};
    CHECK(support::throws<bad_buffer>([&] { return share_blocks(buffers, {.method = block_method::colour_by_size}); },
                                      {"buffer 0", "pinned"}));
    buffers[0].pinned.reset();
    CHECK_THROWS_AS(detail::colour_buffers(buffers, csr_graph{}, block_method::colour_by_size), precondition_violated);
}

TEST_CASE("conflicts agree with the definition, and colours respect them", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto buffers = support::random_buffers(random, support::below(random, 12), 12, 6);
        for (auto& b : buffers) b.alignment = support::between(random, 1, 4);
        auto const g = detail::conflict_graph(buffers);
        std::vector<buffer> solid;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            solid.push_back({.lifetime = buffers[i].lifetime, .size = buffers[i].size > 0 ? 1 : 0});
            std::vector<int> live_with;
            for (std::size_t j = 0; j < buffers.size(); ++j) {
                bool together = false;
                for (auto t = buffers[i].lifetime.lower; t < buffers[i].lifetime.upper; ++t)
                    together = together || (buffers[j].lifetime.lower <= t && t < buffers[j].lifetime.upper);
                if (i != j && together && buffers[i].size > 0 && buffers[j].size > 0)
                    live_with.push_back(static_cast<int>(j));
            }
            RC_ASSERT(support::ints(g.successors(i)) == live_with);
        }
        for (auto const method : {block_method::colour_by_size, block_method::colour_by_begin}) {
            auto const shared = share_blocks(buffers, {.method = method});
            RC_ASSERT(!verify_offsets(buffers, shared.offsets()).fault);
            RC_ASSERT(shared.total >= find_live_bytes(buffers).most);
            if (method == block_method::colour_by_begin)
                RC_ASSERT(static_cast<bytes>(shared.blocks.size()) == find_live_bytes(solid).most);
        }
    }));
}
