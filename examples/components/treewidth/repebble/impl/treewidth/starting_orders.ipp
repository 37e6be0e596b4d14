#ifndef REPEBBLE_IMPL_TREEWIDTH_STARTING_ORDERS_IPP
#define REPEBBLE_IMPL_TREEWIDTH_STARTING_ORDERS_IPP

#include <repebble/treewidth/detail/orders/starting_orders.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/treewidth/detail/orders/breadth_first_levels.hpp>
#include <repebble/treewidth/nested_dissection.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto starting_order::run(std::size_t width_limit, stop_test is_over) -> std::optional<best_order> {
    auto const by_rule = [&](named_rule const& by) {
        return named(by.name, detail::greedy_elimination(g_, by.rule, {}, width_limit, is_over));
    };
    if (number_ == 0) return by_rule(rules[0]);
    if (number_ % 2 == 0) return cut(width_limit, is_over);
    if (number_ < 4) return by_rule(rules[(number_ + 1) / 2]);
    if (number_ == 5)
        return named("levels", detail::greedy_elimination(g_, {}, breadth_first_levels(g_), width_limit, is_over));
    if (number_ < 12) return by_rule(rules[(number_ - 1) / 2]);
    if (number_ % 4 == 1) return cut(width_limit, is_over);
    return by_rule({"fill/degree", {.per_neighbor = true, .ties = tie_breaking::random, .seed = random_.next()}});
}

REPEBBLE_INLINE auto starting_order::named(std::string_view name, std::optional<ordered_elimination> made)
    -> std::optional<best_order> {
    if (!made) return std::nullopt;
    return best_order{std::move(made->order), made->width, std::string(name)};
}

REPEBBLE_INLINE auto starting_order::cut(std::size_t width_limit, stop_test is_over) -> std::optional<best_order> {
    auto const k = number_ / 2;
    auto const stages = dissect(g_, {.share = shares[k % shares.size()], .depth = 1 + k % 3, .seed = random_.next()});
    return named("nested dissection",
                 detail::greedy_elimination(g_, {.per_neighbor = k % 5 != 0}, stages, width_limit, is_over));
}

REPEBBLE_INLINE auto first_order(undirected_graph const& g, stop_test is_late) -> best_order {
    elimination_order given(g.vertex_count());
    std::iota(given.begin(), given.end(), undirected_graph::vertex{0});
    best_order best{given, elimination::of(g, given).width, "given order"};
    if (auto made = starting_order(g, 0, 0).run(std::numeric_limits<std::size_t>::max(), is_late))
        return made->width <= best.width ? *made : best;
    auto const sort_by = [&](std::string_view name, auto const& key) {
        auto order = given;
        std::ranges::stable_sort(order, {}, key);
        if (auto const width = elimination::of(g, order).width; width < best.width)
            best = {std::move(order), width, std::string(name)};
    };
    sort_by("degrees", [&](auto v) { return g.degree(v); });
    sort_by("levels", [levels = breadth_first_levels(g)](auto v) { return levels[v]; });
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
