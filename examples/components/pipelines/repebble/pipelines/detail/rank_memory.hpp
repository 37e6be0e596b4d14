#ifndef REPEBBLE_PIPELINES_DETAIL_RANK_MEMORY_HPP
#define REPEBBLE_PIPELINES_DETAIL_RANK_MEMORY_HPP

// The bytes of one rank while its passes run one after the other: its list alone sets them, whatever the times. The one
// body of what a pass takes; the judge reads the peak, and who decides choices the room.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::detail {

/// What of a microbatch is on the rank.
enum class item_phase : std::uint8_t { kept, for_weights };

/// Bytes of a choice while nothing of its stage and microbatch runs.
[[nodiscard]] constexpr auto resting_bytes(stage_choice const& c, item_phase phase) -> bytes {
    return phase == item_phase::kept ? c.kept : c.for_weights;
}

/// Bytes of a choice during a pass.
[[nodiscard]] constexpr auto bytes_in(stage_choice const& c, pass_kind kind) -> bytes {
    switch (kind) {
        case pass_kind::forward:
            return bytes_in_forward(c);
        case pass_kind::weight_gradient:
            return c.for_weights;
        case pass_kind::input_gradient:
        case pass_kind::backward:
            break;
    }
    return bytes_in_backward(c);
}

/// Bytes of a rank, pass after pass. Invariant: `resting` is the sum over all that is there, and the constants.
class rank_memory {
  public:
    /// A stage and a microbatch on the rank.
    struct resident {
        pipeline_pass name{};    ///< of its last pass
        std::uint32_t item = 0;  ///< stage · microbatches + microbatch
        item_phase phase = item_phase::kept;
    };

    rank_memory(pipeline const& p, std::size_t rank);

    /// Bytes while the pass runs, by the choice of its item.
    [[nodiscard]] auto during(pipeline_pass const& pass, std::span<std::uint32_t const> choices) const -> bytes;
    /// What is there once the pass has run.  Requires: the passes before it have run.
    void run(pipeline_pass const& pass, std::span<std::uint32_t const> choices);
    /// The choice of one that is there becomes another.
    void change(resident const& r, std::uint32_t from, std::uint32_t to);

    /// Bytes while no pass runs.
    [[nodiscard]] auto resting() const noexcept -> bytes { return resting_; }
    /// The oldest first.
    [[nodiscard]] auto residents() const noexcept -> std::span<resident const> { return residents_; }

  private:
    [[nodiscard]] auto item_of(pipeline_pass const& pass) const -> std::uint32_t {
        return static_cast<std::uint32_t>(pass.stage * p_->microbatches + pass.microbatch);
    }
    [[nodiscard]] auto resting_of(resident const& r, std::uint32_t choice) const -> bytes {
        return resting_bytes(p_->stages[r.name.stage].choices[choice], r.phase);
    }
    [[nodiscard]] auto find(std::uint32_t item) const -> std::size_t;

    pipeline const* p_;
    bytes resting_ = 0;
    std::vector<resident> residents_;  // oldest first
};

/// Most bytes of the rank, constants included, by these choices.  O(passes · microbatches in flight).
[[nodiscard]] auto peak_of(pipeline const& p, std::size_t rank, std::span<pipeline_pass const> order,
                           std::span<std::uint32_t const> choices) -> bytes;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/rank_memory.ipp>
#endif

#endif
