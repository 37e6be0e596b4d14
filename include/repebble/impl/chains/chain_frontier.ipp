#ifndef REPEBBLE_IMPL_CHAINS_CHAIN_FRONTIER_IPP
#define REPEBBLE_IMPL_CHAINS_CHAIN_FRONTIER_IPP

#include <repebble/chains/chain_frontier.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/detail/chain_options_check.hpp>
#include <repebble/chains/detail/slots/slot_unit.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE chain_frontier::chain_frontier(chain of, chain_options const& options, detail::limit_test& ask)
    : chain_(std::make_unique<chain const>(std::move(of))),
      sums_(std::make_unique<detail::chain_sums const>(*chain_)),
      round_(options.round) {
    detail::check_curve_options(options);
    options.slots ? solve_in_slots(options, ask) : solve_in_bytes(options, ask);
}

REPEBBLE_INLINE chain_frontier::chain_frontier(chain of, chain_options const& options)
    : chain_frontier([&] {
          detail::limit_test ask(options.limits);
          chain_frontier solved(std::move(of), options, ask);
          if (!solved.complete_) detail::raise_limit(options, ask);
          return solved;
      }()) {}

REPEBBLE_INLINE auto chain_frontier::within_limits(chain of, chain_options const& options)
    -> std::optional<chain_frontier> {
    detail::limit_test ask(options.limits);
    chain_frontier solved(std::move(of), options, ask);
    if (!solved.complete_) return std::nullopt;
    return solved;
}

REPEBBLE_INLINE auto chain_frontier::lower_bound(bytes budget) const -> std::optional<std::int64_t> {
    if (slot_ && round_ != slot_rounding::down) return std::nullopt;
    return detail::time_at(epsilon_ > 0 ? below_ : curve_, budget);
}

REPEBBLE_INLINE auto chain_frontier::actions_within(bytes budget) const -> std::optional<chain_actions> {
    if (!time_within(budget)) return std::nullopt;
    auto const used = std::min(budget, curve_.back().budget);
    if (!slot_) return std::get<1>(table_)->actions_within(used - chain_->input);
    auto const slots = static_cast<detail::slot_count>(used / *slot_);
    return visit_slots([&](auto const& t) { return t.actions_within(slots); });
}

REPEBBLE_INLINE void chain_frontier::solve_in_bytes(chain_options const& options, detail::limit_test& ask) {
    constexpr bytes most_bytes = std::numeric_limits<bytes>::max() - 1;
    auto const points = detail::most_points(options);
    detail::pareto_table_options asked{.test = options.test,
                                       .drop_saved_inputs = options.drop_saved_inputs,
                                       .most = options.last_budget.value_or(most_bytes) - chain_->input,
                                       .most_points = points};
    // First without rounding, even with a tolerance: only chains with very many different sizes have long curves.
    if (options.epsilon > 0) asked.most_points /= 3;
    auto const solve = [&] {
        table_ = std::make_unique<detail::pareto_table const>(*sums_, asked, ask);
        complete_ = std::get<1>(table_)->complete();
        if (complete_) curve_ = curve_of(*std::get<1>(table_));
        return complete_;
    };
    if (solve() || !(options.epsilon > 0)) return;
    asked.most_points = points;
    for (asked.loss = options.epsilon / 2;; asked.loss /= 3) {
        asked.round = detail::rounding::down;
        detail::pareto_table const below(*sums_, asked, ask);
        complete_ = false;
        if (!below.complete()) return;
        below_ = curve_of(below);
        asked.round = detail::rounding::up;
        if (!solve()) return;
        epsilon_ = largest_gap();
        if (epsilon_ <= options.epsilon) return;
    }
}

REPEBBLE_INLINE void chain_frontier::solve_in_slots(chain_options const& options, detail::limit_test& ask) {
    auto const budget = options.last_budget ? *options.last_budget : bytes_to_keep_all(*chain_, options.test);
    auto const most = static_cast<bytes>(*options.slots);
    auto unit = std::max<bytes>(1, budget / most);
    if (budget / unit > most) ++unit;  // else some of the budget is in no slot
    if (options.fit_slots) unit = detail::slot_unit(*sums_, options.round).best_from(unit);
    slot_ = unit;
    auto const slots = static_cast<detail::slot_count>(budget / unit);
    costs_ = std::make_unique<detail::slot_costs const>(*sums_, options.test, options.round, unit, slots);
    auto const worst = checked_add(sums_->worst_overhead(), sums_->forward_time(0, sums_->size()), "times");
    if (worst < std::numeric_limits<std::int32_t>::max() / 4) {
        table_ = std::make_unique<detail::slot_table<std::int32_t> const>(*sums_, *costs_, slots, options.threads, ask);
    } else if (worst < std::numeric_limits<std::int64_t>::max() / 4) {
        table_ = std::make_unique<detail::slot_table<std::int64_t> const>(*sums_, *costs_, slots, options.threads, ask);
    } else {
        detail::raise(bad_weight("the times of the chain are too long: " + std::to_string(worst)));
    }
    complete_ = visit_slots([](auto const& t) { return t.complete(); });
    if (!complete_) return;
    for (detail::slot_count s = 0; s <= slots; ++s) {
        auto const overhead = visit_slots([&](auto const& t) { return t.overhead(s); });
        if (overhead && (curve_.empty() || sums_->time_once() + *overhead < curve_.back().time))
            curve_.push_back({s * unit, sums_->time_once() + *overhead});
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
            gap = std::max(gap, static_cast<double>(*found - *least) / std::max(1e-300, static_cast<double>(*least)));
    };
    for (auto const& p : curve_) look(p.budget);
    for (auto const& p : below_) look(p.budget);
    return gap;
}

}  // namespace repebble::inline v0

#endif
