// expected: edges_of_this_boost_graph_have_no_direction
#include <boost/graph/adjacency_list.hpp>

#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>

int main() {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> const net(2);
    return static_cast<int>(repebble::make_dataflow(net).value_count());
}
