// Covers io/chrome_trace.hpp.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/chrome_trace.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("a trace has a bar for every computation and every copy, whatever their names are", "[io]") {
    std::vector<std::vector<int>> const chain{{1}, {}};
    auto const flow = make_dataflow(chain, weights{unit_weight{}});
    schedule_builder plan(flow);
    plan.compute(0);
    plan.discard(0);
    plan.compute(0);
    plan.compute(1);
    auto const bound = bind_schedule(flow, std::move(plan).finish());
    execution_record const record{.step_nanoseconds = {1000, 0, 2000, 3000}, .live = {1, 1, 1, 2}};
    auto const text = io::chrome_trace(bound, record, [](bound_step const& s) {
        return s.operation == 0 ? std::string("caf\xE9") : std::string("sum");  // Latin-1
    });
    auto const events = nlohmann::json::parse(text).at("traceEvents");
    std::vector<std::string> bars;
    for (auto const& e : events)
        if (e.at("ph") == "X") bars.push_back(e.at("cat").get<std::string>() + ' ' + e.at("name").get<std::string>());
    CHECK(bars == std::vector<std::string>{"compute caf\uFFFD", "recompute caf\uFFFD", "compute sum"});
    CHECK(events.size() == bars.size() + bound.step_count());
    CHECK(events.back().at("args").at("bytes") == 2);
    CHECK(events.back().at("ts") == 3.0);
}
