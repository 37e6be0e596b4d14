#if defined(REPEBBLE_HAS_SWAP)

#include <algorithm>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

auto run_swap(std::vector<std::string> const& arguments) -> outcome {
    return run_program(program_file("swap"), arguments);
}

/// 10 bytes are written first and read last; 30 bytes between them, in 20 of the 50 ns. A parameter of 5 bytes.
constexpr char const* tiny_trace = R"({"op":"header","name":"tiny","unit":"ns","duration":60}
{"t":0,"op":"malloc","buf":7,"bytes":5}
{"t":0,"op":"mark"}
{"t":0,"op":"malloc","buf":0,"bytes":10}
{"t":0,"op":"read","buf":7,"bytes":5,"kernel":"a"}
{"t":0,"op":"write","buf":0,"bytes":10,"kernel":"a"}
{"t":10,"op":"malloc","buf":1,"bytes":30}
{"t":10,"op":"write","buf":1,"bytes":30,"kernel":"b"}
{"t":40,"op":"free","buf":1,"bytes":30}
{"t":40,"op":"read","buf":0,"bytes":10,"kernel":"c"}
{"t":60,"op":"free","buf":0,"bytes":10}
)";

}  // namespace

TEST_CASE("swap: every method's plan is judged, by hand on a tiny trace", "[swap]") {
    temporary_folder const folder;
    auto const file = (folder / "tiny.jsonl").string();
    write(file, tiny_trace);
    auto const done = run_swap({file, "--limit", "35", "--link", "5GB/s", "--json", "--episodes", "5", "--method",
                                "automatic,greedy,lru,tflms,vdnn,memonger,superneurons,dqn"});
    CHECK(done.err.empty());
    REQUIRE(done.status == 0);
    auto const answer = done.answer();
    CHECK(answer.at("trace") == "tiny");
    CHECK(answer.at("peak") == 45);
    CHECK(answer.at("time") == 60);
    REQUIRE(answer.at("methods").size() == 8);
    for (auto const& row : answer.at("methods")) {
        CAPTURE(row);
        CHECK(row.at("legal") == true);
        CHECK(row.at("fits") == true);
        CHECK(row.at("peak") <= 35);
        auto const method = row.at("method").get<std::string>();
        bool const recomputes = method == "memonger" || method == "superneurons";
        CHECK(row.at("recomputations") == (recomputes ? 1 : row.at("recomputations").get<int>()));
        if (recomputes) CHECK(row.at("overhead") == 10);
        if (method == "greedy") CHECK(row.at("overhead") == 4);     // 2 ns out and 2 in
        if (method == "automatic") CHECK(row.at("overhead") == 0);  // the large buffer first
    }
}

TEST_CASE("swap: a plan is judged the same as a schedule file on the graph of the trace", "[swap][plan]") {
    temporary_folder const folder;
    auto const graph = (folder / "graph.json").string(), plan = (folder / "plan.json.gz").string();
    for (auto const* method : {"greedy", "memonger", "automatic"}) {
        auto const done = run_swap({cnn_trace, "--limit", "65%", "--link", "500MB/s", "--method", method, "--write",
                                    graph, "--out", plan, "--json"});
        REQUIRE(done.status == 0);
        auto const row = done.answer().at("methods").at(0);
        auto const judged = run({graph, "--replay", plan, "--json"});
        CHECK(judged.err.empty());
        REQUIRE(judged.status == 0);
        for (auto const* figure : {"peak", "time", "overhead"})
            CHECK(judged.plan().at(figure) == row.at(figure));
    }
}

TEST_CASE("swap: where nothing fits the status is 3, and the rows say by how much", "[swap]") {
    auto const done = run_swap({cnn_trace, "--limit", "5%", "--method", "greedy,automatic"});
    CHECK(done.status == 3);
    CHECK(done.out.find("misses by") != std::string::npos);
    CHECK(done.out.find("none exists") != std::string::npos);
}

TEST_CASE("swap: a damaged trace is refused in one line that names the file and the line", "[swap]") {
    temporary_folder const folder;
    auto const file = (folder / "damaged.jsonl").string();
    std::string text = tiny_trace;
    for (auto const& [from, to] : {std::pair{"\"t\":40,\"op\":\"free\"", "\"t\":4,\"op\":\"free\""},
                                   {"\"bytes\":30,\"kernel\"", "\"bytes\":-30,\"kernel\""},
                                   {"{\"t\":60", "{\"t\":"}}) {
        auto damaged = text;
        damaged.replace(damaged.find(from), std::string(from).size(), to);
        write(file, damaged);
        auto const done = run_swap({file});
        CHECK(done.status == 2);
        CHECK(done.out.empty());
        CHECK(std::ranges::count(done.err, '\n') == 1);
        CHECK(done.says(file + ": line "));
    }
}

TEST_CASE("swap: options that mean nothing are refused by name", "[swap]") {
    for (auto const& [option, value] : {std::pair{"--method", "best"},
                                        {"--limit", "min"},
                                        {"--limit", "many"},
                                        {"--link", "fast"},
                                        {"--iteration", "7"},
                                        {"--episodes", "0"}}) {
        auto const done = run_swap({cnn_trace, option, value, "--method", "lru"});
        CHECK(done.status == 2);
        CHECK(std::ranges::count(done.err, '\n') == 1);
    }
}

#endif
