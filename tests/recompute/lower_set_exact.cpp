#include <cstdint>
#include <vector>

#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_exact.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/throws.hpp"

using namespace repebble;
using support::throws;

namespace {

auto training_of(support::adjacency const& g) {
    return make_training_graph(g, weights{unit_weight{}, unit_weight{}}, needs_inputs_only);
}

struct search_listener {
    std::vector<double> heard{};
    void progress(double x) { heard.push_back(x); }
};

}  // namespace

TEST_CASE("lower_set_exact refuses more lower sets than the limit", "[lower_set_exact]") {
    auto const wide = training_of(support::parallel_chains(4, 1));
    CHECK(lower_set_exact(wide, {.lower_set_limit = 16})->lower_sets == 16);
    CHECK(throws<limit_reached>([&] { return lower_set_exact(wide, {.lower_set_limit = 15}); }, {"15 lower sets"}));
    CHECK(lower_set_approximate(wide, {.lower_set_limit = 1})->lower_sets == 6);  // ∅, 4 vertices, V
}

TEST_CASE("two lanes: all lower sets allow less overhead than the pruned family", "[lower_set_exact]") {
    auto const lanes = training_of(support::parallel_chains(2, 4));
    strategy_options options{.judge = judged_by::formula};
    auto const exact = lower_set_exact(lanes, options);
    auto const approximate = lower_set_approximate(lanes, options);
    REQUIRE((exact && approximate));
    CHECK(exact->formula->peak <= approximate->formula->peak);
    options.budget = 16;
    CHECK(lower_set_exact(lanes, options)->formula->overhead <
          lower_set_approximate(lanes, options)->formula->overhead);
}

TEST_CASE("the observer of a search hears of progress up to the end", "[lower_set_exact]") {
    auto const chain = training_of(support::chain(12));
    for (auto const judge : {judged_by::formula, judged_by::replay}) {
        search_listener exact;
        search_listener approximate;
        CHECK(lower_set_exact(chain, {.judge = judge}, exact));
        CHECK(lower_set_approximate(chain, {.judge = judge}, approximate));
        CHECK((exact.heard.back() == 1.0 && approximate.heard.back() == 1.0));
    }
}

TEST_CASE("the empty graph has a plan of no steps", "[lower_set_exact]") {
    for (auto const judge : {judged_by::formula, judged_by::replay})
        for (auto const& plan : {lower_set_exact(training_of({}), {.budget = 0, .judge = judge}),
                                 lower_set_approximate(training_of({}), {.budget = 0, .judge = judge})}) {
            REQUIRE(plan);
            CHECK((plan->schedule.steps.empty() && plan->cost.peak == 0));
        }
}
