// Covers io/bad_file.hpp, treewidth/pace_graph.hpp.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/treewidth/pace_graph.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "io/spoiled_text.hpp"
#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/generators.hpp"
#include "support/golden.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto refused_graph(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_pace_graph(text, "t.gr"); }, words);
}

TEST_CASE("a graph in the format of PACE is read, its vertices from 0", "[io]") {
    CHECK(io::parse_pace_graph("c a path\np tw 4 3\n1 2\nc\n\n 2\t3 \r\n3 4") ==
          undirected_graph(4, {{0, 1}, {1, 2}, {2, 3}}));
    CHECK(io::parse_pace_graph("p tw 3 0\n") == undirected_graph(3, {}));
    CHECK(io::parse_pace_graph("p tw 0 0") == undirected_graph());
    CHECK(io::parse_pace_graph("p tw 2 3\n1 2\n2 1\n2 2\n") == undirected_graph(2, {{0, 1}}));
}

TEST_CASE("a line alone declares no billions of vertices", "[io]") {
    CHECK(io::parse_pace_graph("p tw 4194304 0\n").vertex_count() == 4'194'304);
    auto const read = [](std::string const& text, io::read_account const& account = io::read_account()) {
        return [=] { return io::parse_pace_graph(text, "t.gr", account).vertex_count(); };
    };
    CHECK(support::throws<limit_reached>(read("p tw 4200000 0\n"), {"t.gr: line 1: has 4200000 vertices"}));
    CHECK(support::throws<limit_reached>(read("c\np tw 4294967294 0\n"), {"line 2", "4294967294"}));
    CHECK(read("p tw 4200000 0\n", io::read_account({}, std::size_t{1} << 30))() == 4'200'000);
}

TEST_CASE("a byte-order mark is passed over, and DIMACS has letters before its edges", "[io][frameworks]") {
    auto const folder = support::source_dir() + "/tests/data/frameworks/";
    undirected_graph const path(3, {{0, 1}, {1, 2}});
    CHECK(io::read_pace_graph(folder + "bom.gr") == path);
    CHECK(io::read_pace_graph(folder + "dimacs.gr") == path);
    CHECK(io::parse_pace_graph("p col 2 1\ne 2 1\n") == undirected_graph(2, {{0, 1}}));
    CHECK(refused_graph("p edge 2 1\n1 2\n", {"line 2", "like: e 1 2"}));
    CHECK(refused_graph("p tw 2 1\ne 1 2\n", {"line 2", "first end"}));
}

TEST_CASE("a graph that is none is refused with its line", "[io]") {
    CHECK(refused_graph("", {"t.gr", "no line p"}));
    CHECK(refused_graph("c nothing\n", {"no line p"}));
    CHECK(refused_graph("c\n1 2\np tw 2 1\n", {"line 2", "before the line p"}));
    CHECK(refused_graph("p tw 2 1\n1 2\np tw 2 1\n", {"line 3", "second line p"}));
    CHECK(refused_graph("p td 2 1\n1 2\n", {"line 1", "p tw", "p td"}));
    CHECK(refused_graph("p tw 2\n1 2\n", {"line 1", "lacks the number of edges"}));
    CHECK(refused_graph("p tw x 1\n1 2\n", {"line 1", "number of vertices", "'x'"}));
    CHECK(refused_graph("p tw 2 1 7\n1 2\n", {"line 1", "more than it should", "'7'"}));
    CHECK(refused_graph("p tw 4294967295 0\n", {"line 1", "4294967295", "at most 4294967294"}));
    CHECK(refused_graph("p tw 99999999999999999999 0\n", {"line 1", "99999999999999999999", "at most"}));
    CHECK(refused_graph("p tw 2 1\n\n1 3\n", {"line 3", "second end", "3", "at most 2"}));
    CHECK(refused_graph("p tw 2 1\n0 1\n", {"line 2", "first end", "0", "at least 1"}));
    CHECK(refused_graph("p tw 2 1\n-1 1\n", {"line 2", "first end", "'-1'"}));
    CHECK(refused_graph("p tw 2 1\n1 2x\n", {"line 2", "second end", "'2x'"}));
    CHECK(refused_graph("p tw 2 1\n1\n", {"line 2", "lacks the second end"}));
    CHECK(refused_graph("p tw 2 1\n1 2 1\n", {"line 2", "more than it should"}));
    CHECK(refused_graph("p tw 2 1\n1 99999999999999999999\n", {"line 2", "99999999999999999999"}));
    CHECK(refused_graph("p tw 3 3\n1 2\n2 3\n", {"2 edges", "says 3"}));
    CHECK(refused_graph("p tw 3 1\n1 2\n2 3\n", {"line 3", "more than the 1 "}));
}

TEST_CASE("a graph that was written is read again as the same", "[io][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 20, support::below(random, 101));
        RC_ASSERT(io::parse_pace_graph(io::pace_graph_text(g)) == g);
    }));
    testing::temporary_folder const folder;
    auto const g = support::grid(3, 4);
    for (auto const* name : {"grid.gr", "grid.gr.gz"}) {
        io::write_pace_graph(folder / name, g);
        CHECK(io::read_pace_graph(folder / name) == g);
    }
    CHECK(support::throws<bad_file>([&] { return io::read_pace_graph(folder / "none.gr"); }, {"none.gr"}));
}

TEST_CASE("the graphs of the data folder have as many vertices and edges as is known of them", "[io][data]") {
    auto const golden = support::data_json("public/pace/golden.json");
    if (!golden) SKIP("there is no data folder public/pace");
    std::size_t read = 0;
    for (auto const& [name, known] : golden->at("instances").items())
        for (auto const* ending : {".gr", ".gr.gz"}) {
            auto const file = support::data_file("public/pace/" + name + ending);
            if (!file) continue;
            INFO(name);
            auto const g = io::read_pace_graph(*file);
            CHECK(g.vertex_count() == known.at("n"));
            CHECK(g.edge_count() == known.at("m"));
            ++read;
        }
    CHECK(read > 0);
}

TEST_CASE("a spoiled list of edges is refused with a message, or read", "[io][property]") {
    std::size_t refused = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const text = io::pace_graph_text(support::random_undirected(random, 12, 10 + support::below(random, 60)));
        for (int k = 0; k < 10; ++k) {
            auto const spoiled = support::spoiled_pace_text(random, text, text.find('\n') + 1);
            try {
                static_cast<void>(io::parse_pace_graph(spoiled));
            } catch (bad_file const& e) {
                RC_ASSERT(!std::string_view(e.what()).empty());
                ++refused;
            }
        }
    }));
    CHECK(refused > 100);
}

}  // namespace
