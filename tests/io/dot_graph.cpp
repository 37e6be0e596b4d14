// Covers io/bad_file.hpp, io/dot_graph.hpp, io/write_file.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/io/bad_file.hpp>
#include <repebble/io/dot_graph.hpp>
#include <repebble/io/write_file.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto refused_dot(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_dot(text, "t.dot"); }, words);
}

auto names_in(std::string const& statements) -> std::vector<std::string> {
    return io::parse_dot("graph {" + statements + "}").names;
}

TEST_CASE("a graph in DOT is read, its vertices as they are first mentioned", "[io]") {
    CHECK(io::parse_dot("digraph g { a -> b -> c; c; a -> c }") ==
          io::dot_graph{{"a", "b", "c"}, {{0, 1}, {1, 2}, {0, 2}}, true});
    CHECK(io::parse_dot("graph{a--b--a b--b a--b}") ==
          io::dot_graph{{"a", "b"}, {{0, 1}, {1, 0}, {1, 1}, {0, 1}}, false});
    CHECK(io::parse_dot("Strict DiGraph \"a name\" { }") == io::dot_graph{{}, {}, true});
    CHECK(io::parse_dot("\xEF\xBB\xBFstrict graph 7 {x y;z}\n") == io::dot_graph{{"x", "y", "z"}, {}, false});
}

TEST_CASE("attributes and ports of DOT name no vertices", "[io]") {
    CHECK(io::parse_dot(R"(digraph {
        graph [rankdir=LR, label="a [b"; size="7,8"] node [] [shape=box color=red,] Edge [weight=2];
        rankdir = TB; "two words" = <b>
        a [label=<x <b>]</b>>]["x"=-1];
        a:out:ne -> b:"in 1" -> c:sw [style=dotted]
    })") == io::dot_graph{{"a", "b", "c"}, {{0, 1}, {1, 2}}, true});
}

TEST_CASE("names of DOT are words, numbers, strings and HTML", "[io]") {
    CHECK(names_in("_a1 a\x80\xff Node1 -.5 3.14 -7 8. \"node\"") ==
          std::vector<std::string>{"_a1", "a\x80\xff", "Node1", "-.5", "3.14", "-7", "8.", "node"});
    CHECK(names_in(R"("" "a{b}" "say \"yes\"" "\\" "a\nb\\\"c")") ==
          std::vector<std::string>{"", "a{b}", "say \"yes\"", R"(\\)", R"(a\nb\\"c)"});
    CHECK(names_in("\"two\nlines\" \"one \\\nline\" \"one \\\r\nmore\"") ==
          std::vector<std::string>{"two\nlines", "one line", "one more"});
    CHECK(names_in("\"a\" + \"\\\"b\" /* c */ +\n\"d\" \"e\"") == std::vector<std::string>{"a\"bd", "e"});
    CHECK(names_in("<> <a <b>\"</b> > <x<!-- > <<-->y>") ==
          std::vector<std::string>{"<>", "<a <b>\"</b> >", "<x<!-- > <<-->y>"});
    CHECK(io::parse_dot("graph { \"a\" -- a--\"\\\"\" a---1 }") ==
          io::dot_graph{{"a", "\"", "-1"}, {{0, 0}, {0, 1}, {0, 2}}, false});
}

TEST_CASE("comments of DOT are left out", "[io]") {
    CHECK(names_in("a // b\n/* c\n * \"d */ e /**/\n# 1 \"f\"\ng") == std::vector<std::string>{"a", "e", "g"});
    CHECK(io::parse_dot("# made by hand\r\n// two\ngraph /* three */ {} // four").names.empty());
    CHECK(names_in("\"a//b\" \"/*\"") == std::vector<std::string>{"a//b", "/*"});
    CHECK(refused_dot("graph {\n a # b\n}", {"line 2", "'#'"}));
}

TEST_CASE("a subgraph of DOT at an end of an edge stands for all that it mentions, once", "[io]") {
    CHECK(io::parse_dot("digraph { a -> {b c} -> d }") ==
          io::dot_graph{{"a", "b", "c", "d"}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, true});
    CHECK(io::parse_dot("digraph { subgraph cluster_0 { label=x; b -> c; subgraph { b d } } -> a; {} -> a }") ==
          io::dot_graph{{"b", "c", "d", "a"}, {{0, 1}, {0, 3}, {1, 3}, {2, 3}}, true});
    CHECK(io::parse_dot("graph { x; subgraph s {a a} -- subgraph {a {b}} y -- {} -- z }") ==
          io::dot_graph{{"x", "a", "b", "y", "z"}, {{1, 1}, {1, 2}}, false});
}

TEST_CASE("a text that is no DOT is refused with its line", "[io]") {
    CHECK(refused_dot("", {"t.dot", "line 1", "'graph' or 'digraph'", "the end of the text"}));
    CHECK(refused_dot("\n{ a }", {"line 2", "'graph' or 'digraph'", "'{'"}));
    CHECK(refused_dot("\"graph\" {}", {"line 1", "'graph' or 'digraph'"}));
    CHECK(refused_dot("graph g\nh {}", {"line 2", "'{' is missing before 'h'"}));
    CHECK(refused_dot("graph {\na\n\n", {"line 4", "'{' of line 1 is not closed"}));
    CHECK(refused_dot("graph {\n{ a\n }", {"line 3", "'{' of line 1 is not closed"}));
    CHECK(refused_dot("graph {}\n}", {"line 2", "has ended", "'}'"}));
    CHECK(refused_dot("graph {}\ngraph {}", {"line 2", "has ended", "'graph'"}));
    CHECK(refused_dot("digraph {\na -- b }", {"line 2", "'--' stands in a digraph"}));
    CHECK(refused_dot("graph {\na\n->\nb }", {"line 3", "'->' stands in a graph"}));
    CHECK(refused_dot("graph {\na --\n}", {"line 3", "the end of an edge is missing before '}'"}));
    CHECK(refused_dot("graph {\na -- node }", {"line 2", "the end of an edge is the keyword node"}));
    CHECK(refused_dot("graph {\n-- b }", {"line 2", "a statement is missing before '--'"}));
    CHECK(refused_dot("graph {\na;\n; }", {"line 3", "a statement is missing before ';'"}));
    CHECK(refused_dot("graph {\na: }", {"line 2", "a port is missing before '}'"}));
    CHECK(refused_dot("graph {\na:b:c:d }", {"line 2", "a statement is missing before ':'"}));
    CHECK(refused_dot("graph {\nnode; }", {"line 2", "'[' is missing before ';'"}));
    CHECK(refused_dot("graph {\na = ; }", {"line 2", "the value of a is missing"}));
    CHECK(refused_dot("graph { a\n[\nx=1\n", {"line 4", "'[' of line 2 is not closed"}));
    CHECK(refused_dot("graph { a [x=1\n}", {"line 2", "an attribute is missing before '}'"}));
    CHECK(refused_dot("graph { a [\nx] }", {"line 2", "'=' is missing after the attribute x"}));
    CHECK(refused_dot("graph { a [x=\n] }", {"line 2", "the value of x is missing"}));
    CHECK(refused_dot("graph {\n\"a\n}\n", {"line 2", "string is not closed"}));
    CHECK(refused_dot("graph {\n\"a\\\"}\n", {"line 2", "string is not closed"}));
    CHECK(refused_dot("graph {\n\"a\\", {"line 2", "string is not closed"}));
    CHECK(refused_dot("graph {\n\"a\" +\nb }", {"line 2", "another string"}));
    CHECK(refused_dot("graph {\n\n/* a }\n", {"line 3", "comment"}));
    CHECK(refused_dot("graph {\n<a <b>\n}\n", {"line 2", "HTML", "not closed"}));
    CHECK(refused_dot("graph {\n<a <!-- > }\n", {"line 2", "HTML", "not closed"}));
    CHECK(refused_dot("graph {\n1a }", {"line 2", "number 1 is followed by 'a'"}));
    CHECK(refused_dot("graph {\n1.2.3 }", {"line 2", "number 1.2 is followed by '.'"}));
    CHECK(refused_dot("graph {\n-. }", {"line 2", "'-.'"}));
    CHECK(refused_dot("graph {\na - b }", {"line 2", "'-'"}));
    CHECK(refused_dot("graph {\na & b }", {"line 2", "'&'"}));
    CHECK(refused_dot(std::string("graph {\na\0b }", 13), {"line 2"}));
}

TEST_CASE("DOT that is nested too deep, or means too many edges, is refused", "[io]") {
    auto const nested = [](std::size_t levels) {
        return "graph" + std::string(levels, '{') + "a" + std::string(levels, '}');
    };
    CHECK(io::parse_dot(nested(100)).names.size() == 1);
    CHECK(refused_dot(nested(101), {"line 1", "deeper than 100"}));
    CHECK(refused_dot(nested(1'000'000), {"line 1", "deeper than 100"}));
    CHECK(refused_dot("graph {" + std::string(1'000'000, '<'), {"line 1", "HTML"}));
    std::string many;
    for (int k = 0; k < 20'000; ++k) many += "a" + std::to_string(k) + " ";
    CHECK(support::throws<limit_reached>(
        [&] { return io::parse_dot("graph {\n{" + many + "} -- {" + many + "} }", "t.dot"); },
        {"t.dot: line 2", "memory"}));
}

/// Text of DOT that was made from a graph in one of many ways.
class random_dot {
  public:
    explicit random_dot(support::split_mix& random) : random_(random) {}

    [[nodiscard]] auto make() -> std::string {
        made.directed = support::chance(random_, 50);
        auto text = blank() + (support::chance(random_, 20) ? "strict " : "") + (made.directed ? "digraph" : "graph");
        text += blank() + (support::chance(random_, 50) ? " \"g\"" : "") + "{" + blank();
        auto const n = support::below(random_, 8);
        for (std::size_t v = 0; v < n; ++v) {
            made.names.push_back(std::to_string(v) + some({"", "\"", " x", "{", "é"}));
            text += name(static_cast<std::uint32_t>(v)) + attributes();
        }
        for (auto count = n == 0 ? 0 : support::below(random_, 10); count > 0; --count) text += chain();
        return text + "}" + blank();
    }

    io::dot_graph made{};

  private:
    [[nodiscard]] auto some(std::vector<std::string> const& all) -> std::string { return support::pick(random_, all); }
    [[nodiscard]] auto blank() -> std::string { return some({" ", "\n", "\t", "/* { */", "// \"\n", "\n# a -- b\n"}); }
    [[nodiscard]] auto attributes() -> std::string {
        return some({";", "\n", "[]", "[a=b]", "[a=<<b>>, \"c\"=-2.5;]", "[a=b][c=d];"}) + blank();
    }
    [[nodiscard]] auto name(std::uint32_t v) -> std::string {
        std::string quoted;
        for (char const c : made.names[v]) {
            if (c == '"') quoted += '\\';
            quoted += c;
            if (c == ' ') quoted += some({"", "\\\n", "\"+\"", "\" + /* + */ \""});
        }
        return blank() + "\"" + quoted + "\"";
    }
    /// One vertex, or several in braces.
    [[nodiscard]] auto end(std::vector<std::uint32_t>& vertices) -> std::string {
        auto const pick = [&] { return static_cast<std::uint32_t>(support::below(random_, made.names.size())); };
        vertices = {pick()};
        if (support::chance(random_, 70)) return name(vertices[0]) + some({"", ":p", " : p : \"ne\""});
        for (auto count = support::below(random_, 3); count > 0; --count)
            if (auto const v = pick(); std::ranges::find(vertices, v) == vertices.end()) vertices.push_back(v);
        auto text = some({"", "subgraph", "subgraph s"}) + "{";
        for (auto const v : vertices) text += name(v) + attributes();
        return text + "}";
    }
    [[nodiscard]] auto chain() -> std::string {
        std::vector<std::uint32_t> from, to;
        auto text = end(from);
        for (auto count = 1 + support::below(random_, 3); count > 0; --count) {
            text += blank() + (made.directed ? "->" : "--") + end(to);
            for (auto const a : from)
                for (auto const b : to) made.edges.emplace_back(a, b);
            from = to;
        }
        return text + attributes();
    }

    support::split_mix& random_;
};

TEST_CASE("a graph that was written as DOT is read again as the same", "[io][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        random_dot dot(random);
        auto const text = dot.make();
        RC_ASSERT(io::parse_dot(text) == dot.made);
    }));
    testing::temporary_folder const folder;
    for (auto const* name : {"a.dot", "a.dot.gz"}) {
        io::write_file(folder / name, "graph { a -- b }");
        CHECK(io::read_dot(folder / name) == io::dot_graph{{"a", "b"}, {{0, 1}}, false});
    }
    io::write_file(folder / "bad.dot", "graph { a -> b }");
    CHECK(support::throws<bad_file>([&] { return io::read_dot(folder / "bad.dot"); }, {"bad.dot", "line 1"}));
    CHECK(support::throws<bad_file>([&] { return io::read_dot(folder / "none.dot"); }, {"none.dot"}));
}

TEST_CASE("a spoiled graph in DOT is refused with its line, or read", "[io][property]") {
    std::size_t refused = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const text = random_dot(random).make();
        for (int k = 0; k < 10; ++k) {
            auto spoiled =
                text.substr(0, support::chance(random, 20) ? support::below(random, text.size()) : text.npos);
            for (auto count = support::below(random, 4); count > 0 && !spoiled.empty(); --count)
                spoiled.replace(support::below(random, spoiled.size()), support::below(random, 4),
                                support::pick(random, std::vector<std::string>{"", "{", "}", "[", "]", "\"", "\\", "<",
                                                                               ">", "-", "+", "/*", "#", "=", ":", "1",
                                                                               std::string(1, '\0')}));
            try {
                auto const read = io::parse_dot(spoiled);
                for (auto const& [u, v] : read.edges) RC_ASSERT(u < read.names.size() && v < read.names.size());
            } catch (bad_file const& e) {
                RC_ASSERT(std::string_view(e.what()).starts_with("text: line "));
                ++refused;
            }
        }
    }));
    CHECK(refused > 100);
}

}  // namespace
