#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_STARTING_ORDERS_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_STARTING_ORDERS_HPP

// The sequence of starting heuristics of the portfolio: rules that win on some family of graphs, in turn with nested
// dissections with random separators, which win on meshes. `best_elimination` and `find_treewidth` draw from it by
// number.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/treewidth/detail/orders/best_order.hpp>

namespace repebble::inline v0::detail {

/// Heuristic number `number` of the sequence.
class starting_order {
  public:
    starting_order(undirected_graph const& g, std::size_t number, std::uint64_t seed)
        : g_(g), number_(number), random_(split_mix(seed + number).next()) {}

    /// The order; nullopt if it is wider than `width_limit`, or is_over() returns true.
    [[nodiscard]] auto run(std::size_t width_limit, stop_test is_over) -> std::optional<best_order>;

  private:
    struct named_rule {
        std::string_view name;
        elimination_rule rule;
    };
    static constexpr std::array<named_rule, 6> rules{
        {{"min-fill", least_fill},
         {"fill/degree", least_fill_per_neighbor},
         {"fill+4*degree", {.degree = 4}},
         {"fill/degree", {.per_neighbor = true, .ties = tie_breaking::oldest}},
         {"fill+2*degree", {.degree = 2}},
         {"min-degree", least_degree}}};
    static constexpr std::array shares{0.52, 0.6, 0.8, 0.52, 0.7, 0.55};

    [[nodiscard]] static auto named(std::string_view name, std::optional<ordered_elimination> made)
        -> std::optional<best_order>;
    [[nodiscard]] auto cut(std::size_t width_limit, stop_test is_over) -> std::optional<best_order>;

    undirected_graph const& g_;
    std::size_t number_;
    split_mix random_;
};

/// An order by minimum fill, or the given order if that is narrower; if is_late() ends the former, the best of orders
/// that take almost no time.
[[nodiscard]] auto first_order(undirected_graph const& g, stop_test is_late) -> best_order;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/starting_orders.ipp>
#endif

#endif
