// Covers allocate/fit_offsets.hpp, allocate/verify_offsets.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"
#include "support/random_buffers.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

using offset_list = std::vector<bytes>;

/// The non-empty naive shapes by a key, then by begin.
template <class Key>
auto naive_order(std::vector<support::naive_shape> const& shapes, Key key) -> std::vector<std::size_t> {
    std::vector<std::pair<std::pair<std::int64_t, std::size_t>, std::size_t>> keyed;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        auto const& at = shapes[s].at;
        auto const begin = std::ranges::find_if(at, [](auto const set) { return set != 0; });
        if (begin != at.end()) keyed.push_back({{key(shapes[s]), static_cast<std::size_t>(begin - at.begin())}, s});
    }
    std::ranges::sort(keyed);
    std::vector<std::size_t> order;
    for (auto const& k : keyed) order.push_back(k.second);
    return order;
}
auto lived(support::naive_shape const& s) -> std::int64_t {
    return std::ranges::count_if(s.at, [](auto const set) { return set != 0; });
}

/// Whether first and best fit agree with the naive implementation, in five orders.
auto places_as_defined(std::vector<buffer> const& buffers, std::int64_t times) -> bool {
    auto const agrees = [&](placement_order const& order, auto key) {
        support::naive_planner first(buffers, times), best(buffers, times);
        auto const naive = naive_order(first.shapes(), key);
        auto const offsets = fit_offsets(buffers, {.order = order});
        return !verify_offsets(buffers, offsets).fault && offsets == first.in_order(naive, false) &&
               fit_offsets(buffers, {.rule = fit_rule::best, .order = order}) == best.in_order(naive, true);
    };
    return agrees(largest_first, [](auto const& s) { return -s.size; }) &&
           agrees(longest_first, [](auto const& s) { return -lived(s); }) &&
           agrees(earliest_first, [](auto const&) { return 0; }) &&
           agrees({.size = -1}, [](auto const& s) { return s.size; }) &&
           agrees({.longer_first = true}, [](auto const& s) { return -s.size * 100 - lived(s); });
}

}  // namespace

TEST_CASE("first fit takes the lowest free position, best fit the tightest", "[allocate]") {
    // Beside the last, 2 bytes are free from 4 on, and 1 byte from 8 on.
    std::vector<buffer> buffers{{.lifetime = {0, 9}, .size = 4}, {.lifetime = {0, 3}, .size = 2},
                                {.lifetime = {0, 9}, .size = 2}, {.lifetime = {0, 3}, .size = 1},
                                {.lifetime = {0, 9}, .size = 2}, {.lifetime = {4, 9}, .size = 1}};
    CHECK(fit_offsets(buffers, {.order = earliest_first}) == offset_list{0, 4, 6, 8, 9, 4});
    CHECK(fit_offsets(buffers, {.rule = fit_rule::best, .order = earliest_first}) == offset_list{0, 4, 6, 8, 9, 8});
    CHECK(fit_offsets(buffers) == offset_list{0, 4, 6, 10, 8, 4});
    buffers[5].alignment = 5;
    CHECK(fit_offsets(buffers, {.order = earliest_first}).back() == 5);
    CHECK(fit_offsets(buffers, {.rule = fit_rule::best, .order = earliest_first}).back() == 5);
    buffers[5] = {.lifetime = {4, 9}, .size = 3};
    CHECK(fit_offsets(buffers, {.rule = fit_rule::best, .order = earliest_first}).back() == 11);
    CHECK(fit_offsets({}).empty());
}

TEST_CASE("pinned buffers are placed before all others", "[allocate]") {
    std::vector<buffer> const buffers{
        {.lifetime = {0, 9}, .size = 4}, {.lifetime = {0, 9}, .size = 4}, {.lifetime = {8, 9}, .size = 3, .pinned = 5}};
    CHECK(fit_offsets(buffers) == offset_list{0, 8, 5});
    CHECK(fit_offsets(buffers, {.rule = fit_rule::best}) == offset_list{0, 8, 5});
}

TEST_CASE("a buffer without bytes or time has its pin as offset, or 0", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 9}, .size = 4},
                                      {.lifetime = {0, 9}, .size = 0, .alignment = 64},
                                      {.lifetime = {3, 3}, .size = 4, .pinned = 2},
                                      {.lifetime = {0, 9}, .size = 4, .gaps = {{{0, 9}, {}}}}};
    CHECK(fit_offsets(buffers) == offset_list{0, 0, 2, 0});
}

TEST_CASE("other buffers lie in a gap, beside its window", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 9}, .size = 8, .gaps = {{{3, 6}, interval{0, 2}}}},
                                      {.lifetime = {3, 6}, .size = 7},
                                      {.lifetime = {6, 9}, .size = 5}};
    CHECK(fit_offsets(buffers) == offset_list{0, 2, 8});
}

TEST_CASE("an alias has the offset of its buffer", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 4},
                                      {.lifetime = {1, 6}, .size = 2, .alias_of = 0},
                                      {.lifetime = {2, 6}, .size = 3},
                                      {.lifetime = {6, 9}, .size = 4}};
    CHECK(fit_offsets(buffers, {.order = earliest_first}) == offset_list{0, 0, 2, 0});
}

TEST_CASE("of buffers that begin before any other ends, the earliest comes first", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {1, 3}, .size = 1}, {.lifetime = {0, 3}, .size = 2}};
    CHECK(fit_offsets(buffers, {.order = earliest_first}) == offset_list{2, 0});
}

TEST_CASE("pinned buffers that overlap are named", "[allocate]") {
    std::vector<buffer> buffers{{.lifetime = {0, 9}, .size = 4},
                                {.lifetime = {0, 9}, .size = 4, .pinned = 2},
                                {.lifetime = {8, 9}, .size = 4},
                                {.lifetime = {8, 9}, .size = 4, .pinned = 5}};
    auto const placed = [&] { return fit_offsets(buffers); };
    CHECK(support::throws<bad_buffer>(placed, {"1 and 3", "pinned"}));
    buffers[3].pinned = 6;
    CHECK_FALSE(verify_offsets(buffers, placed()).fault);
    buffers[0] = {.lifetime = {7, 9}, .size = 5, .alias_of = 1};
    CHECK(support::throws<bad_buffer>(placed, {"1 and 3", "pinned"}));
    buffers[0].pinned = 2;
    CHECK(support::throws<bad_buffer>(placed, {"1 and 3", "pinned"}));
}

TEST_CASE("sizes and alignments that do not fit in 64 bits together are refused", "[allocate]") {
    auto const most = std::numeric_limits<bytes>::max();
    auto const placed = [](std::vector<buffer> const& buffers) { return [=] { return fit_offsets(buffers); }; };
    CHECK(support::throws<bad_weight>(
        placed({{.lifetime = {0, 1}, .size = most / 2}, {.lifetime = {1, 2}, .size = most / 2 + 2}}), {"64 bits"}));
    CHECK(support::throws<bad_weight>(placed({{.lifetime = {0, 1}, .size = most - 7, .pinned = 7}}), {"64 bits"}));
    CHECK(support::throws<bad_weight>(placed({{.lifetime = {0, 1}, .size = 8, .alignment = most}}), {"64 bits"}));
    // An alias without lifetime that ends too high at its pin.
    CHECK(support::throws<bad_weight>(
        placed({{.lifetime = {0, 1}, .size = 1, .pinned = most - 7}, {.lifetime = {1, 1}, .size = 8, .alias_of = 0}}),
        {"64 bits"}));
    CHECK(placed({{.lifetime = {0, 1}, .size = most / 2 - 2}})() == offset_list{0});
    bytes const quarter = bytes{1} << 61;
    CHECK(placed({{.lifetime = {0, 2}, .size = 5}, {.lifetime = {1, 3}, .size = 4, .alignment = quarter}})() ==
          offset_list{0, quarter});
}

TEST_CASE("lifetimes over the whole range of 64 bits are planned", "[allocate]") {
    std::int64_t const first = std::numeric_limits<std::int64_t>::min(),
                       last = std::numeric_limits<std::int64_t>::max();
    std::vector<buffer> const buffers{{.lifetime = {first, 0}, .size = 4},
                                      {.lifetime = {first, last}, .size = 4},
                                      {.lifetime = {0, last}, .size = 4},
                                      {.lifetime = {first, last}, .size = 2, .gaps = {{{0, 1}, {}}}}};
    for (auto const& order : {largest_first, earliest_first, longest_first, placement_order{.longer_first = true}})
        CHECK(verify_offsets(buffers, fit_offsets(buffers, {.order = order})) == offset_verdict{10, {}});
    CHECK(fit_offsets(buffers, {.order = longest_first}) == offset_list{6, 0, 6, 4});
}

TEST_CASE("random buffers are placed as in the naive implementation", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        support::buffer_kinds const kinds{.aligned_percent = support::below(random, 2) * 30,
                                          .pinned_percent = support::below(random, 3) * 15};
        RC_ASSERT(places_as_defined(support::random_arena(random, support::below(random, 25), 12, 7, kinds), 12));
    }));
}

TEST_CASE("random buffers with gaps, windows and aliases are placed as in the naive implementation",
          "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        support::buffer_kinds const kinds{.aligned_percent = support::below(random, 2) * 30,
                                          .pinned_percent = support::below(random, 3) * 10,
                                          .alias_percent = support::below(random, 3) * 20,
                                          .gaps = true};
        RC_ASSERT(places_as_defined(support::random_arena(random, support::below(random, 16), 12, 7, kinds), 12));
    }));
}

TEST_CASE("what a stopped placement leaves is placed above the rest, in the order of time", "[fit_offsets][property]") {
    auto const placed = [](std::vector<buffer> const& buffers, std::size_t questions) {
        auto const shapes = repebble::detail::shapes_of(buffers);
        auto const c = repebble::detail::compact(shapes);
        std::vector<std::uint32_t> order(c.count());
        std::iota(order.begin(), order.end(), 0U);
        repebble::detail::occupied_bytes occupied(c.sections());
        auto const plan = repebble::detail::place_in_order(
            c, occupied, order, fit_rule::first, std::numeric_limits<bytes>::max(), [&] { return questions-- == 0; });
        auto const verdict =
            verify_offsets(buffers, repebble::detail::offsets_of_buffers(buffers, shapes, c, plan.offsets));
        return verdict.fault ? bytes{-1} : verdict.height;
    };
    CHECK(placed({{.lifetime = {0, 4}, .size = 2},
                  {.lifetime = {0, 1}, .size = 3},
                  {.lifetime = {1, 3}, .size = 2},
                  {.lifetime = {1, 2}, .size = 1},
                  {.lifetime = {3, 4}, .size = 3}},
                 0) == 5);  // the three bytes of the second are used again, split and joined
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = support::random_arena(
            random, 60, 20, 9, {.aligned_percent = 30, .pinned_percent = 10, .alias_percent = 20, .gaps = true});
        RC_ASSERT(placed(buffers, support::below(random, 4)) >= 0);
    }));
}
