// Covers io/json_schedule.hpp.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/pebbling/make_schedule.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/temporary_folder.hpp"

using namespace repebble;
using io::parse_schedule;
using io::schedule_document;
using vertex = training_vertex<std::uint32_t>;

namespace {

auto version_1_path() { return support::source_dir() + "/tests/data/schedule_version_1.json"; }

/// A step of which no vertex is named by chance: `over` is the vertex itself, as map_vertices leaves it.
auto plain(action what, vertex v, std::uint32_t output, std::uint32_t repetition, pool from = pool::device) {
    return step<vertex>{.what = what, .from = from, .output = output, .repetition = repetition, .vertex = v, .over = v};
}

/// What the file of version 1 among the test data says.
auto version_1() -> schedule_document {
    schedule_document document{{"branching", "value_grad", "by hand"}, {}, {}};
    document.header.extra["budget"] = 4096;
    vertex const conv{0}, norm{1}, sum{1, pass::accumulate, 2};
    document.schedule.steps = {
        plain(action::compute, conv, 0, 0),
        {.what = action::compute, .in_place = true, .output = 0, .vertex = norm, .over = conv},
        plain(action::offload, norm, 1, 0),
        plain(action::discard, norm, 1, 0),
        plain(action::prefetch, norm, 1, 0, pool::host),
        plain(action::discard, norm, 1, 0, pool::host),
        plain(action::compute, sum, 0, 0),
        {.what = action::compute,
         .in_place = true,
         .output = 1,
         .repetition = 3,
         .vertex = {1, pass::backward},
         .over = sum},
        plain(action::discard, {4294967295, pass::backward}, 1, 3),
    };
    return document;
}

/// A schedule file whose step 1 is this.
auto with_step(std::string const& entry) -> std::string {
    return R"({"format":"repebble-schedule","version":1,"steps":[["compute",0,"forward",0],)" + entry + "]}";
}

auto message_for(std::string const& text) -> std::string {
    return testing::message_of<bad_file>([&] { static_cast<void>(parse_schedule(text, "bad.json")); });
}

}  // namespace

TEST_CASE("a schedule file of version 1 is read field by field", "[io]") {
    auto const document = io::read_schedule(version_1_path());
    auto const expected = version_1();
    CHECK(document.header == expected.header);
    REQUIRE(document.schedule.steps.size() == expected.schedule.steps.size());
    for (std::size_t i = 0; i < expected.schedule.steps.size(); ++i) {
        INFO(i);
        CHECK(document.schedule.steps[i] == expected.schedule.steps[i]);
    }
}

TEST_CASE("a schedule is written to the letter as version 1 has it", "[io]") {
    auto const document = version_1();
    CHECK(io::to_text(document.header, document.schedule) == io::read_file(version_1_path()));
}

TEST_CASE("a schedule that is written is read again as the same", "[io]") {
    testing::temporary_folder const folder;
    auto const document = version_1();
    io::write_schedule(folder / "again.json", document.header, document.schedule);
    CHECK(io::read_schedule(folder / "again.json") == version_1());
    io::write_schedule(folder / "empty.json", {}, {});
    CHECK(io::read_schedule(folder / "empty.json") == schedule_document{});
}

TEST_CASE("every kind of step of every pass is read again as the same", "[io]") {
    io::training_schedule all;
    for (auto const p : {pass::forward, pass::backward, pass::accumulate})
        for (std::uint32_t n : {0U, 1U, 4294967295U}) {
            vertex const v{n, p, n};
            all.steps.push_back(plain(action::compute, v, 0, n));
            all.steps.push_back({.what = action::compute,
                                 .in_place = true,
                                 .output = n,
                                 .repetition = n,
                                 .vertex = v,
                                 .over_output = n,
                                 .over = {n / 2, p, n}});
            all.steps.push_back(plain(action::discard, v, n, n));
            all.steps.push_back(plain(action::discard, v, n, n, pool::host));
            all.steps.push_back(plain(action::offload, v, n, n));
            all.steps.push_back(plain(action::prefetch, v, n, n, pool::host));
        }
    CHECK(parse_schedule(io::to_text(io::schedule_header{}, all)).schedule == all);
}

TEST_CASE("a schedule mapped to training vertices by map_vertices is read again as the same", "[io]") {
    schedule<> const indices{{{.what = action::compute, .vertex = 2}, {.what = action::discard, .vertex = 2}}};
    auto const mapped = map_vertices(indices, [](operation_index v) { return vertex{v, pass::backward}; });
    CHECK(parse_schedule(io::to_text(io::schedule_header{}, mapped)).schedule == mapped);
}

TEST_CASE("names in the header may be any UTF-8", "[io]") {
    testing::temporary_folder const folder;
    io::schedule_header const header{"\"a\\b\"\n", "\u00e9", {}};
    CHECK(parse_schedule(io::to_text(header, {})).header == header);
    CHECK_THROWS_AS(io::to_text(io::schedule_header{"\xff", {}, {}}, {}), bad_file);
}

TEST_CASE("an extra field of the header cannot stand for one that the format has", "[io]") {
    io::schedule_header header;
    header.extra["steps"] = 1;
    CHECK_THROWS_AS(io::to_text(header, {}), bad_file);
    header.extra = 3;
    CHECK_THROWS_AS(io::to_text(header, {}), bad_file);
}

TEST_CASE("a malformed schedule file is refused with the step", "[io]") {
    struct malformed {
        std::string text;
        std::string names;
    };
    for (auto const& [text, names] : {
             malformed{"", "line 1, byte 0: not JSON"},
             {"[]", "the schedule: must be an object, not an array"},
             {R"({"nodes":[]})", "has no field 'format'"},
             {R"({"format":"other","version":1,"steps":[]})", "format must be \"repebble-schedule\", not \"other\""},
             {R"({"format":"repebble-schedule","steps":[]})", "has no field 'version'"},
             {R"({"format":"repebble-schedule","version":3,"steps":[]})", "version 3 is not known: there are 1 to 2"},
             {R"({"format":"repebble-schedule","version":"1","steps":[]})", "version must be an integer, not \"1\""},
             {R"({"format":"repebble-schedule","version":1})", "has no field 'steps'"},
             {R"({"format":"repebble-schedule","version":1,"steps":{}})", "steps must be an array, not an object"},
             {R"({"format":"repebble-schedule","version":1,"graph":1,"steps":[]})", "graph must be a string, not 1"},
             {with_step("7"), "step 1: a step must be an array, not 7"},
             {with_step("[]"), "step 1: is empty"},
             {with_step("[3]"), "step 1: action must be a string, not 3"},
             {with_step(R"(["run",0,"forward",0])"), "step 1: unknown action \"run\""},
             {with_step(R"(["compute",0,"forward"])"), "step 1: must be [\"compute\", vertex, pass, repetition]"},
             {with_step(R"(["compute",0,"forward",0,0])"), "step 1: must be [\"compute\", vertex, pass, repetition]"},
             {with_step(R"(["discard",0,"forward",0])"), "step 1: must be [action, vertex, pass, output, repetition]"},
             {with_step(R"(["compute",0,"forward",{}])"), "step 1: must be"},
             {with_step(R"([{}])"), "step 1: action must be a string, not an object"},
             {with_step(R"(["compute",-1,"forward",0])"), "step 1: vertex is out of range: -1"},
             {with_step(R"(["compute",4294967296,"forward",0])"), "step 1: vertex is out of range: 4294967296"},
             {with_step(R"(["compute",0.0,"forward",0])"), "step 1: vertex must be an integer, not 0.0"},
             {with_step(R"(["compute",0,"sideways",0])"), "step 1: unknown pass \"sideways\""},
             {with_step(R"(["compute",0,"forward","0"])"), "step 1: repetition must be an integer, not \"0\""},
             {with_step(R"(["offload",0,"forward",-2,0])"), "step 1: output is out of range: -2"},
             {with_step(R"(["compute",0,"forward",0,{"in_place":0}])"), "step 1: in_place and over come together"},
             {with_step(R"(["compute",0,"forward",0,{"over":[0,"forward",0,0]}])"), "step 1: in_place and over come"},
             {with_step(R"(["compute",0,"forward",0,{"in_place":0,"over":[0]}])"), "step 1: over must be"},
             {with_step(R"(["compute",0,"forward",0,{"in_place":0,"over":[0,"up",0,0]}])"),
              "step 1: unknown pass \"up\""},
             {with_step(R"(["compute",0,"forward",0,{"from":"host"}])"),
              "step 1: a compute step has no field \"from\""},
             {with_step(R"(["discard",0,"forward",0,0,{"from":"moon"}])"), "step 1: unknown pool \"moon\""},
             {with_step(R"(["discard",0,"forward",0,0,{"in_place":0}])"),
              "step 1: a discard step has no field \"in_place\""},
             {with_step(R"(["compute",0,"accumulate",0,{"part":-1}])"), "step 1: part is out of range: -1"},
             {with_step(R"(["compute",0,"forward",0,{"a":1,"a":1}])"), "field \"a\" occurs twice in steps[1][4]"},
         }) {
        auto const message = message_for(text);
        INFO(text << "\n" << message);
        CHECK(message.starts_with("bad.json: "));
        CHECK(message.find(names) != std::string::npos);
    }
}

TEST_CASE("a schedule says the operands of its steps and the results, in the graph's order", "[io]") {
    dataflow_builder builder;
    auto const x = builder.add_operation(1), y = builder.add_operation(1), z = builder.add_operation(1);
    auto const of_x = builder.add_value(x, 8), of_y = builder.add_value(y, 8), of_z = builder.add_value(z, 8);
    builder.add_read(y, of_x);
    for (auto const value : {of_y, of_x, of_y}) builder.add_read(z, value);
    for (auto const value : {of_x, of_z}) builder.add_result(value);
    auto const training =
        make_training_graph(std::move(builder).build(), {pass::forward, pass::forward, pass::backward});
    std::vector<operation_index> const order{x, y, x, z};
    auto const plan = make_schedule(training.flow, order);
    auto const reads = io::find_reads(plan, training);
    using value = io::schedule_value;
    value const first{{x, pass::forward}, 0, 0}, again{{x, pass::forward}, 0, 1}, middle{{y, pass::forward}, 0, 0};
    std::vector<std::vector<value>> of_computations;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
        if (plan.steps[i].what == action::compute)
            of_computations.push_back(reads.operands[i]);
        else
            CHECK(reads.operands[i].empty());
    CHECK(of_computations == std::vector<std::vector<value>>{{}, {first}, {}, {middle, again, middle}});
    CHECK(reads.results == std::vector<value>{again, {{z, pass::backward}, 0, 0}});

    auto const named = map_vertices(plan, [&](operation_index v) { return training.origin[v]; });
    auto const text = io::to_text(io::schedule_header{}, named, reads);
    CHECK(text.find(
              R"(["compute",2,"backward",0,{"operands":[[1,"forward",0,0],[0,"forward",0,1],[1,"forward",0,0]]}])") !=
          std::string::npos);
    auto const document = parse_schedule(text);
    CHECK(document.schedule == named);
    CHECK(document.reads.results == reads.results);
    CHECK(plan.steps.back().what == action::discard);
    CHECK(document.reads.operands == reads.operands);
}

TEST_CASE("operands and results of another form are refused with their place", "[io]") {
    CHECK(message_for(with_step(R"(["compute",1,"forward",0,{"operands":[[0,"forward",0]]}])")) ==
          "bad.json: step 1: operands[0] must be [vertex, pass, output, repetition], with at most the part behind");
    CHECK(message_for(with_step(R"(["compute",1,"forward",0,{"operands":[[0,"forward",0,0],[0,"sideways",0,0]]}])")) ==
          "bad.json: step 1: unknown pass \"sideways\"");
    CHECK(message_for(with_step(R"(["discard",0,"forward",0,0,{"operands":[]}])")) ==
          "bad.json: step 1: a discard step has no field \"operands\"");
    CHECK(message_for(R"({"format":"repebble-schedule","version":2,"results":7,"steps":[]})") ==
          "bad.json: the schedule: results must be an array, not 7");
    auto const part =
        parse_schedule(R"({"format":"repebble-schedule","version":2,"results":[[3,"accumulate",0,0,2]],"steps":[]})");
    CHECK(part.reads.results == std::vector<io::schedule_value>{{{3, pass::accumulate, 2}, 0, 0}});
}

TEST_CASE("a schedule that says its results alone is of version 2", "[io]") {
    io::schedule_reads const reads{.results = {{{3, pass::backward}, 1, 0}}};
    auto const text = io::to_text(io::schedule_header{}, {}, reads);
    CHECK(text.find(R"("version":2)") != std::string::npos);
    CHECK(parse_schedule(text).reads == reads);
}
