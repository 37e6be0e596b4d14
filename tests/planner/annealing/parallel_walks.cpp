// Covers planner/detail/annealing/parallel_walks.hpp, planner/detail/annealing/move_rules.hpp.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <repebble/detail/parallel_tasks.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/planner/detail/annealing/move_rules.hpp>
#include <repebble/planner/detail/annealing/parallel_walks.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

constexpr auto endless = std::numeric_limits<std::int64_t>::max();

auto two_stages(std::vector<operation_index> const& order) -> std::vector<detail::annealing_stage> {
    detail::cooling_schedule const cool{{{}, {1, 0.05}, 0.1}, {{}, {0.3, 0.02}, 0.1}};
    return {{{{order, {0.1, 0.02}, 0.1}}, {{{}, {3, 0.1}, 0.1}}}, {cool, cool, cool}};
}

}  // namespace

TEST_CASE("parallel_tasks: every task once, whatever the number of threads") {
    for (std::size_t const threads : {1U, 2U, 5U, 20U}) {
        std::vector<int> runs(12, 0);
        std::vector<std::size_t> by(12, threads);
        std::atomic<bool> stop{false};
        detail::parallel_tasks(
            12, threads, stop,
            [&](std::size_t task, std::size_t worker) {
                by[task] = worker;
                ++runs[task];
            },
            [] {});
        CHECK(runs == std::vector<int>(12, 1));
        CHECK(std::ranges::max(by) < threads);
        CHECK_FALSE(stop);
    }
}

TEST_CASE("parallel_tasks: the exception of the first task that throws reaches the caller, and others are told") {
    for (std::size_t const threads : {1U, 2U, 3U}) {
        std::atomic<bool> stop{false};
        std::string what;
        try {
            detail::parallel_tasks(
                6, threads, stop,
                [&](std::size_t task, std::size_t) {
                    if (task == 1) throw std::runtime_error("task 1");
                    while (threads > 1 && !stop) std::this_thread::yield();
                    if (task == 2) throw std::runtime_error("task 2");
                },
                [] {});
        } catch (std::runtime_error const& error) {
            what = error.what();
        }
        CHECK(what == "task 1");
        CHECK(stop);
    }
}

TEST_CASE("parallel_tasks: the exception of the first task reaches the caller, though another task throws sooner") {
    std::atomic<bool> stop{false};
    std::string what;
    try {
        detail::parallel_tasks(
            2, 2, stop,
            [&](std::size_t task, std::size_t) {
                while (task == 0 && !stop) std::this_thread::yield();
                throw std::runtime_error("task " + std::to_string(task));
            },
            [] {});
    } catch (std::runtime_error const& error) {
        what = error.what();
    }
    CHECK(what == "task 0");
}

TEST_CASE("parallel_tasks: the caller looks after the others while they work") {
    std::atomic<bool> stop{false};
    auto const caller = std::this_thread::get_id();
    auto const wait_for_others = [&](std::size_t, std::size_t worker) {
        while (worker > 0 && !stop) std::this_thread::yield();
    };
    detail::parallel_tasks(2, 2, stop, wait_for_others, [&] {
        CHECK(std::this_thread::get_id() == caller);
        stop = true;
    });
    stop = false;
    CHECK_THROWS_AS(detail::parallel_tasks(2, 2, stop, wait_for_others, [] { throw std::runtime_error("no more"); }),
                    std::runtime_error);
}

TEST_CASE("run_walks: results do not depend on the number of threads", "[long]") {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 10 + 4 * seed});
        auto const model = detail::make_planning_model(flow);
        bytes const budget = replay(flow, make_schedule(flow)).peak * 3 / 4;
        for (auto const& stage : two_stages(model.order))
            for (std::int64_t const enough : {std::int64_t{0}, model.time_once * 5 / 4, endless}) {
                std::vector<std::vector<std::int64_t>> times;
                std::vector<std::vector<std::vector<operation_index>>> all;
                for (std::size_t const threads : {1U, 2U, 3U}) {
                    auto const found = detail::run_walks(
                        model, budget, stage, model.order, {.moves = 60'000, .seed = seed, .threads = threads},
                        [&](auto time) { return time <= enough; }, [](auto, double) { return false; });
                    times.emplace_back();
                    all.emplace_back();
                    for (auto const& one : found.found) {
                        times.back().push_back(one.time);
                        all.back().push_back(one.computations.value_or(std::vector<operation_index>{}));
                    }
                }
                CHECK(times[1] == times[0]);
                CHECK(times[2] == times[0]);
                CHECK(all[1] == all[0]);
                CHECK(all[2] == all[0]);
            }
    }
}

TEST_CASE("run_walks: the callback runs on the calling thread; it ends by the callback or the time limit") {
    support::split_mix random(1);
    auto const flow = support::random_dataflow(random, {.operations = 30});
    auto const model = detail::make_planning_model(flow);
    bytes const budget = replay(flow, make_schedule(flow)).peak * 3 / 4;
    auto const stage = two_stages(model.order).back();
    auto const caller = std::this_thread::get_id();
    auto const more = [](auto) { return false; };
    for (std::size_t const threads : {1U, 2U, 3U}) {
        detail::walk_limits work{.moves = std::numeric_limits<std::size_t>::max(), .threads = threads};
        int looks = 0;
        auto const stopped = detail::run_walks(model, budget, stage, model.order, work, more, [&](auto, double share) {
            CHECK(std::this_thread::get_id() == caller);
            CHECK(share >= 0);
            CHECK(share <= 1.001);
            return ++looks == 3;
        });
        CHECK(looks >= 3);
        CHECK(stopped.share < detail::stage_share(stage) / 100);
        work.seconds = 0.05;
        auto const found =
            detail::run_walks(model, budget, stage, model.order, work, more, [](auto, double) { return false; });
        CHECK(found.found.size() == stage.size());
        CHECK(found.share > detail::stage_share(stage) * 0.99);
        CHECK(found.share < detail::stage_share(stage) * 1.01);
        work.seconds = 1e9;
        work.seconds_left = 0.02;
        auto const begin = detail::wall_clock::now();
        static_cast<void>(detail::run_walks(model, budget, stage, model.order, work, more, [&](auto, double) {
            return (detail::wall_clock::now() - begin).count() > 0.02;
        }));
        CHECK_THROWS_AS(detail::run_walks(model, budget, stage, model.order, work, more,
                                          [](auto, double) -> bool { throw std::runtime_error("no more"); }),
                        std::runtime_error);
    }
}

TEST_CASE("run_walks: each cooling run uses its own move rules") {
    std::size_t more = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        INFO("seed " << seed);
        support::split_mix random(seed);
        auto const flow = support::random_dataflow(random, {.operations = 12, .view_percent = 0});
        auto const m = detail::make_planning_model(flow);
        auto const peak = replay(flow, make_schedule(flow)).peak;
        auto const anneal = [&](detail::move_rules const& rules) {
            detail::annealing_stage const stage{{{m.order, {1, 0.05}, 1, rules}}};
            return detail::run_walks(
                m, peak - peak / 4, stage, m.order, {.moves = 3000}, [](auto) { return false; },
                [](auto, auto) { return false; });
        };
        auto const most_run = [&](std::vector<operation_index> const& all) {
            return *std::ranges::max_element(m.order, {}, [&](auto const v) { return std::ranges::count(all, v); });
        };
        auto const free = anneal({});
        if (!free.found.front().computations) continue;
        auto const v = most_run(*free.found.front().computations);
        if (std::ranges::count(*free.found.front().computations, v) == 1) continue;
        ++more;
        auto const spared = anneal({.tabu = v});
        if (spared.found.front().computations) CHECK(std::ranges::count(*spared.found.front().computations, v) == 1);
    }
    CHECK(more > 3);
}
