// Covers allocate/detail/shapes/buffer_shapes.hpp, allocate/detail/shapes/compact_shapes.hpp, allocate/fit_offsets.hpp,
// allocate/detail/search/offset_search.hpp, allocate/verify_offsets.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/detail/search/offset_search.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using repebble::detail::search_end;
using repebble::detail::search_options;

constexpr std::array search_variants{
    search_options{}, search_options{.slack_weight = 16, .noise = 0.5, .seed = 3}, search_options{.lowest_first = true},
    search_options{.slack_weight = 0, .try_first = search_options::shape::greatest_area},
    search_options{.lowest_first = true, .try_first = search_options::shape::greatest_area, .noise = 2, .seed = 1}};

constexpr auto no_stop = [] { return false; };
constexpr std::uint64_t endless = 1U << 30U;

/// A search together with its problem.
class searched {
  public:
    explicit searched(std::vector<buffer> buffers)
        : buffers_(std::move(buffers)),
          shapes_(repebble::detail::shapes_of(buffers_)),
          compact_(repebble::detail::compact(shapes_)),
          search_(compact_) {}

    auto run(bytes capacity, search_options const& options, std::uint64_t budget = endless) -> search_end {
        return search_.run(capacity, options, budget, no_stop);
    }
    /// Whether the search found a valid plan within the capacity.
    [[nodiscard]] auto has_plan(bytes capacity) const -> bool {
        auto const offsets = repebble::detail::offsets_of_buffers(buffers_, shapes_, compact_, search_.offsets());
        auto const verdict = verify_offsets(buffers_, offsets);
        return !verdict.fault && verdict.height <= capacity;
    }

  private:
    std::vector<buffer> buffers_;
    repebble::detail::buffer_shapes shapes_;
    repebble::detail::compact_shapes compact_;
    repebble::detail::offset_search search_;
};

/// Whether searches by all options agree with the exhaustive least height, at every capacity around it.
auto agrees_with_exhaustive(std::vector<buffer> const& buffers, std::int64_t times) -> bool {
    auto const least = support::naive_planner(buffers, times).least_height();
    searched s(buffers);
    for (auto const& variant : search_variants)
        for (auto capacity = std::max<bytes>(least - 3, 0); capacity <= least + 4; ++capacity) {
            auto const end = s.run(capacity, variant);
            if (end != (capacity < least ? search_end::impossible : search_end::found)) return false;
            if (end == search_end::found && !s.has_plan(capacity)) return false;
        }
    return true;
}

/// Whether a buffer has no bytes at any time; its size counts as height, which is no matter of the search.
auto is_empty(buffer b) -> bool {
    b.alias_of.reset();
    return b.size == 0 || b.lifetime.empty() ||
           repebble::detail::compact(repebble::detail::shapes_of(std::vector{b})).pieces.empty();
}

/// Buffers with bytes and time.
auto arena_of(support::split_mix& random, std::size_t n, std::int64_t times, std::int64_t most,
              support::buffer_kinds const& kinds) -> std::vector<buffer> {
    auto const buffers = support::random_arena(random, n, times, most, kinds);
    std::vector<buffer> kept;
    std::vector<std::optional<std::size_t>> at(buffers.size());
    for (bool const aliases : {false, true})
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            auto b = buffers[i];
            if (is_empty(b) || b.alias_of.has_value() != aliases) continue;
            if (aliases) b.alias_of = at[*b.alias_of];
            at[i] = kept.size();
            kept.push_back(std::move(b));
        }
    return kept;
}

}  // namespace

TEST_CASE("four buffers fit into 8 bytes, for which the greedy planners need 9", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {3, 5}, .size = 3},
                                      {.lifetime = {4, 6}, .size = 2},
                                      {.lifetime = {4, 5}, .size = 3},
                                      {.lifetime = {0, 4}, .size = 4}};
    CHECK(agrees_with_exhaustive(buffers, 6));
    CHECK(searched(buffers).run(8, {}) == search_end::found);
    CHECK(searched(buffers).run(7, {}) == search_end::impossible);
    CHECK(searched({}).run(0, {}) == search_end::found);
}

TEST_CASE("the exact search ends when its budget is used up or stop() says so", "[allocate]") {
    support::split_mix random(7);
    auto const shapes = repebble::detail::shapes_of(support::cut_arena(random, 80, 1000));
    auto const c = repebble::detail::compact(shapes);
    REQUIRE(c.most_live == 1000);
    repebble::detail::offset_search search(c);
    search_options const slow{.lowest_first = true};
    CHECK(search.run(1000, slow, 0, no_stop) == search_end::out_of_budget);
    CHECK(search.run(1000, slow, 200, no_stop) == search_end::out_of_budget);
    std::size_t asked = 0;
    CHECK(search.run(1000, slow, endless, [&] { return ++asked == 3; }) == search_end::out_of_budget);
    CHECK(asked == 3);
    // No state is left behind.
    CHECK(search.run(999, {}, endless, no_stop) == search_end::impossible);
}

TEST_CASE("the exact search finds a plan exactly if one exists", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const times = support::between(random, 2, 8);
        RC_ASSERT(agrees_with_exhaustive(arena_of(random, support::below(random, 8), times, 5, {}), times));
    }));
}

TEST_CASE("the exact search is right with alignments and pins", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const times = support::between(random, 2, 8);
        support::buffer_kinds const kinds{.aligned_percent = support::below(random, 2) * 40,
                                          .pinned_percent = support::below(random, 4) * 10};
        RC_ASSERT(agrees_with_exhaustive(arena_of(random, support::below(random, 7), times, 5, kinds), times));
    }));
}

TEST_CASE("the exact search is right with gaps, windows, aliases, alignments and pins", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const times = support::between(random, 2, 8);
        support::buffer_kinds const kinds{.aligned_percent = support::below(random, 2) * 40,
                                          .pinned_percent = support::below(random, 4) * 10,
                                          .alias_percent = support::below(random, 3) * 15,
                                          .gaps = true};
        auto const buffers = arena_of(random, support::below(random, 8), times, 6, kinds);
        RC_ASSERT(agrees_with_exhaustive(buffers, times));
    }));
}

TEST_CASE("two buffers lie above each other at different times", "[allocate]") {
    // Each keeps its first two bytes while the other keeps its last two: neither lies below the other.
    std::vector<buffer> const buffers{
        {.lifetime = {0, 2}, .size = 6, .gaps = {{{0, 1}, interval{0, 2}}, {{1, 2}, interval{4, 6}}}},
        {.lifetime = {0, 2}, .size = 6, .gaps = {{{0, 1}, interval{4, 6}}, {{1, 2}, interval{0, 2}}}}};
    CHECK(agrees_with_exhaustive(buffers, 2));
    CHECK(searched(buffers).run(6, {}) == search_end::found);
}

TEST_CASE("the exact search is right with many equal buffers", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto buffers = arena_of(
            random, 3, 4, 3, {.aligned_percent = support::below(random, 2) * 30, .gaps = support::chance(random, 50)});
        auto const kinds = buffers.size();
        while (!buffers.empty() && buffers.size() < 6) buffers.push_back(buffers[support::below(random, kinds)]);
        RC_ASSERT(agrees_with_exhaustive(buffers, 4));
    }));
}
