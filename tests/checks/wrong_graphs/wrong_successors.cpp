// expected: successors_does_not_return_a_range_of_vertices
#include <ranges>
#include <string>
#include <vector>

#include <repebble/graph/lower_sets/lower_sets.hpp>

struct net {
    std::vector<std::vector<std::string>> readers;
};

template <>
struct repebble::graph_traits<net> {
    static auto vertices(net const& g) { return std::views::iota(0, static_cast<int>(g.readers.size())); }
    static auto successors(net const& g, int v) { return std::views::all(g.readers[static_cast<std::size_t>(v)]); }
    static auto vertex_index(net const&, int v) { return static_cast<std::size_t>(v); }
};

int main() {
    for (auto const& set : repebble::lower_sets(net{})) return static_cast<int>(set.size());
}
