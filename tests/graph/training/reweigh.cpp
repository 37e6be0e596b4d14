// Covers graph/adapt/nested_range.hpp, graph/training/reweigh.hpp, graph/training/make_training_graph.hpp.
#include <limits>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/reweigh.hpp>
#include <repebble/graph/training/make_training_graph.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

TEST_CASE("a dataflow takes other times and workspaces and stays the same otherwise", "[graph]") {
    std::vector<std::vector<int>> const chain{{1}, {2}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}, [](int v) { return v + 5; }});
    auto const again = reweigh(
        flow, [](operation_index v) { return 10 * v; }, [](operation_index v) { return v == 1 ? 7 : 0; });
    CHECK(again.time_once() == 30);
    CHECK(again.time(2) == 20);
    CHECK(again.workspace(1) == 7);
    CHECK(reweigh(
              again, [](operation_index) { return 1; }, [](operation_index) { return 0; }) == flow);
}

TEST_CASE("weights that cannot be are refused by the operation's number", "[graph]") {
    auto const training = make_training_graph(std::vector<std::vector<int>>{{1}, {}}, weights{unit_weight{}});
    auto const zero = [](operation_index) { return 0; };
    CHECK(support::throws<bad_weight>(
        [&] {
            return reweigh(
                training, [](operation_index v) { return v == 3 ? -1 : 0; }, zero);
        },
        {"operation 3"}));
    CHECK(support::throws<bad_weight>(
        [&] { return reweigh(training, zero, [](operation_index) { return std::numeric_limits<bytes>::max(); }); },
        {}));
}
