// Covers allocate/detail/shapes/buffer_shapes.hpp, allocate/detail/shapes/compact_shapes.hpp,
// allocate/live_bytes.hpp, allocate/detail/search/interval_index.hpp, allocate/placement_order.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/detail/search/interval_index.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/placement_order.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using repebble::detail::compact_shapes;

auto made_compact(std::vector<buffer> const& buffers) -> compact_shapes {
    return repebble::detail::compact(repebble::detail::shapes_of(buffers));
}
auto everything(support::split_mix& random, std::size_t most) -> std::vector<buffer> {
    support::buffer_kinds const kinds{
        .aligned_percent = 20, .pinned_percent = 10, .alias_percent = support::below(random, 2) * 30, .gaps = true};
    return support::random_arena(random, support::below(random, most), 12, 6, kinds);
}
/// The pieces in the caller's time and bytes.
auto pieces_of_callers(std::vector<buffer> const& buffers) -> std::vector<buffer_piece> {
    auto const shapes = repebble::detail::shapes_of(buffers);
    auto const c = repebble::detail::compact(shapes);
    std::vector<buffer_piece> all;
    for (std::size_t s = 0; s < c.count(); ++s)
        for (auto const& p : shapes.pieces[c.origin[s]]) all.push_back(p);
    return all;
}
auto share_sections(repebble::detail::compact_piece const& a, repebble::detail::compact_piece const& b) -> bool {
    return a.first < b.last && b.first < a.last;
}

static_assert(repebble::detail::aligned(7, 4) == 8 && repebble::detail::aligned(8, 4) == 8);
static_assert(repebble::detail::aligned(0, std::numeric_limits<bytes>::max()) == 0);

}  // namespace

TEST_CASE("a section is a maximal set of buffers that are live at once", "[allocate]") {
    auto const c = made_compact({{.lifetime = {5, 9}, .size = 3},
                                 {.lifetime = {-4, 5}, .size = 8},
                                 {.lifetime = {2, 7}, .size = 1},
                                 {.lifetime = {3, 3}, .size = 7},
                                 {.lifetime = {0, 9}, .size = 0}});
    CHECK(c.load == std::vector<bytes>{9, 4});
    CHECK(c.origin == std::vector<std::uint32_t>{1, 2, 0});
    CHECK(c.size == std::vector<bytes>{8, 1, 3});
    CHECK(c.lifetime == std::vector<std::uint64_t>{9, 5, 4});
    CHECK(std::pair(c.begin_of(1), c.end_of(1)) == std::pair(0U, 2U));
    CHECK((c.plain && c.most_live == 9 && c.lower_bound == 9));
    CHECK(repebble::detail::loads_of(c) == std::vector<bytes>{9, 9, 4});
    CHECK(made_compact({}).count() == 0);
}

TEST_CASE("the lower bound includes pinned buffers, and buffers without lifetime", "[allocate]") {
    CHECK(made_compact({{.lifetime = {0, 1}, .size = 2, .pinned = 7}}).lower_bound == 9);
    CHECK(made_compact({{.lifetime = {0, 1}, .size = 2}, {.lifetime = {1, 1}, .size = 5}}).lower_bound == 5);
    CHECK(made_compact({{.lifetime = {0, 1}, .size = 0, .pinned = 7}}).lower_bound == 7);
    CHECK(made_compact({{.lifetime = {0, 9}, .size = 6, .gaps = {{{0, 9}, interval{4, 5}}}}}).lower_bound == 6);
}

TEST_CASE("aliases are cut into disjoint pieces", "[allocate]") {
    auto const shapes = repebble::detail::shapes_of(
        std::vector<buffer>{{.lifetime = {0, 4}, .size = 8, .alignment = 4, .gaps = {{{1, 3}, interval{6, 8}}}},
                            {.lifetime = {2, 9}, .size = 4, .alignment = 6, .alias_of = 0},
                            {.lifetime = {4, 5}, .size = 9, .alias_of = 0}});
    REQUIRE(shapes.shapes.size() == 1);
    CHECK((shapes.shapes[0].size == 9 && shapes.shapes[0].alignment == 12));
    CHECK(std::vector<buffer_piece>(shapes.pieces[0].begin(), shapes.pieces[0].end()) ==
          std::vector<buffer_piece>{{{0, 1}, {0, 8}},
                                    {{1, 3}, {6, 8}},
                                    {{2, 3}, {0, 4}},
                                    {{3, 4}, {0, 8}},
                                    {{4, 5}, {0, 9}},
                                    {{5, 9}, {0, 4}}});
}

TEST_CASE("contradicting alignments of aliases are refused", "[allocate]") {
    auto const shapes = [](std::vector<buffer> const& buffers) {
        return [=] { return repebble::detail::shapes_of(buffers).shapes.size(); };
    };
    CHECK(support::throws<bad_buffer>(
        shapes({{.size = 1, .alignment = 4, .pinned = 8}, {.size = 1, .alignment = 16, .alias_of = 0}}),
        {"buffer 1", "alignment 16", "buffer 0"}));
    CHECK(support::throws<bad_buffer>(shapes({{.size = 1, .alignment = (bytes{1} << 62) - 1},
                                              {.size = 1, .alignment = bytes{1} << 62, .alias_of = 0}}),
                                      {"buffer 1", "alignment"}));
    CHECK(shapes({{.size = 1, .alignment = 4, .pinned = 16}, {.size = 1, .alignment = 16, .alias_of = 0}})() == 1);
}

TEST_CASE("more buffers than 31 bits can number are refused", "[allocate]") {
    CHECK_NOTHROW(repebble::detail::require_few(2'147'483'647, "buffers"));
    CHECK(support::throws<bad_buffer>([] { return repebble::detail::require_few(2'147'483'648, "buffers"), 0; },
                                      {"2147483648", "buffers"}));
}

TEST_CASE("a lifetime counts the time in which any of its pieces is live", "[allocate]") {
    auto const first = std::numeric_limits<std::int64_t>::min();
    auto const last = std::numeric_limits<std::int64_t>::max();
    CHECK(made_compact({{.lifetime = {first, last}, .size = 1}}).lifetime.front() ==
          std::numeric_limits<std::uint64_t>::max());
    CHECK(
        made_compact({{.lifetime = {first, last}, .size = 2, .gaps = {{{first, last}, interval{0, 1}}}},
                      {.lifetime = {first, last}, .size = 8, .gaps = {{{first, last}, interval{4, 5}}}, .alias_of = 0}})
            .lifetime.front() == std::numeric_limits<std::uint64_t>::max());
    CHECK(made_compact({{.lifetime = {0, 9}, .size = 2, .gaps = {{{3, 5}, {}}}}}).lifetime.front() == 7);
}

TEST_CASE("pieces share a section exactly if they overlap in time", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = everything(random, 14);
        auto const c = made_compact(buffers);
        auto const callers = pieces_of_callers(buffers);
        RC_ASSERT(callers.size() == c.pieces.size());
        std::vector<bytes> load(c.sections(), 0);
        for (std::size_t i = 0; i < callers.size(); ++i) {
            auto const& p = c.pieces[i];
            RC_ASSERT(p.first < p.last && p.last <= c.sections());
            RC_ASSERT((interval{p.lower, p.upper} == callers[i].bytes));
            for (auto t = p.first; t < p.last; ++t) load[t] += p.upper - p.lower;
            for (std::size_t j = 0; j < callers.size(); ++j)
                RC_ASSERT(share_sections(p, c.pieces[j]) == callers[i].lifetime.overlaps(callers[j].lifetime));
        }
        RC_ASSERT(c.load == load);
        RC_ASSERT(c.most_live == find_live_bytes(buffers).most);
        RC_ASSERT(c.lower_bound >= c.most_live);
        auto const loads = repebble::detail::loads_of(c);
        for (std::size_t s = 0; s < c.count(); ++s) {
            bytes most = 0;
            for (auto const& p : c.pieces_of(s))
                for (auto t = p.first; t < p.last; ++t) most = std::max(most, load[t]);
            RC_ASSERT(loads[s] == most);
        }
    }));
}

TEST_CASE("a shape covers the bytes of its buffer and aliases, each byte by one piece", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = everything(random, 8);
        auto const shapes = repebble::detail::shapes_of(buffers);
        auto const naive = support::naive_shapes(buffers, 12);
        RC_ASSERT(shapes.shapes.size() == naive.size());
        for (std::size_t s = 0; s < naive.size(); ++s) {
            RC_ASSERT(shapes.shapes[s].size == naive[s].size && shapes.shapes[s].alignment == naive[s].alignment);
            for (auto const i : naive[s].members) RC_ASSERT(shapes.shape_of[i] == s);
            for (std::int64_t t = 0; t < 12; ++t)
                for (bytes byte = 0; byte < 8; ++byte) {
                    auto const there = std::ranges::count_if(shapes.pieces[s], [&](buffer_piece const& p) {
                        return p.lifetime.contains({t, t + 1}) && p.bytes.contains({byte, byte + 1});
                    });
                    RC_ASSERT(there == static_cast<bytes>((naive[s].at[static_cast<std::size_t>(t)] >> byte) & 1U));
                }
        }
    }));
}

TEST_CASE("the interval index finds the pieces that overlap a piece in time", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const c = made_compact(everything(random, 20));
        repebble::detail::interval_index const live(c);
        for (auto const& p : c.pieces) {
            std::vector<std::uint32_t> found, meeting;
            auto const looked_at = live.for_each_meeting(p, [&](auto const& e) {
                RC_ASSERT(e.slot >= c.first_piece[e.owner] && e.slot < c.first_piece[e.owner + 1]);
                found.push_back(e.slot);
            });
            for (std::uint32_t slot = 0; slot < c.pieces.size(); ++slot)
                if (share_sections(p, c.pieces[slot])) meeting.push_back(slot);
            std::ranges::sort(found);
            RC_ASSERT(found == meeting);
            RC_ASSERT(looked_at >= static_cast<std::int64_t>(found.size()));
        }
    }));
}
