// Covers graph/adapt/as_boost_graph.hpp, graph/adapt/boost_graph.hpp, graph/adapt/nested_range.hpp,
// graph/adapt/property_map.hpp, graph/csr_graph.hpp, graph/reachability.hpp.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/graph/transitive_closure.hpp>
#include <rapidcheck.h>

#include <repebble/graph/adapt/as_boost_graph.hpp>
#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/adapt/property_map.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/reachability.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::adjacency;

namespace {

using boost_copy_of_ints = boost_copy<int>;
using descriptor = boost::graph_traits<boost_copy_of_ints>::vertex_descriptor;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<boost_copy_of_ints>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<boost_copy_of_ints>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<boost_copy_of_ints>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<boost_copy_of_ints>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<boost_copy_of_ints>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<boost_copy_of_ints, descriptor, boost::vertex_index_t>));

struct no_graph {};
static_assert(std::invocable<decltype(as_boost_graph), support::least_graph const&>);
static_assert(std::invocable<decltype(as_boost_graph), adjacency>);  // it is copied: a temporary will do
static_assert(!std::invocable<decltype(as_boost_graph), no_graph const&>);
static_assert(!std::invocable<decltype(make_property_map), boost_copy_of_ints, int (*)(int)>);
static_assert(std::invocable<decltype(make_property_map), boost_copy_of_ints const&, int (*)(int)>);

}  // namespace

TEST_CASE("the copy has the vertices and edges of the graph", "[as_boost_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 20);
        auto const compact = csr_graph::copy_of(g);
        auto const b = as_boost_graph(g);
        RC_ASSERT(num_vertices(b) == compact.vertex_count());
        RC_ASSERT(num_edges(b) == compact.edge_count());
        RC_ASSERT(csr_graph::copy_of(b) == compact);  // back again
        for (descriptor v = 0; v < num_vertices(b); ++v) {
            RC_ASSERT(vertex(v, b) == v);
            RC_ASSERT(degree(v, b) == compact.successors(v).size() + compact.predecessors(v).size());
            std::vector<descriptor> above;
            for (auto const u : predecessors(b, v)) above.push_back(u);
            std::ranges::sort(above);
            RC_ASSERT(std::ranges::equal(above, compact.predecessors(v)));
        }
    }));
}

TEST_CASE("boost::topological_sort and transitive_closure agree with us", "[as_boost_graph][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const g = support::any_dag(random, 15);
        auto const b = as_boost_graph(g);
        std::vector<descriptor> order;
        boost::topological_sort(b, std::back_inserter(order));  // sinks first
        std::vector<std::size_t> position(g.size());
        for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
        for (std::size_t u = 0; u < g.size(); ++u)
            for (int const w : g[u]) RC_ASSERT(position[u] > position[static_cast<std::size_t>(w)]);

        boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> closure;
        boost::transitive_closure(b, closure);
        auto const below = descendants(g);
        for (std::size_t u = 0; u < g.size(); ++u)
            for (std::size_t w = 0; w < g.size(); ++w)
                RC_ASSERT((u == w || boost::edge(u, w, closure).second) == below[u].contains(w));
    }));
}

TEST_CASE("breadth_first_search and strong_components run on the copy", "[as_boost_graph]") {
    auto const b = as_boost_graph(adjacency{{1, 2}, {3}, {3}, {4}, {}, {3}});
    std::vector<int> distance(6, 0);
    boost::breadth_first_search(
        b, vertex(0, b),
        visitor(boost::make_bfs_visitor(boost::record_distances(distance.data(), boost::on_tree_edge{}))));
    CHECK(distance == std::vector{0, 1, 1, 2, 3, 0});
    std::vector<int> component(6);
    CHECK(boost::strong_components(b, component.data()) == 6);
    CHECK(boost::strong_components(as_boost_graph(adjacency{{1}, {0}, {}}), component.data()) == 2);
}

TEST_CASE("weights of vertices and of edges are property maps", "[as_boost_graph]") {
    support::least_graph const g({{1, 2}, {3}, {3}, {}});
    auto const b = as_boost_graph(g);
    auto const id = [](support::label v) { return v.id(); };
    auto const number = make_property_map(b, id);
    BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<decltype(number), descriptor>));
    CHECK(get(number, vertex(3, b)) == 103);
    CHECK(from_property_map(number)(2) == 102);
    CHECK(get(make_property_map(b, &support::label::id), vertex(1, b)) == 101);
    CHECK(b.original()[2].id() == 102);

    // The longest path from 0, where an edge takes what the vertex that is read takes: the shortest of the negated.
    auto const length = make_edge_property_map(b, [](support::label u, support::label) { return -(u.id() - 99); });
    std::vector<int> distance(4);
    boost::dag_shortest_paths(b, vertex(0, b), boost::distance_map(distance.data()).weight_map(length));
    CHECK(distance == std::vector{0, -1, -1, -4});
}
