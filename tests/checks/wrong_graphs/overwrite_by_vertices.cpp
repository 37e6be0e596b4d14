// expected: may_overwrite_of_graph_traits_must_take_the_graph_a_vertex_an_output_and_an_output_ref
#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>

#include <repebble/plan.hpp>

struct net {};
template <>
struct repebble::graph_traits<net> {
    static auto vertices(net const&) { return std::views::iota(0, 2); }
    static auto successors(net const&, int v) { return std::views::iota(1, v == 0 ? 2 : 1); }
    static auto vertex_index(net const&, int v) -> std::size_t { return static_cast<std::size_t>(v); }
    static auto may_overwrite(net const&, int, int) -> bool { return true; }
};

auto main() -> int { repebble::plan(net{}, 7); }
