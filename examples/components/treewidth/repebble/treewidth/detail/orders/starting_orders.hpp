#ifndef REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_STARTING_ORDERS_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_STARTING_ORDERS_HPP

// The sequence of starting heuristics of the portfolio: rules that win on some family of graphs, in turn with nested
// dissections with random separators, which win on meshes. `best_elimination` and `treewidth` draw from it by number.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <repebble/decomposition/best_order.hpp>
#include <repebble/decomposition/detail/orders/breadth_first_levels.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/nested_dissection.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// Heuristic number `number` of the sequence.
class starting_order {
  public:
    starting_order(undirected_graph const& g, std::size_t number, std::uint64_t seed)
        : g_(g), number_(number), random_(split_mix(seed + number).next()) {}

    /// The order; nullopt if it is wider than `width_limit`, or is_over() returns true.
    template <class IsOver>
    [[nodiscard]] auto run(std::size_t width_limit, IsOver const& is_over) -> std::optional<best_order> {
        auto const by_rule = [&](named_rule const& by) {
            return named(by.name, greedy_elimination.within(width_limit, g_, by.rule, {}, is_over));
        };
        if (number_ == 0) return by_rule(rules[0]);
        if (number_ % 2 == 0) return cut(width_limit, is_over);
        if (number_ < 4) return by_rule(rules[(number_ + 1) / 2]);
        if (number_ == 5)
            return named("levels", greedy_elimination.within(width_limit, g_, {}, breadth_first_levels(g_), is_over));
        if (number_ < 12) return by_rule(rules[(number_ - 1) / 2]);
        if (number_ % 4 == 1) return cut(width_limit, is_over);
        return by_rule({"fill/degree", {.per_neighbor = true, .ties = tie_breaking::random, .seed = random_.next()}});
    }

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
        -> std::optional<best_order> {
        if (!made) return std::nullopt;
        return best_order{std::move(made->order), made->width, std::string(name)};
    }
    template <class IsOver>
    [[nodiscard]] auto cut(std::size_t width_limit, IsOver const& is_over) -> std::optional<best_order> {
        auto const k = number_ / 2;
        auto const stages =
            dissect(g_, {.share = shares[k % shares.size()], .depth = 1 + k % 3, .seed = random_.next()});
        return named("nested dissection",
                     greedy_elimination.within(width_limit, g_, {.per_neighbor = k % 5 != 0}, stages, is_over));
    }

    undirected_graph const& g_;
    std::size_t number_;
    split_mix random_;
};

/// An order by minimum fill, or the given order if that is narrower; if is_late() ends the former, the best of orders
/// that take almost no time.
template <class IsLate>
[[nodiscard]] auto first_order(undirected_graph const& g, IsLate const& is_late) -> best_order {
    elimination_order given(g.vertex_count());
    std::iota(given.begin(), given.end(), undirected_graph::vertex{0});
    best_order best{given, eliminate(g, given).width, "given order"};
    if (auto made = starting_order(g, 0, 0).run(std::numeric_limits<std::size_t>::max(), is_late))
        return made->width <= best.width ? *made : best;
    auto const sort_by = [&](std::string_view name, auto const& key) {
        auto order = given;
        std::ranges::stable_sort(order, {}, key);
        if (auto const width = eliminate(g, order).width; width < best.width)
            best = {std::move(order), width, std::string(name)};
    };
    sort_by("degrees", [&](auto v) { return g.degree(v); });
    sort_by("levels", [levels = breadth_first_levels(g)](auto v) { return levels[v]; });
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
