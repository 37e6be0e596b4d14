// Covers page/html_page.hpp, page/page_subject.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/allocate/arena.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/page/html_page.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/violation.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// The data of a page.
auto data_of(std::string const& page) -> nlohmann::json {
    std::string_view const begin = "id=\"data\">";
    auto const from = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}
auto count(std::string const& text, std::string_view words) -> std::size_t {
    std::size_t times = 0;
    for (auto at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++times;
    return times;
}
/// A chain's training step, within seven tenths of what keeping everything takes.
auto planned_chain(std::size_t n) {
    auto training = make_training_graph(support::chain(n), weights{unit_weight{}, [](int) { return 1000; }});
    bytes const budget = keep_all(training).cost.peak * 7 / 10;
    auto found = plan(training, budget, {.limits = {.work = 2000}});
    return std::tuple(std::move(training), std::move(found), budget);
}

/// Of a chain whose last operation reads the first value, too: one schedule keeps that, one computes it again.
auto two_schedules() {
    auto flow =
        make_dataflow(std::vector<std::vector<int>>{{1, 3}, {2}, {3}, {}},
                      weights{[](int v) { return v == 0 ? 3 : 1; }, [](int v) { return v < 2 ? 2 + 3 * v : 1; }});
    schedule_builder kept(flow), again(flow);
    for (operation_index const v : {0U, 1U, 2U}) {
        kept.compute(v);
        again.compute(v);
        if (v == 1) again.discard(0);
    }
    kept.discard(1), again.discard(1);
    again.compute(0);
    kept.compute(3), again.compute(3);
    return std::tuple(std::move(flow), std::move(kept).finish(), std::move(again).finish());
}

}  // namespace

TEST_CASE("a page has the plan's steps, its profile, a reason for each return, and its costs", "[report]") {
    auto const [training, found, budget] = planned_chain(12);
    REQUIRE(found.plan);
    auto const page = report::html_page(training.flow, found, {.title = "chain", .time_unit = "ms", .budget = budget});
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.ends_with("</html>\n"));
    auto const data = data_of(page);
    CHECK(data.at("title") == "chain");
    CHECK(data.at("unit") == "ms");
    CHECK(data.at("budget") == budget);
    REQUIRE(data.at("plans").size() == 1);
    auto const& one = data.at("plans").at(0);
    auto const& steps = one.at("steps");
    CHECK(steps.at("what").get<std::string>().size() == found.plan->schedule.steps.size());
    CHECK(steps.at("bytes") == replay(training.flow, found.plan->schedule, {.profile = true}).profile);
    CHECK_FALSE(steps.contains("begin"));
    CHECK(one.at("reasons").at("step").size() == found.plan->cost.recomputations);
    CHECK(one.at("cost").at("peak") == found.plan->cost.peak);
    CHECK(one.at("cost").at("overhead") == found.plan->cost.overhead);
    CHECK(one.at("cost").at("proven") == found.proven);
    CHECK(data.at("before").at("peak") == keep_all(training).cost.peak);
    CHECK(data.at("floor").at("size") == found.floor.size);
    CHECK(data.at("ops").at("name").at(3) == "operation 3");
    CHECK_FALSE(one.at("buffers").contains("offset"));
    auto const crux = one.at("crux").at("step").get<std::size_t>();
    CHECK(steps.at("bytes").at(crux).get<bytes>() * 100 >= found.plan->cost.peak * 99);
}

TEST_CASE("a page asks for nothing outside of itself", "[report]") {
    auto const [training, found, budget] = planned_chain(5);
    auto const page = report::html_page(training.flow, found, {.budget = budget});
    for (auto const* outside : {"http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("})
        CHECK(count(page, outside) == 0);
    CHECK(count(page, "href=") == 1);  // the icon that browsers ask for, empty
    CHECK(count(page, "href=\"data:,\"") == 1);
}

TEST_CASE("names cannot break a page, whatever bytes they have", "[report]") {
    std::string const evil = "</script><script>alert(1)</script><!-- & \" \\ \n";
    auto const flow = make_dataflow(std::vector<std::vector<int>>{{1}, {}}, weights{});
    auto const found = plan(flow, 2);
    auto const page = report::html_page(flow, found,
                                        {.title = evil,
                                         .names = {evil, "caf\xE9 \xF0\x9F\x8D\xB0 \xED\xA0\x80 \xF4\x90\x80\x80"},
                                         .kinds = {evil, "b"},
                                         .rows = {{.name = evil, .remark = evil}}});
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, "</script") == 2);
    CHECK(count(page, "<!--") == 0);
    auto const data = data_of(page);
    CHECK(data.at("title") == evil);
    CHECK(data.at("ops").at("name").at(0) == evil);
    CHECK(data.at("ops").at("name").at(1) == "caf\uFFFD \U0001F370 \uFFFD\uFFFD\uFFFD \uFFFD\uFFFD\uFFFD\uFFFD");
    CHECK(data.at("rows").at(0).at("remark") == evil);
    auto const& order = found.plan->schedule;
    auto const two = report::html_page(flow, {evil, order}, {evil + evil, order}, {.title = evil});
    CHECK((count(two, "<script") == 2 && count(two, "</script") == 2 && count(two, "<!--") == 0));
    CHECK(data_of(two).at("plans").at(1).at("cost").at("found_by") == evil + evil);
}

TEST_CASE("a page of an impossible budget has the floor and no plan", "[report]") {
    auto const [training, unused, budget] = planned_chain(5);
    auto const found = plan(training, 1);
    REQUIRE_FALSE(found.plan);
    auto const data = data_of(report::html_page(training.flow, found, {.budget = 1}));
    CHECK(data.at("plans").empty());
    CHECK(data.at("floor").at("size") == found.floor.size);
    CHECK(data.at("before").at("bytes").size() == training.flow.operation_count());
}

TEST_CASE("what needs most memory reads a storage once on a page, though by two names", "[report]") {
    dataflow_builder builder;
    for (int k = 0; k < 3; ++k) builder.add_operation(1);
    auto const a = builder.add_value(0, 4);
    auto const view = builder.add_view(1, std::span(&a, 1));
    builder.add_read(1, a);
    for (auto const read : {a, view}) builder.add_read(2, read);
    builder.add_value(2, 8);
    auto const flow = std::move(builder).build();
    auto const found = plan(flow, 12);
    REQUIRE((found.floor.size == 12 && found.floor.vertex == 2));
    auto const data = data_of(report::html_page(flow, found, {.budget = 12}));
    CHECK(data.at("floor").at("reads") == nlohmann::json{a});
}

TEST_CASE("a page has the offsets of an arena, and the times of lanes over a link", "[report]") {
    auto const training = make_training_graph(support::chain(10), weights{unit_weight{}, [](int) { return 1000; }});
    bytes const budget = keep_all(training).cost.peak * 6 / 10;
    host_link const via{1000, 1};
    auto const found = plan(training, budget, {.limits = {.work = 2000}, .link = via});
    REQUIRE(found.plan);
    auto const offsets = make_arena(training.flow, found.plan->schedule);
    auto const data =
        data_of(report::html_page(training.flow, found, {.budget = budget, .link = via, .offsets = offsets}));
    auto const& one = data.at("plans").at(0);
    CHECK(one.at("buffers").at("offset") == offsets.offsets);
    CHECK(one.at("buffers").at("height") == offsets.size);
    CHECK(std::ranges::max(one.at("steps").at("end").get<std::vector<std::int64_t>>()) == found.plan->cost.time);
    auto other = offsets;
    other.offsets.pop_back();
    CHECK(support::throws<report::page_mismatch>(
        [&] { return report::html_page(training.flow, found, {.offsets = other}); }, {"offsets", "buffers"}));
    CHECK(support::throws<report::page_mismatch>(
        [&] { return report::html_page(training.flow, found, {.names = {"one"}}); }, {"1 names", "operations"}));
}

TEST_CASE("on the curve of a page more memory never takes more time", "[report]") {
    auto const [training, found, budget] = planned_chain(8);
    REQUIRE(found.plan);
    auto const worse = found.plan->cost.overhead + 5;
    auto const data = data_of(report::html_page(
        training.flow, found,
        {.budget = budget,
         .curve = {{budget - 1, {}, 0, false}, {budget, worse, 0, false}, {budget + 1000, worse, 0, false}}}));
    auto const& curve = data.at("curve");
    CHECK(curve.at("overhead").at(0).is_null());
    CHECK(curve.at("overhead").at(1) == found.plan->cost.overhead);
    CHECK(curve.at("overhead").at(2) == found.plan->cost.overhead);
    CHECK(curve.at("bound").at(0) == found.lower_bound);
    CHECK(curve.at("bound").at(2) == 0);
}

TEST_CASE("times of a page are those of the dataflow, in its units", "[report]") {
    auto const flow = make_dataflow(std::vector<std::vector<int>>{{1}, {}}, weights{[](int) { return 0.25; }});
    auto const data = data_of(report::html_page(flow, plan(flow, 2)));
    CHECK(data.at("once") == 50);
    CHECK(data.at("ops").at("time").at(0) == 25);
}

TEST_CASE("a page of two schedules has the cost of each by replay, what runs again, and no bound", "[report]") {
    auto const [flow, kept, again] = two_schedules();
    auto const data =
        data_of(report::html_page(flow, {"kept", kept}, {"again", again}, {.title = "both", .budget = 7}));
    CHECK(data.at("title") == "both");
    CHECK(data.at("floor").at("size") == 7);
    REQUIRE(data.at("plans").size() == 2);
    auto const figures = [&](std::size_t k) {
        auto const& cost = data.at("plans").at(k).at("cost");
        return std::tuple(cost.at("found_by").get<std::string>(), cost.at("peak").get<bytes>(),
                          cost.at("time").get<int>(), cost.at("overhead").get<int>(), cost.at("runs_again").get<int>(),
                          cost.at("bytes_in").get<bytes>(), cost.at("lower_bound").get<int>());
    };
    CHECK(figures(0) == std::tuple("kept", 8, 6, 0, 0, 0, 0));
    CHECK(figures(1) == std::tuple("again", 7, 9, 3, 1, 0, 0));
    CHECK(data.at("plans").at(1).at("steps").at("run") == nlohmann::json{0, 0, 0, 0, 0, 1, 0});
    CHECK(data.at("plans").at(0).at("reasons").at("step").empty());
    CHECK(data.at("plans").at(1).at("reasons").at("step") == nlohmann::json{5});
    auto const unlimited = data_of(report::html_page(flow, {"kept", kept}, {"again", again}));
    CHECK(unlimited.at("budget") == 8);  // both fit
}

TEST_CASE("a page of two schedules is about this dataflow, and each has its own offsets", "[report]") {
    auto const [flow, kept, again] = two_schedules();
    auto broken = again;
    broken.steps.erase(broken.steps.begin() + 5);
    for (bool const first : {false, true})
        CHECK(support::throws<illegal_schedule>(
            [&] {
                return report::html_page(flow, {"a", first ? broken : kept}, {"b", first ? kept : broken});
            },
            {first ? "a: step 5" : "b: step 5"}));
    auto const offsets = make_arena(flow, again);
    auto const data = data_of(report::html_page(flow, {"a", kept}, {"b", again, offsets}));
    CHECK_FALSE(data.at("plans").at(0).at("buffers").contains("offset"));
    CHECK(data.at("plans").at(1).at("buffers").at("height") == offsets.size);
    CHECK(support::throws<report::page_mismatch>(
        [&] {
            return report::html_page(flow, {"a", kept}, {"b", again}, {.offsets = offsets});
        },
        {"2 plans"}));
}

TEST_CASE("over a link both schedules of a page are judged with it", "[report]") {
    auto const [flow, kept, again] = two_schedules();
    auto copied = kept;
    copied.steps.insert(copied.steps.begin() + 2, {.what = action::offload, .vertex = 0});
    host_link const via{1, 1};  // one byte in one unit of time
    auto const data = data_of(report::html_page(flow, {"kept", kept}, {"copied", copied}, {.link = via}));
    CHECK(data.at("plans").at(0).at("cost").at("bytes_out") == 0);
    CHECK(data.at("plans").at(1).at("cost").at("bytes_out") == 2);
    CHECK(data.at("plans").at(1).at("cost").at("time") == replay(flow, copied, {}, lanes_clock(via)).time);
    CHECK(data.at("plans").at(1).at("steps").contains("begin"));
}

TEST_CASE("a page of ten thousand operations has a few megabytes", "[report]") {
    auto const training =
        make_training_graph(support::chain(5000), weights{unit_weight{}, [](int) { return 1 << 20; }});
    automatic_plan<> shown;
    shown.plan = keep_all(training);
    auto const offsets = make_arena(training.flow, shown.plan->schedule);
    auto const page = report::html_page(training.flow, shown, {.offsets = offsets});
    CHECK(page.size() < 3'000'000);
}
