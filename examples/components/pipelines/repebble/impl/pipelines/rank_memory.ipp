#ifndef REPEBBLE_IMPL_PIPELINES_RANK_MEMORY_IPP
#define REPEBBLE_IMPL_PIPELINES_RANK_MEMORY_IPP

#include <repebble/pipelines/detail/rank_memory.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE rank_memory::rank_memory(pipeline const& p, std::size_t rank) : p_(&p) {
    for (auto const& stage : p.stages)
        if (stage.rank == rank) resting_ += stage.constant;
}

REPEBBLE_INLINE auto rank_memory::find(std::uint32_t item) const -> std::size_t {
    std::size_t i = 0;
    while (i < residents_.size() && residents_[i].item != item) ++i;
    return i;
}

REPEBBLE_INLINE auto rank_memory::during(pipeline_pass const& pass, std::span<std::uint32_t const> choices) const
    -> bytes {
    auto const item = item_of(pass);
    auto const& choice = p_->stages[pass.stage].choices[choices[item]];
    auto const others =
        pass.kind == pass_kind::forward ? resting_ : resting_ - resting_of(residents_[find(item)], choices[item]);
    return others + bytes_in(choice, pass.kind);
}

REPEBBLE_INLINE void rank_memory::run(pipeline_pass const& pass, std::span<std::uint32_t const> choices) {
    auto const item = item_of(pass);
    if (pass.kind == pass_kind::forward) {
        residents_.push_back({pass, item, item_phase::kept});
        resting_ += resting_of(residents_.back(), choices[item]);
        return;
    }
    auto const at = find(item);
    REPEBBLE_ASSERT(at < residents_.size());
    auto& r = residents_[at];
    resting_ -= resting_of(r, choices[item]);
    r.name = pass;
    if (pass.kind == pass_kind::input_gradient) {
        r.phase = item_phase::for_weights;
        resting_ += resting_of(r, choices[item]);
    } else {
        residents_.erase(residents_.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

REPEBBLE_INLINE void rank_memory::change(resident const& r, std::uint32_t from, std::uint32_t to) {
    resting_ += resting_of(r, to) - resting_of(r, from);
}

REPEBBLE_INLINE auto peak_of(pipeline const& p, std::size_t rank, std::span<pipeline_pass const> order,
                             std::span<std::uint32_t const> choices) -> bytes {
    rank_memory memory(p, rank);
    bytes peak = memory.resting();
    for (auto const& pass : order) {
        peak = std::max(peak, memory.during(pass, choices));
        memory.run(pass, choices);
    }
    return peak;
}

}  // namespace repebble::inline v0::detail

#endif
