// Covers planner/detail/annealing/annealing_search.hpp, planner/detail/annealing/annealer.hpp,
// planner/detail/model/sequence_loads.hpp.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <repebble/detail/run_beside.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/annealing/annealer.hpp>
#include <repebble/planner/detail/annealing/annealing_search.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto forever = std::numeric_limits<std::int64_t>::max();

struct deaf {};

struct told_progress {
    std::vector<double> shares{};
    void progress(double share) { shares.push_back(share); }
};

/// A model of a random flow, and a budget at which something must run again.
struct tight_flow {
    explicit tight_flow(std::uint64_t seed, std::size_t operations = 24)
        : random(seed), flow(support::random_dataflow(random, {.operations = operations, .view_percent = 0})) {}
    support::split_mix random;
    dataflow flow;
    detail::planning_model m = detail::make_planning_model(flow);
    bytes budget = replay(flow, make_schedule(flow)).peak * 3 / 4;
};

template <class Observer>
struct one_search {
    one_search(tight_flow const& f, plan_options given)
        : options(std::move(given)),
          clock(options.limits.seconds, hears),
          found(f.m, f.budget, 0, hears, counts),
          search(f.m, f.budget, options, hears, clock, found) {}
    plan_options options;
    Observer observer{};
    detail::listener hears{observer};
    detail::profile counts{};
    detail::deadline clock;
    detail::incumbent found;
    detail::annealing_search search;
};

void be_busy_for(double seconds) {
    auto const begin = detail::wall_clock::now();
    while ((detail::wall_clock::now() - begin).count() < seconds) {
    }
}

}  // namespace

TEST_CASE("run_beside: the other goes on until the work has ended, and is waited for") {
    bool worked = false, asked = false;
    detail::run_beside([&] { worked = true; },
                       [&](detail::stop_flag const& stop) {
                           while (!stop.stop_requested()) std::this_thread::yield();
                           asked = true;
                       });
    CHECK(worked);
    CHECK(asked);
}

TEST_CASE("run_beside: an exception of either reaches the caller when both have ended") {
    bool ended = false;
    auto const wait = [&](detail::stop_flag const& stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
        ended = true;
    };
    CHECK_THROWS_AS(detail::run_beside([] { throw std::runtime_error("work"); }, wait), std::runtime_error);
    CHECK(ended);
    bool worked = false;
    CHECK_THROWS_AS(
        detail::run_beside([&] { worked = true; }, [](detail::stop_flag const&) { throw std::logic_error("other"); }),
        std::logic_error);
    CHECK(worked);
}

TEST_CASE("annealer: after forget_best only a faster sequence is kept, until forget_time") {
    tight_flow const f(1);
    auto const keeps = detail::sequence_time(f.m, f.m.order);
    bytes const roomy = 2 * f.budget;
    detail::annealer walk(f.m, f.m.order, roomy, 1);
    REQUIRE(walk.best());
    walk.forget_best();
    walk.run(1000, {1, 0.02}, 0);
    CHECK_FALSE(walk.best());  // nothing is faster than everything once
    CHECK(walk.best_time() == keeps);
    walk.forget_time();
    CHECK(walk.best_time() == forever);
    walk.run(1000, {1, 0.02}, 0.9);
    CHECK(walk.best());
    CHECK(walk.best_time() >= keeps);
    auto const best = walk.best_time();
    walk.forget_time();  // something counts
    CHECK(walk.best_time() == best);
}

TEST_CASE("run_walks: an exploring run returns a sequence that may be slower than its start", "[long]") {
    std::size_t slower = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        INFO("seed " << seed);
        tight_flow const f(seed);
        auto const walk = [&](std::vector<operation_index> const& from, bool anew, std::size_t moves) {
            detail::annealing_stage const stage{{{{}, {3, 1}, 1, {}, anew}}};
            auto found = detail::run_walks(
                f.m, f.budget, stage, from, {.moves = moves, .seed = seed}, [](auto) { return false; },
                [](auto, auto) { return false; });
            return found.found.front();
        };
        auto const good = walk(f.m.order, false, 30'000);
        if (!good.computations) continue;
        CHECK(walk(*good.computations, false, 600).time <= good.time);
        auto const anew = walk(*good.computations, true, 600);
        if (!anew.computations) continue;
        CHECK(std::ranges::max(detail::sequence_loads(f.m, *anew.computations)) <= f.budget);
        CHECK(detail::sequence_time(f.m, *anew.computations) == anew.time);
        if (anew.time > good.time) ++slower;
    }
    CHECK(slower > 3);
}

TEST_CASE("good_time: within a share of the least, and never the sentinel of no plan") {
    detail::good_time const is_good{100, 0.5};
    CHECK(is_good(100));
    CHECK(is_good(150));
    CHECK_FALSE(is_good(151));
    CHECK_FALSE(is_good(forever));
    CHECK_FALSE(detail::good_time{1, 1e30}(forever));
}

TEST_CASE("annealing_search: walks beside other work where there is a thread and a time limit, else it does not",
          "[long]") {
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed)
        for (std::size_t const threads : {1U, 2U, 3U})
            for (bool const limited : {true, false}) {
                INFO("seed " << seed << ", " << threads << " threads" << (limited ? ", limited" : ""));
                tight_flow const f(seed, 80);
                plan_options options{
                    .limits = {.work = 20'000}, .seed = seed, .threads = threads};  // so that much is left
                if (limited) options.limits.seconds = 100;
                one_search<deaf> one(f, options);
                int works = 0;
                one.search.go_on_beside([&] { ++works; });  // it has not begun
                CHECK(works == 1);
                CHECK_FALSE(one.found.best());
                one.found.consider("slow", f.budget, forever - 1, f.m.order);
                one.search.begin({f.m.order});
                auto const before = one.found.time();
                one.search.go_on_beside([&] {
                    ++works;
                    be_busy_for(0.05);
                });
                CHECK(works == 2);
                if (threads == 1 || !limited) CHECK(one.found.time() == before);
                CHECK(one.found.time() <= before);
                if (one.found.best() && one.found.time() < forever - 1)
                    CHECK(detail::sequence_time(f.m, one.found.best()->computations) == one.found.time());
                if (one.found.time() < before) ++better;
            }
    CHECK(better > 0);
}

TEST_CASE("annealing_search: starts beside other work unless moves are given, and begins as always afterwards",
          "[long]") {
    for (std::uint64_t seed = 0; seed < 4; ++seed)
        for (auto const moves : {std::optional<std::size_t>{}, std::optional<std::size_t>{100'000}}) {
            INFO("seed " << seed << (moves ? ", moves given" : ""));
            tight_flow const f(seed, 80);
            one_search<deaf> one(f, {.limits = {.seconds = 0.5, .work = moves}, .seed = seed, .threads = 2});
            one.search.start_beside(f.m.order, [&] { be_busy_for(0.05); });
            bool const found = one.found.best();
            CHECK(found != moves.has_value());
            auto const early = one.found.time();
            one.search.begin({f.m.order});
            one.search.go_on(1);
            CHECK(one.found.best());
            CHECK(one.found.time() <= early);
            CHECK(std::ranges::max(detail::sequence_loads(f.m, one.found.best()->computations)) <= f.budget);
        }
}

TEST_CASE("annealing_search: an exception of work beside walks reaches the caller") {
    tight_flow const f(1, 80);
    plan_options const options{.limits = {.seconds = 100}, .threads = 2};
    one_search<deaf> one(f, options);
    auto const fail = [] {
        be_busy_for(0.01);
        throw std::runtime_error("work");
    };
    CHECK_THROWS_AS(one.search.start_beside(f.m.order, fail), std::runtime_error);
    CHECK_THROWS_AS(one.search.go_on_beside(fail), std::runtime_error);
}

TEST_CASE("annealing_search: walks beside work that waits end at the time limit") {
    auto const used = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    tight_flow const f(2, 300);
    constexpr double limit = 0.2;
    one_search<deaf> one(f, {.limits = {.seconds = limit}, .threads = 2});
    auto const begin = used();
    one.search.start_beside(f.m.order, [] { std::this_thread::sleep_for(std::chrono::duration<double>(5 * limit)); });
    CHECK(used() - begin < 3 * limit);
    CHECK(one.clock.seconds() > 4 * limit);
}

TEST_CASE("annealing_search: progress never goes back where moves are few for so many operations") {
    tight_flow const f(3, 3000);
    plan_options const options{.limits = {.seconds = 1.4}};  // so that even slow walks look up now and then
    REQUIRE(detail::is_brief(f.m, 1.4 * 400'000));
    one_search<told_progress> one(f, options);
    one.search.begin({f.m.order});
    auto const first = one.observer.shares.size();
    CHECK(first > 0);
    one.search.go_on(1);
    CHECK(one.observer.shares.size() > first);
    CHECK(std::ranges::is_sorted(one.observer.shares));
}
