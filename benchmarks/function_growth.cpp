// How does the time of public functions grow on graphs that find quadratic loops: stars, combs, complete bipartite
// graphs, operations of many outputs, views of views …?  benchmark_function_growth [MOST [NAME]]   Markdown on
// standard output. Sizes are doubled twice until a run takes half a second of CPU time, or to MOST, 2^20; what takes
// more than thirty seconds, with what makes its arguments, is given up. NAME: only the function, or the family of
// graphs, of that name. The page is function_growth.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/page/html_page.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/repebble.hpp>
#include <repebble/treewidth/detail/exact/safe_reductions.hpp>
#include <repebble/treewidth/detail/exact/safe_separators.hpp>
#include <repebble/treewidth/detail/improve/make_minimal.hpp>
#include <repebble/treewidth/nested_dissection.hpp>
#include <repebble/treewidth/nice_decomposition.hpp>
#include <repebble/treewidth/path_decomposition.hpp>
#include <repebble/treewidth/verify_decomposition.hpp>
#include <repebble/treewidth/width_bounds.hpp>

#include "measure/in_child.hpp"
#include "measure/user_clock.hpp"

namespace {

using namespace repebble;

/// Graphs of about n vertices and edges.
[[nodiscard]] auto graph_of(std::string_view family, std::uint32_t n) -> csr_graph {
    std::vector<csr_graph::edge> edges;
    auto vertices = n;
    if (family == "chain") {
        for (std::uint32_t v = 0; v + 1 < n; ++v) edges.emplace_back(v, v + 1);
    } else if (family == "out-star") {
        for (std::uint32_t v = 1; v < n; ++v) edges.emplace_back(0, v);
    } else if (family == "in-star") {
        for (std::uint32_t v = 0; v + 1 < n; ++v) edges.emplace_back(v, n - 1);
    } else if (family == "comb") {  // a chain with a reader at each vertex
        for (std::uint32_t v = 0; v + 2 < n; v += 2) edges.insert(edges.end(), {{v, v + 1}, {v, v + 2}});
    } else if (family == "binary tree") {
        for (std::uint32_t v = 0; v + 1 < n; ++v) edges.emplace_back(v, (v + n) / 2 < n - 1 ? (v + n + 1) / 2 : n - 1);
    } else if (family == "bipartite") {
        auto const side = static_cast<std::uint32_t>(std::sqrt(n));
        vertices = 2 * side;
        for (std::uint32_t u = 0; u < side; ++u)
            for (std::uint32_t v = side; v < vertices; ++v) edges.emplace_back(u, v);
    } else if (family == "U-Net") {
        for (std::uint32_t v = 0; v + 1 < n; ++v) edges.emplace_back(v, v + 1);
        for (std::uint32_t v = 0; v + 2 < n - 1 - v; v += 4) edges.emplace_back(v, n - 1 - v);
    }
    return {vertices, edges};
}

/// What a family of graphs does not have: operations of many outputs, views of views, alternatives, mutations.
[[nodiscard]] auto special_dataflow(std::string_view family, std::uint32_t n) -> dataflow {
    dataflow_builder b;
    auto const first = b.add_operation(1);
    if (family == "n outputs") {
        auto const last = b.add_operation(1);
        for (std::uint32_t i = 0; i < n; ++i) b.add_read(last, b.add_value(first, 1));
        b.add_value(last, 1);
    } else if (family == "n outputs, n readers") {
        for (std::uint32_t i = 0; i < n / 2; ++i) {
            auto const reader = b.add_operation(1);
            b.add_read(reader, b.add_value(first, 1));
            b.add_value(reader, 1);
        }
    } else if (family == "views of views") {
        auto value = b.add_value(first, 1);
        for (std::uint32_t i = 0; i < n; ++i) {
            auto const view = b.add_operation(0);
            b.add_read(view, value);
            value = b.add_view(view, std::array{value});
        }
    } else if (family == "n views of one") {
        auto const value = b.add_value(first, 1);
        for (std::uint32_t i = 0; i < n / 2; ++i) {
            auto const view = b.add_operation(0), reader = b.add_operation(1);
            b.add_read(view, value);
            b.add_read(reader, b.add_view(view, std::array{value}));
            b.add_value(reader, 1);
        }
    } else if (family == "n producers") {
        auto const value = b.add_value(first, 1);
        for (std::uint32_t i = 0; i < n; ++i) b.add_producer(b.add_operation(1), value);
    } else if (family == "mutations") {
        auto value = b.add_value(first, 1);
        for (std::uint32_t i = 0; i < n; ++i) {
            auto const next = b.add_operation(1, 0, false);
            b.add_read(next, value);
            auto const over = value;
            value = b.add_value(next, 1);
            b.add_mutation(next, 0, over);
        }
    } else if (family == "n mutations at once") {
        auto const next = b.add_operation(1, 0, false);
        for (std::uint32_t i = 0; i < n; ++i) {
            auto const value = b.add_value(first, 1);
            b.add_read(next, value);
            b.add_value(next, 1);
            b.add_mutation(next, i, value);
        }
    } else if (family == "n overwrites at once") {
        auto const next = b.add_operation(1);
        for (std::uint32_t i = 0; i < n; ++i) {
            auto const value = b.add_value(first, 1);
            b.add_read(next, value);
            b.add_value(next, 1);
            b.allow_overwrite(next, i, value);
        }
    } else if (family == "control edges") {
        b.add_value(first, 1);
        for (std::uint32_t i = 0; i < n / 2; ++i) {
            auto const next = b.add_operation(1);
            b.add_value(next, 1);
            b.add_control_edge(first, next);
            if (i > 0) b.add_control_edge(next - 1, next);
        }
    } else {  // n reads of one value by one operation
        auto const value = b.add_value(first, 1);
        auto const reader = b.add_operation(1);
        for (std::uint32_t i = 0; i < n; ++i) b.add_read(reader, value);
        b.add_value(reader, 1);
    }
    return std::move(b).build();
}

constexpr std::array plain_families{"chain", "out-star", "in-star", "comb", "binary tree", "bipartite", "U-Net"};
constexpr std::array special_families{
    "n outputs", "n outputs, n readers", "n operands",           "views of views", "n views of one", "n producers",
    "mutations", "n mutations at once",  "n overwrites at once", "control edges"};

[[nodiscard]] auto is_plain_family(std::string_view family) {
    return std::ranges::find(plain_families, family) != plain_families.end();
}
[[nodiscard]] auto flow_of(std::string_view family, std::uint32_t n) -> dataflow {
    return is_plain_family(family) ? make_dataflow(graph_of(family, n)) : special_dataflow(family, n);
}

/// A call to be measured, with all that it gets, whose size is the number of vertices and edges, or of buffers.
struct call {
    std::size_t size = 0;
    std::function<void()> run;
};
[[nodiscard]] auto size_of(dataflow const& flow) -> std::size_t {
    std::size_t size = flow.operation_count() + flow.value_count();
    for (operation_index v = 0; v < flow.operation_count(); ++v) size += flow.operands(v).size();
    return size;
}
[[nodiscard]] auto size_of(training_graph const& training) -> std::size_t { return size_of(training.flow); }
[[nodiscard]] auto size_of(csr_graph const& g) -> std::size_t { return g.vertex_count() + g.edge_count(); }
[[nodiscard]] auto size_of(undirected_graph const& g) -> std::size_t { return g.vertex_count() + g.edge_count(); }
[[nodiscard]] auto size_of(std::vector<buffer> const& buffers) -> std::size_t { return buffers.size(); }
[[nodiscard]] auto size_of(io::network const& net) -> std::size_t { return net.nodes().size() + net.edges().size(); }

/// Makes a call ready for a family and a size.
using preparation = std::function<call(std::string_view, std::uint32_t)>;

/// Makes ready what make(family, n) returns, a tuple, as the arguments of f.
template <class Make, class F>
[[nodiscard]] auto prepared(Make make, F f) -> preparation {
    return [=](std::string_view family, std::uint32_t n) -> call {
        auto given = make(family, n);
        auto const size = size_of(std::get<0>(given));
        return {size, [f, given = std::move(given)] {
                    if constexpr (std::is_void_v<decltype(std::apply(f, given))>)
                        std::apply(f, given);
                    else
                        static_cast<void>(std::apply(f, given));
                }};
    };
}
template <class F>
[[nodiscard]] auto with_flow(F f) -> preparation {
    return prepared([](std::string_view family, std::uint32_t n) { return std::tuple(flow_of(family, n)); }, f);
}
template <class F>
[[nodiscard]] auto with_plan(F f) -> preparation {
    return prepared(
        [](std::string_view family, std::uint32_t n) {
            auto flow = flow_of(family, n);
            auto plan = make_schedule(flow);
            return std::tuple(std::move(flow), std::move(plan));
        },
        f);
}
template <class F>
[[nodiscard]] auto with_buffers(F f) -> preparation {
    return prepared(
        [](std::string_view family, std::uint32_t n) {
            auto const flow = flow_of(family, n);
            return std::tuple(find_lifetimes(flow, make_schedule(flow)).buffers);
        },
        f);
}
template <class F>
[[nodiscard]] auto with_graph(F f) -> preparation {
    return prepared([](std::string_view family, std::uint32_t n) { return std::tuple(graph_of(family, n)); }, f);
}
/// An undirected graph and an elimination order.
template <class F>
[[nodiscard]] auto with_order(F f) -> preparation {
    return prepared(
        [](std::string_view family, std::uint32_t n) {
            auto g = undirected_graph::of(graph_of(family, n));
            auto order = find_elimination_order(g, {.rule = least_degree}).order;
            return std::tuple(std::move(g), std::move(order));
        },
        f);
}
/// A training graph, and half of the bytes that keeping everything needs.
template <class F>
[[nodiscard]] auto with_training(F f) -> preparation {
    return prepared(
        [](std::string_view family, std::uint32_t n) {
            auto training = make_training_graph(graph_of(family, n), weights{});
            auto const budget = keep_all(training).cost.peak / 2;
            return std::tuple(std::move(training), budget);
        },
        f);
}
template <class F>
[[nodiscard]] auto with_network(F f) -> preparation {
    return prepared(
        [](std::string_view family, std::uint32_t n) {
            auto const g = graph_of(family, n);
            std::vector<io::network_node> nodes(g.vertex_count());
            std::vector<io::network_edge> edges;
            for (std::uint32_t v = 0; v < g.vertex_count(); ++v) {
                nodes[v].time = nodes[v].memory = 1;
                nodes[v].op = "add";
                for (auto const w : g.successors(v)) edges.push_back({v, w});
            }
            io::network net(std::move(nodes), std::move(edges));
            auto text = io::to_text(net);
            return std::tuple(std::move(net), std::move(text));
        },
        f);
}

using training = training_graph const&;
using order_of_vertices = std::vector<undirected_graph::vertex> const&;
using flow_type = dataflow const&;
using buffers_type = std::vector<buffer> const&;

/// Functions of any dataflow.
[[nodiscard]] auto functions_of_dataflows() -> std::vector<std::pair<char const*, preparation>> {
    return {
        {"contract_views", with_flow(detail::contract_views)},
        {"make_plain", with_flow([](flow_type f) { return detail::make_plain(f); })},
        {"find_usable_overwrites", with_flow([](flow_type f) { return find_usable_overwrites(f); })},
        {"make_schedule", with_flow([](flow_type f) { return make_schedule(f); })},
        {"schedule_in_order", with_flow([](flow_type f) { return detail::schedule_in_order(f, f.order()); })},
        {"replay", with_plan([](flow_type f, schedule<> const& p) { return replay(f, p); })},
        {"drop_unread", with_plan(detail::drop_unread)},
        {"make_unrolled", with_plan([](flow_type f, schedule<> const& p) { return make_unrolled(f, p); })},
        {"liu_order", with_flow([](flow_type f) { return detail::liu_order(f); })},
        {"find_lifetimes", with_plan([](flow_type f, schedule<> const& p) { return find_lifetimes(f, p); })},
        {"write_in_place", with_plan([](flow_type f, schedule<> const& p) { return write_in_place(f, p); })},
        {"storage_history", with_plan([](flow_type f, schedule<> const& p) { return storage_history(f, p); })},
        {"find_live_bytes", with_buffers([](buffers_type b) { return find_live_bytes(b); })},
        {"fit_offsets, first", with_buffers([](buffers_type b) { return fit_offsets(b); })},
        {"fit_offsets, best", with_buffers([](buffers_type b) { return fit_offsets(b, {.rule = fit_rule::best}); })},
        {"assign_offsets", with_buffers([](buffers_type b) { return assign_offsets(b); })},
        {"share_blocks", with_buffers([](buffers_type b) { return share_blocks(b); })},
        {"verify_offsets", with_buffers([](buffers_type b) { return verify_offsets(b, fit_offsets(b)); })},
        {"bind_schedule",
         with_plan([](flow_type f, schedule<> const& p) { return bind_schedule(f, p, make_arena(f, p)); })},
        {"html_page", with_flow([](flow_type f) {
             automatic_plan<> found;
             found.plan = keep_all(f);
             return report::html_page(f, found);
         })},
    };
}
/// Functions of plain graphs, and of training graphs made of them.
[[nodiscard]] auto functions_of_graphs() -> std::vector<std::pair<char const*, preparation>> {
    using undirected = undirected_graph const&;
    return {
        {"verify_graph", with_graph([](csr_graph const& g) { return verify_graph(g); })},
        {"topological_order", with_graph([](csr_graph const& g) { return topological_order(bidirectional(g)); })},
        {"topological_order, depth first",
         with_graph([](csr_graph const& g) { return topological_order(g, order_rule::depth_first); })},
        {"articulation_points", with_graph(articulation_points)},
        {"find_cycle", with_graph(find_cycle)},
        {"make_dataflow", with_graph([](csr_graph const& g) { return make_dataflow(g); })},
        {"make_training_graph", with_graph([](csr_graph const& g) { return make_training_graph(g, weights{}); })},
        {"find_elimination_order, degree",
         with_graph([](csr_graph const& g) { return find_elimination_order(g, {.rule = least_degree}); })},
        {"find_elimination_order, fill", with_graph([](csr_graph const& g) { return find_elimination_order(g); })},
        {"find_dissection_order", with_graph([](csr_graph const& g) { return find_dissection_order(g); })},
        {"elimination::of", with_order([](undirected g, order_of_vertices o) { return elimination::of(g, o); })},
        {"make_tree_decomposition",
         with_order([](undirected g, order_of_vertices o) { return make_tree_decomposition(g, o); })},
        {"make_nice_decomposition", with_order([](undirected g, order_of_vertices o) {
             return make_nice_decomposition(make_tree_decomposition(g, o));
         })},
        {"verify_decomposition", with_order([](undirected g, order_of_vertices o) {
             return verify_decomposition(g, make_tree_decomposition(g, o)).violation;
         })},
        {"make_separator_tree", with_order([](undirected g, order_of_vertices o) {
             return make_separator_tree(g, make_tree_decomposition(g, o));
         })},
        {"make_path_decomposition",
         with_order([](undirected g, order_of_vertices o) { return make_path_decomposition(g, o); })},
        {"make_minimal", with_order([](undirected g, order_of_vertices o) { return detail::make_minimal(g, o); })},
        {"reduce_safely", with_order([](undirected g, order_of_vertices) { return detail::reduce_safely(g); })},
        {"split_safely", with_order([](undirected g, order_of_vertices) { return detail::split_safely(g); })},
        {"degeneracy", with_order([](undirected g, order_of_vertices) { return detail::degeneracy(g); })},
        {"find_contraction_bound",
         with_order([](undirected g, order_of_vertices) { return find_contraction_bound(g); })},
        {"keep_all", with_training([](training t, bytes) { return keep_all(t); })},
        {"drop_cheap",
         with_training([](training t, bytes) { return drop_cheap(t, [](operation_index v) { return v % 2 == 0; }); })},
        {"sqrt_segments", with_training([](training t, bytes) { return sqrt_segments(t); })},
        {"segment_recursive", with_training([](training t, bytes) { return segment_recursive(t); })},
        {"segment_plan", with_training([](training t, bytes b) { return segment_plan(t, b); })},
        {"save_set", with_training([](training t, bytes b) { return save_set(t, b); })},
        {"greedy_eviction", with_training([](training t, bytes b) { return greedy_eviction(t, b); })},
        {"decomposition_plan", with_training([](training t, bytes) { return decomposition_plan(t); })},
        {"decomposition_plan, budget", with_training([](training t, bytes b) { return decomposition_plan(t, b); })},
        {"to_text", with_network([](io::network const& net, std::string const&) { return io::to_text(net); })},
        {"parse_network", with_network([](io::network const&, std::string const& s) { return io::parse_network(s); })},
        {"io::make_training_graph",
         with_network([](io::network const& net, std::string const&) { return io::make_training_graph(net); })},
    };
}

/// Seconds of a call, its exponent between the last two sizes, and the last size; no seconds: given up there.
struct growth {
    std::size_t size = 0;
    std::optional<double> seconds;
    std::optional<double> exponent;
};

[[nodiscard]] auto growth_of(preparation const& prepare, std::string_view family, std::uint32_t most) -> growth {
    constexpr unsigned limit = 30;
    constexpr double short_enough = 1e-3, long_enough = 0.5;
    growth found;
    for (std::uint32_t n = std::min(most, 1U << 10); n <= most; n *= 4) {
        auto const report = measure::in_child(limit, [&] {
            auto const made = prepare(family, n);
            auto const seconds = measure::timed_often([&] {
                                     made.run();
                                     return 0;
                                 }).second;
            return std::vector<std::int64_t>{std::llround(1e9 * seconds), static_cast<std::int64_t>(made.size)};
        });
        auto const before = std::exchange(found.seconds, std::nullopt);
        if (!report) return found;
        auto const size = std::exchange(found.size, static_cast<std::size_t>(report->said.back()));
        found.seconds = 1e-9 * static_cast<double>(report->said.front());
        if (before && *found.seconds > short_enough)
            found.exponent = std::log(*found.seconds / *before) /
                             std::log(static_cast<double>(found.size) / static_cast<double>(size));
        if (*found.seconds > long_enough) break;
    }
    return found;
}

template <std::size_t N>
void print_table(std::vector<std::pair<char const*, preparation>> const& functions,
                 std::array<char const*, N> const& all_families, std::uint32_t most, std::string_view only) {
    std::vector<std::string_view> families(all_families.begin(), all_families.end());
    bool const is_family = std::ranges::find(families, only) != families.end();
    if (is_family) families = {only};
    std::printf("| |");
    for (auto const family : families) std::printf(" %s |", family.data());
    std::printf("\n|:--|");
    for (std::size_t i = 0; i < families.size(); ++i) std::printf("--:|");
    std::printf("\n");
    for (auto const& [name, prepare] : functions) {
        if (!only.empty() && !is_family && only != name) continue;
        std::printf("| `%s` |", name);
        for (auto const family : families) {
            auto const g = growth_of(prepare, family, most);
            if (g.exponent)
                std::printf(" %.2f", *g.exponent);
            else
                std::printf(" –");
            if (g.seconds)
                std::printf(" (%.0e: %.1g s) |", static_cast<double>(g.size), *g.seconds);
            else
                std::printf(" (> %.0e: > 30 s) |", static_cast<double>(g.size));
            std::fflush(stdout);
        }
        std::printf("\n");
    }
}

}  // namespace

int main(int argc, char** argv) {
    auto const most = argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : 1U << 20;
    std::string_view const only = argc > 2 ? argv[2] : "";
    std::printf("## Functions of graphs and training graphs\n\n");
    print_table(functions_of_graphs(), plain_families, most, only);
    std::printf("\n## Functions of dataflows and buffers: plain graphs\n\n");
    print_table(functions_of_dataflows(), plain_families, most, only);
    std::printf("\n## Functions of dataflows and buffers: what plain graphs do not have\n\n");
    print_table(functions_of_dataflows(), special_families, most, only);
}
