#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <repebble/chains/binomial_bounds.hpp>
#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/online_snapshots.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/json_chain.hpp>
#include <repebble/pebbling/replay.hpp>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

using chain_curve_list = std::vector<std::vector<std::int64_t>>;

/// Three stages and the loss: 3 + 1 + 2 + 0 forward. To keep all takes 2 + 4 + 8 + 3 and what stage 2 runs with.
constexpr char const* small_chain = R"({"L": 3, "fw": [3, 1, 2], "bw": [6, 2, 4, 1], "cw": [2, 3, 4, 1],
    "cbw": [0, 4, 8, 3], "fwd_tmp": [0, 1, 0], "bwd_tmp": [1, 0, 0, 0]})";

[[nodiscard]] auto chain_points(std::vector<repebble::budget_and_time> const& curve) -> chain_curve_list {
    chain_curve_list all;
    for (auto const& [budget, time] : curve) all.push_back({budget, time});
    return all;
}
[[nodiscard]] auto chain_curve_of(outcome const& done) -> chain_curve_list {
    return done.answer().at("curve").get<chain_curve_list>();
}
[[nodiscard]] auto chain_in(std::string const& file) -> repebble::chain { return repebble::io::read_chain(file).chain; }

/// The runs of stages that the program printed.
[[nodiscard]] auto chain_actions_in(json const& list) -> repebble::chain_actions {
    using kind = repebble::chain_action::kind;
    repebble::chain_actions all;
    for (auto const& a : list) {
        auto const word = a.at(0).get<std::string>();
        auto const what = word == "forward" ? kind::forward : word == "save" ? kind::save : kind::backward;
        all.push_back({what, a.at(1).get<std::uint32_t>()});
    }
    return all;
}

}  // namespace

// ---- budgets and curves ----------------------------------------------------------------------------------------

TEST_CASE("chain: the JSON has exactly the documented fields", "[chain]") {
    using words = std::vector<std::string>;
    struct asked {
        words arguments;
        words fields;
    };
    for (auto const& [arguments, fields] : std::vector<asked>{
             {{"--curve"}, {"name", "stages", "curve", "exact", "epsilon", "seconds"}},
             {{"--budget", "60%"}, {"name", "stages", "budget", "curve", "exact", "epsilon", "seconds"}},
             {{"--budget", "1"}, {"name", "stages", "budget", "curve", "exact", "epsilon", "seconds"}},
             {{"--curve", "--slots", "50"}, {"name", "stages", "curve", "exact", "slots", "unit", "seconds"}},
             {{"--budget", "60%", "--actions"},
              {"name", "stages", "budget", "curve", "exact", "epsilon", "peak", "actions", "seconds"}}}) {
        words line{resnet_chain, "--json"};
        line.insert(line.end(), arguments.begin(), arguments.end());
        auto const done = run_chain(line);
        CHECK(done.err.empty());
        CHECK(std::ranges::count(done.out, '\n') == 1);
        CHECK(ordered_keys(nlohmann::ordered_json::parse(done.out)) == fields);
        CHECK(done.answer().at("name") == "resnet152_b32");
        CHECK(done.answer().at("stages") == 53);
        CHECK(done.answer().at("seconds").get<double>() >= 0);
    }
}

TEST_CASE("chain: the curve is the exact frontier, of either kind and by either test", "[chain]") {
    auto const of = chain_in(gpt_chain);
    auto const plain = run_chain({gpt_chain, "--curve", "--json"});
    CHECK(plain.status == 0);
    CHECK(plain.answer().at("exact") == true);
    CHECK(chain_curve_of(plain) == chain_points(repebble::solve_chain(of).curve()));
    CHECK(chain_curve_of(run_chain({gpt_chain, "--curve", "--json", "--memory-test", "published"})) ==
          chain_points(repebble::solve_chain(of, {.test = repebble::memory_test::published}).curve()));
    CHECK(chain_curve_of(run_chain({gpt_chain, "--curve", "--json", "--drop-saved-inputs"})) ==
          chain_points(repebble::solve_chain(of, {.drop_saved_inputs = true}).curve()));
}

TEST_CASE("chain: a budget in bytes, and in per cent of what keeps all", "[chain]") {
    auto const of = chain_in(resnet_chain);
    auto const all = repebble::bytes_to_keep_all(of);
    auto const solved = repebble::solve_chain(of);
    CHECK(solved.curve().back().budget == all);
    struct named {
        std::string text;
        repebble::bytes budget;
    };
    for (auto const& [text, budget] : std::vector<named>{{"100%", all},
                                                         {"60%", all * 3 / 5},
                                                         {"29.0625%", all * 93 / 320},
                                                         {"2GiB", repebble::bytes{2} << 30},
                                                         {"250%", all * 5 / 2},
                                                         {"1500 MB", 1'500'000'000}}) {
        INFO(text);
        auto const done = run_chain({resnet_chain, "--budget", text, "--json"});
        CHECK(done.status == 0);
        CHECK(done.answer().at("budget") == budget);
        CHECK(chain_curve_of(done) == chain_curve_list{{budget, solved.time_within(budget).value()}});
    }
}

TEST_CASE("chain: nothing fits", "[chain]") {
    auto const least = repebble::solve_chain(chain_in(resnet_chain)).curve().front().budget;
    CHECK(run_chain({resnet_chain, "--budget", std::to_string(least)}).status == 0);
    for (auto const& budget : {std::to_string(least - 1), std::string("0"), std::string("1%")}) {
        auto const done = run_chain({resnet_chain, "--budget", budget, "--actions", "--json"});
        CHECK(done.status == 3);
        CHECK(done.err.empty());
        CHECK(chain_curve_of(done).empty());
        CHECK_FALSE(done.answer().contains("actions"));
        CHECK(run_chain({resnet_chain, "--budget", budget, "--slots", "500"}).status == 3);
    }
    CHECK(run_chain({resnet_chain, "--budget", "0"}).out.find("nothing fits into 0 bytes") != std::string::npos);
    CHECK(run_chain({resnet_chain, "--curve", "--slots", "1"}).status == 3);
}

TEST_CASE("chain: slots, by any number of threads", "[chain]") {
    auto const of = chain_in(gpt_chain);
    auto const all = repebble::bytes_to_keep_all(of);
    auto const solved = repebble::solve_chain(of, {.slots = 100, .last_budget = all});
    for (auto const* threads : {"1", "3"}) {
        auto const done = run_chain({gpt_chain, "--curve", "--slots", "100", "--threads", threads, "--json"});
        CHECK(chain_curve_of(done) == chain_points(solved.curve()));
        CHECK(done.answer().at("exact") == false);
        CHECK(done.answer().at("slots") == 100);
        CHECK(done.answer().at("unit") == all / 100);
    }
}

TEST_CASE("chain: within a share of the least, which is proven", "[chain]") {
    auto const exact = repebble::solve_chain(chain_in(resnet_chain));
    for (auto const* share : {"0.01", "1%", "5 %", "0.2"}) {
        auto const done = run_chain({resnet_chain, "--curve", "--epsilon", share, "--json"});
        if (std::string(share) == "5 %") {
            CHECK(done.status == 2);
            continue;
        }
        auto const epsilon = done.answer().at("epsilon").get<double>();
        CHECK(epsilon <= (std::string(share) == "0.2" ? 0.2 : 0.01));
        CHECK(done.answer().at("exact") == (epsilon == 0));
        for (auto const& point : chain_curve_of(done)) {
            auto const least = static_cast<double>(exact.time_within(point[0]).value());
            CHECK(static_cast<double>(point[1]) <= least * (1 + epsilon) + 1e-6);
        }
    }
}

TEST_CASE("chain: where the curves are too long, it says so and goes on within 1 %", "[chain]") {
    auto const done = run_chain({resnet_chain, "--curve", "--point-limit", "1000", "--json"});
    CHECK(done.status == 0);
    CHECK(std::ranges::count(done.err, '\n') == 1);
    CHECK((done.says("1000 points") && done.says("within 1 %")));
    auto const epsilon = done.answer().at("epsilon").get<double>();
    CHECK(epsilon <= 0.01);
    CHECK(done.answer().at("exact") == (epsilon == 0));
    auto const given = run_chain({resnet_chain, "--curve", "--point-limit", "1000", "--epsilon", "1%"});
    CHECK(given.status == 2);
    CHECK((given.says(resnet_chain) && given.says("1000 points")));
}

TEST_CASE("chain: a table in words", "[chain]") {
    auto const curve = run_chain({resnet_chain, "--curve"}).out;
    CHECK(curve.find("resnet152_b32: 53 stages and the loss") != std::string::npos);
    CHECK(curve.find("times are the least") != std::string::npos);
    CHECK(curve.find("20 of 175 budgets") != std::string::npos);
    CHECK(curve.find("100.00%") != std::string::npos);
    CHECK(run_chain({resnet_chain, "--curve", "--slots", "9"}).out.find("in slots of") != std::string::npos);
    CHECK(run_chain({resnet_chain, "--curve", "--epsilon", "9%", "--point-limit", "60000"})
              .out.find("% above the least") != std::string::npos);
}

// ---- plans -----------------------------------------------------------------------------------------------------

TEST_CASE("chain: what is printed is a plan that takes the time within the budget", "[chain][long]") {
    auto const of = chain_in(resnet_chain);
    repebble::chain_dataflow const judge(of);
    using words = std::vector<std::string>;
    for (auto const& how : {words{}, words{"--drop-saved-inputs"}, words{"--slots", "500"}, words{"--epsilon", "2%"},
                            words{"--memory-test", "published"}})
        for (auto const* budget : {"15%", "45%", "100%"}) {
            words line{resnet_chain, "--actions", "--json", "--budget", budget};
            line.insert(line.end(), how.begin(), how.end());
            INFO(budget << " " << (how.empty() ? "" : how.front()));
            auto const done = run_chain(line);
            REQUIRE(done.status == 0);
            auto const cost = judge.replay(chain_actions_in(done.answer().at("actions")));
            CHECK(cost.peak == done.answer().at("peak"));
            CHECK(cost.peak <= done.answer().at("budget"));
            CHECK(cost.time == chain_curve_of(done).at(0).at(1));
        }
}

TEST_CASE("chain: a plan in words has one run of a stage per line", "[chain]") {
    temporary_folder const folder;
    auto const file = (folder / "small.json").string();
    write(file, small_chain);
    auto const out = run_chain({file, "--budget", "100%", "--actions"}).out;
    CHECK(out.find("small.json: 3 stages") != std::string::npos);
    CHECK(out.ends_with("\n\nsave 0\nsave 1\nsave 2\nsave 3\nbackward 3\nbackward 2\nbackward 1\nbackward 0\n"));
    auto const peak = "the plan peaks at " + std::to_string(repebble::bytes_to_keep_all(chain_in(file))) + " bytes";
    CHECK(out.find(peak) != std::string::npos);
}

TEST_CASE("chain: a chain with negative workspaces has a plan, but no replay", "[chain]") {
    temporary_folder const folder;
    auto const file = (folder / "negative.json").string();
    write(file, R"({"fw": [3, 1], "bw": [6, 2, 1], "cw": [2, 3, 4], "cbw": [0, 4, 8], "bwd_tmp": [-2, 0, 0]})");
    auto const done = run_chain({file, "--budget", "100%", "--actions", "--json"});
    CHECK(done.status == 0);
    CHECK(done.answer().at("actions").size() == 6);
    CHECK_FALSE(done.answer().contains("peak"));
}

TEST_CASE("chain: a packed file is the same", "[chain]") {
    temporary_folder const folder;
    auto const file = (folder / "packed").string();
    write(file, repebble::io::detail::gzip(text_of(gpt_chain)));
    CHECK(chain_curve_of(run_chain({file, "--curve", "--json"})) ==
          chain_curve_of(run_chain({gpt_chain, "--curve", "--json"})));
}

// ---- equal steps -----------------------------------------------------------------------------------------------

TEST_CASE("chain: the actions of a reversal, one per line", "[chain]") {
    CHECK(run_chain({"--uniform", "3", "--snapshots", "2"}).out ==
          "snapshot 0 0\nadvance 0 1\nsnapshot 1 1\nadvance 1 2\nreverse 2\nrestore 1 1\nreverse 1\nrestore 0 0\n"
          "reverse 0\n");
    CHECK(run_chain({"--uniform", "2", "--snapshots", "0", "--free-initial-state"}).out ==
          "advance 0 1\nreverse 1\nrestore 0 0\nreverse 0\n");
    CHECK(run_chain({"--uniform", "0", "--snapshots", "1"}).out.empty());
    std::ostringstream expected;
    for (auto const& a : repebble::revolve(30'000, 20)) {
        using kind = repebble::revolve_action::kind;
        switch (a.what) {
            case kind::snapshot:
                expected << "snapshot " << a.begin << ' ' << a.slot << '\n';
                break;
            case kind::advance:
                expected << "advance " << a.begin << ' ' << a.end << '\n';
                break;
            case kind::restore:
                expected << "restore " << a.begin << ' ' << a.slot << '\n';
                break;
            case kind::reverse:
                expected << "reverse " << a.begin << '\n';
                break;
        }
    }
    CHECK((run_chain({"--uniform", "30000", "--snapshots", "20"}).out == expected.str()));
}

TEST_CASE("chain: the actions of a reversal, counted", "[chain]") {
    auto const done = run_chain({"--uniform", "10", "--snapshots", "3", "--json"});
    CHECK(done.status == 0);
    CHECK(ordered_keys(nlohmann::ordered_json::parse(done.out)) ==
          std::vector<std::string>{"steps", "snapshots", "advances", "actions", "taken", "seconds"});
    CHECK(done.answer().at("steps") == 10);
    CHECK(done.answer().at("snapshots") == 3);
    CHECK(done.answer().at("advances") == 15);
    auto const lines = run_chain({"--uniform", "10", "--snapshots", "3"}).out;
    CHECK(done.answer().at("actions") == std::ranges::count(lines, '\n'));
    std::int64_t taken = 0;
    for (std::size_t at = 0; (at = lines.find("snapshot", at)) != std::string::npos; ++at) ++taken;
    CHECK(done.answer().at("taken") == taken);
    auto const words = run_chain({"--uniform", "10", "--snapshots", "3", "--count"}).out;
    CHECK(words.find("10 steps, 3 snapshots") != std::string::npos);
    CHECK(words.find("15 advances") != std::string::npos);
}

TEST_CASE("chain: actions where the number of steps is not known before", "[chain]") {
    auto const online = [](std::string const& before, std::string const& options) {
        return run_program("sh -c \"" + before + " | " + program_file("chain") + " --online " + options + "\"", {});
    };
    std::ostringstream expected;
    repebble::online_snapshots of(2);
    for (int step = 0; step < 7; ++step) {
        if (auto const slot = of.before_step()) expected << "snapshot " << step << ' ' << *slot << '\n';
        expected << "advance " << step << ' ' << step + 1 << '\n';
    }
    auto const done = online("seq 7", "--snapshots 2");
    CHECK(done.out.starts_with(expected.str() + "restore "));
    CHECK(done.out.ends_with("reverse 0\n"));
    auto const counted = online("seq 7", "--snapshots 2 --json").answer();
    CHECK(counted.at("steps") == 7);
    CHECK(counted.at("actions") == std::ranges::count(done.out, '\n'));
    CHECK(counted.at("advances") >= 7 + std::int64_t(repebble::binomial_bounds::least_advances(7, 2)) - 6);
    CHECK(online("printf 'a\\nb'", "--snapshots 1 --count").out.starts_with("2 steps, 1 snapshots: "));
    CHECK(online("true", "--snapshots 1").out.empty());
}

TEST_CASE("chain: each step has its answer before the next one is asked for", "[chain]") {
    temporary_folder const folder;
    auto const at = [&](char const* name) { return (folder / name).string(); };
    auto const script =
        "mkfifo " + at("in") + " " + at("out") + "; " + program_file("chain") + " --online --snapshots 1 <" + at("in") +
        " >" + at("out") + " & exec 3>" + at("in") + " 4<" + at("out") +
        "; for k in 1 2; do echo step >&3; until read -r line <&4; case $line in adv*) true;; *) false;; "
        "esac; do :; done; echo $line; done; exec 3>&-; cat <&4; wait";
    write(at("script"), script);
    CHECK(run_program("timeout 20 sh " + at("script"), {}).out ==
          "advance 0 1\nadvance 1 2\nrestore 0 0\nadvance 0 1\nreverse 1\nrestore 0 0\nreverse 0\n");
}

TEST_CASE("chain: the actions of a reversal on two levels", "[chain]") {
    std::vector<std::string> const asked{"--uniform",  "100",     "--snapshots", "3",      "--disk",
                                         "4294967295", "--write", "2",           "--read", "2"};
    auto json = asked;
    json.emplace_back("--json");
    auto const done = run_chain(json);
    CHECK(done.status == 0);
    CHECK(done.answer().at("cost") == 363);
    CHECK(done.answer().at("taken_on_disk") == 22);
    auto const lines = run_chain(asked).out;
    CHECK(lines.starts_with("snapshot 0 0 disk\nadvance 0 "));
    CHECK(done.answer().at("actions") == std::ranges::count(lines, '\n'));
    auto words = asked;
    words.emplace_back("--count");
    CHECK(run_chain(words).out.find("22 on disk, cost 363") != std::string::npos);
}

TEST_CASE("chain: steps up to 2^63 - 1", "[chain]") {
    auto const line = program_file("chain") + " --uniform 9223372036854775807 --snapshots 100 | head -n 3";
    auto const done = run_program("sh -c \"" + line + "\"", {});
    CHECK(done.out.starts_with("snapshot 0 0\nadvance 0 "));
    auto const many = run_chain({"--uniform", "9223372036854775807", "--snapshots", "1", "--count"});
    CHECK(many.status == 2);
    CHECK((many.says("--uniform") && many.says("64 bits")));
}

// ---- bad input -------------------------------------------------------------------------------------------------

TEST_CASE("chain: bad input is refused in one line that names it", "[chain]") {
    temporary_folder const folder;
    std::size_t files = 0;
    struct wrong {
        std::vector<std::string> arguments;
        std::vector<std::string> culprit;
    };
    auto const spoilt = [&](std::string const& what, std::string const& instead, std::vector<std::string> culprit) {
        std::string text = small_chain;
        text.replace(text.find(what), what.size(), instead);
        auto const path = (folder / (std::to_string(files++) + ".json")).string();
        write(path, text);
        culprit.push_back(path);
        return wrong{{path, "--curve"}, culprit};
    };
    auto const missing = (folder / "missing.json").string();
    std::vector<wrong> const table{
        {{}, {"file"}},
        {{"--curve"}, {"file"}},
        {{gpt_chain}, {"--budget", "--curve"}},
        {{gpt_chain, "--budget", "60%", "--curve"}, {"--budget", "--curve"}},
        {{gpt_chain, "--budget"}, {"--budget"}},
        {{gpt_chain, "--budget", "1MB5"}, {"--budget", "1MB5"}},
        {{gpt_chain, "--budget", "-1"}, {"-1"}},
        {{gpt_chain, "--budget", "-1%"}, {"--budget", "-1%"}},
        {{gpt_chain, "--budget", "60.%"}, {"--budget", "60.%"}},
        {{gpt_chain, "--budget", ".5%"}, {"--budget", ".5%"}},
        {{gpt_chain, "--budget", "1e2%"}, {"--budget", "1e2%"}},
        {{gpt_chain, "--budget", "%"}, {"--budget", "%"}},
        {{gpt_chain, "--budget", "min"}, {"--budget", "min"}},
        {{gpt_chain, "--budget", "999999999999999999%"}, {gpt_chain, "999999999999999999%"}},
        {{gpt_chain, "--budget", "8EiB"}, {"8EiB"}},
        {{gpt_chain, "--curve", "--slots", "0"}, {"--slots", "0"}},
        {{gpt_chain, "--curve", "--slots", "10000001"}, {"--slots", "10000001"}},
        {{gpt_chain, "--curve", "--slots", "x"}, {"--slots", "x"}},
        {{gpt_chain, "--curve", "--slots", "5", "--epsilon", "0.1"}, {"--slots", "--epsilon"}},
        {{gpt_chain, "--curve", "--slots", "5", "--drop-saved-inputs"}, {"--slots", "--drop-saved-inputs"}},
        {{gpt_chain, "--curve", "--slots", "5", "--point-limit", "7"}, {"--slots", "--point-limit"}},
        {{gpt_chain, "--curve", "--threads", "2"}, {"--threads", "--slots"}},
        {{gpt_chain, "--curve", "--slots", "5", "--threads", "0"}, {"--threads", "0"}},
        {{gpt_chain, "--curve", "--epsilon", "-0.1"}, {"--epsilon", "-0.1"}},
        {{gpt_chain, "--curve", "--epsilon", "nan"}, {"--epsilon", "nan"}},
        {{gpt_chain, "--curve", "--epsilon", "inf%"}, {"--epsilon", "inf%"}},
        {{gpt_chain, "--curve", "--epsilon", "%"}, {"--epsilon", "%"}},
        {{gpt_chain, "--curve", "--memory-test", "exact"}, {"--memory-test", "exact"}},
        {{gpt_chain, "--curve", "--actions"}, {"--actions", "--budget"}},
        {{gpt_chain, "--curve", "--count"}, {"--count", "--uniform"}},
        {{gpt_chain, "--curve", "--snapshots", "3"}, {"--snapshots", "--uniform"}},
        {{gpt_chain, "--curve", "--free-initial-state"}, {"--free-initial-state", "--uniform"}},
        {{gpt_chain, "--curve", "--no-such-option"}, {"--no-such-option"}},
        {{gpt_chain, "second.json", "--curve"}, {"second.json"}},
        {{"--uniform", "5"}, {"--uniform", "--snapshots"}},
        {{"--uniform", "5", "--snapshots", "0"}, {"--snapshots", "0"}},
        {{"--uniform", "5", "--snapshots", "4294967296"}, {"--snapshots", "4294967296"}},
        {{"--uniform", "-5", "--snapshots", "3"}, {"--uniform", "-5"}},
        {{"--uniform", "9223372036854775808", "--snapshots", "3"}, {"--uniform", "9223372036854775808"}},
        {{"--uniform", "5", "--snapshots", "3", "--curve"}, {"--uniform", "--curve"}},
        {{"--uniform", "5", "--snapshots", "3", "--budget", "5"}, {"--uniform", "--budget"}},
        {{"--uniform", "5", "--snapshots", "3", "--write", "1"}, {"--write", "--disk"}},
        {{"--uniform", "5", "--snapshots", "3", "--disk", "1", "--read", "-1"}, {"--read", "-1"}},
        {{"--uniform", "5", "--snapshots", "0", "--disk", "1"}, {"--snapshots", "0"}},
        {{"--uniform", "5000000000", "--snapshots", "1", "--disk", "1"}, {"5000000000", "steps"}},
        {{gpt_chain, "--uniform", "5", "--snapshots", "3"}, {"--uniform", "file"}},
        {{gpt_chain, "--online", "--snapshots", "3"}, {"--online", "file"}},
        {{"--online"}, {"--online", "--snapshots"}},
        {{"--online", "--snapshots", "0"}, {"--snapshots", "0"}},
        {{"--online", "--snapshots", "3", "--uniform", "5"}, {"--online", "--uniform"}},
        {{"--online", "--snapshots", "3", "--disk", "1"}, {"--online", "--disk"}},
        {{missing, "--curve"}, {missing, "no such file"}},
        {{folder.path().string(), "--curve"}, {folder.path().string(), "directory"}},
        {{lstm_buffers, "--curve"}, {lstm_buffers, "line 1"}},
        {{residual, "--curve"}, {residual, "bw"}},
        spoilt("\"cw\"", "\"cx\"", {"cw"}),
        spoilt("[3, 1, 2]", "[3, -1, 2]", {"fw[1]", "-1"}),
        spoilt("[3, 1, 2]", "[3, 1.5, 2]", {"fw[1]", "1.5"}),
        spoilt("[3, 1, 2]", "[3, 2]", {"fw has 2"}),
        spoilt("\"L\": 3", "\"L\": 4", {"bw has 4", "L is 4"}),
        spoilt("[0, 4, 8, 3]", "[0, 4, 3, 3]", {"cbw[2]", "cw[2]"}),
        spoilt("[0, 4, 8, 3]", "[2, 4, 8, 3]", {"cbw[0]"}),
        spoilt("[1, 0, 0, 0]", "[-10, 0, 0, 0]", {"stage 0", "-10"}),
        spoilt("[6, 2, 4, 1]", "[6, 2, 9223372036854775807, 1]", {"times", "overflow"}),
    };
    for (auto const& [arguments, culprit] : table) {
        auto const done = run_chain(arguments);
        std::string line;
        for (auto const& a : arguments) line += a + " ";
        INFO(line << "\n" << done.err);
        CHECK(done.status == 2);
        CHECK(done.out.empty());
        CHECK(std::ranges::count(done.err, '\n') == 1);
        CHECK(done.err.starts_with("chain: "));
        for (auto const& word : culprit) CHECK(done.says(word));
    }
    CHECK(run_chain({"--help"}).status == 0);
    CHECK(run_chain({"--help"}).out.find("--drop-saved-inputs") != std::string::npos);
}
