#ifndef REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_IPP
#define REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_IPP

#include <repebble/chains/solve_chain.hpp>

#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE chain_frontier::chain_frontier(chain of, chain_options const& options) : chain_frontier(std::move(of)) {
    if (!solve(options, detail::never_stop{}))
        detail::raise(limit_reached("the curves of subchains are, or have, more than " +
                                    std::to_string(options.point_limit) + " points"));
}

REPEBBLE_INLINE auto chain_frontier::within(chain of, chain_options const& options,
                                 detail::stop_test stop) -> std::optional<chain_frontier> {
    chain_frontier frontier(std::move(of));
    if (!frontier.solve(options, stop)) return std::nullopt;
    return frontier;
}

REPEBBLE_INLINE auto chain_frontier::solve(chain_options const& options, detail::stop_test stop) -> bool {
    if (!(options.epsilon >= 0))
        detail::raise(bad_weight("epsilon must not be negative: " + std::to_string(options.epsilon)));
    if (options.budget && *options.budget < 0)
        detail::raise(bad_weight("the budget must not be negative: " + std::to_string(*options.budget)));
    detail::pareto_table_options asked{.test = options.test,
                                       .drop_saved_inputs = options.drop_saved_inputs,
                                       .most = (options.budget ? *options.budget : most_bytes) - chain_->input,
                                       .point_limit = options.point_limit};
    // First without rounding, even with a tolerance: only chains with very many different sizes have long curves.
    if (options.epsilon > 0) asked.point_limit /= 3;
    table_ = std::make_unique<detail::pareto_table const>(*sums_, asked, stop);
    if (table_->complete()) {
        curve_ = curve_of(*table_);
        return true;
    }
    if (!(options.epsilon > 0)) return false;
    asked.point_limit = options.point_limit;
    for (asked.loss = options.epsilon / 2;; asked.loss /= 3) {
        asked.round = detail::rounding::down;
        detail::pareto_table const below(*sums_, asked, stop);
        if (!below.complete()) return false;
        below_ = curve_of(below);
        asked.round = detail::rounding::up;
        table_ = std::make_unique<detail::pareto_table const>(*sums_, asked, stop);
        if (!table_->complete()) return false;
        curve_ = curve_of(*table_);
        epsilon_ = largest_gap();
        if (epsilon_ <= options.epsilon) return true;
    }
}

REPEBBLE_INLINE auto chain_frontier::curve_of(detail::pareto_table const& table) const -> std::vector<budget_and_time> {
    std::vector<budget_and_time> all;
    for (auto const& p : table.root()) all.push_back({p.budget + chain_->input, sums_->time_once() + p.time});
    return all;
}

REPEBBLE_INLINE auto chain_frontier::largest_gap() const -> double {
    double gap = 0;
    auto const look = [&](bytes budget) {
        auto const least = detail::time_at(below_, budget);
        auto const found = detail::time_at(curve_, budget);
        if (found && *found > *least)
            gap =
                std::max(gap, static_cast<double>(*found - *least) / std::max(1e-300, static_cast<double>(*least)));
    };
    for (auto const& p : curve_) look(p.budget);
    for (auto const& p : below_) look(p.budget);
    return gap;
}

}  // namespace repebble::inline v0

#endif
