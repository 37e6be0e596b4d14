// Finds a tree decomposition of small width:  treewidth FILE --td decomposition.td
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/io/dot_decomposition.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/treewidth/pace_decomposition.hpp>

#include "arguments.hpp"
#include "command_line/run_program.hpp"
#include "drawing/bags_picture.hpp"
#include "graph_file.hpp"
#include "heuristics.hpp"
#include "report.hpp"

namespace {

using namespace repebble;

auto run(treewidth_program::arguments const& asked) -> int {
    std::optional<command_line::before_results> nothing_yet(asked.graph);
    auto const read = treewidth_program::read_graph(asked);
    bool const improves = asked.heuristic == "best";  // others give nothing before their end
    if (improves) nothing_yet.reset();
    auto const [found, seconds] = find_width(read.graph, asked);
    nothing_yet.reset();
    if (command_line::interrupted()) command_line::complain("interrupted; the best bounds so far:");
    auto const name = std::filesystem::path(asked.graph).filename().string();
    std::optional<tree_decomposition> made;
    if (asked.td || asked.dot || asked.svg) made = make_tree_decomposition(read.graph, found.order);
    return command_line::attempt_each(
        0,
        [&] {
            if (asked.td) io::write_pace_decomposition(*asked.td, *made, read.graph.vertex_count());
        },
        [&] {
            if (asked.dot) io::write_dot_decomposition(*asked.dot, *made, read.names);
        },
        [&] {
            if (asked.svg)
                io::write_file(*asked.svg, drawing::bags_picture(*made, read.names,
                                                                 fmt::format("{}: {} bags", name, made->bags.size())));
        },
        [&] { asked.json ? print_json(read, found, seconds) : print_words(name, read, found, seconds); });
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::run_program("treewidth", [&]() -> int {
        treewidth_program::arguments asked;
        if (auto const status = treewidth_program::read_arguments(argc, argv, asked)) return *status;
        return run(asked);
    });
}
