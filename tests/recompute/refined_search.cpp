// Covers recompute/lower_set_plan.hpp.
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

#include <cstddef>
#include <cstdint>

#include <support/catch.hpp>
#include <support/generators.hpp>

#include "recompute/lower_set_question.hpp"

using namespace repebble;

namespace {

/// A chain of costly small and cheap large operations in turn: a coarse curve merges breakpoints far apart.
auto alternating(std::size_t n) -> training_graph {
    auto const time = [](int v) { return v % 2 == 0 ? 1000 : 50; };
    auto const memory = [](int v) { return v % 2 == 0 ? 1 : 1000; };
    return make_training_graph(support::chain(n), weights{time, memory}, needs_inputs_only);
}

}  // namespace

TEST_CASE("a plan by formula is within epsilon of the best at every budget", "[refined_search][long]") {
    constexpr std::size_t n = 400;
    constexpr std::int64_t forward_time = 1050 * n / 2;
    auto const training = alternating(n);
    bytes const all = 2 * 1001 * static_cast<bytes>(n / 2);
    for (bytes const budget : {all / 5, all / 2, all * 4 / 5, all, 2 * all})
        for (auto const goal : {objective::time, objective::memory})
            for (bool const nearest : {false, true}) {
                lower_set_question options{.budget = budget, .goal = goal, .judge = judged_by::formula};
                options.nearest = nearest;
                options.epsilon = 0;
                auto const best = ask_approximate(training, options);
                options.epsilon = 0.02;
                auto const near = ask_approximate(training, options);
                REQUIRE(best.has_value());
                REQUIRE(near.has_value());
                auto const loss = best->formula->overhead - near->formula->overhead;
                auto const claimed = near->epsilon * static_cast<double>(forward_time);
                CHECK(near->epsilon <= 0.02);
                CHECK(static_cast<double>(goal == objective::time ? -loss : loss) <= claimed + 1);
            }
}
