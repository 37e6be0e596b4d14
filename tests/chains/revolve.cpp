// Covers chains/binomial_bounds.hpp, chains/detail/binomials.hpp, chains/revolve.hpp.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "chains/played_reversal.hpp"
#include "support/brute_force.hpp"
#include "support/catch.hpp"
#include "support/folders.hpp"

using namespace repebble;

static_assert(std::ranges::input_range<revolve_schedule>);

namespace {

/// Counts of a reversal's actions, and whether all were legal.
struct reversal {
    std::uint64_t advanced = 0, taken = 0, actions = 0;
    bool legal = false;
};

constexpr auto reversed_chain(std::uint64_t steps, std::uint32_t snapshots,
                              initial_state first = initial_state::counted) -> reversal {
    auto const given = std::size_t{snapshots} + (first == initial_state::free ? 1U : 0U);
    support::played_reversal game{std::vector<std::uint64_t>(given, support::played_reversal::nothing), 0, steps};
    if (first == initial_state::free) game.slots.at(0) = 0;
    reversal r;
    for (auto const& a : revolve(steps, snapshots, first)) {
        ++r.actions;
        if (a.what == revolve_action::kind::snapshot && a.slot >= given) return r;  // not legal
        game.play(a);
    }
    r.advanced = game.advanced;
    r.taken = game.taken;
    r.legal = game.legal && game.next == 0;
    return r;
}

/// The least number of advanced steps, by the recurrence over the next snapshot: after j of n steps.
auto least_by_recurrence(std::size_t most_steps, std::size_t most_snapshots)
    -> std::vector<std::vector<std::uint64_t>> {
    std::vector<std::vector<std::uint64_t>> least(most_snapshots + 1);
    for (std::size_t s = 1; s <= most_snapshots; ++s)
        for (std::size_t n = 0; n <= most_steps; ++n) {
            std::uint64_t best = n < 2 ? 0 : n * (n - 1) / 2;
            for (std::size_t j = 1; s > 1 && j < n; ++j) best = std::min(best, j + least[s - 1][n - j] + least[s][j]);
            least[s].push_back(best);
        }
    return least;
}

}  // namespace

static_assert(binomial_bounds::most_steps(3, 2) == 10);
static_assert(binomial_bounds::most_steps(70, 70) == binomial_bounds::unlimited);
static_assert(binomial_bounds::repetitions(10, 3) == 2 && binomial_bounds::repetitions(11, 3) == 3);
static_assert(binomial_bounds::least_advances(10, 3) == 15);
static_assert(reversed_chain(10, 3).legal && reversed_chain(10, 3).advanced == 15);

TEST_CASE("revolve: every chain is reversed with the least number of steps", "[revolve][paper]") {
    auto const least = least_by_recurrence(60, 8);
    for (std::uint32_t s = 1; s <= 8; ++s)
        for (std::uint64_t n = 0; n <= 60; ++n) {
            CAPTURE(s, n);
            auto const r = reversed_chain(n, s);
            CHECK(r.legal);
            CHECK(r.advanced == least[s][n]);
            CHECK(binomial_bounds::least_advances(n, s) == least[s][n]);
            auto const free = reversed_chain(n, s - 1, initial_state::free);
            CHECK(free.legal);
            CHECK(free.advanced == least[s][n]);
            CHECK(free.taken + (n > 0 ? 1 : 0) == r.taken);
        }
    CHECK_THROWS_AS(revolve(3, 0), precondition_violated);
}

TEST_CASE("revolve: long chains, and closed forms to the end of 64 bits", "[revolve]") {
    for (std::uint32_t const s : {1U, 2U, 7U, 100U, 3000U}) {
        auto const r = reversed_chain(20'000, s);
        CHECK(r.legal);
        CHECK(r.advanced == binomial_bounds::least_advances(20'000, s));
    }
    using of = binomial_bounds;
    CHECK(of::least_advances(100'000'000, 10) == 2'113'902'240);  // where a 32-bit program overflows
    CHECK(of::least_advances(1'000'000, 1) == 499'999'500'000);
    CHECK(of::least_advances(std::uint64_t{1} << 40U, 1) == of::unlimited);
    CHECK(of::repetitions(std::uint64_t{1} << 62U, 2) == 3'037'000'499);
    CHECK(of::most_steps(2, 3'037'000'499) >= std::uint64_t{1} << 62U);
    CHECK(of::most_steps(2, 3'037'000'498) < std::uint64_t{1} << 62U);
}

TEST_CASE("revolve: one snapshot or one repetition less, from the closed form", "[revolve]") {
    using of = binomial_bounds;
    for (std::uint64_t s = 2; s < 9; ++s)
        for (std::uint64_t r = 0; r < 9; ++r) {
            CAPTURE(s, r);
            CHECK(detail::with_fewer_snapshots(of::most_steps(s, r), s, r) == of::most_steps(s - 1, r));
            if (r > 0) CHECK(detail::with_fewer_repetitions(of::most_steps(s, r), s, r) == of::most_steps(s, r - 1));
        }
}

TEST_CASE("revolve: the counts of a published program", "[revolve][data]") {
    auto const file = std::filesystem::path(support::source_dir()) / "tests/data/chain/golden_uniform.json";
    auto const golden = nlohmann::json::parse(std::ifstream(file));
    std::size_t cases = 0;
    for (auto const& e : golden.at("uniform")) {
        auto const n = e.at("N").get<std::uint64_t>();
        auto const c = e.at("c").get<std::uint32_t>();
        if (n > 20'000) continue;
        CAPTURE(n, c);
        auto const r = reversed_chain(n, c);
        CHECK(r.legal);
        CHECK(r.advanced == e.at("advances").get<std::uint64_t>());
        if (n > 1) CHECK(r.taken == e.at("takeshots").get<std::uint64_t>());
        ++cases;
    }
    CHECK(cases > 200);
}

TEST_CASE("revolve: on a training graph the peak is that of the snapshots and of a step", "[revolve]") {
    for (std::size_t const n : {1U, 2U, 5U, 30U, 100U})
        for (std::uint32_t const s : {1U, 2U, 4U, 9U}) {
            // State i is the value of vertex i - 1; the backward operation of vertex i is 2 n - 1 - i.
            auto const training =
                make_training_graph(support::chain(n), weights{}, needs_inputs_only, convention::op_backward);
            std::vector<operation_index> computations;
            for (auto const& a : revolve(n, s, initial_state::free)) {
                for (auto i = a.begin; i < a.end; ++i) computations.push_back(static_cast<operation_index>(i));
                if (a.what != revolve_action::kind::reverse) continue;
                if (a.begin + 1 == n) computations.push_back(static_cast<operation_index>(a.begin));  // the result
                computations.push_back(static_cast<operation_index>(2 * n - 1 - a.begin));
            }
            auto const cost = replay(training.flow, make_schedule(training.flow, computations));
            CAPTURE(n, s);
            CHECK(cost.peak <= static_cast<bytes>(s) + 3);
            CHECK(cost.overhead == static_cast<std::int64_t>(binomial_bounds::least_advances(n, s + 1)) -
                                       static_cast<std::int64_t>(n - 1));
        }
}
