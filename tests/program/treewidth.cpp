#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <repebble/io/gzip.hpp>
#include <repebble/treewidth/pace_decomposition.hpp>
#include <repebble/treewidth/pace_graph.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

using words_of_treewidth = std::vector<std::string>;

/// Four vertices round a square, and one beside.
constexpr char const* square_graph = "c a square\np tw 5 5\n1 2\n2 3\n3 4\n4 1\n4 5\n";

}  // namespace

TEST_CASE("treewidth: the JSON has exactly the documented fields", "[treewidth_program]") {
    temporary_folder const folder;
    auto const file = folder / "square.gr";
    write(file, square_graph);
    for (auto const* heuristic :
         {"best", "min-fill", "min-degree", "fill/degree", "fill+2*degree", "nested-dissection", "given-order"}) {
        auto const done = run_treewidth({file, "--heuristic", heuristic, "--json"});
        REQUIRE(done.status == 0);
        auto const answer = done.answer();
        words_of_treewidth names;
        for (auto const& [name, value] : answer.items()) names.push_back(name);
        CHECK(names == words_of_treewidth{"edges", "heuristic", "lower_bound", "seconds", "vertices", "width"});
        CHECK(answer.at("vertices") == 5);
        CHECK(answer.at("edges") == 5);
        CHECK(answer.at("width") == 2);
        CHECK(answer.at("lower_bound") == 2);
        if (std::string(heuristic) != "best") CHECK(answer.at("heuristic") == heuristic);
    }
}

TEST_CASE("treewidth: graphs of all formats, packed or not, have the same width", "[treewidth_program]") {
    temporary_folder const folder;
    write(folder / "a.gr", square_graph);
    write(folder / "a.gr.gz", repebble::io::detail::gzip(square_graph));
    write(folder / "a.dot", "graph { a -- b -- c -- d -- a; d -- e }");
    write(folder / "a.gv", "digraph { a -> b -> c; a -> d -> c; d -> e }");
    write(folder / "a.json", R"({"nodes": [{"id": 0, "time": 1, "memory": 8}, {"id": 1, "time": 1, "memory": 8},
        {"id": 2, "time": 1, "memory": 8}, {"id": 3, "time": 1, "memory": 8}, {"id": 4, "time": 1, "memory": 8}],
        "edges": [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4]]})");
    for (auto const* name : {"a.gr", "a.gr.gz", "a.dot", "a.gv", "a.json"}) {
        auto const answer = run_treewidth({folder / name, "--json"}).answer();
        CHECK(answer.at("vertices") == 5);
        CHECK(answer.at("edges") == 5);
        CHECK(answer.at("width") == 2);
    }
    for (auto const* name : {"a.gv", "a.json"})  // the two that are read together become neighbours
        CHECK(run_treewidth({folder / name, "--moral", "--json"}).answer().at("edges") == 6);
    auto const named = run_treewidth({"resnet50", "--json"}).answer();
    CHECK(named.at("vertices") > 100);
    CHECK(named.at("lower_bound") == named.at("width"));
}

TEST_CASE("treewidth: the decomposition that is written is one, of the width that is said", "[treewidth_program]") {
    temporary_folder const folder;
    auto const file = folder / "square.gr", td = folder / "square.td", dot = folder / "bags.dot",
               svg = folder / "bags.svg";
    write(file, square_graph);
    auto const done = run_treewidth({file, "--td", td, "--dot", dot, "--svg", svg});
    REQUIRE(done.status == 0);
    CHECK(done.out.find("treewidth 2, proven") != std::string::npos);
    auto const made = repebble::io::read_pace_decomposition(td);
    CHECK(made.vertex_count == 5);
    CHECK(made.decomposition.width() == 2);
    CHECK(!repebble::verify_decomposition(repebble::io::read_pace_graph(file), made.decomposition).violation);
    CHECK(text_of(dot).find("graph") == 0);
    CHECK(text_of(svg).find("<svg") == 0);
}

TEST_CASE("treewidth: bad input is told in one line that names it", "[treewidth_program]") {
    temporary_folder const folder;
    auto const file = folder / "bad.gr";
    write(file, "p tw 2 1\n1 7\n");
    auto const plain = folder / "plain.gr";
    write(plain, square_graph);
    struct refused {
        words_of_treewidth arguments;
        char const* says;
    };
    for (auto const& [arguments, says] :
         {refused{{file}, "line 2"},
          {{folder / "none.gr"}, "no such file"},
          {{file, "--heuristic", "luck"}, "luck is none of"},
          {{file, "--heuristic", "fill+*degree"}, "is none of"},
          {{file, "--time-limit", "-1"}, "--time-limit"},
          {{file, "--threads", "0"}, "--threads"},
          {{file, "--threads", "2", "--heuristic", "min-fill"}, "is for --heuristic best"},
          {{plain, "--moral"}, "plain.gr: has edges without a direction"},
          {{"resnet9999"}, "resnet9999"},
          {{}, "graph is required"}}) {
        auto const done = run_treewidth(arguments);
        CHECK(done.status == 2);
        CHECK(done.says(says));
        CHECK(done.out.empty());
    }
}
