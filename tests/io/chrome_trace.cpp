// Covers io/chrome_trace.hpp, execute/make_planned_record.hpp, pebbling/find_lane_times.hpp.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/execute/make_planned_record.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/chrome_trace.hpp>

#include "support/catch.hpp"
#include "support/mixing_backend.hpp"

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
    auto const text = io::chrome_trace_text(bound, record, [](bound_step const& s) {
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

namespace {

/// Bars of a trace: their rows, begins and ends.
auto bars_of(std::string const& text) {
    std::vector<std::tuple<int, double, double>> bars;
    auto const whole = nlohmann::json::parse(text);
    for (auto const& e : whole.at("traceEvents"))
        if (auto const begin = e.value("ts", 0.0); e.at("ph") == "X")
            bars.emplace_back(e.at("tid").get<int>(), begin, begin + e.at("dur").get<double>());
    return bars;
}
auto rows_of(std::string const& text) {
    std::vector<std::string> names;
    auto const whole = nlohmann::json::parse(text);
    for (auto const& e : whole.at("traceEvents"))
        if (e.at("ph") == "M") names.push_back(e.at("args").at("name"));
    return names;
}

auto no_name(bound_step const&) -> std::string { return "x"; }

/// Three operations of 3 µs in a row, of which the last reads the first, too; its value of 8 bytes is on the host
/// meanwhile.
struct chain_that_copies {
    dataflow flow = make_dataflow(std::vector<std::vector<int>>{{1, 2}, {2}, {}},
                                  weights{[](int) { return std::int64_t{3000}; }, [](int) { return bytes{8}; }});
    schedule<> plan = [this] {
        schedule_builder to(flow);
        to.compute(0);
        to.offload(0);
        to.compute(1);
        to.discard(0);
        to.prefetch(0);
        to.compute(2);
        return std::move(to).finish();
    }();
    bound_schedule bound = bind_schedule(flow, plan);
};

}  // namespace

TEST_CASE("a planned trace has three rows, each step where the lanes have it", "[io][lanes]") {
    chain_that_copies const c;
    auto const record = make_planned_record(c.flow, c.plan, {.size = 8, .time = 2000});
    // The discard takes effect when the second operation has ended, and the copy in takes its memory then.
    CHECK(bars_of(io::chrome_trace_text(c.bound, record, no_name)) ==
          std::vector<std::tuple<int, double, double>>{{0, 0, 3}, {1, 3, 5}, {0, 3, 6}, {2, 6, 8}, {0, 8, 11}});
    CHECK(rows_of(io::chrome_trace_text(c.bound, record, no_name)) ==
          std::vector<std::string>{"computations", "copies out", "copies in"});
    CHECK(record.nanoseconds == 11'000);
    CHECK(record.peak_live == 24);
    CHECK(record.live.size() == c.plan.steps.size());
}

TEST_CASE("a planned record takes as long as its latest step, which need not be the last", "[io][lanes]") {
    chain_that_copies const c;
    schedule_builder to(c.flow);
    for (operation_index const v : {0U, 1U, 2U}) to.compute(v);
    to.offload(0);
    auto const record = make_planned_record(c.flow, std::move(to).finish(), {.size = 8, .time = 2000});
    CHECK(record.spans.back().end == 5'000);
    CHECK(record.nanoseconds == 9'000);
}

TEST_CASE("an execution on lanes is traced where each step ran", "[io][lanes]") {
    chain_that_copies const c;
    support::lane_mixing_backend backend;
    backend.set_delays({.seed = 1, .most = std::chrono::microseconds(300)});
    executor run(c.bound, backend);
    for (int k = 0; k < 3; ++k) {
        auto const text = io::chrome_trace_text(c.bound, run.run(), no_name);
        auto const bars = bars_of(text);
        REQUIRE(bars.size() == 5);
        CHECK(rows_of(text).size() == 3);
        auto const begin = [&](std::size_t bar) { return std::get<1>(bars[bar]); };
        auto const end = [&](std::size_t bar) { return std::get<2>(bars[bar]); };
        for (std::size_t bar = 0; bar < bars.size(); ++bar) {
            CHECK(begin(bar) >= 0);
            CHECK(begin(bar) <= end(bar));
        }
        // 0: the first operation, 1: its copy out, 2: the second, 3: the copy in, 4: the last.
        for (auto const& [first, second] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 3U}, {3U, 4U}, {2U, 4U}})
            CHECK(end(first) <= begin(second));
    }
}
