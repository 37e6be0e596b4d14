// expected: a_member_of_graph_traits_is_misspelt_did_you_mean_is_view_or_views
#include <repebble/plan.hpp>

#include "net.hpp"

template <>
struct repebble::graph_traits<net> : net_traits {
    static auto is_views(net const&, int) -> bool { return true; }
};

auto main() -> int { repebble::make_problem(net{}); }
