// Covers io/dot_decomposition.hpp, io/dot_graph.hpp.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/dot_decomposition.hpp>
#include <repebble/io/dot_graph.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"

using namespace repebble;

namespace {

/// What the text says of a bag.
auto label_of(std::string const& text, std::size_t bag) -> std::string {
    auto const begin = "\n  " + std::to_string(bag) + " [label=\"";
    auto const at = text.find(begin);
    REQUIRE(at != std::string::npos);
    return text.substr(at + begin.size(), text.find("\"];\n", at) - at - begin.size());
}

TEST_CASE("a tree of bags is written as DOT, each bag with its vertices", "[io]") {
    CHECK(io::to_text(tree_decomposition{{{0, 1}, {1, 2}, {}}, {{0, 1}, {1, 2}}}) ==
          "graph bags {\n"
          "  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
          "  0 [label=\"bag 0, 2 vertices\\n0, 1\"];\n"
          "  1 [label=\"bag 1, 2 vertices\\n1, 2\"];\n"
          "  2 [label=\"bag 2, 0 vertices\"];\n"
          "  0 -- 1;\n"
          "  1 -- 2;\n"
          "}\n");
    CHECK(io::parse_dot(io::to_text(tree_decomposition{})) == io::dot_graph{});
}

TEST_CASE("names in a tree of bags are escaped, and shortened to the limit", "[io]") {
    tree_decomposition const one{{{0, 1}}, {}};
    auto const names = [&](std::vector<std::string> const& all) { return label_of(io::to_text(one, all), 0); };
    CHECK(names({"conv\"1\"", "a\\n\nb"}) == R"(bag 0, 2 vertices\nconv\"1\", a\\n b)");
    auto const ends_in_letter = std::string(31, 'x') + "é" + std::string(1000, 'y');
    CHECK(names({ends_in_letter, "b"}) == "bag 0, 2 vertices\\n" + std::string(31, 'x') + "…,\\nb");
    CHECK(label_of(io::to_text(tree_decomposition{{{7}}, {}}, {}), 0) == "bag 0, 1 vertex\\n7");
    std::vector<undirected_graph::vertex> bag;
    for (std::uint32_t v = 0; v < 30; ++v) bag.push_back(v);
    CHECK(label_of(io::to_text(tree_decomposition{{bag}, {}}), 0) ==
          R"(bag 0, 30 vertices\n0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,\n12, 13, 14, 15, 16, 17, 18, 19, 20,\n)"
          R"(21, 22, 23,\n… 6 more)");
    CHECK_THROWS_AS(io::to_text(tree_decomposition{{{2}}, {}}, std::vector<std::string>{"a", "b"}),
                    precondition_violated);
}

TEST_CASE("a tree of bags that was written as DOT is read again as that tree", "[io][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 20, support::below(random, 101));
        auto const made = make_tree_decomposition(g, support::random_elimination(random, g.vertex_count()));
        std::vector<std::string> names;
        for (std::size_t v = 0; v < g.vertex_count(); ++v)
            names.push_back(support::pick(random, std::vector<std::string>{"\"", "\\", "\n", "]", "\\\"", "v"}));
        auto const read = io::parse_dot(io::to_text(made, names));
        RC_ASSERT(!read.directed);
        RC_ASSERT(read.edges == made.edges);
        RC_ASSERT(read.names.size() == made.bags.size());
        for (std::size_t b = 0; b < made.bags.size(); ++b) RC_ASSERT(read.names[b] == std::to_string(b));
    }));
    testing::temporary_folder const folder;
    auto const g = support::grid(5, 5);
    auto const made = make_tree_decomposition(g, find_elimination_order(g).order);
    io::write_dot_decomposition(folder / "grid.dot.gz", made);
    CHECK(io::read_dot(folder / "grid.dot.gz").edges == made.edges);
}

}  // namespace
