// Covers planner/detail/bounds/one_cut/best_cut_bound.hpp, planner/detail/bounds/several_cuts/multi_cut_bound.hpp,
// planner/detail/model/planning_model.hpp.
#include <cstddef>
#include <cstdint>

#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/planner/detail/bounds/one_cut/best_cut_bound.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_bound.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("ResNet-34 within 40 % of keep_all: that its first convolution runs three times is proven", "[plan][long]") {
    auto const net = networks::network_of(networks::by_name("resnet34"));
    auto const training = io::make_training_graph(net);
    auto const budget = keep_all(training).cost.peak / 5 * 2;
    auto const contracted = detail::contract_views(training.flow);
    auto const m = detail::make_planning_model(contracted.flow());
    constexpr std::size_t at = 150, parts = 1000, flows = 20'000;
    detail::best_cut_bound one(m, budget, detail::tight_operations(m, at));
    one.improve(parts, [] { return false; });
    // The best plan known takes the bound of one cut, and the first operation once more.
    auto const best = std::int64_t{4'168'620};
    CHECK(one.bound() < best - m.operations[0].time / 4 * 3);
    detail::multi_cut_bound several(m, budget, one.unit(), one.cuts(), one.bound());
    several.improve(best, flows, [] { return false; });
    CHECK(several.bound() == best);
}
