#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "io/temporary_folder.hpp"
#include "support/catch.hpp"

using nlohmann::json;
using repebble::testing::temporary_folder;

namespace {

auto source(std::string const& path) -> std::string { return std::string(REPEBBLE_SOURCE_DIR) + "/" + path; }
auto const unet = source("examples/data/unet_small.json");
auto const joint = source("tests/data/branching_network.json");
auto const residual = source("tests/data/residual_network.json");

constexpr std::array strategies{"keep_all",        "sqrt_segments", "lower_set_approximate",
                                "lower_set_exact", "forget_all",    "lower_set_exhaustive"};
constexpr std::array conventions{"value_grad", "op_backward", "executable"};

auto text_of(std::filesystem::path const& path) -> std::string {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}
void write(std::filesystem::path const& path, std::string const& text) { std::ofstream(path) << text; }

/// What a run of the program leaves.
struct outcome {
    int status = 0;
    std::string out;
    std::string err;

    [[nodiscard]] auto says(std::string const& words) const -> bool { return err.find(words) != std::string::npos; }
    [[nodiscard]] auto answer() const -> json { return json::parse(out); }
    [[nodiscard]] auto plans() const -> json { return answer().at("plans"); }
    [[nodiscard]] auto plan() const -> json { return plans().at(0); }
};

auto run(std::vector<std::string> const& arguments) -> outcome {
    temporary_folder const folder;
    std::string command = REPEBBLE_PLAN_PROGRAM;
    for (auto const& a : arguments) {
        command += " '";
        for (char const c : a) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
        command += "'";
    }
    command += " >'" + (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
    int const status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), text_of(folder / "out"), text_of(folder / "err")};
}

/// What the schedule of a file costs.
auto figures(json const& plan) -> json {
    return {plan.at("peak"), plan.at("time"), plan.at("overhead"), plan.at("overhead_percent"), plan.at("steps")};
}

/// The schedule of keep_all for the residual network, as JSON, with the number of its step that is [action, vertex,
/// pass, …].
struct schedule_file {
    json whole;

    [[nodiscard]] auto step(std::string const& action, int vertex, std::string const& pass) const -> std::size_t {
        auto const& steps = whole.at("steps");
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (steps[i][0] == action && steps[i][1] == vertex && steps[i][2] == pass) return i;
        FAIL("the schedule has no step " << action << " " << vertex << " " << pass);
        return 0;
    }
    void erase(std::size_t i) { whole.at("steps").erase(i); }
    void move(std::size_t from, std::size_t to) {
        auto const s = whole.at("steps").at(from);
        erase(from);
        whole.at("steps").insert(whole.at("steps").begin() + static_cast<std::ptrdiff_t>(to), s);
    }
};
auto kept_schedule() -> schedule_file {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    REQUIRE(run({residual, "--budget", "100%", "--strategy", "keep_all", "--schedule", file}).status == 0);
    return {json::parse(text_of(file))};
}
auto judged(schedule_file const& schedule) -> outcome {
    temporary_folder const folder;
    write(folder / "plan.json", schedule.whole.dump());
    return run({residual, "--replay", (folder / "plan.json").string(), "--json"});
}

}  // namespace

// ---- what it prints --------------------------------------------------------------------------------------------

TEST_CASE("plan: the JSON has exactly the documented fields", "[plan]") {
    auto const done = run({residual, "--budget", "95%", "--json"});
    CHECK(done.status == 0);
    CHECK(done.err.empty());
    CHECK(std::ranges::count(done.out, '\n') == 1);
    auto const answer = nlohmann::ordered_json::parse(done.out);
    auto const ordered_keys = [](nlohmann::ordered_json const& object) {
        std::vector<std::string> names;
        for (auto const& [key, value] : object.items()) names.push_back(key);
        return names;
    };
    CHECK(ordered_keys(answer) == std::vector<std::string>{"graph", "convention", "budget", "plans"});
    CHECK(ordered_keys(answer.at("graph")) == std::vector<std::string>{"name", "vertices", "edges", "keep_all_peak"});
    CHECK(answer.at("graph").at("name") == "residual");
    CHECK(answer.at("graph").at("vertices") == 11);
    CHECK(answer.at("graph").at("edges") == 11);
    CHECK(answer.at("convention") == "value_grad");
    CHECK(answer.at("plans").size() == 5);
    for (auto const& plan : answer.at("plans"))
        CHECK(ordered_keys(plan) == std::vector<std::string>{"strategy", "feasible", "peak", "peak_formula", "time",
                                                             "overhead", "overhead_formula", "overhead_percent",
                                                             "segments", "steps", "seconds", "lower_sets", "epsilon"});
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
    auto const done = run({residual, "--step-limit", "3", "--lower-set-limit", "2", "--budget", "100%", "--json"});
    CHECK(done.status == 0);
    for (auto const& plan : done.plans()) {
        bool const limited = plan.at("strategy") == "forget_all" || plan.at("strategy") == "lower_set_exact";
        CHECK(plan.contains("note") == limited);
        if (!limited) continue;
        CHECK(plan.at("feasible") == false);
        for (auto const& [key, value] : plan.items())
            if (key != "strategy" && key != "feasible" && key != "seconds" && key != "note") CHECK(value.is_null());
    }
    CHECK(run({residual, "--strategy", "forget_all", "--step-limit", "3"}).status == 3);
}

TEST_CASE("plan: the table has a row for every strategy but the exhaustive one", "[plan]") {
    auto const done = run({residual, "--budget", "95%"});
    CHECK(done.status == 0);
    for (auto const* strategy : strategies)
        CHECK((done.out.find(strategy) != std::string::npos) == (strategy != std::string("lower_set_exhaustive")));
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

TEST_CASE("plan: nothing fits: exit status 3, and each row misses by something", "[plan]") {
    auto const done = run({residual, "--budget", "1", "--json"});
    CHECK(done.status == 3);
    for (auto const& plan : done.plans()) {
        CHECK(plan.at("feasible") == false);
        CHECK(plan.at("peak") > 1);
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
        {{residual, "--no-such-option"}, {"--no-such-option"}},
        {{residual, "second.json"}, {"second.json"}},
        {{}, {"graph"}},
        {{missing}, {missing}},
        {{folder.path().string()}, {folder.path().string()}},
        {{broken}, {broken, "line 1"}},
        {{cyclic}, {cyclic, "cycle"}},
        {{negative}, {negative, "-1"}},
        {{huge}, {"overflows", "9000000000000000000"}},
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

// ---- schedules ---------------------------------------------------------------------------------------------------

TEST_CASE("plan: a schedule that was written replays to the same figures", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    for (auto const* convention : conventions)
        for (auto const* strategy : strategies) {
            INFO(convention << ", " << strategy);
            auto const planned = run({residual, "--budget", "1000%", "--convention", convention, "--strategy", strategy,
                                      "--schedule", file, "--json"});
            REQUIRE(planned.status == 0);
            auto const replayed = run({residual, "--replay", file, "--json"});
            CHECK(replayed.status == 0);
            CHECK(figures(replayed.plan()) == figures(planned.plan()));
            CHECK(replayed.answer().at("convention") == convention);
            CHECK(replayed.answer().at("budget").is_null());
            CHECK(replayed.plan().at("strategy") == strategy);
            auto const document = json::parse(text_of(file));
            CHECK(document.at("graph") == "residual");
            CHECK(document.at("convention") == convention);
            CHECK(document.at("strategy") == strategy);
        }
}

TEST_CASE("plan: so it does for a network that needs recomputations, within the same budget", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    auto const planned = run({unet, "--strategy", "lower_set_approximate", "--schedule", file, "--json"});
    REQUIRE(planned.status == 0);
    CHECK(planned.plan().at("overhead") > 0);
    auto const budget = planned.answer().at("budget").dump();
    CHECK(run({unet, "--replay", file, "--budget", budget}).status == 0);
    CHECK(run({unet, "--replay", file, "--budget", "1"}).status == 3);
}

TEST_CASE("plan: of all strategies the fastest plan that fits is written", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    auto const done = run({residual, "--budget", "95%", "--schedule", file, "--json"});
    REQUIRE(done.status == 0);
    auto best = json(nullptr);
    for (auto const& plan : done.plans())
        if (plan.at("feasible") == true && (best.is_null() || plan.at("time") < best.at("time"))) best = plan;
    CHECK(run({residual, "--replay", file, "--json"}).plan().at("time") == best.at("time"));
    std::filesystem::remove(file);
    CHECK(run({residual, "--budget", "1", "--schedule", file}).status == 3);
    CHECK(!std::filesystem::exists(file));
}

TEST_CASE("plan: a schedule that was tampered with is refused, and the step is named", "[plan]") {
    CHECK(judged(kept_schedule()).status == 0);

    auto lost = kept_schedule();  // a computation
    auto const at = lost.step("compute", 3, "forward");
    lost.erase(at);
    CHECK(judged(lost).status == 2);
    CHECK(judged(lost).says("step " + std::to_string(at)));

    auto early = kept_schedule();  // a value goes before its last reader
    early.move(early.step("discard", 8, "forward"), early.step("compute", 9, "forward"));
    auto const reader = early.step("compute", 9, "forward");
    CHECK(judged(early).status == 2);
    CHECK(judged(early).says("step " + std::to_string(reader) + ", vertex 9: reads vertex 8"));

    auto renamed = kept_schedule();
    auto const named = renamed.step("compute", 6, "forward");
    renamed.whole["steps"][named][1] = 7;
    CHECK(judged(renamed).status == 2);
    CHECK(judged(renamed).says("step " + std::to_string(named) + ", vertex 7"));

    auto twice = kept_schedule();
    auto const again = twice.step("compute", 4, "forward");
    twice.whole["steps"].insert(twice.whole["steps"].begin() + static_cast<std::ptrdiff_t>(again) + 1,
                                json{"compute", 4, "forward", 1});
    CHECK(judged(twice).status == 2);
    CHECK(judged(twice).says("step " + std::to_string(again + 1)));
    CHECK(judged(twice).says("not recomputable"));

    auto gone = kept_schedule();  // a value goes twice
    auto const discard = gone.step("discard", 8, "forward");
    gone.whole["steps"].insert(gone.whole["steps"].begin() + static_cast<std::ptrdiff_t>(discard),
                               gone.whole["steps"][discard]);
    CHECK(judged(gone).status == 2);
    CHECK(judged(gone).says("step " + std::to_string(discard + 1)));

    auto short_one = kept_schedule();
    auto const steps = short_one.whole["steps"].size();
    auto const last = short_one.step("compute", 0, "backward");
    while (short_one.whole["steps"].size() > last) short_one.erase(last);
    CHECK(judged(short_one).status == 2);
    CHECK(judged(short_one).says("never runs"));
    CHECK(last < steps);
}

TEST_CASE("plan: a value that is never discarded is legal, and the peak is no less", "[plan]") {
    auto const before = judged(kept_schedule()).plan();
    auto hoarded = kept_schedule();
    hoarded.erase(hoarded.step("discard", 10, "backward"));
    auto const done = judged(hoarded);
    CHECK(done.status == 0);
    CHECK(done.plan().at("peak") >= before.at("peak"));
    CHECK(done.plan().at("time") == before.at("time"));
}

TEST_CASE("plan: a refused schedule names its file, and the vertex as the graph does", "[plan]") {
    auto incomplete = kept_schedule();
    incomplete.whole["steps"] = json::array();
    auto const refused = judged(incomplete);
    CHECK(refused.status == 2);
    CHECK(refused.says(".json"));
    CHECK(refused.says("backward pass of vertex"));

    auto strange = kept_schedule();
    strange.whole["convention"] = "sideways";
    CHECK(judged(strange).status == 2);
    CHECK(judged(strange).says("unknown convention sideways"));
}

TEST_CASE("plan: a schedule of another convention does not pass", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    REQUIRE(run({residual, "--budget", "1000%", "--convention", "executable", "--schedule", file}).status == 0);
    CHECK(run({residual, "--replay", file}).status == 0);
    CHECK(run({residual, "--replay", file, "--convention", "executable"}).status == 0);
    CHECK(run({residual, "--replay", file, "--convention", "op_backward"}).status == 2);
    CHECK(run({unet, "--replay", file}).status == 2);
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
