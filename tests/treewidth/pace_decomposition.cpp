// Covers io/bad_file.hpp, treewidth/pace_decomposition.hpp.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/treewidth/pace_decomposition.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>

#include "decomposition/undirected_graphs.hpp"
#include "io/spoiled_text.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto refused_decomposition(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_pace_decomposition(text, "t.td"); }, words);
}

TEST_CASE("a decomposition in the format of PACE is read, all numbers from 0", "[io]") {
    auto const read = io::parse_pace_decomposition("c\ns td 3 2 4\nb 1 2 1\nb 3 3 4\r\nb 2 2 3\n3 2\n\n1 2");
    CHECK(read == io::pace_decomposition{{{{0, 1}, {1, 2}, {2, 3}}, {{0, 1}, {1, 2}}}, 4});
    CHECK(verify_decomposition(undirected_graph(4, {{0, 1}, {1, 2}, {2, 3}}), read.decomposition).violation ==
          std::nullopt);
    CHECK(io::parse_pace_decomposition("s td 1 0 0\nb 1\n") == io::pace_decomposition{{{{}}, {}}, 0});
    CHECK(io::parse_pace_decomposition("s td 0 0 0\n") == io::pace_decomposition{});
}

TEST_CASE("a decomposition that is none is refused with its line", "[io]") {
    CHECK(refused_decomposition("", {"t.td", "no line s"}));
    CHECK(refused_decomposition("b 1 1\n", {"line 1", "before the line s"}));
    CHECK(refused_decomposition("s td 1 1 1\nc\ns td 1 1 1\n", {"line 3", "second line s"}));
    CHECK(refused_decomposition("s tw 1 1 1\n", {"line 1", "s td", "s tw"}));
    CHECK(refused_decomposition("s td 1 1\n", {"line 1", "lacks the number of vertices"}));
    CHECK(refused_decomposition("s td 1 1 1 1\n", {"line 1", "more than it should"}));
    CHECK(refused_decomposition("s td 4294967294 1 1\nb 1 1\n", {"line 1", "4294967294 bags"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 2 1\n", {"line 2", "number of a bag", "at most 1"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 1 2\n", {"line 2", "a vertex of bag 1", "at most 1"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 1 0\n", {"line 2", "a vertex of bag 1", "at least 1"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 1 x\n", {"line 2", "a vertex of bag 1", "'x'"}));
    CHECK(refused_decomposition("s td 1 2 2\nb 1 2 2\n", {"line 2", "bag 1", "vertex 2 twice"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 1 1\nb 1 1\n", {"line 3", "second line of bag 1"}));
    CHECK(refused_decomposition("s td 1 1 2\nb 1 1 2\n", {"line 2", "bag 1", "2 vertices", "at most 1"}));
    CHECK(refused_decomposition("s td 1 2 2\nb 1 1\n", {"more than 1 vertices", "says 2"}));
    CHECK(refused_decomposition("s td 2 1 2\nb 2 1\n", {"has 1 bags", "says 2", "no bag 1"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 1 1\n1 2\n", {"line 3", "second end", "at most 1"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 1 1\n1 1 1\n", {"line 3", "more than it should"}));
    CHECK(refused_decomposition("s td 1 1 1\nb 1 1\nx\n", {"line 3", "first end", "'x'"}));
}

TEST_CASE("a decomposition that was written is read again as the same", "[io][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 20, support::below(random, 101));
        auto const made = make_tree_decomposition(g, support::random_elimination(random, g.vertex_count()));
        auto const read = io::parse_pace_decomposition(io::pace_decomposition_text(made, g.vertex_count()));
        RC_ASSERT(read.decomposition == made);
        RC_ASSERT(read.vertex_count == g.vertex_count());
    }));
    testing::temporary_folder const folder;
    auto const g = support::grid(5, 5);
    auto const made = make_tree_decomposition(g, find_elimination_order(g).order);
    io::write_pace_decomposition(folder / "grid.td.gz", made, g.vertex_count());
    CHECK(io::read_pace_decomposition(folder / "grid.td.gz").decomposition == made);
}

TEST_CASE("a spoiled decomposition is refused with a message, or read", "[io][property]") {
    std::size_t refused = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::random_undirected(random, 12, support::below(random, 60));
        auto const made = make_tree_decomposition(g, support::random_elimination(random, g.vertex_count()));
        auto const text = io::pace_decomposition_text(made, g.vertex_count());
        for (int k = 0; k < 10; ++k) {
            auto const spoiled = support::spoiled_pace_text(random, text, 0);
            try {
                static_cast<void>(io::parse_pace_decomposition(spoiled));
            } catch (bad_file const& e) {
                RC_ASSERT(!std::string_view(e.what()).empty());
                ++refused;
            }
        }
    }));
    CHECK(refused > 100);
}

}  // namespace
