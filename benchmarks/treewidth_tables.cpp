// How wide are graphs of networks and of the PACE challenge, how long does that take, and how much is proven? Writes
// the page (treewidth_tables.md) to standard output for the .gr files and networks that arguments name.
//   benchmark_treewidth_tables SECONDS FILE...
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/treewidth/pace_graph.hpp>
#include <repebble/treewidth/treewidth.hpp>

#include "measure/cheap.hpp"
#include "measure/user_clock.hpp"

namespace {

using namespace repebble;

[[nodiscard]] auto graph_in(std::string const& file) -> undirected_graph {
    return file.find(".json") != file.npos ? undirected_graph::of(io::read_network(file)) : io::read_pace_graph(file);
}

[[nodiscard]] auto grid(std::uint32_t side) -> undirected_graph {
    std::vector<undirected_graph::edge> edges;
    for (std::uint32_t v = 0; v < side * side; ++v) {
        if ((v + 1) % side != 0) edges.emplace_back(v, v + 1);
        if (v + side < side * side) edges.emplace_back(v, v + side);
    }
    return {std::size_t{side} * side, edges};
}

/// Streets: a grid without some of its edges, and with ways of several vertices in place of others.
[[nodiscard]] auto streets(std::uint32_t side) -> undirected_graph {
    std::vector<undirected_graph::edge> edges;
    auto next = side * side;
    detail::split_mix random(side);
    auto const g = grid(side);
    for (std::uint32_t v = 0; v < side * side; ++v)
        for (auto const w : g.neighbors(v)) {
            if (v > w || random.chance(0.3)) continue;
            auto from = v;
            for (auto k = random.below(3); k > 0; --k) {
                edges.emplace_back(from, next);
                from = next++;
            }
            edges.emplace_back(from, w);
        }
    return {next, edges};
}

/// Of the challenge's graphs: the least width that was known, where a file golden.json beside them says.
[[nodiscard]] auto best_known(std::filesystem::path const& file) -> std::string {
    std::ifstream in(file.parent_path() / "golden.json");
    if (!in) return "";
    auto const all = nlohmann::json::parse(in).at("instances");
    auto const name = file.filename().string();
    auto const found = all.find(name.substr(0, name.find('.')));
    return found == all.end() ? "" : std::to_string(found->at("best_known_width").get<int>());
}

void print_row(std::string const& name, std::string const& known, undirected_graph const& g, double limit) {
    auto const [fill, fill_seconds] = measure::timed([&] { return find_elimination_order(g); });
    auto const [found, seconds] = measure::timed([&] { return find_treewidth(g, {.limits = {.seconds = limit}}); });
    auto width = std::to_string(found.upper);
    if (!known.empty() && found.upper < std::stoul(known)) width = "**" + width + "**";
    std::printf("| %s | %zu | %zu | %zu | %.3f | %s | %zu | %s | %s | %.2f |\n", name.c_str(), g.vertex_count(),
                g.edge_count(), fill.width, fill_seconds, width.c_str(), found.lower, known.c_str(),
                found.heuristic.c_str(), seconds);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    auto const limit = argc > 1 ? std::atof(argv[1]) : 1.0;
    std::printf(
        "\n## Within %g s\n\n| graph | vertices | edges | min-fill | user s | width | lower bound | best known | by | "
        "user s |\n|---|--:|--:|--:|--:|--:|--:|--:|---|--:|\n",
        limit);
    for (int k = 2; k < argc; ++k) {
        std::filesystem::path const file(argv[k]);
        print_row(file.filename().string(), best_known(file), graph_in(argv[k]), limit);
    }
    if (cheap) return 0;
    for (std::uint32_t const side : {300U, 1140U})
        print_row("grid " + std::to_string(side) + " × " + std::to_string(side), "", grid(side), limit);
    print_row("streets", "", streets(800), limit);
    return 0;
}
