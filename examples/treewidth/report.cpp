#include "report.hpp"

#include <string>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"

namespace treewidth_program {

using namespace repebble;

void print_json(named_graph const& read, treewidth_bounds const& found, double seconds) {
    nlohmann::ordered_json const all{{"vertices", read.graph.vertex_count()},
                                     {"edges", read.graph.edge_count()},
                                     {"width", found.upper},
                                     {"lower_bound", found.lower},
                                     {"heuristic", found.heuristic},
                                     {"seconds", seconds}};
    command_line::print_json(all, 2);
}

void print_words(std::string const& name, named_graph const& read, treewidth_bounds const& found, double seconds) {
    fmt::print("{}: {} vertices, {} edges\n", command_line::one_line(name), read.graph.vertex_count(),
               read.graph.edge_count());
    if (found.is_exact())
        fmt::print("treewidth {}, proven; by {}\n", found.upper, found.heuristic);
    else
        fmt::print("width {} by {}; treewidth at least {}\n", found.upper, found.heuristic, found.lower);
    fmt::print("{:.3f} s\n", seconds);
}

}  // namespace treewidth_program
