// expected: may_overwrite_of_graph_traits_must_take_the_graph_a_vertex_an_output_and_an_output_ref
#include <repebble/plan.hpp>

#include "net.hpp"

template <>
struct repebble::graph_traits<net> : net_traits {
    static auto may_overwrite(net const&, int, int) -> bool { return true; }
};

auto main() -> int { repebble::make_problem(net{}); }
