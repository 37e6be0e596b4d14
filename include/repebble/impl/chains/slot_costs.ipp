#ifndef REPEBBLE_IMPL_CHAINS_SLOT_COSTS_IPP
#define REPEBBLE_IMPL_CHAINS_SLOT_COSTS_IPP

#include <repebble/chains/slot_costs.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE slot_costs::slot_costs(chain_sums const& sums, memory_test test, slot_rounding round, bytes unit, slot_count most) : sums_(sums), published_(test == memory_test::published), round_(round), unit_(unit), most_(most) {
    for (std::size_t i = 0; i <= sums.size(); ++i) {
        values_.push_back(slots(sums.value(i)));
        gradients_.push_back(slots(sums.gradient(i)));
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        auto const& s = sums.stage(i);
        running_.push_back(published_ ? rounded(s.output) + rounded(s.workspace) : sums.forward_bytes(i));
    }
}

REPEBBLE_INLINE auto slot_costs::save(std::size_t i, std::size_t tape, std::size_t l, slot_count keep) const -> slot_count {
    auto const& s = sums_.stage(i).tapes[tape];
    if (!published_)
        return slots(
            std::max(sums_.gradient(l + 1) + sums_.recording_bytes(i, tape), sums_.backward_bytes(i, tape)));
    auto const after = rounded(sums_.gradient(i + 1)) + rounded(s.saved);
    auto const alone = std::max(after + rounded(s.forward_workspace),
                                rounded(sums_.gradient(i)) + after + rounded(s.backward_workspace));
    return std::max(capped(alone), i == l ? 0 : keep);
}

REPEBBLE_INLINE auto slot_costs::keeps(std::size_t i, std::size_t last) const -> std::vector<slot_count> {
    std::vector<slot_count> all;
    bytes running = 0;
    for (auto l = i; l < last; ++l) {
        all.push_back(published_ ? capped(rounded(sums_.gradient(l + 1)) + running)
                                 : slots(sums_.gradient(l + 1) + running));
        auto const input = l == i ? 0 : published_ ? rounded(sums_.value(l)) : sums_.value(l);
        running = std::max(running, input + running_[l]);
    }
    return all;
}

REPEBBLE_INLINE auto slot_costs::rounded(bytes size) const -> bytes {
    auto const below = size / unit_ - (size % unit_ < 0 ? 1 : 0);
    auto const rest = size % unit_ + (size % unit_ < 0 ? unit_ : 0);
    bool const above = round_ == slot_rounding::up        ? rest > 0
                       : round_ == slot_rounding::nearest ? rest > unit_ / 2
                                                          : false;
    return below + (above ? 1 : 0);
}

}  // namespace repebble::inline v0::detail

#endif
