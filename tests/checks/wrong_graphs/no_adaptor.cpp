// expected: no_graph_traits_for_this_type_specialise_it_or_include_its_adaptor_header
#include <vector>

#include <repebble/graph/reachability.hpp>

int main() {
    std::vector<std::vector<int>> const net{{1}, {}};
    return static_cast<int>(repebble::ancestors(net).size());
}
