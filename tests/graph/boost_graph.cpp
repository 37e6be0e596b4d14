// Covers graph/adapt/boost_graph.hpp, graph/adapt/nested_range.hpp, graph/csr_graph.hpp,
// graph/dataflow/make_dataflow.hpp, graph/topological_order.hpp, graph/verify_graph.hpp.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/directed_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/verify_graph.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;
using boost::bidirectionalS;
using boost::directedS;
using boost::listS;
using boost::setS;
using boost::undirectedS;
using boost::vecS;

namespace {

using numbered = boost::property<boost::vertex_index_t, std::size_t>;
using directed = boost::adjacency_list<vecS, vecS, directedS>;
using two_way = boost::adjacency_list<vecS, vecS, bidirectionalS>;
using nodes = boost::adjacency_list<listS, listS, bidirectionalS>;

static_assert(computation_graph<directed> && !bidirectional_graph<directed>);
static_assert(bidirectional_graph<two_way>);
static_assert(bidirectional_graph<boost::adjacency_list<vecS, listS, bidirectionalS, numbered>>);
static_assert(computation_graph<boost::adjacency_list<setS, setS, directedS, numbered>>);
static_assert(computation_graph<boost::compressed_sparse_row_graph<directedS>>);
static_assert(!bidirectional_graph<boost::compressed_sparse_row_graph<directedS>>);
static_assert(bidirectional_graph<boost::compressed_sparse_row_graph<bidirectionalS>>);
static_assert(computation_graph<boost::adjacency_matrix<directedS>>);
static_assert(bidirectional_graph<boost::reverse_graph<two_way>>);
static_assert(bidirectional_graph<boost::filtered_graph<two_way, boost::keep_all>>);

// Undirected edges, vertices without indices, and types that are not Boost graphs.
template <class Graph>
constexpr bool has_no_direction =
    !computation_graph<Graph> &&
    std::same_as<unmet_requirement<Graph>, unmet::edges_of_this_boost_graph_have_no_direction>;
static_assert(has_no_direction<boost::adjacency_list<vecS, vecS, undirectedS>>);
static_assert(has_no_direction<boost::adjacency_list<listS, listS, undirectedS, numbered>>);
static_assert(has_no_direction<boost::adjacency_matrix<undirectedS>>);
static_assert(!computation_graph<nodes>);
static_assert(std::same_as<unmet_requirement<nodes>,
                           unmet::this_boost_graph_has_no_vertex_index_map_give_it_one_by_with_index_map>);
static_assert(!boost_graph<std::vector<std::vector<int>>> && !boost_graph<int> && !boost_graph<csr_graph>);

using map_of_nodes = std::map<nodes::vertex_descriptor, std::size_t>;
using nodes_with_index = with_boost_index<nodes, boost::associative_property_map<map_of_nodes>>;
static_assert(bidirectional_graph<nodes_with_index>);
static_assert(std::invocable<decltype(with_index_map), nodes const&, boost::associative_property_map<map_of_nodes>>);
static_assert(!std::invocable<decltype(with_index_map), nodes, boost::associative_property_map<map_of_nodes>>);

template <class Graph>
auto boost_diamond() -> Graph {
    Graph g(4);
    for (auto const& [u, w] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 3U}, {2U, 3U}}) boost::add_edge(u, w, g);
    return g;
}

auto compact_diamond() -> csr_graph { return {4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}}; }

/// Vertices with a number of outputs.
struct node_with_outputs {
    std::size_t outputs = 1;
};
using layered = boost::adjacency_list<vecS, vecS, directedS, node_with_outputs>;

}  // namespace

template <>
struct repebble::graph_traits<layered> : repebble::boost_graph_traits<layered> {
    static auto output_count(layered const& g, vertex v) { return g[v].outputs; }
    static auto is_result(layered const& g, vertex v, std::uint32_t) { return out_degree(v, g) == 0; }
};

TEST_CASE("a Boost graph is walked by its own descriptors", "[boost_graph]") {
    auto const g = boost_diamond<two_way>();
    CHECK(vertex_count(g) == 4);
    CHECK(csr_graph::copy_of(g) == compact_diamond());
    CHECK(topological_order(g) == std::vector<std::size_t>{0, 1, 2, 3});
    std::vector<std::size_t> above;
    for (auto const u : predecessors(g, 3)) above.push_back(u);
    CHECK(above == std::vector<std::size_t>{1, 2});
    CHECK(csr_graph::copy_of(boost_diamond<boost::adjacency_matrix<directedS>>()) == compact_diamond());
}

TEST_CASE("a reverse_graph is walked against its edges", "[boost_graph]") {
    auto const g = boost_diamond<two_way>();
    auto const turned = boost::make_reverse_graph(g);
    CHECK(csr_graph::copy_of(turned) == csr_graph(4, {{1, 0}, {2, 0}, {3, 1}, {3, 2}}));
    CHECK(topological_order(turned) == std::vector<std::size_t>{3, 1, 2, 0});
}

TEST_CASE("vertices without numbers get them from a map outside", "[boost_graph]") {
    nodes g;
    map_of_nodes number;
    for (std::size_t const i : {2U, 0U, 3U, 1U}) number[boost::add_vertex(g)] = i;
    std::vector<nodes::vertex_descriptor> at(4);
    for (auto const& [v, i] : number) at[i] = v;
    for (auto const& [u, w] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 3U}, {2U, 3U}}) boost::add_edge(at[u], at[w], g);

    auto const numbered_nodes = with_index_map(g, boost::make_assoc_property_map(number));
    CHECK(csr_graph::copy_of(numbered_nodes) == compact_diamond());
    CHECK(topological_order(numbered_nodes) == at);
    CHECK(vertex_count(numbered_nodes) == 4);
    std::vector<nodes::vertex_descriptor> above;
    for (auto const u : predecessors(numbered_nodes, at[3])) above.push_back(u);
    CHECK(above == std::vector{at[1], at[2]});
}

TEST_CASE("a filtered_graph without some vertices needs numbers of its own", "[boost_graph]") {
    auto const g = boost_diamond<two_way>();
    auto const kept = [](std::size_t v) { return v != 1; };
    boost::filtered_graph<two_way, boost::keep_all, std::function<bool(std::size_t)>> const rest(g, {}, kept);
    CHECK(support::throws<bad_graph>([&] { return topological_order(rest); }, {"vertex index 3", "3 vertices"}));
    std::vector<std::size_t> const number{0, 9, 1, 2};
    auto const numbered_rest = with_index_map(rest, number.data());
    CHECK(csr_graph::copy_of(numbered_rest) == csr_graph(3, {{0, 1}, {1, 2}}));
    CHECK(vertex_count(rest) == 3);  // Boost's num_vertices says 4
    CHECK(vertex_count(numbered_rest) == 3);
}

TEST_CASE("a directed_graph has numbers of its own", "[boost_graph]") {
    boost::directed_graph<> g;
    auto const u = g.add_vertex();
    auto const v = g.add_vertex();
    g.add_edge(u, v);
    CHECK(csr_graph::copy_of(g) == csr_graph(2, {{0, 1}}));
}

TEST_CASE("parallel edges are passed on, and are read twice", "[boost_graph]") {
    auto g = boost_diamond<directed>();
    boost::add_edge(0, 1, g);
    CHECK(csr_graph::copy_of(g).edge_count() == 5);
    CHECK(verify_graph(g));
    auto const flow = make_dataflow(g);
    CHECK((flow.reads(1).size() == 1 && flow.operands(1).size() == 2));
    CHECK(flow.graph() == make_dataflow(boost_diamond<directed>()).graph());
}

TEST_CASE("a specialisation may add to the traits of Boost graphs", "[boost_graph]") {
    layered g(2);
    g[0].outputs = 3;
    boost::add_edge(0, 1, g);
    CHECK(make_dataflow(g, unit_weight{}, [](std::size_t, std::uint32_t) { return 1; }).value_count() == 4);
}

TEST_CASE("numbers from outside leave what a specialisation adds", "[boost_graph]") {
    layered g(2);
    g[0].outputs = 3;
    boost::add_edge(0, 1, g);
    std::vector<std::size_t> const number{1, 0};
    auto const flow =
        make_dataflow(with_index_map(g, number.data()), unit_weight{}, [](std::size_t, std::uint32_t) { return 1; });
    CHECK(flow.writes(1).size() == 3);
    CHECK(flow.results().size() == 1);
    CHECK(flow.is_result(flow.writes(0).front()));
}
