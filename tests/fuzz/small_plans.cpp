// Plans of random problems of up to 8 operations with every feature, without a limit, against exhaustive search by the
// naive judge: how many are missed, slower than the least, proven wrongly; as they are, and under random policies where
// these can be kept. Built on request (`small_plans`):
//   small_plans [PROBLEMS] [FIRST_SEED]        default 1000 0; the exit status is 1 where one is missed, slower or
//   wrong
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_memory_floor.hpp>

#include "support/plan_promises.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_policies.hpp"

namespace {

using namespace repebble;

struct counts {
    std::size_t problems = 0, searched = 0, feasible = 0, planned = 0, proven = 0, proven_none = 0;
    std::size_t missed = 0, slower = 0, wrong = 0;

    [[nodiscard]] auto faults() const -> std::size_t { return missed + slower + wrong; }
};

void tell(std::uint64_t seed, bytes budget, std::string const& what) {
    std::printf("seed %llu, budget %lld: %s\n", static_cast<unsigned long long>(seed), static_cast<long long>(budget),
                what.c_str());
}

struct small_case {
    std::uint64_t seed;
    dataflow const& flow;
    bytes budget;
};

void judge(small_case const& c, automatic_plan<> const& found, support::exhaustive_result const& truth, counts& all) {
    ++all.searched;
    if (auto const fault = support::plan_fault(c.flow, c.budget, found, truth); !fault.empty()) {
        ++all.wrong;
        tell(c.seed, c.budget, fault);
    }
    if (!found.plan && found.proven) ++all.proven_none;
    if (!truth.least_time) return;
    ++all.feasible;
    if (!found.plan) {
        ++all.missed;
        return tell(c.seed, c.budget, "no plan, and one takes " + std::to_string(*truth.least_time));
    }
    ++all.planned;
    if (found.proven) ++all.proven;
    if (found.plan->cost.time == *truth.least_time) return;
    ++all.slower;
    tell(c.seed, c.budget,
         "a plan of " + std::to_string(found.plan->cost.time) + ", and one takes " + std::to_string(*truth.least_time));
}

constexpr std::size_t most_states = 20'000;

void try_policies(small_case const& c, value_policies const& policies, counts& all) {
    try {
        auto const found = plan(c.flow, c.budget, {.policies = policies});
        ++all.problems;
        auto const marks = detail::mark_policies(c.flow, policies);
        auto const truth = support::exhaustive_search(c.flow, c.budget, most_states, &marks);
        if (!truth.searched) return;
        judge(c, found, truth, all);
        if (!found.plan) return;
        if (auto const kept = verify_policies(c.flow, found.plan->schedule, marks); !kept) {
            ++all.wrong;
            tell(c.seed, c.budget, kept.message());
        }
    } catch (bad_graph const&) {  // policies that the graph cannot keep
    }
}

void try_one(std::uint64_t seed, counts& all, counts& with_policies) {
    support::split_mix random(seed);
    auto const flow = support::any_small_dataflow(random);
    auto const budget = support::between(random, find_memory_floor(flow).size, replay(flow, make_schedule(flow)).peak);
    small_case const c{seed, flow, budget};
    if (auto const policies = support::random_policies(random, flow); !policies.empty())
        try_policies(c, policies, with_policies);
    auto const truth = support::exhaustive_search(flow, budget, most_states);
    ++all.problems;
    if (truth.searched) judge(c, plan(flow, budget), truth, all);
}

void report(char const* name, counts const& all) {
    std::printf(
        "%s: %zu problems, %zu searched, %zu feasible: %zu planned, %zu proven least, %zu proven that none fits\n"
        "%zu missed, %zu slower, %zu wrong\n",
        name, all.problems, all.searched, all.feasible, all.planned, all.proven, all.proven_none, all.missed,
        all.slower, all.wrong);
}

}  // namespace

auto main(int argc, char** argv) -> int {
    auto const number = [&](int k, std::uint64_t otherwise) {
        return argc > k ? std::strtoull(argv[k], nullptr, 10) : otherwise;
    };
    counts all, with_policies;
    auto const first = number(2, 0), count = number(1, 1000);
    try {
        for (auto seed = first; seed < first + count; ++seed) try_one(seed, all, with_policies);
    } catch (std::exception const& e) {
        std::printf("%s\n", e.what());
        return 1;
    }
    report("as they are", all);
    report("under policies", with_policies);
    return all.faults() + with_policies.faults() == 0 ? 0 : 1;
}
