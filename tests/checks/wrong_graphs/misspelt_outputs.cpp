// expected: a_member_of_graph_traits_is_misspelt_did_you_mean_output_count
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
    static auto num_outputs(net const&, int) -> std::size_t { return 2; }
};

auto main() -> int { repebble::plan(net{}, 7); }
