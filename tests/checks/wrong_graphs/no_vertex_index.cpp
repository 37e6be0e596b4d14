// expected: graph_traits_has_no_vertex_index_that_takes_a_graph_and_a_vertex
#include <ranges>
#include <vector>

#include <repebble/graph/training/make_problem.hpp>

struct net {
    std::vector<std::vector<int>> readers;
};

template <>
struct repebble::graph_traits<net> {
    static auto vertices(net const& g) { return std::views::iota(0, static_cast<int>(g.readers.size())); }
    static auto successors(net const& g, int v) { return std::views::all(g.readers[static_cast<std::size_t>(v)]); }
};

int main() { return repebble::make_problem(net{}).flow().operation_count() > 0 ? 0 : 1; }
