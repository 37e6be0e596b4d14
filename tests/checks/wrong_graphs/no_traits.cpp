// expected: no_graph_traits_for_this_type_specialise_it_or_include_its_adaptor_header
#include <repebble/graph/topological_order.hpp>

struct net {};

int main() { return static_cast<int>(repebble::topological_order(net{}).size()); }
