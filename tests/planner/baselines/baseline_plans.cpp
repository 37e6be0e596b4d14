// Covers planner/detail/baselines/baseline_plans.hpp.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/contract_views.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/planner/detail/baselines/baseline_plans.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;

namespace {

/// Whether save_set is among the plans of a chain, with so many seconds left.
auto has_save_set(std::size_t vertices, std::optional<double> left) -> bool {
    auto const training = make_training_graph(support::chain(vertices), weights{}, gradient_dependencies{});
    auto const contracted = contract_views(training.flow);
    detail::listener const hears;
    detail::baseline_plans baselines(&training, contracted, hears);
    auto const budget = keep_all(training).cost.peak - 1;
    auto const names = [](detail::candidate const& c) { return std::string(c.name); };
    return std::ranges::count(baselines.candidates(budget, true, [&] { return left; }), "save_set", names) > 0;
}

}  // namespace

TEST_CASE("save_set begins where enough seconds are left for a graph of this size") {
    CHECK(has_save_set(20, 0.2));
    CHECK(has_save_set(1400, {}));
    CHECK(!has_save_set(1400, 0.2));
}
