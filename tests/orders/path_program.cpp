// Covers orders/detail/path_program.hpp, orders/detail/path_search.hpp, orders/detail/introduction_order.hpp,
// orders/detail/typical_sequence.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/orders/detail/introduction_order.hpp>
#include <repebble/orders/detail/one_shot_orders.hpp>
#include <repebble/orders/detail/path_search.hpp>
#include <repebble/orders/detail/typical_sequence.hpp>
#include <repebble/orders/find_least_peak_order.hpp>

#include "support/brute_order.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/one_shot_orders.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;
using support::split_mix;

namespace {

constexpr bytes any_peak = bytes{1} << 40U;
constexpr std::size_t any_number = 1'000'000;

constexpr auto goes_on = [] { return false; };

auto sizes_of(std::span<detail::profile_point const> points) -> std::vector<bytes> {
    std::vector<bytes> sizes;
    for (auto const& p : points) sizes.push_back(p.size);
    return sizes;
}

auto typical(std::vector<bytes> const& sizes) -> std::vector<detail::profile_point> {
    std::vector<detail::profile_point> points;
    for (auto const size : sizes) detail::append_typical(points, 0, {size});
    return points;
}

/// By the definition: equal neighbours and what lies between two others goes, until nothing does.
auto naive_typical(std::vector<bytes> sizes) -> std::vector<bytes> {
    for (std::size_t from = 0; from < sizes.size(); ++from)
        for (auto to = sizes.size(); --to > from;) {
            auto const [low, high] = std::minmax(sizes[from], sizes[to]);
            bool inside = true;
            for (auto k = from + 1; k < to; ++k) inside = inside && low <= sizes[k] && sizes[k] <= high;
            if (!inside || (to == from + 1 && low != high)) continue;
            sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                        sizes.begin() + static_cast<std::ptrdiff_t>(low == high ? to + 1 : to));
            return naive_typical(sizes);
        }
    return sizes;
}

/// Whether one can be stretched to be at most the other, from two positions on.
auto naive_at_most(std::span<bytes const> a, std::span<bytes const> b) -> bool {
    if (a.front() > b.front()) return false;
    if (a.size() == 1 && b.size() == 1) return true;
    return (a.size() > 1 && naive_at_most(a.subspan(1), b)) || (b.size() > 1 && naive_at_most(a, b.subspan(1))) ||
           (a.size() > 1 && b.size() > 1 && naive_at_most(a.subspan(1), b.subspan(1)));
}

/// Each vertex is linked to some of the `width` that were drawn from the last ones, in directions of a random order.
auto random_narrow_dag(split_mix& random, std::size_t n, std::size_t width) -> support::adjacency {
    auto const name = support::random_permutation(random, n);
    support::adjacency g(n);
    std::vector<std::size_t> bag;
    for (std::size_t v = 0; v < n; ++v) {
        if (bag.size() > width)
            bag.erase(bag.begin() + static_cast<std::ptrdiff_t>(support::below(random, bag.size())));
        for (auto const u : bag) {
            auto const [first, second] = std::minmax(name[u], name[v]);
            if (support::chance(random, 70)) g[static_cast<std::size_t>(first)].push_back(static_cast<int>(second));
        }
        bag.push_back(v);
    }
    return g;
}

auto solve(detail::one_shot_game const& game, bytes upper = any_peak, std::size_t states = 100'000,
           std::size_t width = 20) {
    return detail::path_search(game).run(upper, width, states, 4 * states, goes_on);
}

}  // namespace

TEST_CASE("a typical sequence has the ends, and hills and valleys that come nearer to each other",
          "[typical_sequence]") {
    CHECK(sizes_of(typical({5, 6, 1, 4, 2, 9, 3, 8, 4, 5, 5, 7})) == std::vector<bytes>{5, 6, 1, 9, 3, 8, 4, 7});
    CHECK(sizes_of(typical({1, 3, 2, 4})) == std::vector<bytes>{1, 4});
    CHECK(sizes_of(typical({2, 2})) == std::vector<bytes>{2});
    std::vector<detail::profile_point> points{{9}};
    for (bytes const size : {1, 3, 2}) detail::append_typical(points, 1, {size});
    CHECK(sizes_of(points) == std::vector<bytes>{9, 1, 3, 2});  // what was there before `first` stays
}

TEST_CASE("of two equal points the one remains where others can be put", "[typical_sequence]") {
    std::vector<detail::profile_point> points;
    for (auto const& point : {detail::profile_point{4}, {4, 7}, {4}}) detail::append_typical(points, 0, point);
    CHECK((points.size() == 1 && points.front().after == 7));
}

TEST_CASE("typical sequences are those of the definition, and as large as what they stand for",
          "[typical_sequence][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            auto const a = support::random_weights(random, 1 + support::below(random, 9), 0, 7);
            auto const b = support::random_weights(random, 1 + support::below(random, 9), 0, 7);
            auto const of_a = typical(a), of_b = typical(b);
            RC_ASSERT(sizes_of(of_a) == naive_typical(a));
            RC_ASSERT((naive_at_most(a, sizes_of(of_a)) && naive_at_most(sizes_of(of_a), a)));
            RC_ASSERT(detail::is_at_most(of_a, of_b) == naive_at_most(a, b));
        }
    }));
}

TEST_CASE("an introduction order of a ladder has bags of three at most", "[introduction_order]") {
    constexpr operation_index rungs = 40;
    split_mix random(3);
    auto const name = support::random_permutation(random, 2 * rungs);
    std::vector<std::vector<operation_index>> rows(2 * rungs);
    auto const link = [&](operation_index u, operation_index v) {
        rows[static_cast<std::size_t>(name[u])].push_back(static_cast<operation_index>(name[v]));
        rows[static_cast<std::size_t>(name[v])].push_back(static_cast<operation_index>(name[u]));
    };
    for (operation_index k = 0; k < rungs; ++k) {
        link(2 * k, 2 * k + 1);
        if (k + 1 < rungs) link(2 * k, 2 * k + 2);
        if (k + 1 < rungs) link(2 * k + 1, 2 * k + 3);
    }
    detail::jagged_array<operation_index> links;
    for (auto& row : rows) {
        std::ranges::sort(row);
        links.append(row);
    }
    vertex_set const none(2 * rungs);
    // Bags of three, of two at both ends: one, two, three and so on.
    auto const order = detail::introduction_order(links, none, 20, 64.0 * 2 * rungs, any_number, goes_on).order;
    auto sorted = order;
    std::ranges::sort(sorted);
    CHECK((sorted.size() == 2 * rungs && std::ranges::adjacent_find(sorted) == sorted.end()));
    CHECK(detail::introduction_order(links, none, 20, 16.0 * 2 * rungs, any_number, goes_on).order.empty());
    CHECK(detail::introduction_order(links, none, 20, 1e9, 100, goes_on).order.empty());
    CHECK(detail::introduction_order(links, none, 20, 1e9, any_number, [] { return true; }).order.empty());
}

TEST_CASE("peaks over path decompositions are those of a dynamic program over all lower sets",
          "[path_program][property]") {
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 3; ++i) {
            auto const c = support::random_one_shot_case(
                random,
                i == 0 ? support::any_dag(random, 9)
                       : random_narrow_dag(random, 5 + support::below(random, 6), 1 + support::below(random, 3)),
                support::pick(random, std::vector<std::int64_t>{1, 3, 20}));
            auto const flow = support::one_shot_flow(c);
            detail::one_shot_game const game(flow);
            auto const least = support::brute_order_peak(c);
            auto const found = solve(game);
            RC_ASSERT(found.bound == least);
            RC_ASSERT(found.order.size() == c.graph.size());
            RC_ASSERT(detail::peak_of(game, found.order).size == least);
            RC_ASSERT(support::holds(flow, {found.order, least, least}));
            // Below the least there is none, and a limit proves nothing.
            auto const none = solve(game, least);
            RC_ASSERT((none.order.empty() && none.bound == least));
            auto const limited = solve(game, any_peak, support::below(random, 20));
            RC_ASSERT((limited.bound == 0 || limited.bound == least));
        }
    }));
}

TEST_CASE("so they are with views, results, inputs and steps in place", "[path_program][property]") {
    std::size_t in_place = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 5; ++i) {
            auto const flow =
                support::random_full_dataflow(random, {.operations = 1 + support::below(random, 6),
                                                       .input_percent = static_cast<std::size_t>(i == 0 ? 50 : 10),
                                                       .alternative_percent = 0,
                                                       .overwrite_percent = 70});
            detail::flow_without_views const merged(flow);
            detail::one_shot_game const game(merged.flow());
            auto const found = solve(game);
            RC_ASSERT(found.bound == support::all_orders_peak(flow));
            RC_ASSERT(detail::peak_of(game, found.order).size == found.bound);
            for (operation_index v = 0; v < game.operation_count(); ++v) in_place += game.overwrites(v).size();
        }
    }));
    CHECK(in_place > 5);
}

TEST_CASE("a search that leaves states out has legal orders, and proves nothing that is false",
          "[path_program][property]") {
    std::size_t solved = 0, unproven = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        auto const c = support::random_one_shot_case(random, random_narrow_dag(random, 60, 3), 9);
        auto const flow = support::one_shot_flow(c);
        detail::one_shot_game const game(flow);
        auto const whole = solve(game);
        if (whole.bound == 0) return;  // it has more states than the work allows
        ++solved;
        for (std::size_t const states : {100U, 200U, 400U}) {
            auto const found = solve(game, any_peak, states, 2);
            RC_ASSERT((found.bound == 0 || found.bound == whole.bound));
            if (found.order.empty()) continue;
            auto const peak = detail::peak_of(game, found.order).size;
            RC_ASSERT((found.order.size() == c.graph.size() && peak >= whole.bound));
            RC_ASSERT((found.bound == 0 || peak == whole.bound));
            unproven += found.bound == 0 ? 1U : 0U;
        }
    }));
    CHECK(solved > 20);
    CHECK(unproven > 10);
}

TEST_CASE("three hundred operations in random directions have a proven order where the width is 2",
          "[find_least_peak_order]") {
    split_mix random(1);
    auto c = support::random_one_shot_case(random, random_narrow_dag(random, 300, 2), 9);
    auto const flow = support::one_shot_flow(c);
    auto const found = find_least_peak_order(flow);
    CHECK((found.is_proven() && support::holds(flow, found)));
    CHECK(solve(detail::one_shot_game(flow), found.peak).bound == found.peak);
}

TEST_CASE("a thousand operations of width 3 have an order near the best, though states are left out",
          "[find_least_peak_order][long]") {
    split_mix random(1);
    auto const c = support::random_one_shot_case(random, random_narrow_dag(random, 1000, 3), 9);
    auto const flow = support::one_shot_flow(c);
    auto const found = find_least_peak_order(flow, {.limits = {.work = 50'000}});
    CHECK(support::holds(flow, found));
    CHECK(10 * found.peak < 11 * found.lower_bound);
}
