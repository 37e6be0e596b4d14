// expected: outputs_read_of_graph_traits_must_take_the_graph_and_two_vertices
#include <array>

#include <repebble/plan.hpp>

#include "net.hpp"

template <>
struct repebble::graph_traits<net> : net_traits {
    static auto outputs_read(net const&, int) { return std::array{0}; }
};

auto main() -> int { repebble::make_problem(net{}); }
