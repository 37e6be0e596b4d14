#include <chrono>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"
#include "support/folders.hpp"

using namespace program;

namespace {

auto case_of(char const* name) { return source(std::string("tests/data/frameworks/") + name); }

/// Parameters, a state that is overwritten, results, an order, times in microseconds, and a backward pass.
constexpr char const* full = R"({"name": "full", "time_unit": "us", "nodes": [
    {"id": 0, "memory": 64, "input": true, "name": "weight"},
    {"id": 1, "memory": 8, "input": true, "name": "mean"},
    {"id": 2, "time": 0.5, "memory": 8, "mutates": [[0, 1, 0]], "result": true},
    {"id": 3, "time": 2.25, "memory": 32, "result": true},
    {"id": 4, "time": 4, "memory": 64, "phase": "backward", "result": true}],
    "edges": [[1, 2], [0, 3], [3, 4], [2, 4]], "edge_outputs": [[2, 4]]})";

/// Four operations of 100 bytes, each of which may overwrite what the one before wrote.
constexpr char const* overwriting = R"({"name": "overwriting", "nodes": [
    {"id": 0, "time": 1, "memory": 100},
    {"id": 1, "time": 1, "memory": 100, "may_overwrite": [[0, 0, 0]]},
    {"id": 2, "time": 1, "memory": 100, "may_overwrite": [[0, 1, 0]]},
    {"id": 3, "time": 1, "memory": 100, "may_overwrite": [[0, 2, 0]], "result": true}],
    "edges": [[0, 1], [1, 2], [2, 3]]})";

class graphs {
  public:
    graphs() {
        write(full_path(), full);
        write(overwriting_path(), overwriting);
    }
    [[nodiscard]] auto full_path() const -> std::string { return (folder_ / "full.json").string(); }
    [[nodiscard]] auto overwriting_path() const -> std::string { return (folder_ / "overwriting.json").string(); }
    [[nodiscard]] auto path(char const* name) const { return (folder_ / name).string(); }

  private:
    temporary_folder folder_;
};

}  // namespace

TEST_CASE("plan: every graph as frameworks hand it over is planned", "[plan][frameworks]") {
    for (auto const* name :
         {"view_two_reads.json", "vv_near.json", "ctrl_empty.json", "square.json", "reversible.json"}) {
        INFO(name);
        auto const training = run({case_of(name), "--strategy", "keep_all,automatic", "--budget", "100%", "--json"});
        CHECK(training.status == 0);
        auto const inference =
            run({case_of(name), "--inference", "--strategy", "keep_all,automatic", "--budget", "100%", "--json"});
        CHECK(inference.status == 0);
        CHECK(inference.answer().at("convention") == "inference");
        CHECK(inference.says("names no results"));
    }
}

TEST_CASE("plan: results stay, and the peak is given with the inputs and without", "[plan][frameworks]") {
    graphs const files;
    auto const done = run({files.full_path(), "--strategy", "keep_all,automatic", "--budget", "100%", "--json"});
    REQUIRE(done.status == 0);
    CHECK(done.err.empty());
    for (auto const& plan : done.plans()) {
        CHECK(plan.at("peak") == 168);  // 64 and 8 of inputs, 32 of the output, 64 of the gradient
        CHECK(plan.at("peak_without_inputs") == 96);
        CHECK(plan.at("time") == 6750);
    }
    CHECK(done.plans().at(1).at("time_least") == true);
    auto const schedule = files.path("full.schedule.json");
    auto const outside =
        run({files.full_path(), "--inputs-outside", "--budget", "96", "--schedule", schedule, "--json"});
    REQUIRE(outside.status == 0);
    auto const answer = outside.answer();
    CHECK(answer.at("inputs_outside") == true);
    CHECK(answer.at("graph").at("keep_all_peak") == 96);
    CHECK(outside.plan().at("peak") == 96);
    auto const again = run({files.full_path(), "--replay", schedule, "--json"});
    CHECK(again.status == 0);
    CHECK(again.plan().at("peak") == 96);
    CHECK(run({files.full_path(), "--budget", "100%"}).out.find("without inputs") != std::string::npos);
    CHECK_FALSE(run({residual, "--strategy", "keep_all", "--json"}).plan().contains("peak_without_inputs"));
}

TEST_CASE("plan: a file with a backward pass that names no results is said to have none", "[plan][frameworks]") {
    auto const done = run({joint, "--strategy", "keep_all", "--budget", "100%"});
    CHECK(done.status == 0);
    CHECK(done.err ==
          "plan: " + joint + " names no results (\"result\": true): every value may be let go after its last use\n");
    CHECK(run({residual, "--strategy", "keep_all", "--budget", "100%"}).err.empty());
}

TEST_CASE("plan: inference runs in the order of least peak, and the automatic planner within it",
          "[plan][frameworks]") {
    auto const graph = support::source_dir() + "/tests/data/order/nas_stack2_rand1_seed21.json";
    auto const ordered =
        run({graph, "--inference", "--strategy", "least_peak_order", "--budget", "70%", "--json"}).plan();
    CHECK((ordered.at("peak") == 229376 && ordered.at("overhead") == 0 && ordered.at("feasible") == true));
    CHECK(ordered.at("note") == "peak least without recomputation");
    auto const automatic = run({graph, "--inference", "--strategy", "automatic", "--budget", "70%", "--json"}).plan();
    CHECK((automatic.at("overhead") == 0 && automatic.at("found_by") == "least_peak_order"));
}

TEST_CASE("plan: inference is planned without gradients, also the forward part of a joint graph",
          "[plan][frameworks]") {
    graphs const files;
    for (auto const& graph : {residual, unet, joint}) {
        auto const training = run({graph, "--strategy", "keep_all", "--budget", "100%", "--json"}).plan();
        auto const done = run({graph, "--inference", "--budget", "100%", "--json"});
        REQUIRE(done.status == 0);
        CHECK(done.plans().size() == 4);
        for (auto const& plan : done.plans()) CHECK(plan.at("time") < training.at("time"));
    }
    auto const schedule = files.path("inference.json");
    auto const planned = run({unet, "--inference", "--strategy", "automatic", "--budget", "min", "--time-limit", "2",
                              "--schedule", schedule, "--json"});
    REQUIRE(planned.status == 0);
    auto const again = run({unet, "--replay", schedule, "--json"});
    CHECK(again.status == 0);
    CHECK(again.answer().at("convention") == "inference");
    CHECK(figures(again.plan()) == figures(planned.plan()));
    auto const refused = run({unet, "--inference", "--strategy", "lower_set_exact", "--json"});
    CHECK(refused.status == 3);
    CHECK(refused.plan().at("note") == "is for training, and --inference has no gradients");
    CHECK(run({unet, "--inference", "--convention", "executable"}).status == 2);
}

TEST_CASE("plan: what a graph allows to overwrite is counted on, in the plan and in the proof", "[plan][frameworks]") {
    graphs const files;
    auto const plan =
        run({files.overwriting_path(), "--inference", "--strategy", "automatic", "--budget", "100", "--json"}).plan();
    CHECK(plan.at("feasible") == true);
    CHECK(plan.at("peak") == 100);
    CHECK(plan.at("time_least") == true);
    auto const none =
        run({files.overwriting_path(), "--inference", "--strategy", "automatic", "--budget", "99", "--json"});
    CHECK(none.status == 3);
    CHECK(none.plan().at("floor") == 100);
}

TEST_CASE("plan: the operands of written schedules are checked where they are replayed", "[plan][frameworks]") {
    graphs const files;
    auto const path = files.path("schedule.json");
    REQUIRE(run({files.full_path(), "--strategy", "keep_all", "--budget", "100%", "--schedule", path}).status == 0);
    auto text = text_of(path);
    CHECK(text.find("\"results\":[") != std::string::npos);
    CHECK(run({files.full_path(), "--replay", path}).status == 0);
    auto const at = text.find("{\"operands\":[[0,");
    REQUIRE(at != text.npos);
    text[at + 14] = '1';
    write(path, text);
    auto const wrong = run({files.full_path(), "--replay", path});
    CHECK(wrong.status == 2);
    CHECK(wrong.says("its operands are not those of the graph"));
}

TEST_CASE("plan: a time limit holds for all strategies and budgets together", "[plan][frameworks]") {
    auto const seconds_of = [](std::vector<std::string> const& arguments) {
        auto const begin = std::chrono::steady_clock::now();
        CHECK(run(arguments).status == 0);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    // Not how fast it is: fourteen searches with a limit each would take more than ten times as long.
    CHECK(seconds_of({unet, "--strategy", "automatic", "--budget", "min", "--time-limit", "2"}) < 12);
    CHECK(seconds_of({unet, "--curve", "10", "--time-limit", "2"}) < 12);
    auto const late = run({residual, "--time-limit", "1e-9", "--json"});
    for (auto const& plan : late.plans())
        if (plan.at("strategy") != "automatic") CHECK(plan.at("note") == "no time was left of --time-limit");
}

TEST_CASE("plan: a strategy that refuses ends its own row", "[plan][frameworks]") {
    graphs const files;
    auto const huge = files.path("huge.json");
    write(huge, R"({"nodes": [{"id": 0, "time": 1000000000000000000, "memory": 8}, {"id": 1, "time": 1, "memory": 8}],
        "edges": [[0, 1]]})");
    auto const done = run({huge, "--strategy", "keep_all,automatic", "--budget", "100%", "--json"});
    CHECK(done.status == 0);
    CHECK(done.plans().at(0).at("feasible") == true);
    CHECK(done.plans().at(1).at("feasible") == false);
    CHECK(done.plans().at(1).at("note").get<std::string>().size() > 0);
}

TEST_CASE("plan --alignment: sizes are rounded up before planning, and schedules say so", "[plan][frameworks]") {
    graphs const files;
    auto const path = files.path("odd.json"), schedule = files.path("schedule.json");
    write(path, R"({"nodes": [{"id": 0, "time": 1, "memory": 100}, {"id": 1, "time": 1, "memory": 256, "workspace": 1},
                              {"id": 2, "time": 1, "memory": 300}], "edges": [[0, 1], [1, 2]]})");
    std::vector<std::string> const all{path, "--strategy", "keep_all", "--inference", "--budget", "100%"};
    auto const with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), all.begin(), all.end());
        return run(more);
    };
    CHECK(with({"--json"}).plan().at("peak") == 556);  // of nodes 1 and 2
    CHECK_FALSE(with({"--json"}).answer().contains("alignment"));
    auto const aligned = with({"--alignment", "256", "--json", "--schedule", schedule});
    CHECK(aligned.plan().at("peak") == 768);
    CHECK(aligned.answer().at("alignment") == 256);
    CHECK(aligned.answer().at("graph").at("keep_all_peak") == 768);
    CHECK(with({"--alignment", "256"}).out.find("all sizes are rounded up to multiples of 256 B\n\nstrategy") !=
          std::string::npos);
    auto const arena = with({"--alignment", "256", "--arena", "--json"}).plan();
    CHECK(arena.at("arena") == 768);
    auto const replayed = run({path, "--replay", schedule, "--json"});
    CHECK((replayed.status == 0 && replayed.err.empty() && replayed.plan().at("peak") == 768));
    CHECK(run({path, "--replay", schedule, "--alignment", "1", "--json"}).says("promises a peak of 768"));
    for (auto const& more : {std::vector<std::string>{"--curve", "90%,60%"}, {"--links", "1GB/s"}}) {
        std::vector<std::string> arguments{path, "--alignment", "256", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        CHECK(run(arguments).answer().at("alignment") == 256);
    }
    CHECK(with({"--alignment", "9223372036854775807"}).says("odd.json"));
}

TEST_CASE("plan: every offset of an arena is a multiple of --alignment", "[plan][frameworks]") {
    graphs const files;
    auto const path = files.path("arena.csv");
    REQUIRE(run({residual, "--strategy", "keep_all", "--budget", "100%", "--alignment", "256", "--arena-out", path})
                .status == 0);
    auto const text = text_of(path);
    CHECK(text.starts_with("id,lower,upper,size,alignment,"));
    CHECK(run({residual, "--strategy", "keep_all", "--budget", "100%", "--alignment", "7", "--arena", "--json"})
              .plan()
              .contains("arena"));
    CHECK(run({residual, "--alignment", "0"}).status == 2);
}

TEST_CASE("plan: times of a file are fractions where their unit is known", "[plan][frameworks]") {
    graphs const files;
    auto const path = files.path("measured.json");
    write(path, R"({"nodes": [{"id": 0, "time": 1.5, "memory": 8}]})");
    auto const refused = run({path});
    CHECK(refused.status == 2);
    CHECK(refused.says("node 0: time is not a whole number: 1.5"));
    CHECK(run({path, "--time-unit", "ms", "--inference", "--strategy", "keep_all", "--json"}).plan().at("time") ==
          1'500'000);
    CHECK(run({path, "--time-unit", "h"}).status == 2);
    CHECK(run({"gpt2", "--time-unit", "ms"}).status == 2);
    CHECK(run_chain({case_of("chain_float_ms.json"), "--budget", "100%", "--time-unit", "ms"}).status == 0);
    CHECK(run_chain({case_of("chain_float_ms.json"), "--budget", "100%"}).says("\"time_unit\": \"ms\""));
}

TEST_CASE("allocate: --alignment goes with what the table says, and aliases of aliases are one storage",
          "[allocate][frameworks]") {
    temporary_folder const folder;
    auto const table = (folder / "table.csv").string(), out = (folder / "out.csv").string();
    write(table, "id,lower,upper,size,alignment\na,0,2,3,4\nb,1,3,5,6\n");
    REQUIRE(run_allocate({table, "--minimise", "--alignment", "8", "--out", out}).status == 0);
    CHECK(text_of(out).starts_with("id,lower,upper,size,alignment,offset\na,0,2,3,8,"));
    write(table, "id,lower,upper,size,offset\na,0,2,3,\nb,1,3,5,12\n");
    auto const refused = run_allocate({table, "--minimise", "--alignment", "8"});
    CHECK(refused.status == 2);
    CHECK(refused.says("buffer b: its offset 12 is no multiple of --alignment 8"));
    CHECK(run_allocate({table, "--minimise", "--alignment", "0"}).status == 2);
    auto const aliases = run_allocate({case_of("alias_of_alias.csv"), "--minimise", "--json"});
    CHECK(aliases.answer().at("height") == 64);
}

TEST_CASE("allocate: a handful of buffers with gaps and pins gets the least height", "[allocate][frameworks]") {
    auto const least = run_allocate({case_of("gap_pin_12.csv"), "--minimise", "--json"}).answer();
    CHECK(least.at("height") == 12);
    CHECK(least.at("height_least") == true);
    CHECK(run_allocate({case_of("gap_pin_12.csv"), "--capacity", "12"}).status == 0);
}

TEST_CASE("treewidth: graphs with a byte-order mark and of DIMACS are read", "[treewidth][frameworks]") {
    for (auto const* name : {"bom.gr", "dimacs.gr"}) CHECK(run_treewidth({case_of(name)}).status == 0);
}

TEST_CASE("programs: a sum that overflows names the operation, the stage or the buffer", "[plan][frameworks]") {
    temporary_folder const folder;
    auto const file = [&](char const* name, std::string const& text) {
        write(folder / name, text);
        return (folder / name).string();
    };
    auto const graph = file("graph.json", R"({"nodes": [{"id": 0, "time": 1, "memory": 6223372036854775807},
        {"id": 1, "time": 1, "memory": 6}], "edges": [[0, 1]]})");
    CHECK(run({graph}).says("up to one of operation "));
    auto const chain = file("chain.json", R"({"fw": [9223372036854775807, 1], "bw": [0, 1, 1], "cw": [1, 1, 1],
        "cbw": [0, 1, 1]})");
    CHECK(run_chain({chain, "--budget", "100%"}).says("up to stage 1"));
    auto const table = file("table.csv", "id,lower,upper,size\na,0,4,9223372036854775000\nb,2,5,8000\n");
    CHECK(run_allocate({table, "--minimise"}).says("buffer b: all sizes"));
}
