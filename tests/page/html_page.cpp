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
    auto const& steps = data.at("steps");
    CHECK(steps.at("what").get<std::string>().size() == found.plan->schedule.steps.size());
    CHECK(steps.at("bytes") == replay(training.flow, found.plan->schedule, {.profile = true}).profile);
    CHECK_FALSE(steps.contains("begin"));
    CHECK(data.at("reasons").at("step").size() == found.plan->cost.recomputations);
    CHECK(data.at("cost").at("peak") == found.plan->cost.peak);
    CHECK(data.at("cost").at("overhead") == found.plan->cost.overhead);
    CHECK(data.at("cost").at("proven") == found.proven);
    CHECK(data.at("before").at("peak") == keep_all(training).cost.peak);
    CHECK(data.at("floor").at("size") == found.floor.size);
    CHECK(data.at("ops").at("name").at(3) == "operation 3");
    CHECK_FALSE(data.at("buffers").contains("offset"));
    auto const crux = data.at("crux").at("step").get<std::size_t>();
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
}

TEST_CASE("a page of an impossible budget has the floor and no plan", "[report]") {
    auto const [training, unused, budget] = planned_chain(5);
    auto const found = plan(training, 1);
    REQUIRE_FALSE(found.plan);
    auto const data = data_of(report::html_page(training.flow, found, {.budget = 1}));
    CHECK_FALSE(data.contains("steps"));
    CHECK_FALSE(data.contains("cost"));
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
    CHECK(data.at("buffers").at("offset") == offsets.offsets);
    CHECK(data.at("buffers").at("height") == offsets.size);
    CHECK(std::ranges::max(data.at("steps").at("end").get<std::vector<std::int64_t>>()) == found.plan->cost.time);
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

TEST_CASE("a page of ten thousand operations has a few megabytes", "[report]") {
    auto const training =
        make_training_graph(support::chain(5000), weights{unit_weight{}, [](int) { return 1 << 20; }});
    automatic_plan<> shown;
    shown.plan = keep_all(training);
    auto const offsets = make_arena(training.flow, shown.plan->schedule);
    auto const page = report::html_page(training.flow, shown, {.offsets = offsets});
    CHECK(page.size() < 3'000'000);
}
