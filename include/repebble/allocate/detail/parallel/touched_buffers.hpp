#ifndef REPEBBLE_ALLOCATE_DETAIL_PARALLEL_TOUCHED_BUFFERS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_PARALLEL_TOUCHED_BUFFERS_HPP

// Preconditions that the planners for parallel steps share: every buffer is touched within its lifetime, and offsets
// are valid in the order of the schedule.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/step_graph.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/detail/raise.hpp>

namespace repebble::inline v0::detail {

/// Throws bad_buffer if a step touches a buffer outside its lifetime, or if no step touches it.  Requires: touches of
/// each buffer.
inline void require_touches(step_graph const& steps, std::span<buffer const> buffers) {
    require_valid_buffers(buffers);
    REPEBBLE_ASSERT(steps.touches.size() == buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        auto const& lifetime = buffers[i].lifetime;
        auto const fail = [&](std::string const& why) {
            detail::raise(bad_buffer("buffer " + std::to_string(i) + ": " + why));
        };
        for (auto const s : steps.touches[i])
            if (s >= steps.dependencies.vertex_count() || !lifetime.contains({s, std::int64_t{s} + 1}))
                fail("step " + std::to_string(s) + " touches it, outside its lifetime or the schedule");
        if (buffers[i].size > 0 && !lifetime.empty() && steps.touches[i].empty()) fail("no step touches it");
    }
}

/// The first overlap of a plan of offsets if gaps count as live; nullopt if there is none.  Throws bad_buffer if one
/// offset is invalid by itself.
[[nodiscard]] inline auto overlap_in_time(std::span<buffer const> buffers, std::span<bytes const> offsets)
    -> std::optional<offset_fault> {
    std::vector<buffer> whole(buffers.begin(), buffers.end());
    for (auto& b : whole) b.gaps.clear();
    auto fault = verify_offsets(whole, offsets).fault;
    if (fault && !fault->second) detail::raise(bad_buffer(fault->message));
    return fault;
}

}  // namespace repebble::inline v0::detail

#endif
