// expected: this_boost_graph_has_no_vertex_index_map_give_it_one_by_with_index_map
#include <boost/graph/adjacency_list.hpp>

#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/verify_graph.hpp>

int main() {
    boost::adjacency_list<boost::vecS, boost::listS, boost::directedS> const net(2);
    return static_cast<int>(repebble::verify_graph(net).problems.size());
}
