#ifndef REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_IN_SLOTS_IPP
#define REPEBBLE_IMPL_CHAINS_SOLVE_CHAIN_IN_SLOTS_IPP

#include <repebble/chains/solve_chain_in_slots.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include <repebble/chains/detail/slots/slot_unit.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE chain_frontier_in_slots::chain_frontier_in_slots(chain of, bytes budget, slot_options const& options) : chain_(std::make_unique<chain const>(std::move(of))),
      sums_(std::make_unique<detail::chain_sums const>(*chain_)) {
    if (budget < 0) detail::raise(bad_weight("the budget must not be negative: " + std::to_string(budget)));
    if (options.slots == 0 || options.slots > most_slots)
        detail::raise(bad_weight("memory cannot be counted in " + std::to_string(options.slots) + " slots"));
    unit_ = std::max<bytes>(1, budget / static_cast<bytes>(options.slots));
    if (budget / unit_ > static_cast<bytes>(options.slots)) ++unit_;  // else some of the budget is in no slot
    if (options.fit_unit) unit_ = detail::slot_unit(*sums_, options.round).best_from(unit_);
    auto const slots = static_cast<detail::slot_count>(budget / unit_);
    costs_ = std::make_unique<detail::slot_costs const>(*sums_, options.test, options.round, unit_, slots);
    auto const worst = checked_add(sums_->worst_overhead(), sums_->forward_time(0, sums_->size()), "times");
    if (worst < std::numeric_limits<std::int32_t>::max() / 4) {
        table_.emplace<table<std::int32_t>>(*sums_, *costs_, slots, options.threads);
    } else if (worst < std::numeric_limits<std::int64_t>::max() / 4) {
        table_.emplace<table<std::int64_t>>(*sums_, *costs_, slots, options.threads);
    } else {
        detail::raise(bad_weight("the times of the chain are too long: " + std::to_string(worst)));
    }
    for (detail::slot_count s = 0; s <= slots; ++s) {
        auto const overhead = visit([&](auto const& t) { return t.overhead(s); });
        if (overhead && (curve_.empty() || sums_->time_once() + *overhead < curve_.back().time))
            curve_.push_back({s * unit_, sums_->time_once() + *overhead});
    }
}

REPEBBLE_INLINE auto chain_frontier_in_slots::actions_within(bytes budget) const -> std::optional<chain_actions> {
    if (!time_within(budget)) return std::nullopt;
    auto const slots = static_cast<detail::slot_count>(std::min(budget, curve_.back().budget) / unit_);
    return visit([&](auto const& t) { return t.actions_within(slots); });
}

}  // namespace repebble::inline v0

#endif
