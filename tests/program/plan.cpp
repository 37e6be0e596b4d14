#include <algorithm>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

// ---- what it prints --------------------------------------------------------------------------------------------

TEST_CASE("plan: the JSON has exactly the documented fields", "[plan]") {
    auto const done = run({residual, "--budget", "95%", "--json"});
    CHECK(done.status == 0);
    CHECK(done.err.empty());
    CHECK(std::ranges::count(done.out, '\n') == 1);
    auto const answer = nlohmann::ordered_json::parse(done.out);
    CHECK(ordered_keys(answer) == std::vector<std::string>{"graph", "convention", "budget", "plans"});
    CHECK(ordered_keys(answer.at("graph")) == std::vector<std::string>{"name", "vertices", "edges", "keep_all_peak"});
    CHECK(answer.at("graph").at("name") == "residual");
    CHECK(answer.at("graph").at("vertices") == 11);
    CHECK(answer.at("graph").at("edges") == 11);
    CHECK(answer.at("convention") == "value_grad");
    CHECK(answer.at("plans").size() == usual_strategies.size());
    for (auto const& plan : answer.at("plans")) {
        std::vector<std::string> expected{
            "strategy",         "feasible", "peak",  "peak_formula", "time",       "overhead", "overhead_formula",
            "overhead_percent", "segments", "steps", "seconds",      "lower_sets", "epsilon"};
        if (plan.at("strategy") == "automatic")
            for (auto const* field :
                 {"lower_bound", "gap", "time_least", "peak_least", "none_exists", "floor", "floor_vertex", "found_by"})
                expected.emplace_back(field);
        CHECK(ordered_keys(plan) == expected);
    }
}

TEST_CASE("plan: the automatic planner says what it proved, in time limits, gaps and seeds as it is told", "[plan]") {
    auto const plan = run({unet, "--strategy", "automatic", "--budget", "60%", "--json"}).plan();
    CHECK(plan.at("feasible") == true);
    CHECK(plan.at("lower_bound") <= plan.at("overhead"));
    CHECK(plan.at("time_least") == (plan.at("lower_bound") == plan.at("overhead")));
    CHECK(plan.at("floor") <= plan.at("peak"));
    CHECK(plan.at("floor_vertex").get<std::string>().find("ward ") != std::string::npos);
    auto const same = run({unet, "--strategy", "automatic", "--budget", "60%", "--seed", "1", "--json"}).plan();
    CHECK(same.at("overhead") == plan.at("overhead"));
    auto const rough = run({unet, "--strategy", "automatic", "--budget", "60%", "--gap", "1e9", "--json"}).plan();
    CHECK(rough.at("overhead") >= plan.at("overhead"));
    CHECK(run({unet, "--strategy", "automatic", "--budget", "100%", "--time-limit", "0.1"}).status == 0);
    auto const none = run({residual, "--strategy", "automatic", "--budget", "1", "--json"});
    CHECK(none.status == 3);
    CHECK((none.plan().at("none_exists") == true && none.plan().at("time_least") == false));
    auto const note = none.plan().at("note").get<std::string>();
    CHECK(note.starts_with("none exists: "));
    auto const found = std::to_string(none.plan().at("found").get<std::int64_t>());
    CHECK(note.ends_with("; a plan was found within " + found + " bytes"));
    CHECK(run({residual, "--strategy", "automatic", "--budget", found}).status == 0);
}

TEST_CASE("plan: --effort lists and sets the constants of the automatic planner", "[plan]") {
    auto const list = run({"--effort", "list"});
    CHECK(list.status == 0);
    CHECK(list.out.find("moves_per_operation") != std::string::npos);
    CHECK(
        run({unet, "--strategy", "automatic", "--effort", "least_moves=1000", "--effort", "most_moves=1000"}).status ==
        0);
    auto const unknown = run({unet, "--effort", "frist_share=0.1"});
    CHECK(unknown.status == 2);
    CHECK(unknown.says("the nearest is first_share"));
    CHECK(run({unet, "--effort", "arena_share=2"}).says("from 0 to 1"));
    for (auto const* wrong : {"first_share", "first_share=", "first_share=x", "=", ""})
        CHECK(run({unet, "--effort", wrong}).status == 2);
}

TEST_CASE("plan: --explain says which technique found the plan, and --without switches techniques off", "[plan]") {
    auto const plan = run({unet, "--strategy", "automatic", "--explain", "--json"}).plan();
    auto const found = [](json const& techniques) {
        return std::ranges::count_if(techniques, [](json const& t) { return t.at("found_plan") == true; });
    };
    CHECK(found(plan.at("techniques")) == 1);
    CHECK_FALSE(run({unet, "--strategy", "automatic", "--json"}).plan().contains("techniques"));
    auto const less =
        run({unet, "--strategy", "automatic", "--without", "several_cuts,max_sat", "--explain", "--json"}).plan();
    for (auto const& t : less.at("techniques")) {
        CHECK(t.at("technique") != "several_cuts");
        CHECK(t.at("technique") != "max_sat");
    }
    CHECK(less.at("lower_bound") <= plan.at("lower_bound"));
    auto const table = run({unet, "--strategy", "automatic", "--explain"});
    CHECK(table.out.find("found the plan") != std::string::npos);
    auto const wrong = run({unet, "--without", "magic"});
    CHECK(wrong.status == 2);
    CHECK(wrong.err.find("unknown technique magic; there are no_recomputation, ") != std::string::npos);
}

TEST_CASE("plan: what does not apply is null", "[plan]") {
    auto const plan_by = [](char const* strategy) {
        return run({residual, "--budget", "100%", "--strategy", strategy, "--json"}).plan();
    };
    auto const nulls = [](json const& plan) {
        std::vector<std::string> names;
        for (auto const& [key, value] : plan.items())
            if (value.is_null()) names.push_back(key);
        return names;
    };
    CHECK(nulls(plan_by("keep_all")) ==
          std::vector<std::string>{"epsilon", "lower_sets", "overhead_formula", "peak_formula", "segments"});
    CHECK(nulls(plan_by("sqrt_segments")) == std::vector<std::string>{"epsilon", "lower_sets"});
    CHECK(nulls(plan_by("lower_set_exact")).empty());
    auto const of_joint = run({joint, "--budget", "100%", "--strategy", "lower_set_exact", "--json"}).plan();
    CHECK(nulls(of_joint) == std::vector<std::string>{"overhead_formula", "peak_formula"});
}

TEST_CASE("plan: where a strategy gives up there is a note and no figure", "[plan]") {
    auto const done = run({residual, "--step-limit", "3", "--budget", "100%", "--json"});
    CHECK(done.status == 0);
    for (auto const& plan : done.plans()) {
        bool const limited = plan.at("strategy") == "forget_all";
        CHECK(plan.contains("note") == limited);
        if (!limited) continue;
        CHECK(plan.at("feasible") == false);
        for (auto const& [key, value] : plan.items())
            if (key != "strategy" && key != "feasible" && key != "seconds" && key != "note") CHECK(value.is_null());
    }
    CHECK(run({residual, "--strategy", "forget_all", "--step-limit", "3"}).status == 3);
    CHECK(run({residual, "--strategy", "lower_set_exhaustive", "--lower-set-limit", "2"}).status == 3);
    CHECK(run({residual, "--strategy", "lower_set_exact", "--lower-set-limit", "2", "--budget", "100%"}).status == 0);
}

TEST_CASE("plan: the table has a row for every strategy but those that must be named", "[plan]") {
    auto const done = run({residual, "--budget", "95%"});
    CHECK(done.status == 0);
    for (auto const* strategy : strategies)
        CHECK((done.out.find(strategy) != std::string::npos) ==
              (std::ranges::find(usual_strategies, strategy) != usual_strategies.end()));
    CHECK(run({residual, "--strategy", "lower_set_exhaustive", "--budget", "100%"}).out.find("lower_set_exhaustive") !=
          std::string::npos);
    CHECK(run({"--help"}).status == 0);
    CHECK(run({"--help"}).out.find("--budget") != std::string::npos);
}

// ---- budgets ---------------------------------------------------------------------------------------------------

TEST_CASE("plan: budgets in bytes, in per cent of keep_all's peak, and min", "[plan]") {
    auto const budget_of = [](char const* text) {
        auto const answer = run({residual, "--strategy", "keep_all", "--budget", text, "--json"}).answer();
        return std::pair{answer.at("budget"), answer.at("graph").at("keep_all_peak").get<std::int64_t>()};
    };
    auto const most = budget_of("1").second;
    CHECK(most > 0);
    CHECK(budget_of("4GiB").first == 4294967296);
    CHECK(budget_of("1.5 kB").first == 1500);
    CHECK(budget_of("2000").first == 2000);
    CHECK(budget_of("60%").first == most * 60 / 100);
    CHECK(budget_of("12.5%").first == most / 8);
    CHECK(budget_of("100%").first == most);
    CHECK(budget_of("0%").first == 0);
    CHECK(budget_of("min").first.is_null());
    CHECK(run({residual, "--strategy", "keep_all", "--json"}).answer().at("budget") == most * 60 / 100);
}

TEST_CASE("plan: row and JSON have the same claims of the least peak and of the time", "[plan]") {
    for (auto const& [graph, least] : {std::pair(residual, true), {source("tests/data/tight/trace_cnn_cifar.json"), false}}) {
        auto const found = run({graph, "--budget", "min", "--strategy", "automatic", "--json"}).plan();
        CHECK(found.at("peak_least") == least);
        CHECK(found.at("peak_least") == (found.at("peak") == found.at("floor")));
        auto const words = run({graph, "--budget", "min", "--strategy", "automatic"}).out;
        CHECK((words.find("peak least, time") != std::string::npos) == least);
        CHECK((words.find("is not excluded") != std::string::npos) != least);
        CHECK((words.find("time least") != std::string::npos) == found.at("time_least"));
    }
}

TEST_CASE("plan: nothing fits: exit status 3, and each row misses by something", "[plan]") {
    auto const done = run({residual, "--budget", "1", "--json"});
    CHECK(done.status == 3);
    for (auto const& plan : done.plans()) {
        CHECK(plan.at("feasible") == false);
        if (plan.at("strategy") != "automatic") CHECK(plan.at("peak") > 1);
    }
    CHECK(run({residual, "--budget", "1"}).out.find("misses by") != std::string::npos);
    CHECK(run({residual, "--budget", "99%", "--strategy", "keep_all"}).status == 3);
    CHECK(run({residual, "--budget", "100%", "--strategy", "keep_all"}).status == 0);
}

TEST_CASE("plan: with min every strategy has the least that it can do, and fits", "[plan]") {
    auto const least = run({residual, "--budget", "min", "--strategy", "lower_set_exact", "--json"}).plan();
    CHECK(least.at("feasible") == true);
    auto const peak = least.at("peak").get<std::int64_t>();
    CHECK(run({residual, "--budget", std::to_string(peak), "--strategy", "lower_set_exact"}).status == 0);
    CHECK(run({residual, "--budget", std::to_string(peak - 1), "--strategy", "lower_set_exact"}).status == 3);
}

TEST_CASE("plan: judged by formula, what fits is formula (2)", "[plan]") {
    auto const by_formula = [](std::string const& budget, std::string const& last_segment) {
        return run({residual, "--strategy", "lower_set_exact", "--judge", "formula", "--last-segment", last_segment,
                    "--budget", budget, "--json"});
    };
    auto const least = by_formula("min", "recomputed").plan().at("peak_formula").get<std::int64_t>();
    CHECK(by_formula(std::to_string(least), "recomputed").status == 0);
    CHECK(by_formula(std::to_string(least - 1), "recomputed").status == 3);
    auto const recomputed = by_formula("1000%", "recomputed").plan();
    CHECK(recomputed.at("overhead") == recomputed.at("overhead_formula"));
    CHECK(by_formula("1000%", "kept").plan().at("overhead") == 0);
    auto const greatest = run({residual, "--strategy", "lower_set_exact", "--judge", "formula", "--objective", "memory",
                               "--budget", "1000%", "--json"});
    CHECK(greatest.plan().at("overhead_formula") > recomputed.at("overhead_formula"));
}

// ---- bad input -------------------------------------------------------------------------------------------------

TEST_CASE("plan: whatever is wrong, the exit status is 2 and the message names the culprit", "[plan]") {
    temporary_folder const folder;
    auto const file = [&](std::string const& name, std::string const& text) {
        write(folder / name, text);
        return (folder / name).string();
    };
    auto const missing = (folder / "missing.json").string();
    auto const broken = file("broken.json", R"({"nodes":[{"id":0,"time":1,"memory":8},)");
    auto const cyclic = file("cyclic.json", R"({"nodes":[{"id":0,"time":1,"memory":8},{"id":1,"time":1,"memory":8}],
                                                "edges":[[0,1],[1,0]]})");
    auto const negative = file("negative.json", R"({"nodes":[{"id":0,"time":-1,"memory":8}],"edges":[]})");
    auto const huge = file("huge.json", R"({"nodes":[{"id":0,"time":1,"memory":9000000000000000000}],"edges":[]})");
    auto const other =
        file("other.json", R"({"format":"repebble-schedule","version":1,"steps":[["compute",99,"forward",0]]})");
    auto const strange =
        file("strange.json", R"({"format":"repebble-schedule","version":1,"steps":[["compute",0,"sideways",0]]})");
    struct wrong {
        std::vector<std::string> arguments;
        std::vector<std::string> culprit;  ///< words of the message
    };
    std::vector<wrong> const table{
        {{residual, "--budget", ""}, {"''"}},
        {{residual, "--budget", "-1"}, {"-1"}},
        {{residual, "--budget=-1"}, {"-1"}},
        {{residual, "--budget", "abc"}, {"abc"}},
        {{residual, "--budget", "60%%"}, {"60%%"}},
        {{residual, "--budget", "nan%"}, {"nan%"}},
        {{residual, "--budget", "inf%"}, {"inf%"}},
        {{residual, "--budget", "1e400%"}, {"1e400%"}},
        {{residual, "--budget", "-5%"}, {"-5%"}},
        {{residual, "--budget", "%"}, {"budget %"}},
        {{residual, "--budget", " 60%"}, {" 60%"}},
        {{residual, "--budget", "99999999999999999999999%"}, {"99999999999999999999999%"}},
        {{residual, "--budget", "4GB5"}, {"4GB5"}},
        {{residual, "--budget", "4g"}, {"4g"}},
        {{residual, "--budget", "1.5"}, {"1.5"}},
        {{residual, "--budget", "9000PiB0"}, {"9000PiB0"}},
        {{residual, "--budget", "8EiB"}, {"8EiB"}},
        {{residual, "--budget", "MIN"}, {"MIN"}},
        {{residual, "--budget"}, {"--budget"}},
        {{residual, "--strategy", "best"}, {"best", "lower_set_exact"}},
        {{residual, "--convention", "joint"}, {"--convention", "joint"}},
        {{residual, "--objective", "money"}, {"--objective", "money"}},
        {{residual, "--judge", "jury"}, {"--judge", "jury"}},
        {{residual, "--last-segment", "lost"}, {"--last-segment", "lost"}},
        {{residual, "--epsilon", "2"}, {"--epsilon", "2"}},
        {{residual, "--epsilon", "nan"}, {"epsilon", "nan"}},
        {{residual, "--epsilon", "small"}, {"--epsilon", "small"}},
        {{residual, "--step-limit", "-4"}, {"--step-limit", "-4"}},
        {{residual, "--lower-set-limit", "-1"}, {"--lower-set-limit", "-1"}},
        {{residual, "--step-limit", "many"}, {"--step-limit", "many"}},
        {{residual, "--kept", "0"}, {"--kept", "0"}},
        {{residual, "--no-such-option"}, {"--no-such-option"}},
        {{residual, "second.json"}, {"second.json"}},
        {{}, {"graph"}},
        {{missing}, {missing}},
        {{folder.path().string()}, {folder.path().string()}},
        {{broken}, {broken, "line 1"}},
        {{cyclic}, {cyclic, "cycle"}},
        {{negative}, {negative, "-1"}},
        {{huge}, {huge, "overflows", "9000000000000000000"}},
        {{residual, "--replay", missing}, {missing}},
        {{residual, "--replay", residual}, {residual, "format"}},
        {{residual, "--replay", other}, {"vertex 99"}},
        {{residual, "--replay", strange}, {strange, "step 0", "sideways"}},
        {{residual, "--replay", other, "--budget", "abc"}, {"abc"}},
        {{residual, "--budget", "100%", "--schedule", (folder / "no/such/folder.json").string()},
         {"no/such/folder.json"}},
    };
    for (auto const& [arguments, culprit] : table) {
        auto const done = run(arguments);
        std::string line;
        for (auto const& a : arguments) line += a + " ";
        INFO(line << "\n" << done.err);
        CHECK(done.status == 2);
        for (auto const& word : culprit) CHECK(done.says(word));
    }
}

// ---- files with a backward pass ------------------------------------------------------------------------------------

TEST_CASE("plan: a file with a backward pass keeps it, whatever the convention", "[plan]") {
    auto const ask = [](std::vector<std::string> more) {
        std::vector<std::string> arguments{joint, "--budget", "100%", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        auto answer = run(arguments).answer();
        for (auto& plan : answer.at("plans")) plan.erase("seconds");
        return answer;
    };
    auto const expected = ask({});
    CHECK(expected.at("convention") == "joint");
    for (auto const* convention : conventions) CHECK(ask({"--convention", convention}) == expected);
    CHECK(ask({"--judge", "formula"}) == expected);

    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    for (auto const* strategy : strategies) {
        INFO(strategy);
        auto const planned = run({joint, "--budget", "1000%", "--strategy", strategy, "--schedule", file, "--json"});
        REQUIRE(planned.status == 0);
        CHECK(figures(run({joint, "--replay", file, "--json"}).plan()) == figures(planned.plan()));
        CHECK(json::parse(text_of(file)).at("convention") == "joint");
    }
}

TEST_CASE("plan: a graph of nothing needs nothing", "[plan]") {
    temporary_folder const folder;
    write(folder / "empty.json", R"({"nodes":[]})");
    auto const done = run({(folder / "empty.json").string(), "--budget", "0", "--json"});
    CHECK(done.status == 0);
    CHECK(done.answer().at("graph").at("name") == "empty");
    for (auto const& plan : done.plans()) CHECK(plan.at("peak") == 0);
}
