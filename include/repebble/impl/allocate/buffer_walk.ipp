#ifndef REPEBBLE_IMPL_ALLOCATE_BUFFER_WALK_IPP
#define REPEBBLE_IMPL_ALLOCATE_BUFFER_WALK_IPP

#include <repebble/allocate/buffer_walk.hpp>

#include <cstdint>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto buffer_walk::compute(step<> const& s) -> computation {
    auto const v = s.vertex;
    auto const outputs = flow_.writes(v);
    computation done{.first_new = count_};
    fresh_.clear();
    overwritten_.clear();
    over_.assign(outputs.size(), no_value);
    for (auto const& m : flow_.mutations(v)) over_[m.output] = m.over;
    if (s.in_place) over_[s.output] = flow_.writes(s.over)[s.over_output];
    for (std::uint32_t j = 0; j < outputs.size(); ++j) {
        if (flow_.is_view(outputs[j])) continue;
        if (over_[j] != no_value) {
            overwritten_.push_back(buffer_at_[flow_.owner_start(over_[j])]);
            fresh_.push_back(overwritten_.back());
        } else {
            fresh_.push_back(count_++);
        }
    }
    done.overwritten = overwritten_;
    if (flow_.workspace(v) > 0) done.workspace = count_++;
    auto next = fresh_.begin();
    for (auto const value : outputs) {
        if (flow_.is_view(value))
            make_view(value, v);
        else
            buffer_at_[flow_.owner_start(value)] = *next++;
    }
    return done;
}

REPEBBLE_INLINE void buffer_walk::make_view(value_index view, operation_index v) {
    owners_seen_.clear();
    for (auto const owner : flow_.owners(view)) owners_seen_.push_back(buffer_at_[*flow_.slot_seen(v, owner)]);
    for (std::size_t k = 0; k < owners_seen_.size(); ++k) buffer_at_[flow_.owner_start(view) + k] = owners_seen_[k];
}

}  // namespace repebble::inline v0

#endif
