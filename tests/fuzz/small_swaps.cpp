// Plans over a link of random problems of up to 8 operations with every feature: are they what a simulation of the
// three lanes says, never slower than without the link, and are bounds and proofs true where exhaustive searches can
// tell. Built on request (`small_swaps`):
//   small_swaps [PROBLEMS] [FIRST_SEED]        default 1000 0; the exit status is 1 where a promise is broken
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>

#include "support/brute_swapping.hpp"
#include "support/plan_promises.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/swap_cases.hpp"

namespace {

using namespace repebble;

constexpr std::size_t most_states = 20'000;

struct counts {
    std::size_t problems = 0, planned = 0, copied = 0, proven = 0, proven_none = 0;
    std::size_t searched = 0, feasible = 0, missed = 0, slower = 0, wrong = 0;
};

auto any_case(support::split_mix& random) -> support::swap_case {
    support::swap_case c{.flow = support::any_small_dataflow(random), .via = support::random_link(random)};
    auto const high = replay(c.flow, make_schedule(c.flow)).peak;
    auto const low = plan(c.flow, high, {.limits = {.work = 0}}).floor.size;
    c.budget = support::between(random, low, high);
    if (support::chance(random, 40)) c.host_budget = support::between(random, 0, high);
    return c;
}

/// "" or how the plan compares with the one without the link, and with all schedules without copies.
auto comparison_fault(support::swap_case const& c, automatic_plan<> const& found) -> std::string {
    auto const alone = plan(c.flow, c.budget);
    if (alone.plan && !found.plan) return "without the link there is a plan";
    if (alone.plan && found.plan->cost.time > alone.plan->cost.time) return "without the link it is faster";
    if (alone.floor != found.floor) return "the floor is another without the link";
    auto const truth = support::exhaustive_search(c.flow, c.budget, most_states);
    if (!truth.least_time) return {};
    if (!found.plan) return "no plan, and one without copies takes " + std::to_string(*truth.least_time);
    if (c.flow.time_once() + found.lower_bound > *truth.least_time) return "its bound is above a plan without copies";
    return found.plan->cost.time > *truth.least_time ? "slower than a plan without copies" : "";
}

void tell(std::uint64_t seed, std::string const& what) {
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), what.c_str());
}

void try_one(std::uint64_t seed, counts& all) {
    support::split_mix random(seed);
    auto const c = any_case(random);
    auto const found = plan(c.flow, c.budget, {.link = c.via, .host_budget = c.host_budget});
    ++all.problems;
    auto fault = support::swap_fault(c, found);
    if (fault.empty() && found.plan) fault = support::simulation_fault(c, *found.plan);
    if (fault.empty()) fault = comparison_fault(c, found);
    if (found.plan) {
        ++all.planned;
        if (found.plan->cost.bytes_out > 0) ++all.copied;
        if (found.proven) ++all.proven;
    } else if (found.proven) {
        ++all.proven_none;
    }
    if (fault.empty() && support::brute_swapping::knows(c.flow)) try {
            auto const verdict = support::compared_with_all(c, found, most_states);
            fault = verdict.fault;
            ++all.searched;
            if (found.plan || verdict.best_time) ++all.feasible;
            if (verdict.best_time) {
                auto const best = std::to_string(*verdict.best_time);
                ++(found.plan ? all.slower : all.missed);
                tell(seed, found.plan ? "a plan of " + std::to_string(found.plan->cost.time) + ", and one takes " + best
                                      : "no plan, and one takes " + best);
            }
        } catch (support::too_many_states const&) {
        }
    if (fault.empty()) return;
    ++all.wrong;
    tell(seed, fault);
}

}  // namespace

auto main(int argc, char** argv) -> int {
    auto const number = [&](int k, std::uint64_t otherwise) {
        return argc > k ? std::strtoull(argv[k], nullptr, 10) : otherwise;
    };
    counts all;
    auto const first = number(2, 0), count = number(1, 1000);
    for (auto seed = first; seed < first + count; ++seed) {
        try {
            try_one(seed, all);
        } catch (std::exception const& e) {
            ++all.wrong;
            tell(seed, e.what());
        }
    }
    std::printf(
        "%zu problems: %zu planned, %zu with copies, %zu proven least, %zu proven that none fits\n"
        "%zu searched, %zu feasible: %zu missed, %zu slower\n%zu wrong\n",
        all.problems, all.planned, all.copied, all.proven, all.proven_none, all.searched, all.feasible, all.missed,
        all.slower, all.wrong);
    return all.wrong == 0 ? 0 : 1;
}
