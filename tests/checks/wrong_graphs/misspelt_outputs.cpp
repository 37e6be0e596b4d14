// expected: a_member_of_graph_traits_is_misspelt_did_you_mean_output_count
#include <cstddef>

#include <repebble/plan.hpp>

#include "net.hpp"

template <>
struct repebble::graph_traits<net> : net_traits {
    static auto num_outputs(net const&, int) -> std::size_t { return 2; }
};

auto main() -> int { repebble::make_problem(net{}); }
