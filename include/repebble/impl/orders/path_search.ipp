#ifndef REPEBBLE_IMPL_ORDERS_PATH_SEARCH_IPP
#define REPEBBLE_IMPL_ORDERS_PATH_SEARCH_IPP

#include <repebble/orders/detail/path_search.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>

namespace repebble::inline v0::detail {

/// Which operations have to meet in a bag: those that follow one another, those that make and read a storage, and the
/// readers of one that some reader may overwrite. Symmetric, in ascending order, without inputs.  O(n + m).
[[nodiscard]] inline auto links_of(one_shot_game const& game) -> jagged_array<operation_index> {
    std::vector<std::vector<operation_index>> rows(game.operation_count());
    auto const link = [&](operation_index u, operation_index v) {
        if (u == v || game.start().contains(u) || game.start().contains(v)) return;
        rows[u].push_back(v);
        rows[v].push_back(u);
    };
    for (operation_index v = 0; v < game.operation_count(); ++v) {
        for (auto const u : game.predecessors(v)) link(static_cast<operation_index>(u), v);
        for (auto const s : game.reads(v)) link(game.producer(s), v);
        for (auto const& o : game.overwrites(v))
            for (auto const reader : game.readers(o.over)) link(reader, v);
    }
    jagged_array<operation_index> links;
    for (auto& row : rows) {
        sort_unique(row);
        links.append(row);
    }
    return links;
}

REPEBBLE_INLINE auto path_search::run(bytes upper, std::size_t width, std::size_t states, std::size_t most_states,
                                      stop_test stop) -> path_program_result {
    constexpr double cost_of_a_state = 16, most_slack = 1024;
    constexpr double most_cut = 1024 * 1024;  // a cut program has a chance where a whole one costs so much more
    constexpr std::size_t most_tried = 4;     // by a state: a quarter of the work at most
    constexpr std::size_t proof_shares = 4;   // for one that may prove
    most_states = std::min(most_states, std::size_t{1} << 50U);  // no product wraps
    states = std::min(states, most_states / proof_shares + 1);
    auto spent =
        widen(width, cost_of_a_state * most_cut * static_cast<double>(most_states), most_tried * most_states, stop);
    auto const cost = introduction_ ? introduction_->cost / cost_of_a_state : std::numeric_limits<double>::infinity();
    if (cost > most_cut * static_cast<double>(states)) return {.states = spent};
    auto const shares = cost <= static_cast<double>(proof_shares * states) ? proof_shares : std::size_t{1};
    auto const end = spent < most_states ? spent + std::min(shares * states, most_states - spent) : spent;
    path_program_result found;
    for (bool again = true; again && spent < end;) {
        found = run_path_program(game_, *links_, introduction_->order, upper, end - spent, slack_, stop);
        again = found.order.empty() && found.lacks_slack;
        if (found.order.empty()) slack_ = std::min(2 * slack_, most_slack);
        if (found.states > end - spent) slack_ = std::max(slack_ / 2, 1.0);
        spent += found.states;
    }
    found.states = spent;
    return found;
}

/// Looks for a cheaper introduction by a wider beam; returns the states that took.
REPEBBLE_INLINE auto path_search::widen(std::size_t width, double most_cost, std::size_t most_tried, stop_test stop)
    -> std::size_t {
    constexpr std::size_t introductions_of_a_state = 16;
    if (width <= width_) return 0;
    width_ = width;
    if (!links_) links_ = links_of(game_);
    auto found = introduction_order(*links_, game_.start(), width, most_cost, most_tried, stop);
    auto const tried = found.tried;
    bool const is_whole = found.order.size() == game_.operation_count() - game_.start().size();
    if (is_whole && !(introduction_ && introduction_->cost <= found.cost)) introduction_ = std::move(found);
    return tried / introductions_of_a_state;
}

}  // namespace repebble::inline v0::detail

#endif
