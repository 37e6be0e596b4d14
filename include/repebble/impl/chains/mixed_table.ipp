#ifndef REPEBBLE_IMPL_CHAINS_MIXED_TABLE_IPP
#define REPEBBLE_IMPL_CHAINS_MIXED_TABLE_IPP

#include <repebble/chains/mixed_table.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

#include <repebble/chains/detail/split_row.hpp>
#include <repebble/chains/detail/table_size.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE mixed_table::mixed_table(std::uint64_t steps, std::uint32_t slots, std::uint32_t tape_slots) : steps_(steps), tape_slots_(tape_slots) {
    if (slots == 0) detail::raise(bad_weight("there are 0 slots, and a snapshot takes one"));
    if (tape_slots == 0) detail::raise(bad_weight("a tape takes 0 slots, and must take at least one"));
    if (steps > std::uint64_t{1} << 30U)
        detail::raise(bad_weight("a table of " + std::to_string(steps) + " steps is too large: 2^30 are allowed"));
    std::size_t const size = steps + 1;
    auto const each = slots < tape_slots ? 1 : tape_slots;  // slots of use for a step
    auto const most = std::max<std::uint64_t>(1, each * (std::max<std::uint64_t>(1, steps) - 1));
    slots_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, most));
    detail::check_table_size(
        size, std::uint64_t{slots_} * (sizeof(std::int64_t) + sizeof(std::uint32_t)),
        "a table of " + std::to_string(steps) + " steps and " + std::to_string(slots_) + " slots");
    std::vector<std::int64_t> none(size, detail::no_reversal), otherwise(size);
    if (size > 1) none[1] = 0;
    for (std::uint32_t s = 1; s <= slots_; ++s) {
        row now{std::vector<std::int64_t>(size), std::vector<std::uint32_t>(size)};
        for (std::size_t n = 2; n < size; ++n) {
            otherwise[n] = s < tape_slots ? detail::no_reversal
                                          : (s == tape_slots ? none : rows_[s - tape_slots - 1].least)[n - 1];
            if (s > 1) continue;
            now.least[n] = std::min(otherwise[n], now.least[n - 1] + static_cast<std::int64_t>(n - 1));
            now.split[n] = now.least[n] < otherwise[n] ? static_cast<std::uint32_t>(n - 1) : 0;
        }
        if (s > 1) {
            std::vector<std::int64_t> unused(size);
            detail::fill({otherwise, rows_.back().least, 1, 0, 0, now.least, now.split, unused});
        }
        rows_.push_back(std::move(now));
    }
}

REPEBBLE_INLINE void mixed_schedule::advance() {
    switch (now_.what) {
        case kind::reverse:
        case kind::reverse_recorded:
            end_ = now_.begin;
            if (!stack_.empty() && stack_.back().state == end_) stack_.pop_back();
            if (!stack_.empty()) resume(stack_.back());
            return;
        case kind::advance:
            begin_at(now_.end, stack_.back().slots - 1);
            return;
        case kind::record:
            begin_at(now_.end, stack_.back().slots - of_->tape_slots());
            return;
        case kind::snapshot:
        case kind::restore:
            break;
    }
    auto const [state, slots, is_tape] = stack_.back();
    if (auto const split = split_of(state, slots); split > 0) {
        now_ = {kind::advance, 0, state, state + split};
    } else {  // the slot is of no more use
        stack_.pop_back();
        begin_at(state, slots);
    }
}

REPEBBLE_INLINE void mixed_schedule::begin_at(std::uint64_t state, std::uint32_t slots) {
    if (end_ - state == 1) {
        now_ = {kind::reverse, 0, state, state};
        return;
    }
    bool const records = split_of(state, slots) == 0;
    stack_.push_back({state, slots, records});
    auto const slot = slot_of(stack_.back());
    now_ = records ? mixed_action{kind::record, slot, state, state + 1}
                   : mixed_action{kind::snapshot, slot, state, state};
}

}  // namespace repebble::inline v0

#endif
