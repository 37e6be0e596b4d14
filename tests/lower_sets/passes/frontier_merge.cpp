// Covers lower_sets/detail/passes/frontier.hpp, lower_sets/detail/passes/frontier_merge.hpp,
// lower_sets/detail/passes/open_segments.hpp, lower_sets/objective.hpp, lower_sets/segment_cost.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/galloping_search.hpp>
#include <repebble/lower_sets/detail/passes/frontier.hpp>
#include <repebble/lower_sets/detail/passes/frontier_merge.hpp>
#include <repebble/lower_sets/detail/passes/open_segments.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::below;
using support::between;
using support::chance;

namespace {

using merged_entry = detail::frontier_entry;
constexpr bytes unlimited = std::numeric_limits<bytes>::max();

/// Bounds and overheads from best to worst, bytes descending.
auto some_frontier(support::split_mix& random, bool least, std::int64_t times) {
    detail::frontier result;
    auto bytes_of = support::random_weights(random, below(random, 80) + 1, 0, 300);
    auto bounds = support::random_weights(random, bytes_of.size(), 0, 1000);
    for (auto* all : {&bytes_of, &bounds}) {
        std::sort(all->begin(), all->end());
        all->erase(std::unique(all->begin(), all->end()), all->end());
    }
    std::reverse(bytes_of.begin(), bytes_of.end());
    if (!least) std::reverse(bounds.begin(), bounds.end());
    for (std::size_t k = 0; k < std::min(bytes_of.size(), bounds.size()); ++k) {
        auto const worse = between(random, 0, 3);
        result.points.push_back(
            {(bounds[k] + (least ? worse : -std::min(worse, bounds[k]))) * times, bytes_of[k], bounds[k] * times, {}});
    }
    return result;
}

/// Merges random frontiers: each entry of the result is one of the candidates, and no candidate dominates it by more
/// than the resolution.
void checks_a_merge(support::split_mix& random, std::size_t& tables) {
    bool const least = chance(random, 70);
    std::int64_t const times = chance(random, 50) ? 1 : 1000;
    std::int64_t const resolution = chance(random, 50) ? 0 : between(random, 1, 100) * times;
    std::int64_t const greatest = 1100 * times;
    std::int64_t const most = least && chance(random, 50) ? between(random, 100, 900) * times : greatest;
    bytes const budget = chance(random, 30) ? unlimited : between(random, 0, 400);
    tables += greatest / std::max<std::int64_t>(resolution, 1) < 1000 ? 1 : 0;
    detail::frontier_merge merge(least ? objective::time : objective::memory, greatest, resolution, most, budget);
    for (int again = 0; again < 2; ++again) {
        std::vector<detail::frontier> frontiers;
        for (auto k = between(random, 1, 6); k > 0; --k) frontiers.push_back(some_frontier(random, least, times));
        std::vector<merged_entry> candidates;
        bool const forwards = least && chance(random, 50);
        for (std::uint32_t set = 0; set < frontiers.size(); ++set) {
            segment_cost const segment{between(random, 0, 90) * times, between(random, 0, 150), between(random, 0, 50)};
            for (std::uint32_t k = 0; k < frontiers[set].points.size(); ++k) {
                auto e = frontiers[set].points[k];
                if (forwards && e.budget > budget - segment.working) continue;
                e.overhead += segment.overhead;
                e.bound += segment.overhead;
                e.budget += segment.cached;
                if (!forwards) e.budget = std::max(e.budget, segment.working);
                e.next = {set, k};
                if (e.bound <= most && e.budget <= budget) candidates.push_back(e);
            }
            if (forwards) {
                merge.extend(frontiers[set], segment, set);
            } else {
                merge.add(frontiers[set], segment, set);
            }
        }
        auto const result = merge.finish([](auto const&) { return true; });
        auto const no_better = [&](std::int64_t a, std::int64_t b) { return least ? a <= b : a >= b; };
        for (auto const& c : candidates)
            RC_ASSERT(std::any_of(result.points.begin(), result.points.end(),
                                  [&](auto const& e) { return e.budget <= c.budget && no_better(e.bound, c.bound); }));
        for (std::size_t k = 0; k < result.points.size(); ++k) {
            auto const& e = result.points[k];
            auto const from = std::find_if(candidates.begin(), candidates.end(), [&](auto const& c) {
                return c.next.set == e.next.set && c.next.position == e.next.position;
            });
            RC_ASSERT(from != candidates.end());
            RC_ASSERT(from->overhead == e.overhead);
            RC_ASSERT(from->budget == e.budget);
            RC_ASSERT(no_better(e.bound, from->bound));
            RC_ASSERT(std::max(e.bound, from->bound) - std::min(e.bound, from->bound) <= resolution);
            if (k > 0) {
                RC_ASSERT(e.budget < result.points[k - 1].budget);
                RC_ASSERT(no_better(result.points[k - 1].bound, e.bound));
            }
        }
    }
}

}  // namespace

TEST_CASE("galloping search finds the first item for which the predicate is false", "[frontier]") {
    for (int count = 0; count < 40; ++count)
        for (int first = 0; first <= count; ++first) {
            std::vector<int> items;
            for (int k = 0; k < count; ++k) items.push_back(k);
            auto const at = detail::galloping_search(items.begin(), items.end(), [&](int k) { return k < first; });
            CHECK(at - items.begin() == first);
        }
}

TEST_CASE("merged frontiers are the undominated candidates, by tables and by heaps", "[frontier][property][tuning]") {
    std::size_t tables = 0;
    std::size_t all = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (; all % 20 != 19; ++all) checks_a_merge(random, tables);
        ++all;
    }));
    CHECK(tables > 0);
    CHECK(tables < all);
}

TEST_CASE("an open segment that stands for another of its cell has the better bound of both", "[frontier]") {
    for (bool const least : {true, false}) {
        std::int64_t const worse = least ? 15 : 12, best = least ? 12 : 15;
        std::vector<detail::open_entry> entries{{best, 2, 2, best, {}}, {worse, 1, 1, worse, {}}};
        detail::keep_best(entries, least, 10);
        REQUIRE(entries.size() == 1);
        CHECK(entries[0].overhead == worse);
        CHECK(entries[0].working == 1);
        CHECK(entries[0].bound == best);
    }
}
