// Covers chains/mixed_table.hpp, chains/detail/split_row.hpp.
#include <repebble/chains/mixed_table.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/chains/binomial_bounds.hpp>

#include "support/catch.hpp"

using namespace repebble;

static_assert(std::ranges::input_range<mixed_schedule>);
static_assert(!std::is_constructible_v<mixed_schedule, mixed_table>);  // it would outlive the table

namespace {

/// Plays a reversal with mixed snapshots, and judges whether each action is legal.
struct played_mixed {
    static constexpr auto nothing = std::numeric_limits<std::uint64_t>::max();
    enum class holds : std::uint8_t { nothing, state, tape, rest_of_tape };

    std::vector<std::pair<holds, std::uint64_t>> slots;
    std::uint32_t tape_slots;
    std::uint64_t next, current = 0;
    bool legal = true;
    std::int64_t advanced = 0;

    void put(std::uint32_t slot, std::uint32_t count, holds what, std::uint64_t state) {
        for (auto k = 0U; k < count; ++k) slots.at(slot + k) = {k == 0 ? what : holds::rest_of_tape, state};
    }
    void play(mixed_action const& a) {
        using kind = mixed_action::kind;
        switch (a.what) {
            case kind::snapshot:
                legal = legal && current == a.begin;
                put(a.slot, 1, holds::state, a.begin);
                break;
            case kind::advance:
                legal = legal && current == a.begin && a.begin < a.end && a.end < next;
                advanced += static_cast<std::int64_t>(a.end - a.begin);
                current = a.end;
                break;
            case kind::restore:
                legal = legal && slots.at(a.slot) == std::pair(holds::state, a.begin);
                current = a.begin;
                break;
            case kind::record:
                legal = legal && current == a.begin && a.begin + 1 == a.end && a.end < next;
                put(a.slot, tape_slots, holds::tape, a.begin);
                current = a.end;
                break;
            case kind::reverse:
                legal = legal && current == a.begin;
                reversed(a.begin);
                break;
            case kind::reverse_recorded:
                for (auto k = 0U; k < tape_slots; ++k)
                    legal =
                        legal && slots.at(a.slot + k) == std::pair(k == 0 ? holds::tape : holds::rest_of_tape, a.begin);
                reversed(a.begin);
                break;
        }
    }
    void reversed(std::uint64_t step) {
        legal = legal && step + 1 == next;
        next = step;
        current = nothing;
    }
};

auto plays(mixed_table const& table) -> bool {
    played_mixed game{{table.slots(), {played_mixed::holds::nothing, 0}}, table.tape_slots(), table.steps()};
    for (auto const& a : table.schedule()) game.play(a);
    return game.legal && game.next == 0 && game.advanced == table.least_advances();
}

/// The fewest advances over all schedules: a shortest path over what is current, stored and reversed.
auto fewest_of_all(unsigned steps, unsigned slots, unsigned tape_slots) -> std::int64_t {
    constexpr unsigned nowhere = 31;
    using position = std::array<unsigned, 4>;  // current, next, stored states, stored tapes
    using entry = std::pair<std::int64_t, position>;
    std::map<position, std::int64_t> least;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
    auto const reach = [&](std::int64_t cost, position p) {
        auto const useful = (1U << p[1]) - 1;
        p[2] &= useful, p[3] &= useful;
        if (static_cast<unsigned>(std::popcount(p[2])) + tape_slots * static_cast<unsigned>(std::popcount(p[3])) >
            slots)
            return;
        auto const [at, is_new] = least.try_emplace(p, cost);
        if (!is_new && at->second <= cost) return;
        at->second = cost;
        open.emplace(cost, p);
    };
    reach(0, {0, steps, 0, 0});
    for (;;) {
        auto const [cost, p] = open.top();
        open.pop();
        auto const [current, next, states, tapes] = p;
        if (next == 0) return cost - steps;  // each step runs with its tape once
        if (least.at(p) < cost) continue;
        if (current + 1 == next) reach(cost + 1, {nowhere, next - 1, states, tapes});
        if ((tapes >> (next - 1) & 1U) != 0) reach(cost, {nowhere, next - 1, states, tapes});
        if (current + 1 < next) {
            reach(cost + 1, {current + 1, next, states, tapes});
            reach(cost + 1, {current + 1, next, states, tapes | 1U << current});
        }
        if (current != nowhere) reach(cost, {current, next, states | 1U << current, tapes});
        for (unsigned i = 0; i < next; ++i) {
            if ((states >> i & 1U) != 0) {
                reach(cost, {i, next, states, tapes});
                reach(cost, {current, next, states ^ 1U << i, tapes});
            }
            if ((tapes >> i & 1U) != 0) reach(cost, {current, next, states, tapes ^ 1U << i});
        }
    }
}

}  // namespace

TEST_CASE("mixed: no schedule at all advances less, whatever a tape takes", "[levels]") {
    for (unsigned tape = 1; tape <= 3; ++tape)
        for (unsigned slots = 1; slots <= 4; ++slots)
            for (unsigned steps = 1; steps <= 8; ++steps) {
                CAPTURE(steps, slots, tape);
                mixed_table const table(steps, slots, tape);
                CHECK(table.least_advances() == fewest_of_all(steps, slots, tape));
                CHECK(plays(table));
            }
}

TEST_CASE("mixed: as many advances as the recurrence of Maddison 2024, and never more than REVOLVE",
          "[levels][paper]") {
    constexpr std::size_t most = 70;
    std::vector<std::int64_t> fewer(most + 1), now(most + 1);
    for (std::uint32_t s = 1; s <= 10; ++s) {
        for (std::size_t n = 1; n <= most; ++n) {
            auto const whole = static_cast<std::int64_t>(n);
            if (n <= s + 1) {
                now[n] = whole;
            } else if (s == 1) {
                now[n] = whole * (whole + 1) / 2 - 1;
            } else {
                now[n] = 1 + fewer[n - 1];
                for (std::size_t i = 2; i < n; ++i)
                    now[n] = std::min(now[n], static_cast<std::int64_t>(i) + now[i] + fewer[n - i]);
            }
            mixed_table const table(n, s);
            CAPTURE(n, s);
            CHECK(table.least_advances() == now[n] - whole);  // there each step's run with its tape counts, too
            CHECK(plays(table));
            CHECK(table.least_advances() <= static_cast<std::int64_t>(binomial_bounds::least_advances(n, s)));
        }
        fewer = now;
    }
}

TEST_CASE("mixed: long chains, the ends of slots, and wrong numbers", "[levels]") {
    for (std::uint32_t const tape : {1U, 4U, 50U}) {
        mixed_table const table(3000, 20, tape);
        CHECK(plays(table));
        if (tape > 20)
            CHECK(table.least_advances() == static_cast<std::int64_t>(binomial_bounds::least_advances(3000, 20)));
    }
    CHECK(mixed_table(5, 100).slots() == 4);
    CHECK(mixed_table(5, 100).least_advances() == 0);
    CHECK(mixed_table(0, 1).least_advances() == 0);
    mixed_table const none(0, 1);
    CHECK(std::ranges::distance(none.schedule()) == 0);
    CHECK_THROWS_WITH(mixed_table(5, 0), "there are 0 slots, and a snapshot takes one");
    CHECK_THROWS_WITH(mixed_table(5, 1, 0), "a tape takes 0 slots, and must take at least one");
    CHECK_THROWS_AS(mixed_table(std::uint64_t{1} << 40U, 1), bad_weight);
}

TEST_CASE("mixed: slots that are of no use are left out, and too many refused", "[levels]") {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    mixed_table const none_fits(10, most - 1, most);
    CHECK(none_fits.slots() == 9);
    CHECK(none_fits.least_advances() == static_cast<std::int64_t>(binomial_bounds::least_advances(10, 9)));
    CHECK(plays(none_fits));
    CHECK(mixed_table(10, most).least_advances() == 0);
    CHECK(mixed_table(1, most, most).slots() == 1);
    CHECK_THROWS_WITH(mixed_table(10, most, most / 10),
                      "a table of 10 steps and 3865470561 slots takes up to 476 GiB, and more than 8 are not allowed");
}
