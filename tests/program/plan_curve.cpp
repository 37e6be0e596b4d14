#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

auto curve_of(std::vector<std::string> const& more, std::string const& seconds = "0.1") -> outcome {
    std::vector<std::string> arguments{residual, "--time-limit", seconds, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
}

}  // namespace

TEST_CASE("plan: the curve of the automatic planner has a plan and a bound for every budget", "[plan][curve]") {
    auto const done = curve_of({"--curve", "7"});
    REQUIRE(done.status == 0);
    CHECK(done.err.empty());
    auto const answer = nlohmann::ordered_json::parse(done.out);
    CHECK(ordered_keys(answer) == std::vector<std::string>{"graph", "convention", "budget", "plans", "curve",
                                                           "curve_seconds", "floor", "floor_vertex"});
    CHECK(answer.at("budget").is_null());
    CHECK(answer.at("plans").empty());
    auto const& points = answer.at("curve");
    REQUIRE(points.size() == 7);
    CHECK(points.front().at("budget") == answer.at("floor"));
    CHECK(points.back().at("budget") == answer.at("graph").at("keep_all_peak"));
    CHECK(points.back().at("overhead") == 0);
    CHECK(points.back().at("time_least") == true);
    for (std::size_t k = 0; k < points.size(); ++k) {
        auto const& p = points[k];
        CHECK(ordered_keys(p) == std::vector<std::string>{"budget", "peak", "time", "overhead", "overhead_percent",
                                                          "lower_bound", "gap", "time_least", "peak_least",
                                                          "none_exists", "found_by"});
        if (k > 0) {
            CHECK(p.at("budget") > points[k - 1].at("budget"));
            CHECK(p.at("lower_bound") <= points[k - 1].at("lower_bound"));
        }
        if (p.at("peak").is_null()) {
            for (auto const* field : {"time", "overhead", "overhead_percent", "gap", "found_by"})
                CHECK(p.at(field).is_null());
            continue;
        }
        CHECK(p.at("peak") <= p.at("budget"));
        CHECK(p.at("lower_bound") <= p.at("overhead"));
        CHECK(p.at("time_least") == (p.at("lower_bound") == p.at("overhead")));
        if (k > 0 && !points[k - 1].at("peak").is_null()) CHECK(p.at("overhead") <= points[k - 1].at("overhead"));
    }
}

TEST_CASE("plan: the budgets of a curve may be a list, in any order", "[plan][curve]") {
    auto const answer = curve_of({"--curve", "90%,2000,100%"}).answer();
    auto const most = answer.at("graph").at("keep_all_peak").get<std::int64_t>();
    auto const& points = answer.at("curve");
    REQUIRE(points.size() == 3);
    CHECK(points[0].at("budget") == most * 9 / 10);
    CHECK(points[1].at("budget") == 2000);
    CHECK(points[2].at("budget") == most);
    auto const none = curve_of({"--curve", "1,2"});
    CHECK(none.status == 3);
    CHECK(none.answer().at("curve").at(0).at("peak").is_null());
    CHECK(none.answer().at("curve").at(0).at("none_exists") == true);
}

TEST_CASE("plan: strategies that are named stand beside the curve, each at every budget", "[plan][curve]") {
    auto const answer =
        curve_of({"--curve", "60%,100%", "--strategy", "save_set,automatic,sqrt_segments"}, "5").answer();
    CHECK(answer.at("curve").size() == 2);
    auto const& plans = answer.at("plans");
    REQUIRE(plans.size() == 3);
    CHECK(plans[0].at("strategy") == "sqrt_segments");
    CHECK(plans[0].at("budget").is_null());  // it has one plan only
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(plans[k + 1].at("strategy") == "save_set");
        CHECK(plans[k + 1].at("budget") == answer.at("curve")[k].at("budget"));
        auto const same = run({residual, "--strategy", "save_set", "--json", "--budget",
                               std::to_string(plans[k + 1].at("budget").get<std::int64_t>())});
        CHECK(figures(same.plan()) == figures(plans[k + 1]));
    }
    auto const limited =
        curve_of({"--curve", "80%,90%,100%", "--strategy", "lower_set_exhaustive", "--step-limit", "2"}, "5").answer();
    REQUIRE(limited.at("plans").size() == 1);  // it would give up at the other budgets, too
    CHECK(limited.at("plans")[0].contains("note"));

    auto const rows = run({residual, "--strategy", "save_set,keep_all", "--budget", "100%", "--json"}).plans();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("strategy") == "keep_all");
}

TEST_CASE("plan: a curve is drawn, with the bound, the floor and a legend, and printed as a table", "[plan][curve]") {
    temporary_folder const folder;
    auto const picture = (folder / "curve.svg").string();
    auto const done = run({residual, "--time-limit", "0.05", "--curve-svg", picture, "--strategy",
                           "greedy_eviction,sqrt_segments,forget_all"});
    CHECK(done.status == 0);
    CHECK(done.out.find("at least") != std::string::npos);
    CHECK(done.out.find("automatic: 12 budgets in ") != std::string::npos);
    auto const svg = text_of(picture);
    CHECK(is_well_formed(svg));
    for (auto const* words :
         {"residual: overhead against budget", ">automatic<", ">lower bound<", ">floor<", ">greedy_eviction<",
          ">sqrt_segments<", ">forget_all<", "automatic: 0.00 % above, at 100.0 %"})
        CHECK(svg.find(words) != std::string::npos);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);

    write(folder / "empty.json", R"({"nodes":[]})");
    auto const empty = (folder / "empty.json").string();
    CHECK(run({empty, "--curve", "3", "--curve-svg", picture}).status == 0);
    CHECK(is_well_formed(text_of(picture)));
    CHECK(text_of(picture).find("nan") == std::string::npos);
    CHECK(run({residual, "--curve", "1,2", "--curve-svg", picture}).status == 3);
    CHECK(is_well_formed(text_of(picture)));
}

TEST_CASE("plan: a curve that cannot be is refused in one line", "[plan][curve]") {
    struct refused {
        std::vector<std::string> arguments;
        std::string culprit;
    };
    std::vector<refused> const table{
        {{"--curve", "1"}, "curve 1 "},
        {{"--curve", "1001"}, "curve 1001 "},
        {{"--curve", "99999999999999999999"}, "curve 99999999999999999999 "},
        {{"--curve=-3"}, "curve -3 "},
        {{"--curve", ""}, "''"},
        {{"--curve", "80%,,60%"}, "''"},
        {{"--curve", "80%,half"}, "half"},
        {{"--curve", "80%,min"}, "min"},
        {{"--curve", "5", "--budget", "60%"}, "--curve"},
        {{"--curve", "5", "--schedule", "plan.json"}, "--curve"},
        {{"--curve", "5", "--replay", "plan.json"}, "--curve"},
        {{"--curve", "5", "--in-place"}, "--curve"},
        {{"--curve-svg", "curve.svg", "--arena"}, "--curve-svg"},
        {{"--curve-svg", "/no/such/curve.svg"}, "/no/such/curve.svg"},
        {{"--curve", "5", "--strategy", "save_set,"}, "--strategy"},
    };
    for (auto const& [arguments, culprit] : table) {
        auto all = arguments;
        all.insert(all.begin(), residual);
        auto const done = run(all);
        INFO(done.err);
        CHECK(done.status == 2);
        CHECK(done.says(culprit));
        CHECK(std::ranges::count(done.err, '\n') == 1);
    }
    CHECK_FALSE(std::filesystem::exists("curve.svg"));
}
