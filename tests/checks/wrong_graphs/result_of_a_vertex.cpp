// expected: is_result_of_graph_traits_must_take_the_graph_a_vertex_and_an_output
#include <repebble/plan.hpp>

#include "net.hpp"

template <>
struct repebble::graph_traits<net> : net_traits {
    static auto is_result(net const&, int) -> bool { return true; }
};

auto main() -> int { repebble::make_problem(net{}); }
