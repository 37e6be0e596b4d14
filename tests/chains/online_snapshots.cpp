// Covers chains/online_snapshots.hpp, chains/binomial_bounds.hpp.
#include <repebble/chains/online_snapshots.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ranges>
#include <vector>

#include <repebble/chains/binomial_bounds.hpp>

#include "chains/played_reversal.hpp"
#include "support/catch.hpp"

using namespace repebble;

static_assert(std::ranges::input_range<online_reversal>);

namespace {

/// The run of a chain of unknown length, forward and back.
struct online_run {
    bool legal = true;
    std::uint64_t advanced = 0;  ///< steps during the reversal
    std::uint64_t most = 0;      ///< the most forward runs of a step before its reversal
};

constexpr auto run_online(std::uint64_t steps, std::uint32_t slots) -> online_run {
    constexpr auto nothing = support::played_reversal::nothing;
    support::played_reversal game{std::vector<std::uint64_t>(slots, nothing), nothing, steps};
    std::vector<std::uint64_t> runs(steps, 1);
    online_snapshots online(slots);
    for (std::uint64_t state = 0; state < steps; ++state)
        if (auto const into = online.before_step()) game.slots.at(*into) = state;
    game.legal = online.steps() == steps;
    for (auto const& s : online.snapshots()) game.legal = game.legal && game.slots.at(s.slot) == s.state;
    for (auto const& a : online.reversal()) {
        game.play(a);
        if (a.what != revolve_action::kind::advance) continue;
        for (auto i = a.begin; i < a.end; ++i) ++runs.at(i);
    }
    online_run r{game.legal && game.next == 0, game.advanced};
    for (auto const n : runs) r.most = std::max(r.most, n);
    return r;
}

constexpr auto is_legal_online() -> bool { return run_online(20, 3).legal && run_online(0, 2).legal; }
static_assert(is_legal_online());

}  // namespace

TEST_CASE("a chain of unknown length is reversed, and no step runs more often than in one step more of known length",
          "[online_snapshots]") {
    for (std::uint32_t slots = 1; slots <= 8; ++slots)
        for (std::uint64_t steps = 0; steps <= 150; ++steps) {
            CAPTURE(steps, slots);
            auto const r = run_online(steps, slots);
            CHECK(r.legal);
            CHECK(r.most <= std::max<std::uint64_t>(1, binomial_bounds::repetitions(steps + 1, slots)));
        }
}

TEST_CASE("an unknown length costs at most 30 % more steps", "[online_snapshots]") {
    // The forward sweep runs all steps once, REVOLVE's runs all but the last.
    for (std::uint32_t const slots : {3U, 10U, 30U})
        for (std::uint64_t const steps : {100U, 1000U, 5000U}) {
            CAPTURE(steps, slots);
            auto const r = run_online(steps, slots);
            CHECK(r.legal);
            auto const least = binomial_bounds::least_advances(steps, slots);
            CHECK(r.advanced + steps - 1 >= least);
            CHECK(static_cast<double>(r.advanced + steps) <= 1.3 * static_cast<double>(least));
        }
}

TEST_CASE("snapshots lie in the returned slots, the oldest in the first", "[online_snapshots]") {
    online_snapshots online(2);
    std::vector<int> into;
    for (int step = 0; step < 7; ++step) {
        auto const slot = online.before_step();
        into.push_back(slot ? static_cast<int>(*slot) : -1);
    }
    CHECK(into == std::vector<int>{0, 1, -1, 1, -1, -1, 1});
    CHECK(online.snapshots() == std::vector<snapshot>{{0, 0}, {6, 1}});
    CHECK(online.steps() == 7);
    CHECK_THROWS_AS(online_snapshots(0), precondition_violated);
}

TEST_CASE("slots that are never used take no memory", "[online_snapshots]") {
    online_snapshots online(std::numeric_limits<std::uint32_t>::max());
    for (std::uint32_t state = 0; state < 3; ++state) CHECK(online.before_step() == state);
    std::vector<std::uint64_t> reversed;
    for (auto const& a : online.reversal())
        if (a.what == revolve_action::kind::reverse) reversed.push_back(a.begin);
    CHECK(reversed == std::vector<std::uint64_t>{2, 1, 0});
}
