// How low is the peak of inference in the best order, and what does it cost to prove it? The graphs of
// tests/data/order, network-like graphs of 200 to 1000 operations, random graphs, trees of a million operations, and
// networks of the builders. Writes the page (order_tables.md) to standard output.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/detail/split_mix.hpp>
#include <repebble/detail/thread_clock.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/io/network.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/onnx/onnx_network.hpp>
#include <repebble/orders/find_least_peak_order.hpp>
#include <repebble/pebbling/detail/schedule_in_order.hpp>
#include <repebble/pebbling/replay.hpp>

#include "measure/cheap.hpp"

namespace {

using namespace repebble;
using random_numbers = detail::split_mix;

constexpr char const* introduction = R"(# Orders of least peak

Made by `benchmark_order_tables > order_tables.md`. Every operation runs once; peaks are by `replay`. *index*: the order
of the file, in which TFLite runs; *reverse postorder*: of a depth-first search from each source, in index order. *least*:
`find_least_peak_order`, without a limit of time and with 4,000,000 states at most; **bold** is proven least, else the lower
bound stands behind it. *states*: lower sets in the search, or work of so many. CPU seconds of one thread.
)";
constexpr char const* header = R"(
| graph | operations | index | reverse postorder | least | states | s |
|---|--:|--:|--:|--:|--:|--:|
)";

/// A graph whose operations write one value each.
struct graph_builder {
    dataflow_builder flow{};
    std::vector<value_index> values{};

    auto add(std::vector<std::size_t> const& reads, bytes size, bytes workspace = 0) -> std::size_t {
        auto const v = flow.add_operation(1, workspace);
        values.push_back(flow.add_value(v, size));
        for (auto const u : std::set(reads.begin(), reads.end())) flow.add_read(v, values[u]);
        return values.size() - 1;
    }
    auto build() && -> dataflow { return std::move(flow).build(); }
};

auto reverse_postorder(dataflow const& flow) -> std::vector<operation_index> {
    std::vector<operation_index> order, stack;
    std::vector<std::size_t> next(flow.operation_count(), 0);
    std::vector<bool> seen(flow.operation_count(), false);
    auto const enter = [&](operation_index v) {
        if (!seen[v]) stack.push_back(v);
        seen[v] = true;
    };
    for (auto const source : flow.order()) {
        enter(source);  // of what is no source: it was seen
        while (!stack.empty()) {
            auto const v = stack.back();
            auto const readers = flow.graph().successors(v);
            if (next[v] < readers.size()) {
                enter(readers[next[v]++]);
            } else {
                order.push_back(v);
                stack.pop_back();
            }
        }
    }
    std::ranges::reverse(order);
    return order;
}

void print_row(std::string const& name, dataflow const& flow) {
    auto const peak = [&](std::span<operation_index const> order) {
        return replay(flow, detail::schedule_in_order(flow, order)).peak;
    };
    auto const begin = detail::thread_clock::now();
    auto const found = find_least_peak_order(flow, {.limits = {.work = 4'000'000}});
    auto const seconds = (detail::thread_clock::now() - begin).count();
    auto least = std::to_string(found.peak);
    least = found.is_proven() ? "**" + least + "**" : least + ", at least " + std::to_string(found.lower_bound);
    std::printf("| %s | %zu | %lld | %lld | %s | %zu | %.3f |\n", name.c_str(), flow.operation_count(),
                static_cast<long long>(peak(flow.order())), static_cast<long long>(peak(reverse_postorder(flow))),
                least.c_str(), found.states, seconds);
    std::fflush(stdout);
}

auto read_graph(std::filesystem::path const& path) -> dataflow {
    auto const file = nlohmann::json::parse(std::ifstream(path));
    std::vector<std::vector<std::size_t>> reads(file.at("nodes").size());
    for (auto const& edge : file.at("edges")) reads[edge.at(1)].push_back(edge.at(0));
    graph_builder g;
    for (std::size_t v = 0; v < reads.size(); ++v)
        g.add(reads[v], file.at("nodes").at(v).at("memory"), file.at("nodes").at(v).at("workspace"));
    return std::move(g).build();
}

/// Inverted residual blocks: expansion, depthwise convolution, projection, and a sum where shapes are equal.
auto mobile_net(std::size_t blocks) -> dataflow {
    graph_builder g;
    bytes size = 112 * 112 * 16;
    auto x = g.add({}, size);
    for (std::size_t k = 0; k < blocks; ++k) {
        bool const shrinks = k % (blocks / 4) == 1;
        auto const wide = g.add({g.add({x}, 6 * size)}, shrinks ? 3 * size / 2 : 6 * size);
        if (shrinks) size /= 2;
        auto const narrow = g.add({wide}, size);
        x = shrinks ? narrow : g.add({x, narrow}, size);
    }
    return std::move(g).build();
}

/// Cells of five blocks, each a sum of two chains from what the cell has; it reads the two cells before it.
auto nas_net(std::size_t cells, std::uint64_t seed) -> dataflow {
    random_numbers random(seed);
    graph_builder g;
    bytes size = 16384;
    std::array<std::size_t, 2> before{};
    before.fill(g.add({}, size));
    for (std::size_t c = 0; c < cells; ++c) {
        if (c > 0 && c % (cells / 3 + 1) == 0) size /= 2;
        std::vector<std::size_t> have{g.add({before[1]}, size), g.add({before[0]}, size)}, unread;
        for (int block = 0; block < 5; ++block) {
            std::array<std::size_t, 2> ends{};
            for (auto& end : ends) {
                end = have[random.below(have.size())];
                std::erase(unread, end);
                for (auto k = random.below(4); k > 0; --k) end = g.add({end}, size);
            }
            have.push_back(g.add({ends[0], ends[1]}, size));
            unread.push_back(have.back());
        }
        before = {before[1], g.add(unread, size * static_cast<bytes>(unread.size()))};
    }
    return std::move(g).build();
}

/// Stages of Watts and Strogatz's small worlds, four neighbours, three of four edges rewired (RandWire).
auto small_worlds(std::size_t stages, std::size_t n, std::uint64_t seed) -> dataflow {
    random_numbers random(seed);
    graph_builder g;
    constexpr bytes size = 61152;
    auto last = g.add({}, 4 * size);
    for (std::size_t stage = 0; stage < stages; ++stage) {
        std::set<std::pair<std::size_t, std::size_t>> edges;
        auto const edge = [](std::size_t u, std::size_t v) { return std::pair(std::min(u, v), std::max(u, v)); };
        for (std::size_t u = 0; u < n; ++u)
            for (std::size_t k = 1; k <= 2; ++k) edges.insert(edge(u, (u + k) % n));
        for (std::size_t k = 1; k <= 2; ++k)
            for (std::size_t u = 0; u < n; ++u) {
                auto const w = random.below(n);
                if (!random.chance(0.75) || w == u || edges.contains(edge(u, w))) continue;
                edges.erase(edge(u, (u + k) % n));
                edges.insert(edge(u, w));
            }
        std::vector<std::vector<std::size_t>> reads(n);
        std::vector<std::size_t> names, unread;
        std::vector<bool> is_read(n, false);
        for (auto const& [u, w] : edges) {
            reads[w].push_back(u);
            is_read[u] = true;
        }
        for (auto& row : reads) {
            for (auto& u : row) u = names[u];
            if (row.empty()) row.push_back(last);
            names.push_back(g.add(row, size));
        }
        for (std::size_t u = 0; u < n; ++u)
            if (!is_read[u]) unread.push_back(names[u]);
        last = g.add(unread, size);
    }
    return std::move(g).build();
}

/// Layers of one to `width` operations that read up to three of the last operations.
auto layered(std::size_t n, std::size_t width, std::uint64_t seed) -> dataflow {
    random_numbers random(seed);
    graph_builder g;
    std::size_t begin = 0;
    while (g.values.size() < n) {
        auto const end = g.values.size(), from = begin - std::min(begin, width);
        for (auto k = 1 + random.below(width); k > 0; --k) {
            std::vector<std::size_t> reads;
            for (auto r = 1 + random.below(3); r > 0 && end > 0; --r) reads.push_back(from + random.below(end - from));
            g.add(reads, 1 + static_cast<bytes>(random.below(20)), static_cast<bytes>(random.below(4) / 3 * 5));
        }
        begin = end;
    }
    return std::move(g).build();
}

/// Each operation is linked to most of the `width` that are drawn from the last ones, in the directions of a random
/// order: of that pathwidth, and with many lower sets.
auto narrow(std::size_t n, std::size_t width, bytes most, std::uint64_t seed) -> dataflow {
    random_numbers random(seed);
    std::vector<std::size_t> rank(n), bag;
    for (std::size_t v = 0; v < n; ++v) {
        rank[v] = v;
        std::swap(rank[v], rank[random.below(v + 1)]);
    }
    std::vector<std::vector<std::size_t>> reads(n);
    for (std::size_t v = 0; v < n; ++v) {
        if (bag.size() > width) bag.erase(bag.begin() + static_cast<std::ptrdiff_t>(random.below(bag.size())));
        for (auto const u : bag)
            if (random.chance(0.7)) reads[std::max(rank[u], rank[v])].push_back(std::min(rank[u], rank[v]));
        bag.push_back(v);
    }
    graph_builder g;
    for (auto const& row : reads) g.add(row, 1 + static_cast<bytes>(random.below(static_cast<std::size_t>(most))));
    return std::move(g).build();
}

auto random_tree(std::size_t n, std::size_t reach, std::uint64_t seed) -> dataflow {
    random_numbers random(seed);
    std::vector<std::vector<std::size_t>> reads(n);
    for (std::size_t v = 0; v + 1 < n; ++v) reads[v + 1 + random.below(std::min(reach, n - v - 1))].push_back(v);
    graph_builder g;
    for (std::size_t v = 0; v < n; ++v)
        g.add(reads[v], 1 + static_cast<bytes>(random.below(20)), static_cast<bytes>(random.below(4) / 3 * 5));
    return std::move(g).build();
}

void print_trees() {
    std::printf(
        "\n## Trees\n\n`liu_order`, a million operations each.\n\n| reads one of the next | peak | s "
        "|\n|--:|--:|--:|\n");
    for (std::size_t const reach : {1U, 10U, 1000U, 1000000U}) {
        auto const tree = random_tree(1'000'000, reach, 1);
        auto const begin = detail::thread_clock::now();
        auto const found = detail::liu_order(tree);
        std::printf("| %zu | %lld | %.2f |\n", reach, static_cast<long long>(found->peak),
                    (detail::thread_clock::now() - begin).count());
    }
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);
    std::fputs(introduction, stdout);
    std::printf("\n## Graphs with known peaks\n%s", header);
    std::set<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(REPEBBLE_SOURCE_DIR "/tests/data/order"))
        files.insert(entry.path());
    for (auto const& path : files) print_row(path.stem().string(), read_graph(path));

    std::printf(
        "\n## Networks\n\nAt the default sizes of the builders, and ONNX models of tests/data/onnx; forward graphs, "
        "without results.\n%s",
        header);
    for (auto const* name :
         {"resnet50", "resnet1001", "vgg19_bn", "densenet161", "googlenet", "unet", "pspnet", "lstm", "gpt2"}) {
        auto const net = networks::network_of(networks::by_name(name));
        print_row(name, make_dataflow(net, net.weights()));
    }
    for (auto const* name : {"bert_base", "googlenet", "resnet18_unfused", "resnet50"}) {
        auto const net = io::read_onnx(std::filesystem::path(REPEBBLE_SOURCE_DIR "/tests/data/onnx") /
                                       (std::string(name) + ".onnx.gz"));
        print_row(std::string(name) + ", ONNX", make_dataflow(net, net.weights()));
    }
    for (std::size_t const blocks : {50U, 250U}) print_row("MobileNet-like", mobile_net(blocks));
    for (std::size_t const cells : {9U, 20U, 40U})
        for (std::uint64_t const seed : {1U, 2U}) print_row("NASNet-like", nas_net(cells, seed));
    for (std::uint64_t const seed : {1U, 2U, 3U}) print_row("RandWire 3 × 64", small_worlds(3, 64, seed));
    for (std::size_t const stages : {8U, 30U}) print_row("RandWire of 32", small_worlds(stages, 32, 1));

    std::printf("\n## Random graphs\n%s", header);
    if (cheap) return 0;
    for (std::size_t const n : {80U, 100U, 128U})
        for (std::uint64_t const seed : {1U, 2U, 3U}) print_row("small world", small_worlds(1, n, seed));
    for (std::size_t const width : {6U, 10U})
        for (std::uint64_t const seed : {1U, 2U, 3U})
            print_row("layers of up to " + std::to_string(width), layered(1000, width, seed));
    std::printf(
        "\n## Graphs of small pathwidth\n\nOperations that are linked to some of those shortly before them, in random "
        "directions, so that there are many lower sets.\n%s",
        header);
    for (std::size_t const width : {2U, 3U, 4U, 5U, 6U})
        for (std::uint64_t const seed : {1U, 2U})
            print_row("width " + std::to_string(width), narrow(300, width, 9, seed));
    print_row("width 8", narrow(300, 8, 9, 1));
    for (std::size_t const width : {2U, 3U, 4U, 6U})
        print_row("width " + std::to_string(width), narrow(2000, width, 9, 1));
    print_row("width 2, up to 10⁶ bytes", narrow(300, 2, 1'000'000, 1));
    print_row("width 3, up to 10⁶ bytes", narrow(300, 3, 1'000'000, 1));
    print_trees();
    return 0;
}
