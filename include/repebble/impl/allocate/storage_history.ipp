#ifndef REPEBBLE_IMPL_ALLOCATE_STORAGE_HISTORY_IPP
#define REPEBBLE_IMPL_ALLOCATE_STORAGE_HISTORY_IPP

#include <repebble/allocate/storage_history.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/observer.hpp>
#include <repebble/pebbling/pebble_game.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE storage_history::storage_history(dataflow const& flow, schedule<> const& history) : flow_(flow),
      stay_of_(flow.value_count(), none),
      storage_at_(flow.owner_slots(), none),
      computations_(flow.value_count(), 0) {
    no_observer observer;
    pebble_game<> game(flow, serial_clock{}, observer);
    for (step_ = 0; step_ < history.steps.size(); ++step_) {
        if (!game.play(step_, history.steps[step_])) detail::raise(illegal_schedule(*game.broken()));
        first_reading_.push_back(readings_.size());
        first_new_.push_back(static_cast<storage_id>(last_use_.size()));
        first_takeover_.push_back(takeovers_.size());
        play(history.steps[step_]);
    }
    first_reading_.push_back(readings_.size());
    first_takeover_.push_back(takeovers_.size());
    for (auto const stay : stay_of_)
        if (stay != none) stays_[stay].end = step_;
    std::vector<std::pair<storage_id, stay_id>> const pairs = std::move(in_storage_);
    stays_in_ = {last_use_.size(), pairs};
    for (auto const& [storage, stay] : pairs)
        if (stays_[stay].end == step_) last_use_[storage] = step_;
}

REPEBBLE_INLINE void storage_history::play(step<> const& s) {
    if (s.what == action::compute) return compute(s);
    auto const value = flow_.writes(s.vertex)[s.output];
    if (s.what == action::discard) {
        if (s.from == pool::device) end(value);
        return;
    }
    if (s.what == action::prefetch) begin_in(value, add_storage());
    if (s.what == action::offload) last_use_[storage_at_[flow_.owner_start(value)]] = step_;
    stays_[stay_of_[value]].copied = true;
}

REPEBBLE_INLINE void storage_history::compute(step<> const& s) {
    for (auto const value : flow_.reads(s.vertex))
        for (std::size_t k = 0; k < flow_.owners(value).size(); ++k) {
            auto const storage = storage_at_[flow_.owner_start(value) + k];
            readings_.push_back({stay_of_[value], storage});
            last_use_[storage] = step_;
        }
    if (s.in_place) {
        auto const over = flow_.writes(s.over)[s.over_output];
        takeovers_.push_back({s.output, storage_at_[flow_.owner_start(over)]});
        last_use_[takeovers_.back().storage] = step_;
        end(over);
    }
    for (std::size_t k = 0; k < flow_.mutations(s.vertex).size(); ++k) {
        auto const& m = flow_.mutations(s.vertex)[k];
        auto const storage = storage_at_[flow_.owner_start(m.over)];
        takeovers_.push_back({m.output, storage});
        for (auto const value : flow_.ended(s.vertex, k))  // under every name by which it is read
            if (stay_of_[value] != none && storage_at_[flow_.owner_start(value)] == storage) end(value);
    }
    for (auto const value : flow_.writes(s.vertex)) {
        ++computations_[value];
        if (!flow_.is_view(value)) {
            auto const storage = add_storage();
            if (stay_of_[value] != none) end(value);
            begin_in(value, storage);
        } else {
            make_view(value, s.vertex);
        }
    }
}

REPEBBLE_INLINE void storage_history::make_view(value_index view, operation_index v) {
    owners_seen_.clear();
    for (auto const owner : flow_.owners(view)) owners_seen_.push_back(storage_at_[*flow_.slot_seen(v, owner)]);
    if (stay_of_[view] != none) end(view);
    begin(view);
    for (std::size_t k = 0; k < owners_seen_.size(); ++k) record_storage(view, k, owners_seen_[k]);
}

}  // namespace repebble::inline v0

#endif
