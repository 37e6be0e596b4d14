#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <repebble/detail/thread_clock.hpp>
#include <repebble/detail/work_beside.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/annealing_search.hpp>
#include <repebble/recompute/sequence_annealer.hpp>
#include <repebble/recompute/sequence_loads.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto forever = std::numeric_limits<std::int64_t>::max();

struct deaf {};

/// A model of a random flow, and a budget at which something must run again.
struct tight_flow {
    explicit tight_flow(std::uint64_t seed, std::size_t operations = 24)
        : random(seed), flow(support::random_dataflow(random, {.operations = operations, .view_percent = 0})) {}
    support::random_source random;
    dataflow<> flow;
    detail::search_model m = detail::make_search_model(flow);
    bytes budget = replay(flow, liveness(flow)).peak * 3 / 4;
};

void be_busy_for(double seconds) {
    auto const begin = detail::thread_clock::now();
    while ((detail::thread_clock::now() - begin).count() < seconds) {
    }
}

}  // namespace

TEST_CASE("work_beside: the other goes on until the work has ended, and is waited for") {
    bool worked = false, asked = false;
    detail::work_beside([&] { worked = true; },
                        [&](std::stop_token const& stop) {
                            while (!stop.stop_requested()) std::this_thread::yield();
                            asked = true;
                        });
    CHECK(worked);
    CHECK(asked);
}

TEST_CASE("work_beside: what either throws reaches the caller when both have ended") {
    bool ended = false;
    auto const wait = [&](std::stop_token const& stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
        ended = true;
    };
    CHECK_THROWS_AS(detail::work_beside([] { throw std::runtime_error("work"); }, wait), std::runtime_error);
    CHECK(ended);
    bool worked = false;
    CHECK_THROWS_AS(
        detail::work_beside([&] { worked = true; }, [](std::stop_token const&) { throw std::logic_error("other"); }),
        std::logic_error);
    CHECK(worked);
}

TEST_CASE("sequence_annealer: a forgotten best counts again only if it is beaten, until its time is forgotten, too") {
    tight_flow const f(1);
    auto const keeps = detail::sequence_time(f.m, f.m.order);
    bytes const roomy = 2 * f.budget;
    detail::sequence_annealer walk(f.m, f.m.order, roomy, 1);
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

TEST_CASE("anneal_islands: a round anew forgets where it began, unless it soon finds what is faster") {
    std::size_t slower = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        INFO("seed " << seed);
        tight_flow const f(seed);
        auto const walk = [&](std::vector<operation_index> const& from, bool anew, std::size_t moves) {
            detail::annealing_stage const stage{{{{}, {3, 1}, 1, {}, anew}}};
            auto found = detail::anneal_islands(
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

TEST_CASE("annealing_search: goes on beside other work where there is a thread and a time limit, else it does not") {
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed)
        for (std::size_t const threads : {1U, 2U, 3U})
            for (bool const limited : {true, false}) {
                INFO("seed " << seed << ", " << threads << " threads" << (limited ? ", limited" : ""));
                tight_flow const f(seed, 80);
                plan_options options{.moves = 20'000, .seed = seed, .threads = threads};  // so that much is left
                if (limited) options.time_limit = 100;
                deaf observer;
                detail::search_clock<deaf> clock(options.time_limit, observer);
                detail::incumbent<deaf> found(f.m, f.budget, 0, observer);
                detail::annealing_search<deaf> search(f.m, f.budget, options, observer, clock, found);
                int works = 0;
                search.go_on_beside([&] { ++works; });  // it has not begun
                CHECK(works == 1);
                CHECK_FALSE(found.best());
                found.consider("slow", f.budget, forever - 1, f.m.order);
                search.begin({f.m.order});
                auto const before = found.time();
                search.go_on_beside([&] {
                    ++works;
                    be_busy_for(0.05);
                });
                CHECK(works == 2);
                if (threads == 1 || !limited) CHECK(found.time() == before);
                CHECK(found.time() <= before);
                if (found.best() && found.time() < forever - 1)
                    CHECK(detail::sequence_time(f.m, found.best()->computations) == found.time());
                if (found.time() < before) ++better;
                CHECK_THROWS_AS(search.go_on_beside([] { throw std::runtime_error("work"); }), std::runtime_error);
            }
    CHECK(better > 0);
}
