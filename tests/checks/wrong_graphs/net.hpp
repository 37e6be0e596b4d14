#ifndef REPEBBLE_TESTS_CHECKS_WRONG_GRAPHS_NET_HPP
#define REPEBBLE_TESTS_CHECKS_WRONG_GRAPHS_NET_HPP

// A graph of two vertices, and what its traits have rightly.

#include <cstddef>
#include <ranges>

struct net {};
struct net_traits {
    static auto vertices(net const&) { return std::views::iota(0, 2); }
    static auto successors(net const&, int v) { return std::views::iota(1, v == 0 ? 2 : 1); }
    static auto vertex_index(net const&, int v) -> std::size_t { return static_cast<std::size_t>(v); }
};

#endif
