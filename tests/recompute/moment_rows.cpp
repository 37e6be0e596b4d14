#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow_builder.hpp>
#include <repebble/pebbling/optimal_pebbling.hpp>
#include <repebble/recompute/chain_decisions.hpp>
#include <repebble/recompute/hold_moments.hpp>
#include <repebble/recompute/moment_rows.hpp>
#include <repebble/recompute/moments_climb.hpp>
#include <repebble/recompute/moments_decisions.hpp>
#include <repebble/recompute/moments_rooms.hpp>
#include <repebble/recompute/moments_search.hpp>
#include <repebble/recompute/operation_floor.hpp>
#include <repebble/recompute/price_scale.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/moments.hpp"

using namespace repebble;

namespace {

constexpr auto not_stopped = [] { return false; };

/// Beside `wide` 5 bytes are left, and `last` reads three values of 3 bytes after it: one of them is held, and two are
/// made again, in 6 each. By shares 5/3 are held.
struct three_alike {
    operation_index wide;
    std::vector<value_index> values;
    dataflow<> flow;
};
auto make_three_alike() -> three_alike {
    dataflow_builder<std::int64_t> builder;
    std::vector<operation_index> makers;
    std::vector<value_index> values;
    for (int k = 0; k < 3; ++k) makers.push_back(builder.add_operation(6));
    auto const wide = builder.add_operation(1, 4), last = builder.add_operation(1);
    for (auto const p : makers) values.push_back(builder.add_value(p, 3));
    auto const a = builder.add_value(wide, 1);
    for (auto const x : values) builder.add_read(last, x);
    builder.add_read(last, a);
    auto const first = builder.add_operation(0);
    for (auto const x : values) builder.add_read(first, x);
    builder.add_read(wide, builder.add_value(first, 0));
    return {wide, values, std::move(builder).build()};
}

}  // namespace

TEST_CASE("moment_rows: of what does not fit twice by half, one is held at most") {
    std::vector<detail::share_held> const parts{{0, 3, 0.5}, {1, 3, 0.5}, {2, 3, 0.5}};
    // Divided by 3: each counts 1, of 5 bytes that is 1 and a rest of 2.
    detail::rounded_room const by_three(parts, 5, 3);
    CHECK(by_three.row(4, 3) == detail::moment_row{4, 1, {1, 1, 1}});
    CHECK(by_three.excess() == Approx(0.5));
    auto const found = detail::exceeded_row(parts, 5, 4, 3);
    REQUIRE(found);
    CHECK(found->moment == 4);
    CHECK(found->sizes[0] == found->room);
    SECTION("of what fits there is nothing to say") {
        CHECK_FALSE(detail::exceeded_row(std::vector<detail::share_held>{{0, 3, 1}, {1, 3, 0}, {2, 3, 0}}, 5, 0, 3));
        CHECK_FALSE(detail::exceeded_row(parts, 9, 0, 3));
        CHECK_FALSE(detail::exceeded_row({}, 5, 0, 3));
    }
    SECTION("what is mostly held counts by what is not") {
        // Of a + b + c <= 14, with sizes of 10, 5 and 4, 3/4 of a is too much beside b and c: by 5, 1 - b and 1 - c
        // make room for it.
        std::vector<detail::share_held> const mostly{{0, 10, 0.4}, {1, 5, 1}, {2, 4, 1}};
        auto const row = detail::exceeded_row(mostly, 14, 0, 3);
        REQUIRE(row);
        auto const held = [&](std::vector<int> const& is_held) {
            bytes all = 0;
            for (std::size_t k = 0; k < 3; ++k) all += is_held[k] * row->sizes[k];
            return all;
        };
        CHECK(held({0, 1, 1}) <= row->room);
        CHECK(held({1, 0, 1}) <= row->room);
        CHECK(held({1, 1, 1}) > row->room);
    }
}

TEST_CASE("moment_rows: what fits is within every row, and the shares exceed it by what is said", "[property]") {
    std::size_t found = 0, tight = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        support::random_source random(seed);
        auto const n = 2 + support::below(random, 8);
        std::vector<detail::share_held> parts;
        bytes all = 0;
        for (std::size_t k = 0; k < n; ++k) {
            auto const size = static_cast<bytes>(1 + support::below(random, 30));
            parts.push_back(
                {static_cast<value_index>(k), size, static_cast<double>(support::below(random, 101)) / 100});
            all += size;
        }
        auto const room = static_cast<bytes>(support::below(random, static_cast<std::size_t>(all)));
        auto const divisor = static_cast<bytes>(2 + support::below(random, 40));
        detail::rounded_room const rounded(parts, room, divisor);
        auto const row = rounded.row(0, n);
        for (std::uint32_t held = 0; held < 1U << n; ++held) {
            bytes size = 0, counted = 0;
            for (std::size_t k = 0; k < n; ++k) {
                if ((held >> k & 1U) == 0) continue;
                size += parts[k].size;
                counted += row.sizes[k];
            }
            CAPTURE(seed, held, room, divisor);
            if (size <= room) REQUIRE(counted <= row.room);
            if (size <= room && counted == row.room) ++tight;
        }
        CHECK(std::ranges::min(row.sizes) >= 0);
        double held = 0;
        for (auto const& p : parts) held += p.share * static_cast<double>(row.sizes[p.value]);
        auto const beyond = held - static_cast<double>(row.room);
        if (rounded.excess() > 0) {
            ++found;
            CHECK(beyond > 0);
            CHECK(rounded.excess() == Approx(beyond / std::max(1.0, static_cast<double>(row.room))));
        }
    }
    CHECK(found > 20);
    CHECK(tight > 20);
}

TEST_CASE("price_scale: whole prices are no higher than what adds up") {
    auto const net = make_three_alike();
    auto const m = detail::make_search_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    detail::price_scale const scale(cuts, 10, 1);
    CHECK(scale.is_exact);
    CHECK(scale.unit_price(3, 1) == 3 * scale.scale);
    CHECK(scale.unit_price(3, 6) == scale.scale / 2);
    CHECK(scale.unit_price(1e30, 1) == scale.highest);
    CHECK(scale.rounded_up(scale.scale + 1) == 2);
    CHECK(scale.rounded_up(scale.scale) == 1);
    CHECK(scale.allows({0, 5, {3, 3, 3, 1}}));
    CHECK_FALSE(scale.allows({0, 5, {bytes{1} << 50, 3, 3, 1}}));
    CHECK_FALSE(scale.allows({0, bytes{1} << 50, {3, 3, 3, 1}}));
}

TEST_CASE("moments_rooms: what decisions hold takes its room in every row of that moment") {
    auto const net = make_three_alike();
    auto const m = detail::make_search_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    auto const x = net.values.front();
    std::vector<bytes> sizes(m.value_count(), 0);
    for (auto const v : net.values) sizes[v] = 2;
    std::vector<detail::moment_row> const rows{{0, 3, sizes}};
    detail::moments_decisions const open(cuts, 10, 1, {}), held(cuts, 10, 1, {.holds = {{0, x, true}}}),
        both(cuts, 20, 1, {.holds = {{0, x, true}, {0, net.values.back(), true}}});
    CHECK(detail::moments_rooms(open, rows).count() == 2);
    CHECK(detail::moments_rooms(open, rows).room(0) == 5);
    CHECK(detail::moments_rooms(open, rows).room(1) == 3);
    CHECK(detail::moments_rooms(held, rows).room(0) == 2);
    CHECK(detail::moments_rooms(held, rows).room(1) == 1);
    CHECK(detail::moments_rooms(held, rows).fit());
    CHECK(detail::moments_rooms(both).fit());
    CHECK_FALSE(detail::moments_rooms(both, rows).fit());
}

TEST_CASE("climb_by_volume: what is held on average is what the linear programme holds") {
    auto const net = make_three_alike();
    auto const m = detail::make_search_model(net.flow);
    auto const cuts = support::chain_of(m, {net.wide});
    detail::moments_decisions const decided(cuts, 10, 1, {});
    detail::moments_rooms const rooms(decided);
    detail::price_scale const scale(cuts, 10, 1);
    detail::hold_moments const chain(rooms, scale.scale);
    auto const top = detail::climb_by_volume(rooms, chain, scale, {0.0}, 300, detail::most_time, not_stopped);
    CHECK(top.bound == 8);  // 4/3 of 6
    double held = 0;
    for (auto const share : top.is_held_by) held += share;
    CHECK(held == Approx(5.0 / 3).margin(0.1));
    CHECK(detail::climb_by_volume(rooms, chain, scale, {0.0}, 0, detail::most_time, not_stopped).prices.empty());
}

TEST_CASE("moments_search: rows say that what does not fit twice is held once") {
    auto const net = make_three_alike();
    auto const m = detail::make_search_model(net.flow);
    CHECK(optimal_pebbling(net.flow, 10).time == m.time_once + 12);
    detail::moments_search search(support::chain_of(m, {net.wide}), 10, 1, 30, 30);
    CHECK(search.bound() == 8);
    search.round_rooms(not_stopped);
    CHECK(search.bound() == 12);
    CHECK_FALSE(search.infeasible());
    search.divide(not_stopped);
    CHECK(search.bound() == 12);
    SECTION("not by no work") {
        detail::moments_search other(support::chain_of(m, {net.wide}), 10, 1, 30, 30);
        auto const before = other.flows();
        other.round_rooms([] { return true; });
        CHECK(other.flows() == before);
        CHECK(other.bound() == 8);
    }
    SECTION("and of what is enough no more is said") {
        detail::moments_search other(support::chain_of(m, {net.wide}), 10, 1, 11, 30);
        other.round_rooms(not_stopped);
        CHECK(other.bound() == 11);
        CHECK(other.is_solved());
        CHECK_FALSE(other.infeasible());
    }
}

TEST_CASE("moments_search: with rows no bound is above the optimum, and what is divided is the same", "[property]") {
    std::size_t told = 0, raised = 0;
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
        support::random_source random(seed);
        auto const flow = seed % 3 == 0 ? support::random_without_views(random, 6 + seed % 4)
                                        : support::random_narrow_gradients(random);
        auto const m = detail::make_search_model(flow);
        for (bytes const more : {0, 1, 2, 4}) {
            auto const budget = detail::floor_of(m).size + more;
            auto const exact = optimal_pebbling(flow, budget, {.state_limit = 20'000});
            if (!exact.proven) continue;
            auto const cuts = support::random_chain(random, m, 1 + seed % 4);
            if (cuts.empty()) continue;
            detail::moments_search search(cuts, budget, 1, detail::most_time, 5),
                without(cuts, budget, 1, detail::most_time, 5);
            auto const before = search.bound();
            search.round_rooms(not_stopped);
            CAPTURE(seed, budget);
            ++told;
            if (exact.schedule) {
                CHECK_FALSE(search.infeasible());
                CHECK(search.bound() <= exact.time - m.time_once);
                if (search.bound() > before) ++raised;
            }
            search.divide(not_stopped);
            without.divide(not_stopped);
            CHECK(search.infeasible() == without.infeasible());
            if (!search.infeasible()) CHECK(search.bound() == without.bound());
        }
    }
    CHECK(told > 200);
    CHECK(raised > 20);
}
