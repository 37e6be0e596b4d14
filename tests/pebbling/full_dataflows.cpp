// Covers orders/find_least_peak.hpp, pebbling/make_schedule.hpp, orders/find_optimal_pebbling.hpp, pebbling/replay.hpp,
// graph/dataflow/detail/plain_dataflow.hpp, graph/dataflow/usable_overwrites.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <rapidcheck.h>

#include "support/catch.hpp"
#include "support/promises.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::split_mix;

TEST_CASE("of dataflows with every feature the judge and the naive replay say the same", "[property]") {
    std::size_t legal = 0, all = 0, damaged_legal = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_full_dataflow(random);
            auto const plan = support::random_schedule(random, flow, support::below(random, 80));
            RC_ASSERT(support::judges_agree(flow, plan, {}, support::between(random, 0, 2)));
            RC_ASSERT(support::judges_agree(
                flow, plan,
                {flow.writes(flow.order().back()).empty() ? value_index{0}
                                                          : flow.writes(flow.order().back()).front()}));
            ++all;
            legal += verify_schedule(flow, plan) ? 1U : 0U;
            for (int k = 0; k < 3; ++k) {
                auto const damaged = support::mutated(random, plan, flow.operation_count());
                RC_ASSERT(support::judges_agree(flow, damaged));
                damaged_legal += verify_schedule(flow, damaged) ? 1U : 0U;
            }
        }
    }));
    CHECK(5 * legal > 2 * all);
    CHECK(damaged_legal < all);
    CHECK(20 * damaged_legal > all);
}

TEST_CASE("of dataflows with every feature liveness makes legal schedules with all results",
          "[make_schedule][property]") {
    std::size_t in_place = 0, mutations = 0, kept = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_full_dataflow(random);
            RC_ASSERT(support::liveness_fault(flow, flow.order()) == std::string());
            RC_ASSERT(support::liveness_fault(flow, support::random_topological_order(random, flow)) == std::string());
            for (auto const& s : make_schedule(flow).steps) {
                in_place += s.in_place ? 1U : 0U;
                mutations += s.what == action::compute ? flow.mutations(s.vertex).size() : 0U;
            }
            kept += flow.results().size();
        }
    }));
    CHECK((in_place > 25 && mutations > 25 && kept > 25));
}

TEST_CASE("of dataflows with every feature the exact searches find what an exhaustive search finds",
          "[find_optimal_pebbling][property]") {
    std::size_t searched = 0, fit = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        split_mix random(seed);
        auto const flow =
            support::chance(random, 50) ? support::any_full_dataflow(random) : support::any_small_dataflow(random);
        auto const most = replay(flow, make_schedule(flow)).peak;
        auto const least = support::exhaustive_peak(flow, 0, most, 1000);
        RC_ASSERT(support::least_peak_fault(flow, least) == std::string());
        auto const low = least.value_or(find_least_peak(flow).lower);
        auto const budget = support::between(random, std::max<bytes>(0, low - 1), most);
        auto const truth = support::exhaustive_search(flow, budget, 1000);
        RC_ASSERT(support::optimal_fault(flow, budget, truth) == std::string());
        searched += truth.searched ? 1U : 0U;
        fit += truth.least_time ? 1U : 0U;
    }));
    CHECK(searched > 5);
    CHECK(fit < searched);
}
